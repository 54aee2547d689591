"""What is said of all launches, held against a few that the interpreter executes: uniform branches, value patterns at
preemption points (gpu-multiprogramming-lin 2.3.3), addresses as coefficient vectors and what warps ask of memory
(r2d2-isca23 3.1), linear versions (3.2), and idempotence (gpu-multiprogramming-lin 2.2.2)."""

import re

from interpreter import M32, M64, PARAMS, Block, Frozen, Launch, Memory, Stuck, Thread, Warp, signed, value
from machine import PC, Inst
from operations import address_of, space_of

SHAPES = [(32, 2, 1), (8, 4, 2)]
BLOCKS = [(0, 0, 0), (2, 1, 0)]
GRID = (3, 2, 1)
STEPS = 400
SYMBOL = re.compile(r'(?<![\w.])(P\d+(?:\.\d+)?l?|nt?(?:cta)?id\.[xyz]|@[\w.$]+|i\d+|[a-z]+\d+(?=\())')


# ---- polynomials over launch constants, as the metadata prints them

def width_of(name):
    return name.rstrip('0123456789'), int(re.search(r'\d+$', name)[0])


def operation(text):
    """`smin32` and the like: operands modulo 2^32, by their sign."""
    name, size = width_of(text)
    mask = (1 << size) - 1
    s, u = (lambda x: signed(x, size)), (lambda x: x & mask)

    def quotient(a, b):
        return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    table = {'zext': u, 'sext': s, 'power': lambda a: 1 << (u(a) & 63), 'and': lambda a, b: a & b, 'or': lambda a, b: a | b,
             'xor': lambda a, b: a ^ b, 'lshr': lambda a, b: u(a) >> u(b), 'ashr': lambda a, b: s(a) >> u(b),
             'udiv': lambda a, b: quotient(u(a), u(b)), 'sdiv': lambda a, b: quotient(s(a), s(b)),
             'urem': lambda a, b: u(a) - u(b) * quotient(u(a), u(b)), 'srem': lambda a, b: s(a) - s(b) * quotient(s(a), s(b)),
             'smin': lambda a, b: min(s(a), s(b)), 'smax': lambda a, b: max(s(a), s(b)), 'umin': lambda a, b: min(u(a), u(b)),
             'umax': lambda a, b: max(u(a), u(b)), 'eq': lambda a, b: u(a) == u(b), 'ne': lambda a, b: u(a) != u(b),
             'ult': lambda a, b: u(a) < u(b), 'ule': lambda a, b: u(a) <= u(b), 'slt': lambda a, b: s(a) < s(b),
             'sle': lambda a, b: s(a) <= s(b), 'select': lambda c, a, b: a if c & 1 else b}
    return (lambda *a: s(int(table[name](*a)))) if name not in ('zext', 'eq', 'ne', 'ult', 'ule', 'slt', 'sle') else \
        (lambda *a: int(table[name](*a)))


class Unknown(Exception):
    """A symbol whose value is not known here: a variable's place, an iteration."""


class Constants:
    """The values of symbols in one launch."""

    def __init__(self, launch, function):
        self.launch, self.params = launch, function.facts['params']

    def symbol(self, text):
        if text[0] in '@i':
            raise Unknown(text)
        if '.' in text and text[0] == 'n':
            dimensions = self.launch.block if text.startswith('ntid') else self.launch.grid
            return dimensions['xyz'.index(text[-1])]
        number, _, byte = text[1:].partition('.')
        param = self.params[int(number)]
        wide = byte.endswith('l') or (not byte and param['bytes'] == 8)
        at = param['offset'] + int(byte.rstrip('l') or 0)
        size = 8 if wide else 4 if byte else param['bytes']
        return signed(self.launch.bank.load(PARAMS + at, size), 8 * size)

    def evaluate(self, text):
        names = {}

        def found(match):
            name = match[0]
            key = f'v{len(names)}'
            names[key] = operation(name) if re.fullmatch(r'[a-z]+\d+', name) and name[0] != 'i' else self.symbol(name)
            return key
        return eval(SYMBOL.sub(found, text), {'__builtins__': {}}, names)


# ---- kernels as they are

