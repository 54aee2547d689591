"""Executes machine code as `heddle dis --json` has it, a block of threads at a time, lanes of a warp in lockstep on a
SIMT stack. Integers are exact, floating point is Python's, rounded; what memory holds at first is a function of the
address, so that whatever is proven of all launches has to hold of these."""

import math
import struct
import zlib

from machine import PC, RZ

M32, M64 = 0xffffffff, (1 << 64) - 1
PARAMS, SHARED, LOCAL, CODE = 0x160, 0x7f0000000000, 0x7f1000000000, 0x7f2000000000
STACK_TOP, DATA = 0x4000, 0x500000000000
SIZES = {'U8': 1, 'S8': 1, 'U16': 2, 'S16': 2, None: 4, '64': 8, '128': 16}
TYPES = {'U8': 1, 'S8': 1, 'U16': 2, 'S16': 2, 'U32': 4, 'S32': 4, 'U64': 8, 'S64': 8, 'F16': 2, 'F32': 4, 'F64': 8, 'BF16': 2, 'B128': 16}


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def mixed(*numbers):
    """Some number that these decide."""
    return hash(numbers) & M32


# ---- floating point, by the bits

FLOATS = {2: struct.Struct('<e'), 4: struct.Struct('<f'), 8: struct.Struct('<d')}


def to_float(bits, size):
    return FLOATS[size].unpack(bits.to_bytes(size, 'little'))[0]


def from_float(value, size):
    if value != value:
        return {2: 0x7fff, 4: 0x7fffffff, 8: 0x7ff8000000000000}[size]
    try:
        return int.from_bytes(FLOATS[size].pack(value), 'little')
    except OverflowError:
        return from_float(math.copysign(math.inf, value), size)


def divide(a, b):
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def product(a, b):
    return math.nan if math.inf in (abs(a), abs(b)) and 0 in (a, b) else a * b


def total(a, b):
    return math.nan if abs(a) == abs(b) == math.inf and a != b else a + b


def turns(x):
    """What is left of an angle in turns, which MUFU takes: from -1/2 to 1/2."""
    return x - round(x) if abs(x) < math.inf else math.nan


def sine(turn):
    """Of an angle from -1/2 to 1/2 of a turn; its zeros are exact."""
    turn = math.copysign(0.5, turn) - turn if abs(turn) > 0.25 else turn
    return math.sin(2 * math.pi * turn)


MUFU = {'RCP': lambda x: divide(1.0, x), 'RSQ': lambda x: divide(1.0, math.sqrt(x)) if x >= 0 else math.nan,
        'SQRT': lambda x: math.sqrt(x) if x >= 0 else math.nan, 'SIN': lambda x: x if x == 0 else sine(turns(x)),
        'COS': lambda x: sine(0.25 - abs(turns(x))),
        'EX2': lambda x: 2.0 ** x if x < 1024 else x if x == math.inf else math.inf if x == x else x,
        'LG2': lambda x: math.log2(x) if x > 0 else -math.inf if x == 0 else math.nan, 'TANH': math.tanh}
COMPARE = {'F': lambda a, b: False, 'T': lambda a, b: True, 'LT': lambda a, b: a < b, 'LE': lambda a, b: a <= b,
           'GT': lambda a, b: a > b, 'GE': lambda a, b: a >= b, 'EQ': lambda a, b: a == b,
           'NE': lambda a, b: a != b and a == a and b == b, 'NUM': lambda a, b: a == a and b == b,
           'NAN': lambda a, b: a != a or b != b}
for unordered in ('LT', 'LE', 'GT', 'GE', 'EQ', 'NE'):
    COMPARE[unordered + 'U'] = lambda a, b, ordered=COMPARE[unordered]: a != a or b != b or ordered(a, b)
BOOL = {'AND': lambda a, b: a and b, 'OR': lambda a, b: a or b, 'XOR': lambda a, b: a != b}


