"""Reuse distances and their one bit (malekeh 3.2, 4). A distance is the instructions of the warp until the register is
read again; where branches decide, the metadata has an expectation, of which only bounds can be computed."""

from machine import CALLS, members, name

SLOTS = ('dst', 'a', 'b', 'c')
DIGITS = '-123456789abcdefghijklmnopqrstuvwxyz0'
MOST_EXACT, NO_CLAIM, NEVER = 35, 0, 36


def operand(inst, slot):
    """The registers of a slot, without those that a product has in flight: they have no distance."""
    return 0 if inst.in_flight(slot) else inst.operand(slot)


class Reuse:
    def __init__(self, program, liveness):
        self.program, self.liveness = program, liveness

    def check_version(self, report, function):
        self.check(report, function)

    def check(self, report, function):
        facts = function.facts['reuse']
        report.check('RTHLD is not the one asked for', facts['rthld'] == int(self.program.flags.get('rthld', 16)))
        right = len(facts['tags']) == len(function.insts) and len(facts['exact']) == 4 * len(function.insts)
        report.check('tags or exact have another length', right)
        if not right:
            return
        tags = [int(digit, 16) for digit in facts['tags']]
        near = sum(bin(tag).count('1') for tag in tags)
        report.check(f'near is {near}', facts['near'] == near)
        report.check('the histogram does not add up', sum(facts['histogram']) == facts['near'] + facts['far'])
        operands = sum(bool(operand(inst, slot)) for inst in function.insts for slot in SLOTS)
        report.check(f'{operands} operands', facts['near'] + facts['far'] + facts['dead'] == operands)
        self.check_operands(report, function, facts, tags)

    def check_operands(self, report, function, facts, tags):
        dead = [0, 0]
        for block in range(len(function.blocks)):
            walks = zip(self.liveness.least.walk(function, block), self.liveness.most.walk(function, block))
            for (inst, _, least, ended), (_, _, most, fewer) in walks:
                for i, slot in enumerate(SLOTS):
                    registers = operand(inst, slot)
                    claim = DIGITS.index(facts['exact'][4 * inst.index + i])
                    near = tags[inst.index] >> i & 1
                    what = f'{inst.pc:#x} {inst.text}: {slot}'
                    if not registers:
                        report.check(f'{what} is no register', claim == NO_CLAIM and not near)
                        continue
                    kept = registers if slot == 'dst' else registers & ~fewer
                    after = [kept & least if slot == 'dst' else registers & least & ~ended, kept & most]
                    dead[0] += not after[0]
                    dead[1] += not after[1]
                    self.check_claim(report, function, inst, what, claim, kept, after)
                    if not facts['profiled'] and function.block_of[inst.index] in function.position:
                        self.check_tag(report, function, inst, what, after, near, facts['rthld'])
        low, high = dead[1], dead[0]
        if not facts['profiled'] and len(function.position) == len(function.blocks):
            report.check(f"dead {facts['dead']} is not between {low} and {high}", low <= facts['dead'] <= high)

    # ---- what is certain

    def check_claim(self, report, function, inst, what, claim, kept, after):
        if claim == NEVER:
            report.check(f'{what} is never read again, and {name(after[0])} may be', not after[0])
        elif claim != NO_CLAIM:
            found = self.straight(function, inst, after[1])
            report.check(f'{what} is read after {claim}, not {found}', found == claim)
        else:
            found = self.inside(function, inst, kept)
            report.check(f'{what} has no claim, and is read after {found}', found is None or found > MOST_EXACT)

    @staticmethod
    def straight(function, inst, registers):
        """Instructions until one of the registers is read, on the only way there; None where there are several."""
        at, distance = inst, 0
        while len(at.succ) == 1 and distance <= MOST_EXACT and at.op not in CALLS:
            at, distance = function.insts[at.succ[0]], distance + 1
            if at.op in CALLS:
                return None
            if at.reads & registers:
                return distance
            if not at.guard:
                registers &= ~at.writes
            if not registers:
                return None
        return None

    @staticmethod
    def inside(function, inst, operand):
        """The same where nobody can have a doubt: each of the registers is touched in this block, without a guard."""
        found, registers, last = None, operand, function.blocks[function.block_of[inst.index]][1]
        if inst.op in CALLS or inst.op == 'RET' or inst.guard:
            return None
        for at in function.insts[inst.index + 1:last + 1]:
            if at.op in CALLS or at.op == 'RET' or (at.guard and at.writes & operand):
                return None
            if at.reads & registers and found is None:
                found = at.index - inst.index
            registers &= ~(at.reads | at.writes)
            if not registers:
                return found
        return None

    # ---- near and far

    def check_tag(self, report, function, inst, what, after, near, rthld):
        if near:
            report.check(f'{what} is near, and nobody reads it', after[1])
            nearest = self.nearest(function, inst, after[1], rthld)
            report.check(f'{what} is near, and {rthld} instructions away', nearest)
        elif after[0]:
            report.check(f'{what} is far, and read soon on all paths', not self.soon(function, inst, after[0], rthld))

    def nearest(self, function, inst, registers, rthld):
        """Whether some path reads a register within less than RTHLD instructions; a call has at least itself."""
        seen, front = set(), [(inst.index, registers)]
        for _ in range(1, rthld):
            behind = []
            for at, left in front:
                for to in function.insts[at].succ:
                    state = (to, left)
                    if state in seen:
                        continue
                    seen.add(state)
                    reads, writes, kills = self.liveness.most.effects(function, function.insts[to])
                    if reads & left:
                        return True
                    rest = left if function.insts[to].guard else left & ~kills
                    if rest:
                        behind.append((to, rest))
            front = behind
        return False

    def soon(self, function, inst, registers, rthld):
        """Whether every path reads one of the registers within less than RTHLD instructions, without a call between."""
        return any(self.all_read(function, inst, 1 << r, rthld) for r in members(registers))

    def all_read(self, function, inst, register, rthld):
        if inst.op in CALLS:
            return False
        front = {inst.index}
        for _ in range(1, rthld):
            behind = set()
            for at in front:
                successors = function.insts[at].succ
                if not successors:
                    return False
                for to in successors:
                    next_inst = function.insts[to]
                    if next_inst.reads & register:
                        continue
                    if next_inst.op in CALLS or next_inst.writes & register:
                        return False
                    behind.add(to)
            if not behind:
                return True
            front = behind
        return False
