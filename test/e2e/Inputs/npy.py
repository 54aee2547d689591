"""Writes and shows .npy files without NumPy: npy.py write FILE DESCR ORDER SHAPE BYTES | show FILE FORMAT"""
import ast
import struct
import sys


def write(path, descr, order, shape, size):
    """A header by its words, and so many bytes 0, 1, 2, ... behind it."""
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    text += ' ' * (-(len(text) + 11) % 64) + '\n'
    with open(path, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode())
        file.write(bytes(i % 251 for i in range(int(size))))


def pack(path, descr, shape, form, *values):
    """Values in a format of struct, behind a header of version 2."""
    text = f'{{"shape": {shape}, "fortran_order": False, "descr": "{descr}"}}\n'
    convert = float if form in 'efd' else int
    with open(path, 'wb') as file:
        file.write(b'\x93NUMPY\x02\x00' + struct.pack('<I', len(text)) + text.encode())
        file.write(struct.pack(f'<{len(values)}{form}', *map(convert, values)))


def show(path, form):
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:8] == b'\x93NUMPY\x01\x00', data[:8]
    length, = struct.unpack_from('<H', data, 8)
    assert (10 + length) % 64 == 0 and data[9 + length:10 + length] == b'\n'
    header = ast.literal_eval(data[10:10 + length].decode())
    rest = data[10 + length:]
    values = struct.unpack(f'<{len(rest) // struct.calcsize(form)}{form}', rest)
    print(header['descr'], header['fortran_order'], header['shape'], *values)


{'write': write, 'pack': pack, 'show': show}[sys.argv[1]](*sys.argv[2:])
