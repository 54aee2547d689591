"""corun-damage.py FROM TO PLACE: a recording with one byte changed at PLACE, per cent of its size; or cut there: PLACE=cut"""
import sys

source, to, place = sys.argv[1:]
data = bytearray(open(source, 'rb').read())
if place == 'cut':
    data = data[:len(data) // 2]
elif place == 'end':
    data = data[:-24 * 3]
elif place == 'more':
    data += b'more'
else:
    data[len(data) * int(place) // 100] ^= 0x10
open(to, 'wb').write(data)
