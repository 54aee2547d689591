"""What ptxas and nvlink say about a module, for bench_ptxas.py: no disassembler is needed.

Registers and stack frame come from the cubin's .nv.info (attribute 0x2f registers, 0x11 frame), spills from `ptxas -v`,
instructions from the size of .text.<function> / 16, less the trailing NOPs and the BRA in front of them; a second count leaves
out what Heddle's machine does without, see is_foreign. In relocatable code ptxas's own routines (HELPER) have sections of
their own: the functions that call them, by .nv.callgraph, get their instructions. Answers of all tools are kept under the
name of what they were asked, the tool itself included, so that a second run asks nothing.
"""
import hashlib
import os
import re
import struct
import subprocess
import threading

HELPER = '__cuda_sm'  # names of ptxas's own routines, for divisions and the like

# Low 12 bits of an instruction: operation, and form of its operands in the upper three of them.
NOP, MOV_IMMEDIATE, STL, LDL, ULDC = 0x918, 0x802, 0x387, 0x983, 0xab9
CALLS = (0x943, 0x944, 0x343, 0x344)  # absolute and relative, to a place and to a register
CONVERGENCE = {0x945, 0x941, 0x942, 0x355, 0x356}  # BSSY, BSYNC, BREAK, BMOV to and from a barrier register
RETURN_ADDRESS = (20, 21)  # registers of it in relocatable code
DESCRIPTOR = 0x118  # byte of bank 0 where sm_80's descriptor of global memory is


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
            unfinished = f'{path}.{threading.get_native_id()}'
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
    """(low, high) words of the instructions of a section, padding left out."""
    words = list(struct.iter_unpack('<QQ', code))
    while words and words[-1][0] & 0xfff == NOP:
        words.pop()
    return words[:-1]  # the BRA to itself in front of the padding


def is_foreign(words, at, relocatable):
    """Whether Heddle's machine does without an instruction: its branches name where they reconverge, so that there are no
    convergence barriers; its calls keep the return address, here moved into registers and, in relocatable code, saved
    by functions that call; its addresses of global memory need no descriptor."""
    low = words[at][0]
    operation, target, source, immediate = low & 0xfff, low >> 16 & 0xff, low >> 32 & 0xff, low >> 32
    if operation in CONVERGENCE:
        return True
    if operation == ULDC:
        return immediate >> 8 & 0x3fff == DESCRIPTOR // 4
    if operation == MOV_IMMEDIATE:
        calls = [i for i in range(at + 1, min(at + 9, len(words))) if words[i][0] & 0xfff in CALLS]
        return bool(calls) and (immediate == 16 * (calls[0] + 1) or relocatable and target in RETURN_ADDRESS and not immediate)
    return relocatable and (operation == STL and source in RETURN_ADDRESS or operation == LDL and target in RETURN_ADDRESS)


def add_helpers(result, calls):
    """Instructions of the helpers that a function reaches, each once; `calls`: function -> called ones."""
    alone = {name: (f['instructions'], f['common']) for name, f in result.items()}
    for name in alone:
        seen, work = {name}, [name]
        while work:
            for callee in calls.get(work.pop(), ()):
                if callee.startswith(HELPER) and callee in alone and callee not in seen:
                    seen.add(callee)
                    work.append(callee)
        for key, which in (('instructions', 0), ('common', 1)):
            result[name][key] = sum(alone[function][which] for function in seen)


def figures(cubin, log):
    """Function -> figures; instructions are those with the helpers that it calls, `common` those that are not foreign."""
    found, symbols = sections(cubin)
    relocatable = struct.unpack_from('<H', cubin, 16)[0] == 1  # ET_REL
    result, calls = {}, {}
    for section, code in found.items():
        if section.startswith('.text.'):
            words = instructions(code)
            foreign = sum(is_foreign(words, at, relocatable) for at in range(len(words)))
            result[section[6:]] = {'instructions': len(words), 'common': len(words) - foreign, 'stack_bytes': 0,
                                   'spill_store_bytes': 0, 'spill_load_bytes': 0}
    for caller, callee in struct.iter_unpack('<II', found.get('.nv.callgraph', b'')):
        if caller and callee < len(symbols):
            calls.setdefault(symbols[caller], []).append(symbols[callee])
    add_helpers(result, calls)
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
