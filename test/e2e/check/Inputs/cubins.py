#!/usr/bin/python3
"""cubins.py FOLDER: writes files with NVIDIA's machine code in the forms that nvcc ships, made by hand.

Their figures are below, in KERNELS. No file is from NVIDIA's tools: what stands in them is what tools/heddle reads.
"""

import os
import struct
import sys

NOP, EXIT, DADD, BAR, LDL, F2F_DOUBLE, FADD = 0x918, 0x94D, 0x229, 0xB1D, 0x983, 0x310, 0x221


class Kernel:
    """A kernel of a cubin. `code`: opcode and source line of each instruction."""

    def __init__(self, name, registers, code, stack=0, shared=0, constant=0x160, params=0, bound=0, barriers=0, inner=None, callee=None):
        self.name, self.registers, self.code = name, registers, code
        self.stack, self.shared, self.constant, self.params = stack, shared, constant, params
        self.bound, self.barriers, self.inner, self.callee = bound, barriers, inner, callee


KERNELS = [
    Kernel('_Z5scalePfi', 40, [(FADD, 3), (FADD, 3), (BAR, 4), (LDL, 5), (LDL, 5), (LDL, 6), (EXIT, 7)], stack=48, shared=2048,
           constant=0x160 + 12, params=12, bound=256, barriers=1),
    # What it calls has a frame of 88 bytes and calls itself.
    Kernel('_Z4walkPi', 27, [(FADD, 12), (EXIT, 13)], constant=0x160 + 8, params=8, inner=88),
]
# Four bytes are stored at R1, and eight loaded; R1 moves down by the frame before.
AT_R1, FRAME, STL = 1 << 24, 0x810 | 1 << 16 | 1 << 24, 0x387
SPILLS = [FRAME, STL | AT_R1 | 4 << 73, LDL | AT_R1 | 5 << 73, EXIT]
CALL, RET, MOV_FROM_R1 = 0x944, 0x950, 0x202 | 1 << 32
SPILLING = [Kernel('_Z6spillsPf', 32, [(inst, 3) for inst in SPILLS], stack=16), Kernel('_Z5callsPf', 32, [(inst, 3) for inst in [CALL] + SPILLS], stack=16),
            Kernel('_Z7addressPf', 32, [(inst, 3) for inst in [MOV_FROM_R1] + SPILLS], stack=16)]
# Callees in the kernels' own sections: a function of ptxas's, one of the program, and this where there is no local memory;
# and where none returns.
INSIDE = [(inst, 3) for inst in [CALL | 4 * 16 << 32] + SPILLS + [RET]]
SPILLING += [Kernel('_Z6dividePf', 32, INSIDE, stack=16, callee=('$__internal_0_$__cuda_sm20_div_u64', 80)),
             Kernel('_Z7escapesPf', 32, INSIDE, stack=16, callee=('$_Z7escapesPf$_Z3incPi', 80)),
             Kernel('_Z5jumpsPf', 32, INSIDE[:-1] + [(EXIT, 3)], stack=16), Kernel('_Z5clearPf', 32, [(inst, 3) for inst in [CALL | 16 << 32, EXIT, RET]], callee=('$_Z5clearPf$_Z3incPi', 32))]
# The first kernel with a literal that lost its f: two operations and a conversion in double precision, in line 3.
CHANGED = [Kernel('_Z5scalePfi', 40, [(F2F_DOUBLE, 3), (DADD, 3), (DADD, 3), (BAR, 4), (LDL, 5), (LDL, 5), (LDL, 6), (EXIT, 7)],
                  stack=48, shared=2048, constant=0x160 + 12, params=12, bound=256, barriers=1), KERNELS[1]]


def uleb(value):
    out = b''
    while True:
        out += bytes([value & 0x7F | (0x80 if value >> 7 else 0)])
        value >>= 7
        if not value:
            return out


