"""Machine code as `heddle dis --json` prints it, with what all analyses stand on: blocks, dominators, natural loops,
calls. Sets of registers are integers: bit r is register r, bit 256 + p predicate p."""

import collections
import re

REGISTERS = (1 << 255) - 1
PREDICATES = 0x7f << 256
RZ = 255
PC = 16  # bytes of an instruction

BRANCHES = {'BRA', 'BRX'}
CALLS = {'CALL', 'CALLI', 'SYSCALL'}
LEAVES = {'RET', 'EXIT', 'TRAP'}
AMONG_LANES = {'SHFL', 'VOTE', 'MATCH'}
# Words of the arguments of services, and of their results (the symbols that programs call).
SERVICES = {'vprintf': ((2, 2), 1), '__assertfail': ((2, 2, 1, 2, 2), 0), 'malloc': ((2,), 2), 'free': ((2,), 0)}


def bits(numbers):
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def members(mask):
    """The registers of a set, predicates left out."""
    mask &= REGISTERS
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def count(mask):
    return bin(mask & REGISTERS).count('1')


def name(mask):
    return ' '.join([f'R{r}' for r in members(mask)] + [f'P{p}' for p in range(7) if mask >> 256 + p & 1]) or 'none'


class Abi:
    """The calling convention: arguments and results from R4 to R15, R1 the stack pointer."""

    def __init__(self, flags):
        observed = 'abi=observed' in flags
        saved = range(16, 255)
        if observed:
            saved = [2, *range(16, 32), *(r for r in range(32, 255) if r & 4)]
        self.saved = bits(saved)
        self.stack = 1 << 1
        self.scratch = REGISTERS & ~self.saved & ~self.stack | PREDICATES
        self.passed = bits(range(4, 16))

    @staticmethod
    def service_reads(service):
        at, mask = 4, 0
        for words in SERVICES[service][0]:
            at = (at + words - 1) // words * words
            mask |= bits(range(at, at + words))
            at += words
        return mask


