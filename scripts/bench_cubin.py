"""What ptxas and nvlink say about a module, for bench_ptxas.py: no disassembler is needed.

Registers and stack frame come from the cubin's .nv.info (attribute 0x2f registers, 0x11 frame), spills from `ptxas -v`,
instructions from the size of .text.<function> / 16, less the trailing NOPs and the BRA in front of them. Answers of all
tools are kept under the name of what they were asked, the tool itself included, so that a second run asks nothing.
"""
import hashlib
import os
import re
import struct
import subprocess

NOP_OPCODE = 0x918


class Cache:
    """Files by the hash of everything that they depend on."""

    def __init__(self, directory):
        self.directory = directory
        os.makedirs(directory, exist_ok=True)

    def file(self, extension, parts, make):
        """The path of what `make(path)` writes; `parts` are strings and bytes that decide about it."""
        digest = hashlib.sha256()
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            digest.update(len(data).to_bytes(8, 'little') + data)
        path = os.path.join(self.directory, f'{digest.hexdigest()[:32]}.{extension}')
        if not os.path.exists(path):
            unfinished = f'{path}.{os.getpid()}'
            make(unfinished)
            os.replace(unfinished, path)
        return path


def read(path):
    with open(path, 'rb') as file:
        return file.read()


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


def figures(cubin, log):
    """Function -> figures; a kernel's instructions are those of its section, helpers included."""
    found, symbols = sections(cubin)
    result = {section[6:]: {'instructions': instructions(code), 'stack_bytes': 0, 'spill_store_bytes': 0,
                            'spill_load_bytes': 0}
              for section, code in found.items() if section.startswith('.text.')}
    for attribute, payload in attributes(found.get('.nv.info', b'')):
        if attribute in (0x2f, 0x11) and len(payload) == 8:
            symbol, value = struct.unpack('<II', payload)
            if symbols[symbol] in result:
                result[symbols[symbol]]['registers' if attribute == 0x2f else 'stack_bytes'] = value
    for name, stores, loads in re.findall(r'Function properties for (\S+)\n.*?(\d+) bytes spill stores, (\d+) bytes', log):
        if name in result:
            result[name].update(spill_store_bytes=int(stores), spill_load_bytes=int(loads))
    return result


class Toolkit:
    """ptxas, and nvlink where it stands beside it."""

    def __init__(self, ptxas, cache):
        self.ptxas, self.cache = ptxas, cache
        self.nvlink = os.path.join(os.path.dirname(ptxas), 'nvlink')
        self.version = subprocess.check_output([ptxas, '--version'])

    def assemble(self, ptx, arch, options=()):
        """Paths of the cubin and of what ptxas said."""
        command = [self.ptxas, '-O3', '-v', f'-arch={arch}', *options]
        parts = [self.version, *command[1:], read(ptx)]

        def make(path, wanted):
            log = subprocess.run([*command, '-o', path, ptx], check=True, capture_output=True, text=True).stderr
            if wanted == 'log':
                with open(path, 'w') as file:
                    file.write(log)

        return (self.cache.file('cubin', parts, lambda path: make(path, 'cubin')),
                self.cache.file('log', parts, lambda path: make(path, 'log')))

    def figures(self, ptx, arch, options=()):
        cubin, log = self.assemble(ptx, arch, options)
        return figures(read(cubin), read(log).decode())

    def call_graph(self, cubins, arch):
        """Function -> called functions, of relocatable modules linked together; None without nvlink."""
        if not os.path.exists(self.nvlink):
            return None

        def make(path):
            done = subprocess.run([self.nvlink, f'-arch={arch}', '--dump-callgraph', '-o', os.devnull, *cubins],
                                  check=True, capture_output=True, text=True)
            with open(path, 'w') as file:
                file.write(done.stdout + done.stderr)

        text = read(self.cache.file('graph', [self.version, arch, *(read(c) for c in cubins)], make)).decode()
        rows = re.findall(r'^(\d+): [\^&]*(.+) \[\d+\] ->((?: \d+)*)\s*$', text, re.M)
        names = {number: name for number, name, _ in rows}
        return {name: {names[callee] for callee in callees.split()} for _, name, callees in rows}