class Elf:
    def __init__(self):
        self.sections, self.symbols, self.strings = [], [bytes(24)], b'\0'

    def add(self, name, data, kind=1, flags=0, link=0, info=0, size=None):
        """Index of a new section; `size`: of one without bytes."""
        self.sections.append((name, data, 8 if size is not None else kind, flags, link, info, len(data) if size is None else size))
        return len(self.sections)

    def symbol(self, name, info, other, section, size=0, value=0):
        at = len(self.strings)
        self.strings += name.encode() + b'\0'
        self.symbols.append(struct.pack('<IBBHQQ', at, info, other, section, value, size))
        return len(self.symbols) - 1

    def bytes(self, machine, kind, flags, abi):
        strings = self.add('.strtab', self.strings, 3)
        self.add('.symtab', b''.join(self.symbols), 2, link=strings)
        names = b'\0'
        at = {}
        for name in [section[0] for section in self.sections] + ['.shstrtab']:
            at[name] = len(names)
            names += name.encode() + b'\0'
        self.add('.shstrtab', names, 3)
        body, headers = b'', bytes(64)
        for name, data, type_, flag, link, info, size in self.sections:
            body += bytes(-len(body) % 16)
            headers += struct.pack('<IIQQQQIIQQ', at[name], type_, flag, 0, 64 + len(body), size, link, info, 16, 0)
            body += data
        body += bytes(-len(body) % 16)
        ident = b'\x7fELF\x02\x01\x01' + bytes([0x41 if machine == 190 else 0, abi]) + bytes(7)
        return ident + struct.pack('<HHIQQQIHHHHHH', kind, machine, 1, 0, 0, 64 + len(body), flags, 64, 0, 0, 64,
                                   len(self.sections) + 1, len(self.sections)) + body + headers