class Inst:
    def __init__(self, facts, index):
        self.index, self.facts = index, facts
        self.pc, self.op, self.text, self.role = facts['pc'], facts['opcode'], facts['text'], facts['role']
        self.mods, self.operands = facts['modifiers'], facts['operands']
        self.reads, self.writes = self.mask(facts['reads']), self.mask(facts['writes'])
        guard = facts['guard']
        self.guard = (7 if guard.endswith('PT') else int(guard[-1]), guard[0] == '!') if guard else None
        self.succ = [pc // PC for pc in facts['successors']]
        self.reconv = None if facts['reconvergence_pc'] is None else facts['reconvergence_pc'] // PC
        self.callees = facts['callees']
        self.made = {}  # by the interpreter, once for all lanes and steps
        self.helps = False  # a call that is an instruction to the program: of a helper

    @property
    def calls(self):
        return self.op in CALLS and not self.helps

    @staticmethod
    def mask(sets):
        return bits(sets['registers']) | bits(sets['predicates']) << 256

    @property
    def uniform_writes(self):
        """Uniform registers that it writes: those in front of the first operand's end."""
        first = self.text.partition(' ')[2].partition(',')[0]
        return [int(number) for number in re.findall(r'\bUR(\d+)\b', first)] if '[' not in first else []

    @property
    def touched(self):
        return (self.reads | self.writes) & REGISTERS

    @property
    def registers(self):
        """What designs that cache registers may take: not the accumulator of a warpgroup's product, which stays in the banks."""
        return self.touched & ~(self.operand('dst') if self.op == 'WGMMA' else 0)

    def in_flight(self, slot):
        """Whether it is a warpgroup's product, which reads or writes the slot after the instruction."""
        return self.op == 'WGMMA' and (slot in ('dst', 'c') or slot == 'a' and self.mods.get('WGA') == 'REG')

    @property
    def waits(self):
        """Whether it is a barrier at which warps wait."""
        return self.op == 'BAR' and self.mods.get('BARMODE') != 'ARV'

    @property
    def meets(self):
        """Whether lanes wait there for others of their mask, wherever these are."""
        return self.op == 'WARPSYNC' or (self.op in AMONG_LANES and self.mods.get('MEMBERS') not in ('ACTIVE', 'HERE'))

    def operand(self, slot):
        """The registers in a slot, a set."""
        at = self.operands.get(slot, {})
        if at.get('register', RZ) == RZ:
            return 0
        return bits(range(at['register'], min(at['register'] + at['words'], RZ)))


class Function:
    def __init__(self, listing, facts):
        self.name, self.facts, self.kernel = listing['name'], facts, listing['kernel']
        self.listing, self.version = listing, False  # whether it is the main stream of a linear version
        self.insts = [Inst(inst, i) for i, inst in enumerate(listing['instructions'])]
        self.find_blocks()
        self.find_order()
        self.find_dominators()
        self.find_loops()

    # ---- blocks: a block is (first, last)

    def find_blocks(self):
        leaders = {0}
        for inst in self.insts:
            if inst.op in BRANCHES or inst.op in LEAVES:
                leaders.update(inst.succ, [inst.index + 1])
            if inst.reconv is not None:
                leaders.add(inst.reconv)
        starts = sorted(at for at in leaders if at < len(self.insts))
        ends = starts[1:] + [len(self.insts)]
        self.blocks = [(first, end - 1) for first, end in zip(starts, ends)]
        self.block_of = [b for b, (first, last) in enumerate(self.blocks) for _ in range(first, last + 1)]
        self.succ = [sorted({self.block_of[to] for to in self.insts[last].succ}) for _, last in self.blocks]
        self.pred = [[] for _ in self.blocks]
        for block, successors in enumerate(self.succ):
            for to in successors:
                self.pred[to].append(block)

    def find_order(self):
        """Reverse post-order of what can be reached."""
        seen, post, stack = {0}, [], [(0, iter(self.succ[0]))]
        while stack:
            block, rest = stack[-1]
            to = next(rest, None)
            if to is None:
                post.append(stack.pop()[0])
            elif to not in seen:
                seen.add(to)
                stack.append((to, iter(self.succ[to])))
        self.order = post[::-1]
        self.position = {block: i for i, block in enumerate(self.order)}

    def find_dominators(self):
        self.dominators = dominators(self.order, self.pred, [0])

    def find_loops(self):
        """Natural loops by header, the blocks of each. Cycles with several entries are `irreducible`."""
        self.loops, self.irreducible = collections.defaultdict(set), False
        for block in self.order:
            for to in self.succ[block]:
                if to in self.dominators[block]:
                    self.loops[to] |= self.natural_loop(to, block)
                elif self.position[to] <= self.position[block]:
                    self.irreducible = True
        self.innermost = {header for header, body in self.loops.items()
                          if not any(other != header and other in body for other in self.loops)}
        self.loops = dict(self.loops)

    def natural_loop(self, header, latch):
        body, stack = {header}, [latch]
        while stack:
            at = stack.pop()
            if at not in body:
                body.add(at)
                stack += [p for p in self.pred[at] if p in self.position]
        return body

    def latches(self, header):
        return [p for p in self.pred[header] if p in self.position and header in self.dominators[p]]

    def postdominators(self):
        """Of each block; `end` stands behind every exit. Blocks that never come to one are left out."""
        ends = [b for b in self.order if not self.succ[b] or self.insts[self.blocks[b][1]].op in LEAVES]
        order, seen = [], set(ends)
        queue = list(ends)
        while queue:
            at = queue.pop(0)
            order.append(at)
            for p in self.pred[at]:
                if p not in seen and p in self.position:
                    seen.add(p)
                    queue.append(p)
        follow = [[to for to in self.succ[b] if to in seen] for b in range(len(self.blocks))]
        return dominators(order, follow, ends), seen

    def instructions(self, block):
        first, last = self.blocks[block]
        return self.insts[first:last + 1]

    def region(self, block, stop):
        """Blocks that lanes come to from the block's end before they come to `stop`."""
        seen, queue = set(), [block]
        while queue:
            for to in self.succ[queue.pop()]:
                if to != stop and to not in seen:
                    seen.add(to)
                    queue.append(to)
        return seen


def dominators(order, pred, roots):
    """The dominators of each node: a set, or all of `order` where nothing is known yet."""
    every = set(order)
    result = {node: every for node in order}
    for root in roots:
        result[root] = {root}
    changed = True
    while changed:
        changed = False
        for node in order:
            if node in roots:
                continue
            ways = [result[p] for p in pred[node] if p in result]
            new = set.intersection(*ways) | {node} if ways else {node}
            if new != result[node]:
                result[node], changed = new, True
    return result


class Program:
    """One kernel object: its functions by name, callees first where there is no recursion."""

    def __init__(self, listing, metadata):
        self.metadata = metadata
        self.flags = dict(flag.partition('=')[::2] for flag in metadata['flags'].split(';') if flag)
        self.abi = Abi(metadata['flags'])
        self.relocatable = metadata['mode'] == 'relocatable'
        facts = {f['name']: f for f in metadata['kernels'] + metadata['functions']}
        self.functions = {f['name']: Function(f, facts[f['name']]) for f in listing['functions'] if f['instructions']}
        self.limit = bits(range(255 if self.relocatable else
                                max([f.listing['registers'] for f in self.functions.values()], default=0)))
        self.variables = {}
        self.find_calls()

    def find_calls(self):
        self.helpers = {n for n, f in self.functions.items() if f.facts['helper']}
        for function in self.functions.values():
            for inst in function.insts:
                inst.helps = inst.op == 'CALL' and bool(self.helpers.intersection(inst.callees))
        self.unknown = {(f.name, call['pc']) for f in self.functions.values() for call in f.facts['calls']
                        if call['unknown_callees'] or any(c not in self.functions for c in call['callees'])}
        self.callees = {f.name: {c for inst in f.insts for c in inst.callees if c in self.functions}
                        for f in self.functions.values()}
        self.reachable = {n: self.closure(n) for n in self.functions}
        self.recursive = {n for n in self.functions if n in self.reachable[n]}
        self.callees_first = sorted(self.functions, key=lambda n: (len(self.reachable[n] | {n}), n))
        self.taken = {f.name for f in self.functions.values() if f.facts['stackdepth']['address_taken']}

    def closure(self, start):
        """What may be called from the function, without itself unless it may call itself."""
        seen, stack = set(), [start]
        while stack:
            for to in self.callees[stack.pop()]:
                if to not in seen:
                    seen.add(to)
                    stack.append(to)
        return seen

    def address(self, symbol):
        """Some place for each symbol: functions where code is, variables apart from each other."""
        known = sorted(self.functions)
        if symbol in self.functions:
            return 0x7f2000000000 + PC * known.index(symbol)
        return 0x500000000000 + (self.variables.setdefault(symbol, len(self.variables)) << 28)

    def named_at(self, address):
        index = (address - 0x7f2000000000) // PC
        known = sorted(self.functions)
        return known[index] if 0 <= index < len(known) else None

    def sites(self, function):
        return [inst for inst in function.insts if inst.op in ('CALL', 'CALLI')]

    def is_open(self, function):
        """Whether code may call it of which nothing is known."""
        return self.relocatable or function.name in self.taken or function.name in self.recursive
