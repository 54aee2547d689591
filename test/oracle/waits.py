"""Loops in which a lane may wait for another one: what it reads there, others may write, and that decides how often the
loop turns. Natural loops, with dominators; what is not understood may wait."""

import re

from machine import CALLS, LEAVES, REGISTERS, members

WEAK_READS = {'LDG', 'LD', 'LDS'}
ATOMICS = {'ATOMG', 'ATOM', 'ATOMS'}
AMONG_LANES = re.compile(r'SHFL|VOTE|MATCH|REDUX|ELECT|HMMA|IMMA|DMMA|BMMA|QMMA|LDSM|MOVM|R2UR|S2UR|UMOV')
UNIFORM = re.compile(r'\bUR\d')
RZ = 255


def reads_strongly(inst):
    return inst.op in ATOMICS or inst.op == 'SYNCS_WAIT' or inst.op in WEAK_READS and inst.mods.get('SEM', 'WEAK') != 'WEAK'


def reads_weakly(inst):
    return inst.op in WEAK_READS and not reads_strongly(inst) and inst.mods.get('CACHE') != 'CI'


def may_wait(function):
    if function.irreducible:
        return any(inst.op in CALLS or reads_weakly(inst) or reads_strongly(inst) for inst in function.insts)
    return any(Loop(function, header, body).may_wait() for header, body in function.loops.items())


class Loop:
    def __init__(self, function, header, body):
        self.function, self.header, self.body = function, header, sorted(body)
        self.insts = [inst for block in self.body for inst in function.instructions(block)]
        latches = function.latches(header)
        self.every_turn = {block for block in body if all(block in function.dominators[latch] for latch in latches)}

    def may_wait(self):
        calls = any(inst.calls for inst in self.insts)
        strong = calls or any(reads_strongly(inst) for inst in self.insts)
        if not strong and not any(reads_weakly(inst) for inst in self.insts):
            return False
        if not strong and any(self.counts(inst) for inst in self.insts):
            return False
        return self.heeds()

    # ---- a register that is added to in every turn

    def writers(self, register):
        return [inst for inst in self.insts if inst.writes >> register & 1]

    def is_plain(self, inst):
        return not inst.guard and self.function.block_of[inst.index] in self.every_turn

    def counts(self, inst):
        if inst.op != 'IADD3' or inst.mods.get('EX') or not self.is_plain(inst):
            return False
        sources = [inst.operands.get(slot, {}) for slot in 'abc']
        changing = [s['register'] for s in sources if s.get('register', RZ) != RZ and self.writers(s['register'])]
        steps = [s for s in sources if s.get('register', 0) != RZ and s.get('immediate', 1) % (1 << 28)]
        result = next(members(inst.writes & REGISTERS), None)
        return len(changing) == 1 and len(steps) > 1 and self.writers(result) == [inst] and \
            self.comes_from(result, changing[0])

    def comes_from(self, origin, register):
        """Whether moves of each turn bring `origin` to `register`."""
        for _ in self.insts:
            if register == origin:
                return True
            writers = self.writers(register)
            if len(writers) != 1 or writers[0].op != 'MOV' or not self.is_plain(writers[0]):
                return False
            register = writers[0].operands['b'].get('register', RZ)
        return False

    # ---- whether anything read decides when it ends

    def heeds(self):
        if any(inst.op in CALLS | {'BRX'} for inst in self.insts):
            return True
        before = {block: None for block in self.body}
        before[self.header] = 0
        self.decided, self.uniform, self.local = set(), False, False
        while True:
            state = dict(before), set(self.decided), self.uniform, self.local
            for block in self.body:
                if before[block] is not None and not self.flow(block, before):
                    return True
            if state == (before, self.decided, self.uniform, self.local):
                return not any(to not in before for block in self.body for to in self.function.succ[block]) and \
                    not any(inst.op in LEAVES for inst in self.insts)

    def flow(self, block, before):
        known, function = before[block], self.function
        for inst in function.instructions(block):
            reads = inst.reads & known or self.uniform and UNIFORM.search(inst.text) or self.local and inst.op == 'LDL'
            foreign = reads_weakly(inst) or reads_strongly(inst) or AMONG_LANES.match(inst.op) or reads or \
                block in self.decided
            if foreign:
                known |= inst.writes
                self.uniform |= bool(UNIFORM.search(inst.text))
                self.local |= inst.op == 'STL'
            elif not inst.guard:
                known &= ~inst.writes
        leaves = inst.op in LEAVES or any(to not in before for to in function.succ[block])
        if leaves and (reads or block in self.decided):
            return False
        if inst.op == 'BRA' and reads and not leaves:
            if inst.reconv is None or function.block_of[inst.reconv] not in before:
                return False
            region = function.region(block, function.block_of[inst.reconv])
            if not region <= before.keys() or self.header in region:
                return False
            self.decided |= region
        for to in function.succ[block]:
            if to in before:
                before[to] = known if before[to] is None else before[to] | known
        return True