def line_program(kernels, places):
    """.debug_line of version 2 for k.cu: a sequence for each kernel. `places`: where each start is relocated."""
    head = bytes([16, 1, 0xF5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + b'\0' + b'k.cu\0' + bytes(3) + b'\0'
    out = struct.pack('<HI', 2, len(head)) + head
    for kernel in kernels:
        out += b'\0' + uleb(9) + b'\x02'
        places.append(4 + len(out))
        out += bytes(8)
        line, address = 1, 0
        for index, (_, at) in enumerate(kernel.code):
            if index and at == line:
                continue
            step = (at - line) & 0x7F
            out += b'\x02' + uleb(index - address) + b'\x03' + bytes([step]) + b'\x01'
            line, address = at, index
        out += b'\x02' + uleb(len(kernel.code) - address) + b'\0\x01\x01'
    return struct.pack('<I', len(out)) + out


def long_folder(kernels, places):
    """.debug_line with 10,000 files in a folder whose name has 100,000 characters: a gigabyte of paths."""
    head = bytes([16, 1, 0xF5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + b'f' * 100000 + b'\0\0'
    head += b''.join(b'%d\0\1\0\0' % i for i in range(10000)) + b'\0'
    return struct.pack('<IHI', len(head) + 6, 2, len(head)) + head


def cubin(arch, kernels, old=False, lines=True, options=b'', crowd=None, line_program=line_program):
    """`old`: as before CUDA 13, with the registers in the header of the code's section. `options`: more of ptxas's. `crowd`:
    adds to the sections and symbols of the ELF file."""
    elf, common, texts = Elf(), b'', []
    for kernel in kernels:
        code = b''.join((opcode | 0x7000).to_bytes(16, 'little') for opcode, _ in kernel.code)
        code += struct.pack('<I12x', NOP | 0x7000) * (-len(kernel.code) % 8)
        text = elf.add('.text.' + kernel.name, code, flags=6, info=kernel.registers << 24 if old else 0)
        texts.append(text)
        symbol = elf.symbol(kernel.name, 0x12, 0x10, text, len(code))
        frames = [(0x11, symbol, kernel.stack), (0x12, symbol, kernel.stack)] + ([] if old else [(0x2F, symbol, kernel.registers)])
        if kernel.inner:
            frames.append((0x11, elf.symbol('$inner', 0x02, 0, text), kernel.inner))
        if kernel.callee:
            elf.symbol(kernel.callee[0], 0x02, 0, text, 16, kernel.callee[1])
        common += b''.join(struct.pack('<BBHII', 4, kind, 8, *values) for kind, *values in frames)
        own = struct.pack('<BBH', 3, 0x19, kernel.params) + struct.pack('<BBBB', 2, 0x4C, kernel.barriers, 0)
        own += struct.pack('<BBHI', 4, 0x37, 4, 124)
        if kernel.bound:
            own += struct.pack('<BBHIII', 4, 0x05, 12, kernel.bound, 1, 1)
        elf.add('.nv.info.' + kernel.name, own, 0x70000000, info=text)
        # From compute capability 9.0 on, CUDA's own kilobyte is in it.
        elf.add('.nv.shared.' + kernel.name, b'', size=kernel.shared + (1024 if arch >= 90 else 0))
        elf.add('.nv.constant0.' + kernel.name, bytes(kernel.constant), info=text)
    elf.add('.nv.info', common, 0x70000000)
    elf.add('.nv.constant3', bytes(64))
    if arch >= 90:
        elf.add('.nv.shared.reserved.0', b'', size=0)
    if not old:
        note = b''.join(text + b'\0' for text in (b'', b'ptxas', b'Cuda compilation tools, release 13.0, V13.0.88', b'Build 1',
                                                  b'-v -lineinfo -arch sm_%d -m 64 ' % arch + options))
        elf.add('.note.nv.tkinfo', struct.pack('<III', 12, len(note) + 24, 2000) + b'NVIDIA Corp\0' + bytes(24) + note, 7)
    if lines:
        places = []
        section = elf.add('.debug_line', line_program(kernels, places))
        owners = [elf.symbol('.text.' + kernel.name, 0x03, 0, text) for kernel, text in zip(kernels, texts)]
        elf.add('.rel.debug_line', b''.join(struct.pack('<QQ', at, owner << 32 | 2) for at, owner in zip(places, owners)), 9,
                info=section)
    if crowd:
        crowd(elf)
    return elf.bytes(190, 2, arch if old else arch << 8 | 0x6000004, 7 if old else 8)


def many_names(elf):
    """20,000 symbols with one name of 100,000 characters: two gigabytes, copied for each."""
    elf.symbol('n' * 100000, 0, 0, 0)
    elf.symbols += [elf.symbols[-1]] * 20000


def many_functions(elf):
    """20,000 symbols of the function in the first section."""
    elf.symbols += [elf.symbols[1]] * 20000


def overlapping(elf):
    """200 sections for `same_bytes`: 800 KB in a file of 18."""
    for i in range(200):
        elf.add('.text.k%d' % i, b'', 1, size=4096)


def same_bytes(data):
    """The cubin with all sections of `overlapping` at its beginning."""
    data = bytearray(data)
    headers, count = struct.unpack_from('<Q', data, 40)[0], struct.unpack_from('<H', data, 60)[0]
    for at in range(headers, headers + 64 * count, 64):
        if struct.unpack_from('<I', data, at + 4)[0] == 8 and struct.unpack_from('<Q', data, at + 32)[0] == 4096:
            struct.pack_into('<I', data, at + 4, 1)
            struct.pack_into('<Q', data, at + 24, 0)
    return bytes(data)


def lz4(data):
    """A block of LZ4: copies of four bytes and more where they come again within 64 KB, all else as it is."""
    seen, out, start, at = {}, b'', 0, 0

    def sequence(literals, copy=None):
        def more(length):
            return b'' if length < 15 else b'\xff' * ((length - 15) // 255) + bytes([(length - 15) % 255])
        length = copy[1] - 4 if copy else 0
        return bytes([min(len(literals), 15) << 4 | min(length, 15)]) + more(len(literals)) + literals + (
            struct.pack('<H', copy[0]) + more(length) if copy else b'')

    while at + 12 < len(data):
        key = data[at:at + 4]
        found = seen.get(key)
        seen[key] = at
        if found is None or at - found > 0xFFFF:
            at += 1
            continue
        length = 4
        while at + length < len(data) - 5 and data[found + length] == data[at + length]:
            length += 1
        out += sequence(data[start:at], (at - found, length))
        at += length
        start = at
    return out + sequence(data[start:])


def zstd(data):
    """A frame of zstd with its bytes as they are, in blocks of at most 128 KiB."""
    out = struct.pack('<IBI', 0xFD2FB528, 0xA0, len(data))
    for at in range(0, len(data), 1 << 17):
        part = data[at:at + (1 << 17)]
        out += struct.pack('<I', len(part) << 3 | (at + len(part) == len(data)))[:3] + part
    return out


def entry(kind, arch, data, packing=None, unpacked=None):
    packed = {'lz4': lz4, 'zstd': zstd}[packing](data) if packing else data
    name = b'k.cu\0\0\0\0'
    padded = packed + bytes(-len(packed) % 8)
    return struct.pack('<HHIQIIHHIIIQQQ', kind, 0x101, 64 + len(name), len(padded), len(packed) if packing else 0, 0, 8, 1, arch,
                       64, 4, 0x11 | {'lz4': 0x2000, 'zstd': 0x8000, None: 0}[packing], 0,
                       (unpacked or len(data)) if packing else 0) + name + padded


def fatbin(*entries):
    body = b''.join(entries)
    return struct.pack('<IHHQ', 0xBA55ED50, 1, 16, len(body)) + body


def host(data, section='.nv_fatbin', kind=1):
    elf = Elf()
    elf.add(section, data)
    return elf.bytes(62, kind, 0, 0)


def archive(*members):
    long_names = b''.join(name.encode() + b'/\n' for name, _ in members if len(name) > 15)
    out = b'!<arch>\n'

    def member(name, data):
        return b'%-16s%-12d%-6d%-6d%-8s%-10d`\n' % (name, 0, 0, 0, b'644', len(data)) + data + b'\n' * (len(data) & 1)
    if long_names:
        out += member(b'//', long_names)
    for name, data in members:
        out += member(b'/%d' % long_names.index(name.encode()) if len(name) > 15 else name.encode() + b'/', data)
    return out


def files():
    ptx = entry(1, 90, b'.version 8.0\n.target sm_90\n' * 9, 'zstd')
    versions = cubin(80, KERNELS), cubin(90, KERNELS)

    def both(packing, kernels=None):
        parts = (cubin(80, kernels), cubin(90, kernels)) if kernels else versions
        return fatbin(entry(2, 80, parts[0], packing), entry(2, 90, parts[1], packing), ptx)
    yield 'plain.cubin', versions[0]
    yield 'old.cubin', cubin(61, KERNELS, old=True, lines=False)
    yield 'stored.fatbin', both(None)
    yield 'stored.o', host(both(None))
    yield 'lz4.o', host(both('lz4'))
    yield 'zstd.o', host(both('zstd'))
    yield 'rdc.o', host(both('zstd'), '__nv_relfatbin')
    yield 'program', host(both('lz4'), kind=2)
    yield 'linked', host(both('lz4'), '__nv_relfatbin', kind=2)
    yield 'changed.o', host(both('zstd', CHANGED))
    yield 'spills.cubin', cubin(80, SPILLING)
    yield 'lib.a', archive(('empty.o', host(b'', '.text')), ('kernels_of_a_library.o', host(both('lz4'))))
    yield 'ptx.o', host(fatbin(ptx))
    # Small files that say one thing many times.
    yield 'names.cubin', cubin(80, KERNELS, crowd=many_names)
    yield 'functions.cubin', cubin(80, KERNELS, crowd=many_functions)
    yield 'options.cubin', cubin(80, KERNELS, options=b'-x ' * 60000)
    yield 'folder.cubin', cubin(80, KERNELS, line_program=long_folder)
    yield 'overlap.cubin', same_bytes(cubin(80, KERNELS, crowd=overlapping))
    # Damaged.
    yield 'cut.fatbin', both('zstd')[:-1]
    yield 'short.cubin', versions[0][:-200]
    yield 'bad-lz4.fatbin', fatbin(entry(2, 80, versions[0], 'lz4')[:-40] + b'\xff' * 40)
    yield 'bad-zstd.fatbin', fatbin(entry(2, 80, versions[0], 'zstd', len(versions[0]) + 1))
    yield 'bomb.fatbin', fatbin(entry(2, 80, bytes(64), 'lz4', 1 << 40))
    yield 'entry.fatbin', fatbin(entry(2, 80, versions[0])[:-16])


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, data in files():
        with open(os.path.join(sys.argv[1], name), 'wb') as file:
            file.write(data)


if __name__ == '__main__':
    main()
