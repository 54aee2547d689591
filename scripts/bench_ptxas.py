"""Heddle's machine code beside ptxas's, on the same IR. Called by bench-ptxas.sh: build tree, ptxas, [sources or .ll...].

Registers and stack frame come from `ptxas -v` and the cubin's .nv.info (attribute 0x2f registers, 0x11 frame);
instructions from the size of .text.<function> / 16, less trailing NOPs. Kernels are compared whole-program.
"""
import glob
import json
import os
import statistics
import struct
import subprocess
import sys

BUILD, PTXAS = sys.argv[1:3]
SOURCES = sys.argv[3:] or sorted(glob.glob('examples/*.cu'))
OUT = os.path.join(BUILD, 'bench', 'ptxas')
BIN = subprocess.check_output(['llvm-config-19', '--bindir'], text=True).strip()
NOP_OPCODE = 0x918


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def device_ir(source, name):
    if source.endswith('.ll'):
        return source
    path = os.path.join(OUT, name + '.ll')
    run(os.path.join(BIN, 'clang++'), '-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_70', '--cuda-feature=+ptx75',
        '-nocudainc', '-nocudalib', '--cuda-path=/nonexistent', '-Xclang', '-target-sdk-version=11.8', '-isystem',
        'include/cuda', '-include', 'heddle_cuda.h', '-Xclang', '-mlink-builtin-bitcode', '-Xclang',
        f'{BUILD}/share/heddle/device.bc', '-O3', '-emit-llvm', '-S', '-o', path, source)
    return path


def sections(cubin):
    """Section name -> bytes, and symbol index -> name, of an ELF64 file."""
    (shoff,) = struct.unpack_from('<Q', cubin, 0x28)
    entry, count, names_at = struct.unpack_from('<HHH', cubin, 0x3a)
    headers = [struct.unpack_from('<IIQQQQIIQQ', cubin, shoff + i * entry) for i in range(count)]
    names = headers[names_at]

    def text(offset, table):
        start = table[4] + offset
        return cubin[start:cubin.index(0, start)].decode()

    found = {text(h[0], names): cubin[h[4]:h[4] + h[5]] for h in headers if h[1] != 8}
    symbols = []
    for h in headers:
        if h[1] == 2:
            strings = headers[h[6]]
            for at in range(h[4], h[4] + h[5], 24):
                symbols.append(text(struct.unpack_from('<I', cubin, at)[0], strings))
    return found, symbols


def attributes(info):
    """(attribute, payload) of a .nv.info section."""
    at = 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from('<BBH', info, at)
        payload = info[at + 4:at + 4 + size] if form == 4 else b''
        yield attribute, payload
        at += 4 + (size if form == 4 else 0)


def instructions(code):
    count = len(code) // 16
    while count and struct.unpack_from('<Q', code, (count - 1) * 16)[0] & 0xfff == NOP_OPCODE:
        count -= 1
    return count - 1  # and the BRA to itself in front of the padding


def ptxas_figures(ir, name, arch):
    ptx, cubin = os.path.join(OUT, f'{name}.{arch}.ptx'), os.path.join(OUT, f'{name}.{arch}.cubin')
    run(os.path.join(BIN, 'llc'), '-O3', f'-mcpu={arch}', '-mattr=+ptx75', '-o', ptx, ir)
    run(PTXAS, '-O3', f'-arch={arch}', '-o', cubin, ptx)
    with open(cubin, 'rb') as file:
        found, symbols = sections(file.read())
    figures = {}
    for section, code in found.items():
        if section.startswith('.text.'):
            figures[section[6:]] = {'instructions': instructions(code)}
    for attribute, payload in attributes(found.get('.nv.info', b'')):
        if attribute in (0x2f, 0x11) and len(payload) == 8:
            symbol, value = struct.unpack('<II', payload)
            figures.setdefault(symbols[symbol], {})['registers' if attribute == 0x2f else 'stack_bytes'] = value
    return figures


def heddle_figures(ir, name):
    prefix = os.path.join(OUT, name)
    run(os.path.join(BIN, 'opt'), f'-load-pass-plugin={BUILD}/lib/HeddlePasses.so', f'-passes=heddle<o={prefix}>',
        '-disable-output', ir)
    with open(prefix + '.heddle.json') as file:
        metadata = json.load(file)
    return {f['name']: f for f in metadata['kernels'] + metadata['functions']}


def compare(arch, rows):
    print(f'\n{arch}: Heddle / ptxas -O3, whole program\n{"function":48} {"registers":>14} {"stack bytes":>14} '
          f'{"instructions":>14}')
    for name, ours, theirs in rows:
        print(f'{name[:48]:48}', *(f'{ours[key]:>6} /{theirs.get(key, 0):>6}' for key in
                                   ('registers', 'stack_bytes', 'instructions')))
    for key in ('registers', 'instructions'):
        pairs = [(ours[key], theirs[key]) for _, ours, theirs in rows if theirs.get(key)]
        if pairs:
            errors = [abs(a - b) / b for a, b in pairs]
            print(f'{key}: mean absolute error {100 * statistics.mean(errors):.1f} %, median ratio '
                  f'{statistics.median(a / b for a, b in pairs):.3f}, {len(pairs)} functions')


os.makedirs(OUT, exist_ok=True)
for target in ('sm_75', 'sm_80'):
    table = []
    for source in SOURCES:
        stem = os.path.splitext(os.path.basename(source))[0]
        module = device_ir(source, stem)
        peer = ptxas_figures(module, stem, target)
        own = heddle_figures(module, stem)
        table += [(name, own[name], peer[name]) for name in sorted(own) if name in peer]
    compare(target, table)