class Dynamic:
    def __init__(self, program, liveness):
        self.program, self.liveness = program, liveness

    def launches(self, function):
        shapes = [tuple(site['block']) for site in function.facts['launches'] if site['block']]
        shapes = [shape for shape in shapes if shape[0] * shape[1] * shape[2] <= 128]
        bounds = function.facts['launch_bounds']
        if any(bounds['reqntid']):
            return [tuple(d or 1 for d in bounds['reqntid'])] if max(bounds['reqntid']) <= 128 else []
        return list(dict.fromkeys([*shapes[:1], *SHAPES]))

    def check(self, report, function):
        if not function.kernel:
            return
        for shape in self.launches(function):
            launch = Launch(self.program, function, shape, GRID, 1)
            watch = Watch(self, report, function, launch, self.program.functions.values())
            for ctaid in BLOCKS if shape == self.launches(function)[0] else BLOCKS[1:]:
                watch.begin(ctaid)
                run(Block(launch, function, ctaid, Memory(1), STEPS), watch.see, watch.meet)


def run(block, *hooks):
    """Whether it came to its end."""
    try:
        block.run(*hooks)
        return True
    except Stuck:
        return False


class Watch:
    """`among`: the functions of which something is said."""

    def __init__(self, dynamic, report, function, launch, among):
        self.dynamic, self.report, self.launch = dynamic, report, launch
        self.constants, self.outcomes = Constants(launch, function), {}
        self.kernel, self.facts = function, {}
        for f in among:
            self.facts[f.name] = (set(f.facts['liveness']['divergent_pcs']), {p['pc']: p for p in f.facts['preemption_points']})
        affine = function.facts.get('affine') or {'accesses': [], 'branches': []}
        self.accesses = {a['pc']: a for a in affine['accesses']}
        self.branches = {b['pc']: b for b in affine['branches']}
        x = launch.block[0]
        self.group = min(32, x)
        self.grouped = x % 32 == 0 or 32 % x == 0

    def begin(self, ctaid):
        self.ctaid = ctaid

    def check(self, analysis, function, inst, text, holds):
        self.report.at(f'{self.report.place.partition(": ")[0]}: {function.name}', analysis)
        self.report.check(f'{inst.pc:#x} {inst.text}: {text} (block {self.launch.block}, at {self.ctaid})', holds)

    def see(self, warp, top, inst):
        if top.function.name not in self.facts:
            return
        divergent, points = self.facts[top.function.name]
        if inst.op in ('BRA', 'BRX') and len(inst.succ) > 1:
            self.see_branch(warp, top, inst, inst.pc in divergent)
        if inst.pc in points and self.grouped:
            self.see_point(warp, top, inst, points[inst.pc])
        if top.function is self.kernel and inst.pc in self.accesses:
            self.see_access(warp, top, inst, self.accesses[inst.pc])

    def see_branch(self, warp, top, inst, divergent):
        ways = {value(warp, t, inst, 'a') if inst.op == 'BRX' else inst.guard and t.preds[inst.guard[0]] for t in top.lanes}
        if not divergent:
            self.check('liveness', top.function, inst, 'lanes go different ways, and the branch is uniform', len(ways) == 1)
        branch = self.branches.get(inst.pc) if top.function is self.kernel else None
        if not branch:
            return
        if branch['class'] in ('grid', 'block', 'warp'):
            self.check('affine', top.function, inst, 'lanes go different ways', len(ways) == 1)
        if branch['class'] in ('grid', 'block') and not branch['iterates']:
            key = inst.pc, self.ctaid if branch['class'] == 'block' else None
            self.check('affine', top.function, inst, f"threads of the {branch['class']} go different ways",
                       self.outcomes.setdefault(key, ways) == ways)

    # ---- patterns

    def see_point(self, warp, top, inst, point):
        needing = {}
        for entry, lanes in warp.places():
            at = (top.function.name, inst.index) if entry is top else (entry.function.name, entry.at)
            if at[1] < len(self.dynamic.program.functions[at[0]].insts):
                for t in lanes:
                    needing[t.index] = (t, self.dynamic.liveness.live[at[0]][0][at[1]])
        for pattern in point['patterns']:
            threads = [t for t, live in needing.values() if live >> pattern['register'] & 1]
            self.check_pattern(top, inst, pattern, threads)

    def check_pattern(self, top, inst, pattern, threads):
        register, groups = pattern['register'], {}
        for t in threads:
            groups.setdefault(t.index // self.group, []).append(t)
        for members in groups.values():
            steps = self.steps(members, register)
            if pattern['pattern'] == 'uniform':
                right = len({t.regs[register] for t in members}) == 1
            elif pattern['stride'] is not None:
                right = all((b.regs[register] - a.regs[register] - (b.index - a.index) * pattern['stride']) & M32 == 0
                            for a, b in zip(members, members[1:]))
            else:
                right = steps
            self.check('patterns', top.function, inst, f"R{register} is not {pattern['pattern']}", right)

    @staticmethod
    def steps(members, register):
        """Whether one stride fits all."""
        near = [(a, b) for a, b in zip(members, members[1:]) if b.index == a.index + 1]
        if not near:
            return True
        stride = near[0][1].regs[register] - near[0][0].regs[register]
        return all((t.regs[register] - near[0][0].regs[register] - (t.index - near[0][0].index) * stride) & M32 == 0
                   for t in members)

    def meet(self, barriers):
        """Patterns through the whole block, where all warps are at one barrier."""
        place = {(warp.stack[-1].function.name, inst.pc) for warp, inst in barriers}
        if len(place) != 1 or len(barriers) != len(barriers[0][0].block.warps) or not self.grouped:
            return
        (n, pc), = place
        function, point = self.dynamic.program.functions[n], self.facts.get(n, (None, {}))[1].get(pc)
        dimensions = 1 + max((i for i in range(3) if self.launch.block[i] > 1), default=0)
        threads = [t for warp, _ in barriers for t in warp.stack[-1].lanes]
        for pattern in point['patterns'] if point else ():
            register, stride = pattern['register'], pattern['stride']
            if pattern['dimensions'] < dimensions or register not in point['live']:
                continue
            if pattern['pattern'] == 'uniform':
                right = len({t.regs[register] for t in threads}) == 1
            else:
                right = self.steps(threads, register) and (stride is None or (threads[1].regs[register] - threads[0].regs[
                    register] - stride) & M32 == 0)
            self.check('patterns', function, function.insts[pc // PC], f'R{register} is not the same through the block', right)

    # ---- addresses

    def see_access(self, warp, top, inst, access):
        lanes = [t for t in top.lanes if not inst.guard or t.preds[inst.guard[0]] != inst.guard[1]]
        places = [(t, *space_of(inst, address_of(warp, t, inst))) for t in lanes]
        if access['assumes'] == 'block' and list(self.launch.block) != access['block'] or not places:
            return
        if access['assumes'] == 'whole_rows' and self.launch.block[0] % 32:
            return
        if access['address']:
            self.check_address(top, inst, access, places)
        natural = all(at % min(access['bytes'], 16) == 0 for _, _, at in places) # no other program is one
        if len(places) == 32 and natural:
            self.check_requests(top, inst, access, [at for _, _, at in places], places[0][1])

    def check_address(self, top, inst, access, places):
        base, *factors = access['address'].strip('{}').split(', ')
        try:
            factors = [self.constants.evaluate(text) for text in factors]
        except Unknown:
            return
        try:
            base = self.constants.evaluate(base)
        except Unknown:
            base = None
        mask = M32 if places[0][1] == 'shared' else M64
        rest = [at - sum(f * i for f, i in zip(factors, (*t.tid, *self.ctaid))) for t, _, at in places]
        if base is None:
            base = rest[0]
        self.check('affine', top.function, inst, f"the address is not {access['address']}",
                   all((r - base) & mask == 0 for r in rest))

    def check_requests(self, top, inst, access, addresses, space):
        size = access['bytes']
        aligned = addresses[0] % access['alignment'] == 0
        self.check('affine', top.function, inst, f"the first lane's address is no multiple of {access['alignment']}", aligned)
        if access['stride'] is not None:
            steps = {(b - a) & M64 for a, b in zip(addresses, addresses[1:])}
            self.check('affine', top.function, inst, f"the stride is {steps}", steps == {access['stride'] & M64})
        if access['sectors_per_request'] and space == 'global':
            sectors = len({(at + i) // 32 for at in addresses for i in range(0, size, min(size, 4))})
            low, high = access['sectors_per_request']
            self.check('affine', top.function, inst, f'{sectors} sectors are not in {low} to {high}', low <= sectors <= high)
        if access['bank_conflict_degree'] and space == 'shared' and size <= 4:
            banks = {}
            for lane, at in enumerate(addresses): # lanes share a word that they read or write, but no atomic
                banks.setdefault(at // 4 % 32, set()).add((at // 4, lane if access['kind'] == 'atomic' else 0))
            degree, (low, high) = max(map(len, banks.values())), access['bank_conflict_degree']
            self.check('affine', top.function, inst, f'{degree} conflicts are not in {low} to {high}', low <= degree <= high)


# ---- linear versions

class Body:
    """The second body of a kernel, as much of a function as executing it needs."""

    def __init__(self, function):
        self.name, self.facts, self.kernel = function.name, function.facts, True
        self.insts = [Inst(facts, i) for i, facts in enumerate(function.listing['linear']['instructions'])]


class Tables:
    def __init__(self, listing):
        self.thread_of = listing['register_table']
        self.coefficients, self.threads, self.blocks = {}, {}, {}


class Linear:
    def __init__(self, program, liveness):
        self.program, self.dynamic = program, Dynamic(program, liveness)

    def check(self, report, function):
        listing = function.listing.get('linear')
        version = function.facts.get('linear_version')
        if function.kernel:
            report.check('the linear version is in one of both only', bool(listing) == bool(version))
        if not listing or not version:
            return
        self.check_figures(report, function, listing, version)
        for shape in self.dynamic.launches(function)[:2]:
            launch = Launch(self.program, function, shape, GRID, 1)
            if self.conditions_hold(function, launch):
                self.check_launch(report, function, listing, launch)

    @staticmethod
    def check_figures(report, function, listing, version):
        starts = [stream['start_pc'] // PC for stream in listing['streams']] + [len(listing['instructions'])]
        keys = ('coefficient_instructions', 'thread_instructions', 'block_instructions', 'instructions')
        found = dict(zip(keys, (b - a for a, b in zip(starts, starts[1:]))))
        for key in keys:
            report.check(f'{key} is {found.get(key)}', version[key] == found.get(key))
        table = listing['register_table']
        report.check('linear_registers is not that of the table', version['linear_registers'] == len(table) <= 16)
        parts = {inst['number'] for inst in listing['instructions'] if inst['opcode'] == 'R2TR'}
        report.check(f'thread_registers is {len(parts)}', version['thread_registers'] == len(parts))
        # Where no coefficient is written it is 0, so that not every number has a writer.
        used = {at['coefficient'] for inst in listing['instructions'] for at in inst['operands'].values() if 'coefficient' in at}
        used |= {inst['number'] for inst in listing['instructions'] if inst['opcode'] == 'R2CR'}
        report.check('coefficient_registers does not hold all that are used', max(used, default=-1) < version['coefficient_registers'])

    @staticmethod
    def conditions_hold(function, launch):
        """Low <= vector <= high for every thread; iterations count up to the most that there may be."""
        constants = Constants(launch, function)
        limits = [d - 1 for d in (*launch.block, *launch.grid)]
        for condition in function.facts['affine']['conditions']:
            most = {i['symbol']: max(constants.evaluate(i['most']), 0) for i in condition['iterations']}
            texts = [re.sub(r'(?<!\w)i\d+', lambda m: str(most.get(m[0], 0)), text) for text in condition['vector']]
            none = [re.sub(r'(?<!\w)i\d+', '0', text) for text in condition['vector']]
            try:
                ends = [[constants.evaluate(text) for text in some] for some in (texts, none)]
            except Unknown:
                return False
            base, factors = [e[0] for e in ends], [f for e in ends for f in e[1:]]
            reach = [0, *(f * n for f, n in zip(factors, limits + limits))]
            low, high = min(base) + sum(min(r, 0) for r in reach), max(base) + sum(max(r, 0) for r in reach)
            if not condition['low'] <= low or not high <= condition['high']:
                return False
        return True

    def check_launch(self, report, function, listing, launch):
        body, tables = Body(function), Tables(listing)
        for ctaid in BLOCKS:
            original, other = (Block(launch, function, ctaid, Frozen(1), STEPS) for _ in range(2))
            main = self.streams(other, body, tables, listing)
            if not self.is_compared(function, launch, ctaid):
                continue
            for warp in other.warps:
                warp.stack[0].function, warp.stack[0].at = body, main
            whole = run(original), run(other)
            if all(whole): # in part, the order of stores would count
                self.compare(report, original, other, launch.block, ctaid)

    def check_version(self, report, function):
        """What is said of the main stream, on the program in which it is the kernel."""
        listing = function.listing['linear']
        for shape in self.dynamic.launches(function):
            launch = Launch(self.program, function, shape, GRID, 1)
            if not self.conditions_hold(function, launch):
                continue
            watch, body, tables = Watch(self.dynamic, report, function, launch, [function]), Body(function), Tables(listing)
            for ctaid in BLOCKS:
                watch.begin(ctaid)
                block = Block(launch, function, ctaid, Memory(1), STEPS)
                self.streams(block, body, tables, listing)
                if self.is_compared(function, launch, ctaid):
                    run(block, watch.see, watch.meet)

    def is_compared(self, function, launch, ctaid):
        """As in Dynamic.check: the first block in the first shape only. In others it fills the tables of all blocks."""
        return ctaid != BLOCKS[0] or launch.block == self.dynamic.launches(function)[0]

    def streams(self, block, body, tables, listing):
        """What the streams leave in the tables for this block, whose threads are fresh then. Returns where main begins."""
        starts = [stream['start_pc'] // PC for stream in listing['streams']]
        block.linear = tables
        if block.ctaid == BLOCKS[0]:
            self.stream(block, body, starts[0], block.threads[:1])
            self.stream(block, body, starts[1], block.threads)
        tables.blocks = {}
        self.stream(block, body, starts[2], [Thread(block.launch, lane) for lane in range(32)])
        self.fresh(block)
        return starts[3]

    @staticmethod
    def fresh(block):
        for t in block.threads:
            t.regs, t.preds, t.accesses = [0] * 256, [False] * 7 + [True], []

    @staticmethod
    def stream(block, body, start, threads):
        for i in range(0, len(threads), 32):
            warp = Warp(block, threads[i:i + 32], body)
            warp.stack[0].at = start
            for _ in warp.run(lambda *_: None):
                pass

    @staticmethod
    def compare(report, original, other, shape, ctaid):
        """The same accesses with the same addresses and values of each thread."""
        for a, b in zip(original.threads, other.threads):
            left, right = (sorted(x for x in t.accesses if x[0] != 'load') for t in (a, b))
            report.check(f'thread {a.tid} of block {ctaid}, {shape}, stores {first_difference(left, right)}', left == right)
            loads = [sorted({x[2:4] for x in t.accesses if x[0] == 'load'}) for t in (a, b)]
            report.check(f'thread {a.tid} of block {ctaid}, {shape}, loads {first_difference(*loads)}',
                         set(loads[1]) <= set(loads[0]))


def first_difference(left, right):
    for a, b in zip(sorted(left), sorted(right)):
        if a != b:
            return f'{b} instead of {a}'
    return f'{len(right)} times instead of {len(left)}'


# ---- idempotence

CAUSES = {'store': {'STG', 'ST', 'UTMASTG', 'UBLKCP'}, 'atomic': {'ATOMG', 'ATOM', 'UTMAREDG', 'UBLKRED'},
          'volatile': {'LDG', 'LD'}, 'call': {'CALL', 'CALLI'}, 'service': {'SYSCALL'}, 'clock': {'S2R', 'CS2R'}}


class Idempotence:
    def __init__(self, program, liveness):
        self.program, self.dynamic = program, Dynamic(program, liveness)

    def check(self, report, function):
        facts = function.facts['idempotence']
        inside = [self.program.functions[n] for n in {function.name} | self.program.reachable[function.name]]
        code = [inst for f in inside for inst in f.insts]
        report.check('why says otherwise', facts['idempotent'] == (facts['why'] is None))
        if facts['idempotent']:
            bad = [i for i in code if i.op in ('SYSCALL', 'ATOMG')
                   or ('CLOCK' in i.mods.get('SR', '')) or (function.name, i.pc) in self.program.unknown]
            report.check(f'{bad and bad[0].text} may do otherwise the second time', not bad)
            if function.kernel:
                self.check_restarts(report, function)
            return
        at, read = facts['at'], facts['read']
        report.check('what breaks it is no such instruction', self.is_at(at, inside, CAUSES[facts['why']]))
        report.check('read is there for stores only', bool(read) == (facts['why'] == 'store'))
        if read:
            loads = {'LDG', 'LD', 'ATOMG', 'ATOM', 'LDGSTS', 'UTMALDG', 'UBLKCP'}
            report.check('what reads it is no load', self.is_at(read, inside, loads))

    @staticmethod
    def is_at(place, inside, opcodes):
        for f in inside:
            if f.name == place['function'] and place['pc'] // PC < len(f.insts):
                return f.insts[place['pc'] // PC].op in opcodes
        return False

    def check_restarts(self, report, function):
        """Dropped after some steps and run again from the start, a block leaves the memory that it leaves at once."""
        for shape in self.dynamic.launches(function)[:1]:
            launch = Launch(self.program, function, shape, GRID, 2)
            once = Memory(4)
            block = Block(launch, function, BLOCKS[1], once, STEPS)
            if not run(block):
                continue
            taken = STEPS - block.steps
            for part in (taken // 3, taken - 2):
                memory = Memory(4)
                run(Block(launch, function, BLOCKS[1], memory, part))
                run(Block(launch, function, BLOCKS[1], memory, STEPS))
                same = all(memory.load(at, 1) == once.load(at, 1) for at in memory.bytes.keys() | once.bytes.keys())
                report.check(f'dropped after {part} instructions, it leaves something else', same)
