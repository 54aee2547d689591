"""corun-splice.py A B TO: recording A with the contents that B says its program left in the end, with its check anew."""
import struct
import sys

MASK = (1 << 64) - 1
TEXT, GOLDEN = 0xcbf29ce484222325, 0x9e3779b97f4a7c15


def mix(value, other):
    value = (value ^ other) * GOLDEN & MASK
    return value ^ value >> 29


def hash_of(data):
    value = mix(TEXT, len(data))
    whole = len(data) // 8 * 8
    for (word,) in struct.iter_unpack('<Q', data[:whole]):
        value = mix(value, word)
    return mix(value, int.from_bytes(data[whole:], 'little')) if len(data) > whole else value


def entries(data):
    at, result = 16, []
    while at < len(data):
        kind, first, size, _ = struct.unpack_from('<IIQQ', data, at)
        result.append((kind, first, data[at + 24:at + 24 + size]))
        at += 24 + size
    return result


a, b, to = sys.argv[1:]
data = open(a, 'rb').read()
own, theirs = entries(data), {low: hash for low, _, hash in struct.iter_unpack('<QQQ', entries(open(b, 'rb').read())[-1][2])}
kind, first, end = own[-1]
end = b''.join(struct.pack('<QQQ', low, high, theirs.get(low, hash)) for low, high, hash in struct.iter_unpack('<QQQ', end))
own[-1] = (kind, first, end)
with open(to, 'wb') as file:
    file.write(data[:16])
    for number, (kind, first, payload) in enumerate(own):
        check = mix(mix(mix(mix(mix(TEXT, kind), len(payload)), number), hash_of(payload[:first])), hash_of(payload[first:]))
        file.write(struct.pack('<IIQQ', kind, first, len(payload), check) + payload)
