"""damage.py FROM TO: a copy of a program in whose kernel object the last block of the metadata is no zstd frame any more: what
belongs to the last kernels by pc."""
import struct
import sys

MACHINE, FRAME = b'HD'[::-1], b'\x28\xb5\x2f\xfd'


def section(data, start, name):
    """The place of a section of the object at `start`."""
    headers, = struct.unpack_from('<Q', data, start + 40)
    count, names = struct.unpack_from('<HH', data, start + 60)
    rows = [struct.unpack_from('<IIQQQQ', data, start + headers + 64 * i) for i in range(count)]
    for row in rows:
        text = start + rows[names][4] + row[0]
        if data[text:data.index(b'\0', text)] == name:
            return start + row[4], start + row[4] + row[5]
    sys.exit('no such section')


with open(sys.argv[1], 'rb') as file:
    data = bytearray(file.read())
start = data.index(b'\x7fELF', 4)
while data[start + 18:start + 20] != MACHINE:
    start = data.index(b'\x7fELF', start + 4)
first, end = section(data, start, b'.heddle.meta')
data[data.rindex(FRAME, first, end)] ^= 0xff
with open(sys.argv[2], 'wb') as file:
    file.write(data)
