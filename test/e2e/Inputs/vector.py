"""vector.py INFO: the address of adjust_weights' first linear register in backprop (R2D2, Figures 2 and 7), by hand."""
import re
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    text = file.read()
vector = re.search(r'adjust_weights.*?%lr0 .*?\{(.*?)\}', text, re.DOTALL).group(1)
# P1: columns; P3, P4: the weights, and their last changes.
base, x, y, z, block_x, block_y, block_z = (eval(part, {'P1': 16, 'P3': 0x1000, 'P4': 0x1000}) for part in vector.split(', '))
assert (z, block_x, block_z) == (0, 0, 0), vector
print(f'base {base:#x}, tid.x {x}, tid.y {y}, ctaid.y {block_y}')
print(f'thread (3, 2) of block row 5: {base + 3 * x + 2 * y + 5 * block_y:#x}')