class Memory:
    """Bytes; what was never written is a small number that the address decides."""

    def __init__(self, seed):
        self.seed, self.bytes = seed, {}

    def load(self, address, size):
        if size == 4 and not address & 3:
            return self.word(address)
        if size == 8 and not address & 3:
            return self.word(address) | self.word(address + 4) << 32
        stored, result = self.bytes, 0
        for at in range(address + size - 1, address - 1, -1):
            byte = stored.get(at)
            if byte is None:
                byte = 0 if at % 4 else mixed(self.seed, at >> 2) % 61
            result = result << 8 | byte
        return result

    def word(self, address):
        """load of four bytes at a multiple of four, which is where most of the time goes."""
        stored = self.bytes.get
        first, second, third, last = stored(address), stored(address + 1, 0), stored(address + 2, 0), stored(address + 3, 0)
        if first is None:
            first = mixed(self.seed, address >> 2) % 61
        return first | second << 8 | third << 16 | last << 24

    def store(self, address, size, value):
        self.bytes.update(enumerate((value & (1 << 8 * size) - 1).to_bytes(size, 'little'), address))


class Frozen(Memory):
    """Writes are lost: what is read does not depend on the order in which threads run."""

    def store(self, address, size, value):
        pass


class Thread:
    def __init__(self, launch, index):
        x, y, _ = launch.block
        self.index, self.lane = index, index % 32
        self.tid = (index % x, index // x % y, index // x // y)
        self.regs, self.preds, self.local = [0] * 256, [False] * 7 + [True], Memory(7)
        self.accesses = []


class Launch:
    """Dimensions and parameters: what constant bank 0 has."""

    def __init__(self, program, function, block, grid, seed, alias=False):
        self.program, self.block, self.grid, self.seed = program, block, grid, seed
        self.bank, self.constants = Memory(3), {}
        for at, value in zip(range(0, 24, 4), (*block, *grid)):
            self.bank.store(at, 4, value)
        self.bank.store(0x18, 8, SHARED)
        self.bank.store(0x20, 8, LOCAL)
        self.bank.store(0x28, 4, STACK_TOP)
        self.bank.store(0x2c, 4, function.facts['shared_bytes'])
        self.params = []
        for i, param in enumerate(function.facts['params']):
            value = self.parameter(i, param, alias)
            self.params.append(value)
            self.bank.store(PARAMS + param['offset'], param['bytes'], value)

    def parameter(self, i, param, alias):
        if param['kind'] == 'pointer':
            return (1 << 33) + (0 if alias else i << 30)
        if param['kind'] == 'float':
            return from_float(0.5 + i, param['bytes'])
        if param['kind'] == 'integer':
            return (5 + mixed(self.seed, i) % 40) & (1 << 8 * param['bytes']) - 1
        return int.from_bytes(bytes(mixed(self.seed, i, at) % 9 if at % 4 == 0 else 0 for at in range(param['bytes'])), 'little')


class Entry:
    """Of the SIMT stack: where these lanes are, and where they meet the others; `call`: the first of a function."""

    def __init__(self, function, at, lanes, stop=None, call=False):
        self.function, self.at, self.lanes, self.stop, self.call = function, at, lanes, stop, call


class Stuck(Exception):
    """Something that is not modelled, or too many steps."""


class Warp:
    def __init__(self, block, threads, function):
        self.block, self.threads, self.uniform, self.barriers = block, threads, [0] * 64, 0
        self.stack = [Entry(function, 0, list(threads), call=True)]

    def places(self):
        """(entry, lanes that are there and in none above), from the top."""
        above = set()
        for entry in reversed(self.stack):
            here = [t for t in entry.lanes if t.index not in above]
            above.update(t.index for t in here)
            yield entry, here

    def live(self):
        """Lanes that have not ended."""
        return {t for entry in self.stack for t in entry.lanes}

    def run(self, watch):
        """Yields at barriers, until all lanes are done."""
        while self.stack:
            top = self.stack[-1]
            if not top.lanes or (top.stop is not None and top.at == top.stop):
                self.stack.pop()
                continue
            inst = top.function.insts[top.at]
            self.block.steps -= 1
            if self.block.steps < 0:
                raise Stuck('too many steps')
            watch(self, top, inst)
            if inst.waits:
                yield inst
            self.step(top, inst)

    def step(self, top, inst):
        lanes = [t for t in top.lanes if not inst.guard or t.preds[inst.guard[0]] != inst.guard[1]]
        if inst.op in ('BRA', 'BRX'):
            self.branch(top, inst, lanes)
        elif inst.op in ('CALL', 'CALLI'):
            self.call(top, inst, lanes)
        elif inst.op in ('RET', 'EXIT', 'TRAP'):
            top.at += 1
            self.leave(lanes, inst.op == 'RET')
        else:
            top.at += 1
            if lanes:
                execute(self, inst, lanes)

    def branch(self, top, inst, lanes):
        targets = {}
        for t in top.lanes:
            if t not in lanes:
                to = top.at + 1
            elif inst.op == 'BRX':
                table = inst.facts['jump_table']
                to = table[value(self, t, inst, 'a') % len(table)] // PC
            else:
                to = inst.succ[0] if len(inst.succ) == 1 else next(s for s in inst.succ if s != top.at + 1)
            targets.setdefault(to, []).append(t)
        if len(targets) == 1:
            top.at = next(iter(targets))
            return
        stop = inst.reconv
        if stop is not None:
            top.at = stop
        elif top.call: # it stays, as the mark of the call
            top.at = top.stop = len(top.function.insts)
        else:
            stop = self.stack.pop().stop
        for to in sorted(targets, reverse=True):
            self.stack.append(Entry(top.function, to, targets[to], stop))

    def call(self, top, inst, lanes):
        targets = {}
        for t in lanes:
            n = inst.callees[0] if inst.op == 'CALL' and inst.callees else None
            if inst.op == 'CALLI':
                n = self.block.program.named_at(value(self, t, inst, 'a'))
            targets.setdefault(n, []).append(t)
        if None in targets or any(n not in self.block.program.functions for n in targets):
            raise Stuck(f'a call of unknown code at {inst.pc:#x}')
        top.at += 1
        for n in sorted(targets):
            self.stack.append(Entry(self.block.program.functions[n], 0, targets[n], call=True))
        if len(self.stack) > 200:
            raise Stuck('too many calls')

    def leave(self, lanes, returns):
        gone = {t.index for t in lanes}
        for entry in reversed(self.stack):
            entry.lanes = [t for t in entry.lanes if t.index not in gone]
            if entry.call and returns:
                break
        while self.stack and not self.stack[-1].lanes:
            self.stack.pop()


class Block:
    """One block of a launch. `linear`: the tables of linear registers, where the code reads them."""

    def __init__(self, launch, function, ctaid, memory, steps=4000, linear=None):
        self.launch, self.program, self.ctaid, self.memory, self.steps = launch, launch.program, ctaid, memory, steps
        self.shared, self.linear, count = Memory(5), linear, math.prod(launch.block)
        self.threads = [Thread(launch, i) for i in range(count)]
        self.warps = [Warp(self, self.threads[i:i + 32], function) for i in range(0, count, 32)]

    def run(self, watch=lambda warp, top, inst: None, meet=lambda barriers: None):
        """`watch` sees each instruction before it is executed; `meet` warps at a barrier, with the instructions."""
        running = [(warp, warp.run(watch)) for warp in self.warps]
        while running:
            waiting = []
            for warp, steps in running:
                inst = next(steps, None)
                if inst is not None:
                    waiting.append((warp, steps, inst))
            if waiting:
                meet([(warp, inst) for warp, _, inst in waiting])
            running = [(warp, steps) for warp, steps, _ in waiting]


# ---- operands

def value(warp, t, inst, slot):
    """What the slot has, without its modifiers: an integer of its words."""
    return reader(inst, slot)(warp, t)


def reader(inst, slot):
    """The slot's value as a function of a warp and its thread, made once: this is where the time goes."""
    if slot not in inst.made:
        inst.made[slot] = make_reader(inst, slot, inst.operands[slot])
    return inst.made[slot]


def make_reader(inst, slot, at):
    if 'linear' in at or 'coefficient' in at:
        return lambda warp, t: linear_value(warp, t, at)
    if 'immediate' in at:
        if inst.facts['relocation']:
            return lambda warp, t: placed(warp, inst, at['immediate'])
        immediate = at['immediate']
        return lambda warp, t: immediate
    if 'bank' in at:
        wide = 8 if inst.op == 'IMAD_WIDE' and slot == 'c' or inst.op in ('DADD', 'DMUL', 'DFMA', 'DSETP') else 4
        return lambda warp, t: constant(warp, at['bank'], at['offset'], wide)
    if 'uniform' in at:
        return lambda warp, t: warp.uniform[at['uniform']]
    register, words = at['register'], at['words']
    if words == 1 and register != RZ:
        return lambda warp, t: t.regs[register]
    if words == 2 and register != RZ:
        return lambda warp, t: t.regs[register] + (t.regs[register + 1] << 32)
    return lambda warp, t: wide_register(t, register, words)


def placed(warp, inst, immediate):
    """An immediate, which may be part of the address of something that the linker places."""
    relocation = inst.facts['relocation']
    if not relocation or relocation['kind'] not in ('lo', 'hi'):
        return immediate
    address = warp.block.program.address(relocation['symbol']) + relocation['addend']
    return address >> 32 & M32 if relocation['kind'] == 'hi' else address & M32


def wide_register(t, register, words):
    if register == RZ:
        return 0
    if words == 1:
        return t.regs[register]
    return sum([t.regs[register + i] << 32 * i for i in range(words)])


def constant(warp, bank, offset, size):
    if bank:
        return mixed(bank, offset)
    known = warp.block.launch.constants
    if (offset, size) not in known:
        known[offset, size] = warp.block.launch.bank.load(offset, size)
    return known[offset, size]


def linear_value(warp, t, at):
    tables, result = warp.block.linear, 0
    if 'linear' in at:
        thread = tables.thread_of[at['linear']] if at['linear'] < len(tables.thread_of) else None
        result = tables.blocks.get(at['linear'], 0) + (0 if thread is None else tables.threads.get((thread, t.index), 0))
    if 'coefficient' in at:
        result += tables.coefficients.get(at['coefficient'] + (t.lane if at.get('per_lane') else 0), 0)
    if at.get('register', RZ) != RZ:
        result += wide_register(t, at['register'], at['words'])
    return (result >> 32 & M32 if at.get('high') else result) & (M64 if at['words'] == 2 else M32)


def put(t, inst, result):
    writer(inst)(t, result)


def writer(inst):
    """As reader: a function of a thread and its result."""
    if 'dst' not in inst.made:
        inst.made['dst'] = make_writer(inst.operands['dst'])
    return inst.made['dst']


def make_writer(at):
    register, words = at.get('register', RZ), at.get('words')

    def narrow(t, result):
        t.regs[register] = result & M32

    def wide(t, result):
        for i in range(words):
            t.regs[register + i] = result >> 32 * i & M32
    return (lambda t, result: None) if register == RZ else narrow if words == 1 else wide


def predicate(t, text):
    number = 7 if text.endswith('PT') else int(text[-1])
    return t.preds[number] != (text[0] == '!')


def put_predicate(t, inst, result):
    text = inst.facts['predicates']['result']
    if text and not text.endswith('PT'):
        t.preds[int(text[-1])] = bool(result)


OPERATIONS = {}  # by opcode: operations.py


def execute(warp, inst, lanes):
    if inst.op not in OPERATIONS:
        raise Stuck(f'{inst.op} is not modelled')
    OPERATIONS[inst.op](warp, inst, lanes)


def tag(inst):
    return zlib.crc32(f'{inst.op}{sorted(inst.mods.items())}'.encode())
