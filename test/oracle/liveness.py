"""Live registers (gpu-multiprogramming-lin 2.3.2, Figure 2.5) and dead operands (ltrf-asplos18 3.2, LTRF+), twice:

    least   a write under a guard ends what its lanes no longer need; of functions that anybody may call only what is seen
    most    the textbook: only writes without a guard end a value; what is not seen reads all that the convention passes

What the metadata says must hold the first and stay inside the second. They are one where code has no guards and all of
the program is there.
"""

from machine import CALLS, PREDICATES, REGISTERS, count, name
from waits import may_wait


class Lanes:
    """Which lanes need what: all of them, or those of a guard whose predicate has not changed until then."""

    def __init__(self, every):
        self.every, self.some = every, {}

    def all(self):
        mask = self.every
        for place in self.some:
            mask |= 1 << place
        return mask

    def write(self, mask, guard):
        if guard is None:
            self.every &= ~mask
            self.forget(mask)
            return
        for place in places(mask):
            if self.some.get(place) == guard:
                del self.some[place]
            elif self.every >> place & 1:
                self.every &= ~(1 << place)
                self.some[place] = (guard[0], not guard[1])

    def forget(self, mask):
        if self.some:
            self.some = {place: guard for place, guard in self.some.items() if not mask >> place & 1}

    def change(self, mask):
        for place, guard in list(self.some.items()) if mask >> 256 else ():
            if mask >> 256 + guard[0] & 1:
                del self.some[place]
                self.every |= 1 << place

    def read(self, mask, guard):
        if guard is None:
            self.every |= mask
            self.forget(mask)
            return
        for place in places(mask & ~self.every):
            if place == 256 + guard[0] or self.some.get(place, guard) != guard:
                self.some.pop(place, None)
                self.every |= 1 << place
            else:
                self.some[place] = guard

    def outside(self, mask, guard):
        """Of `mask` what lanes outside the guard need."""
        return mask & self.every | sum(1 << place for place in places(mask) if self.some.get(place, guard) != guard)


def places(mask):
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Flow:
    """Live registers of all functions of a program, by one of the two readings."""

    def __init__(self, program, least):
        self.program, self.least, self.abi = program, least, program.abi
        self.uses, self.through, self.meant, self.results = {}, {}, {}, {}
        self.live_in = {}  # of each function a list by block
        self.walks = None  # by function and block, once nothing about them changes any more
        self.summarise()
        self.solve_all()
        self.walks = {}
        self.find_around()

    # ---- one instruction

    def call_reads(self, function, inst):
        if inst.op == 'SYSCALL':
            return self.abi.service_reads(inst.facts['service'])
        mask = 0 if inst.helps else self.abi.stack
        for callee in inst.callees:
            mask |= self.uses.get(callee, 0)
        if (function.name, inst.pc) in self.program.unknown or not inst.callees:
            mask |= 0 if self.least else self.abi.passed
        return mask

    def call_writes(self, inst):
        """A helper writes what its code names; of others the convention says what they may."""
        mask = 0 if inst.helps else self.abi.scratch
        for callee in inst.callees if inst.helps else ():
            for n in {callee} | self.program.reachable[callee]:
                for at in self.program.functions[n].insts:
                    mask |= at.writes & self.abi.scratch
        return mask

    def call_kills(self, inst):
        mask = self.call_writes(inst)
        for callee in inst.callees:
            mask &= ~self.through.get(callee, 0)
        return mask

    def effects(self, function, inst):
        """reads, writes, what an instruction without a guard ends."""
        reads, writes, kills = inst.reads, inst.writes, inst.writes
        if inst.op in CALLS:
            reads |= self.call_reads(function, inst)
            writes |= self.call_writes(inst)
            kills = self.call_kills(inst)
        elif inst.op == 'RET':
            reads |= self.returns[function.name]
        elif inst.op == 'R2P':
            kills = inst.operands['b'].get('immediate', 0) << 256 & PREDICATES
        return reads, writes, kills

    def step(self, function, inst, lanes):
        """From behind the instruction to before it; returns what of its writes nobody needs from before."""
        reads, writes, kills = self.effects(function, inst)
        narrow = inst.guard and self.least and inst.op not in CALLS | {'BRA', 'BRX', 'RET', 'EXIT', 'R2P'}
        kept = writes & ~kills
        if narrow:
            kept = lanes.outside(writes, inst.guard)
            lanes.write(writes, inst.guard)
        elif not inst.guard:
            lanes.write(kills, None)
        else:
            kept = writes
        lanes.change(writes)
        lanes.read(reads, inst.guard if narrow else None)
        return writes & ~kept

    # ---- one function

    def before_block(self, function, block, after):
        lanes = Lanes(after)
        for inst in reversed(function.instructions(block)):
            self.step(function, inst, lanes)
        return lanes.all()

    def live_out(self, function, block, live_in=None):
        live_in, mask = live_in or self.live_in[function.name], 0
        for to in function.succ[block]:
            mask |= live_in[to]
        return mask

    def solve(self, function):
        live_in = [0] * len(function.blocks)
        queue = list(range(len(function.blocks)))
        while queue:
            block = queue.pop()
            new = self.before_block(function, block, self.live_out(function, block, live_in))
            if new != live_in[block]:
                live_in[block] = new
                queue += [p for p in function.pred[block] if p not in queue]
        return live_in

    # ---- the program

    def summarise(self):
        """What functions read of their callers, and what they leave alone, callees first."""
        names = [n for n in self.program.callees_first if not self.program.functions[n].kernel]
        for n in names:
            self.uses[n] = self.through[n] = 0
        changed = True
        while changed:
            changed = False
            for n in names:
                function = self.program.functions[n]
                self.returns = {n: 0}
                self.live_in[n] = self.solve(function)
                kept = self.abi.scratch | (self.abi.stack if n in self.program.helpers else 0)
                uses = self.live_in[n][0] & kept & REGISTERS
                self.meant[n] = self.for_callers(function)
                self.returns = {n: self.abi.scratch}
                through = self.solve(function)[0] & self.abi.scratch
                if (uses, through) != (self.uses[n], self.through[n]):
                    self.uses[n], self.through[n], changed = uses, through, True
            changed = changed and bool(self.program.recursive)

    def for_callers(self, function):
        """What the function writes, does not read, and leaves there until it returns: its results. (Callers also read
        what they left undefined, and functions write arguments that nobody reads.)"""
        mask = 0
        kept = self.kept_to_return(function)
        for block in range(len(function.blocks)):
            for inst, _, after, _ in self.walk(function, block):
                if inst.op not in CALLS and not inst.writes & after:
                    mask |= inst.writes & kept[inst.index]
        return mask

    def kept_to_return(self, function):
        """Behind each instruction, the registers that come to a return without a write or a call."""
        before, changed = [0] * (len(function.insts) + 1), True
        after = [0] * len(function.insts)
        while changed:
            changed = False
            for inst in reversed(function.insts):
                mask = 0
                for to in inst.succ:
                    mask |= before[to]
                after[inst.index] = mask
                mask = self.abi.passed if inst.op == 'RET' else 0 if inst.op in CALLS else mask & ~inst.writes
                if mask & ~before[inst.index]:
                    before[inst.index], changed = mask, True
        return after

    def results_read(self, callee, after):
        """Of what is live after a call, what returns hand back or let pass."""
        mask = after & self.abi.scratch
        if self.least and callee in self.program.recursive:
            return 0
        if self.least:
            mask &= self.through[callee] | self.meant[callee]
        return mask

    def solve_all(self):
        """Callers first: what is read behind calls is what returns read. Again while cycles learn more."""
        functions, self.returns = self.program.functions, {}
        self.results = {n: 0 for n in functions}
        if not self.least:
            self.results = {n: self.abi.passed if self.program.is_open(f) else 0 for n, f in functions.items()}
        changed = True
        while changed:
            changed = False
            for n in reversed(self.program.callees_first):
                function = functions[n]
                kept = self.abi.saved & self.program.limit | self.abi.stack
                self.returns[n] = 0 if function.kernel else self.results[n] | kept
                self.live_in[n] = self.solve(function)
                for inst, after in self.after_calls(function):
                    for callee in inst.callees:
                        if callee not in functions:
                            continue
                        read = self.results[callee] | self.results_read(callee, after)
                        if read != self.results[callee]:
                            self.results[callee], changed = read, True
            changed = changed and bool(self.program.recursive)

    def after_calls(self, function):
        for block in {function.block_of[inst.index] for inst in self.program.sites(function)}:
            for inst, _, after, _ in self.walk(function, block):
                if inst.op in ('CALL', 'CALLI'):
                    yield inst, after

    def walk(self, function, block):
        """The block's instructions backwards: each with what is live before and after, and what it ends."""
        if self.walks is None:
            return list(self.steps(function, block))
        at = function.name, block
        if at not in self.walks:
            self.walks[at] = list(self.steps(function, block))
        return self.walks[at]

    def steps(self, function, block):
        lanes = Lanes(self.live_out(function, block))
        for inst in reversed(function.instructions(block)):
            after = lanes.all()
            ended = self.step(function, inst, lanes)
            yield inst, lanes.all(), after, ended

    def before(self, function):
        """What is live before each instruction."""
        live = [0] * len(function.insts)
        for block in range(len(function.blocks)):
            for inst, before, _, _ in self.walk(function, block):
                live[inst.index] = before
        return live

    # ---- what waiting lanes need

    def find_around(self):
        """Of each function by block: what lanes need that wait at divergence and reconvergence points; and of each
        function what lanes need that wait in its callers."""
        self.around, self.waiting = {}, {n: 0 for n in self.program.functions}
        for n, function in self.program.functions.items():
            # Of a linear version masks may have registers of its streams, too.
            if not self.least and (function.version or self.program.is_open(function) and not function.kernel):
                self.waiting[n] = self.program.limit | PREDICATES
            self.around[n] = self.around_blocks(function)
        self.find_meetings()
        for n, function in self.program.functions.items():
            self.add_behind(function)
        if not self.least:
            self.add_yields()
        for _ in range(2 if self.program.recursive else 1):
            for n in reversed(self.program.callees_first):
                self.add_waiting(self.program.functions[n])

    # Where a loop may be a wait for another lane, its path makes way, and lanes may wait anywhere: masks may be as wide.

    def add_yields(self):
        functions, groups = self.program.functions, {n: {n} for n in self.program.functions}
        for n, callees in self.program.callees.items():
            for callee in callees - (self.program.helpers - self.meeting):
                joined = groups[n] | groups[callee]
                for member in joined:
                    groups[member] = joined
        strange = {n for n, _ in self.program.unknown} | self.entered_apart()
        for n, group in groups.items():
            waits = any(may_wait(functions[m]) for m in group) and any(self.may_part(functions[m]) for m in group)
            if strange & group or waits:
                self.waiting[n] |= self.needs(group)

    @staticmethod
    def may_part(function):
        """Whether lanes may go on at different places."""
        return bool(function.facts['liveness']['divergent_pcs']) or any(
            inst.op in ('BRX', 'CALLI') or inst.guard and inst.op in ('CALL', 'RET') for inst in function.insts)

    def needs(self, group):
        mask = 0
        for n in group:
            function = self.program.functions[n]
            for block in range(len(function.blocks)):
                mask |= self.needs_of(function, block)
        return mask

    def needs_of(self, function, block):
        mask = self.live_out(function, block)
        for _, before, _, _ in self.walk(function, block):
            mask |= before
        return mask

    # Where lanes that a branch sent apart wait for one another, others run past the point where its paths meet: any of
    # them may be at any place that the branch leads to.

    def find_meetings(self):
        """Functions in which lanes wait for one another; of code that is not seen only the widest reading says so."""
        functions, strange = self.program.functions, {n for n, _ in self.program.unknown}
        own = {n for n, f in functions.items() if any(inst.meets for inst in f.insts)}
        own |= set() if self.least else strange
        self.meeting = {n for n in functions if own & (self.program.reachable[n] | {n})}
        self.apart = {n: self.apart_blocks(f) for n, f in functions.items()}

    def meets_at(self, function, inst):
        strange = not self.least and (function.name, inst.pc) in self.program.unknown
        return inst.meets or strange or bool(self.meeting.intersection(inst.callees))

    def apart_blocks(self, function):
        """Blocks in which lanes of the warp may be elsewhere, and of these those where they may be anywhere."""
        meeting = {function.block_of[inst.index] for inst in function.insts if self.meets_at(function, inst)}
        apart, behind = set(), set()
        for pc in function.facts['liveness']['divergent_pcs']:
            inst = function.insts[pc // 16]
            block = function.block_of[inst.index]
            region = function.region(block, None if inst.reconv is None else function.block_of[inst.reconv])
            apart |= region
            if inst.op != 'RET' and region & meeting:
                behind |= function.region(block, None)
        for inst in self.program.sites(function):
            if inst.guard or inst.op == 'CALLI':
                block = function.block_of[inst.index]
                apart.add(block)
                if self.meets_at(function, inst):
                    behind |= function.region(block, None) | {block}
        return apart | behind, behind

    def add_behind(self, function):
        mask, behind = 0, self.apart[function.name][1]
        for block in behind:
            mask |= self.needs_of(function, block)
        for block in behind:
            self.around[function.name][block] |= mask

    def entered_apart(self):
        """Functions with lanes that wait for one another while some of the warp may be elsewhere."""
        program, entered, changed = self.program, set(self.program.taken), True
        while changed:
            before = len(entered)
            for n, function in program.functions.items():
                for inst in program.sites(function):
                    if n in entered or function.block_of[inst.index] in self.apart[n][0]:
                        entered.update(c for c in inst.callees if c in program.functions)
            changed = len(entered) != before
        return {n for n, f in program.functions.items()
                if not f.kernel and (n in entered & self.meeting or self.apart[n][1])}

    def around_blocks(self, function):
        around = [0] * len(function.blocks)
        for pc in function.facts['liveness']['divergent_pcs']:
            inst = function.insts[pc // 16]
            block = function.block_of[inst.index]
            stop = None if inst.reconv is None else function.block_of[inst.reconv]
            mask = self.live_out(function, block)
            mask |= self.returns[function.name] if stop is None else self.live_in[function.name][stop]
            for inside in function.region(block, stop):
                around[inside] |= mask
        return around

    def add_waiting(self, function):
        for block in {function.block_of[inst.index] for inst in self.program.sites(function)}:
            outside = self.around[function.name][block] | self.waiting[function.name]
            for inst, before, after, _ in self.walk(function, block):
                mask = outside
                if inst.op == 'CALLI' or (inst.op == 'CALL' and inst.guard):
                    mask |= after
                if inst.op == 'CALLI':
                    mask |= before
                for callee in inst.callees if inst.op in ('CALL', 'CALLI') else ():
                    if callee in self.waiting:
                        self.waiting[callee] |= mask

    def diverged(self, function, inst, before, after):
        mask = before | self.around[function.name][function.block_of[inst.index]] | self.waiting[function.name]
        return mask | after if inst.op == 'CALLI' else mask


class Liveness:
    """Both readings, and the checks of `liveness` in the metadata."""

    def __init__(self, program):
        self.program = program
        self.least, self.most = Flow(program, True), Flow(program, False)
        self.live = {n: (self.least.before(f), self.most.before(f)) for n, f in program.functions.items()}
        self.diverged = {n: (self.at_points(self.least, f), self.at_points(self.most, f))
                         for n, f in program.functions.items()}

    @staticmethod
    def at_points(flow, function):
        masks = [0] * len(function.insts)
        for block in range(len(function.blocks)):
            for inst, before, after, _ in flow.walk(function, block):
                masks[inst.index] = flow.diverged(function, inst, before, after)
        return masks

    def check_version(self, report, function):
        """What the metadata says of a linear version's main stream."""
        facts = function.facts['liveness']
        splits = {inst.pc for inst in function.insts if self.splits(function, inst)}
        report.check('a divergent branch is none', set(facts['divergent_pcs']) <= splits)
        self.check_digits(report, function, facts['dead_operands'])

    def check(self, report, function):
        self.check_most(report, function)
        self.check_branches(report, function)
        self.check_dead(report, function)

    def check_set(self, report, function, what, pc, said, masks, within=-1):
        """That a set is between the two readings."""
        least, most = masks[function.name][0][pc // 16] & within, masks[function.name][1][pc // 16] & within
        report.check(f'{what} at {pc:#x}: {name(least & ~said)} may still be read', not least & ~said)
        report.check(f'{what} at {pc:#x}: {name(said & ~most)} cannot be read any more', not said & ~most)

    def check_most(self, report, function):
        facts = function.facts['liveness']
        for key, masks in (('max_live', self.live), ('max_live_divergent', self.diverged)):
            said, pc = facts[key], facts[key + '_pc']
            least, most = ([count(mask) for mask in reading] for reading in masks[function.name])
            report.check(f'{key} {said} is not between {max(least)} and {max(most)}', max(least) <= said <= max(most))
            report.check(f'{key}_pc {pc:#x} is no place', pc % 16 == 0)
            report.check(f'{key} {said} is not at {key}_pc', least[pc // 16] <= said <= most[pc // 16])

    @staticmethod
    def splits(function, inst):
        if inst.op == 'RET':
            return inst.guard is not None and not function.kernel
        return inst.op in ('BRA', 'BRX') and len(inst.succ) > 1

    def check_branches(self, report, function):
        facts = function.facts['liveness']
        may = {inst.pc for inst in function.insts if self.splits(function, inst)}
        report.check('a divergent branch is none', set(facts['divergent_pcs']) <= may)
        counts = len(facts['divergent_pcs']), len(may) - len(facts['divergent_pcs'])
        report.check(f'branches are {counts}', counts == (facts['divergent_branches'], facts['uniform_branches']))

    # ---- dead operands

    def check_dead(self, report, function):
        digits, facts = function.facts['liveness']['dead_operands'], function.facts['liveness']
        if not digits:
            return
        reads = sum(bool(inst.operand(slot)) for inst in function.insts for slot in 'abc')
        report.check(f'register_reads is {reads}', facts['register_reads'] == reads)
        report.check('dead_warp_reads does not count dead_operands',
                     facts['dead_warp_reads'] == sum(bin(int(digit, 16)).count('1') for digit in digits))
        thread = self.check_digits(report, function, digits)
        report.check(f"dead_reads {facts['dead_reads']} is not between {thread[1]} and {thread[0]}",
                     thread[1] <= facts['dead_reads'] <= thread[0])

    def check_digits(self, report, function, digits):
        """Returns how many reads are a thread's last, at most and at least."""
        thread = [0, 0]
        report.check('dead_operands has another length', len(digits) == len(function.insts))
        for block in range(len(function.blocks)):
            walks = zip(self.least.walk(function, block), self.most.walk(function, block))
            for (inst, _, least, ended), (_, _, most, fewer) in walks:
                behind = least & ~ended, most & ~fewer
                self.check_operands(report, function, inst, int(digits[inst.index:inst.index + 1] or '0', 16), behind, thread)
        return thread

    def check_operands(self, report, function, inst, digit, behind, thread):
        around = [flow.around[function.name][function.block_of[inst.index]] | flow.waiting[function.name]
                  for flow in (self.least, self.most)]
        # Of what passes between functions code generation knows more than the code says.
        passes = not function.kernel or any(at.op in CALLS for at in function.insts)
        kept = behind[0] & ~(self.program.abi.scratch if passes else 0)
        report.check(f'{inst.pc:#x} {inst.text}: tagged as a last read that it is not',
                     not sum(1 << r for r in inst.facts['last_reads']) & kept)
        for bit, slot in enumerate('abc'):
            registers = inst.operand(slot)
            if not registers:
                report.check(f'{inst.pc:#x} {inst.text}: {slot} is dead and no register', not digit >> bit & 1)
                continue
            thread[0] += not registers & behind[0]
            thread[1] += not registers & behind[1]
            if digit >> bit & 1:
                needed = registers & (behind[0] | around[0])
                report.check(f'{inst.pc:#x} {inst.text}: {slot} is dead, and {name(needed)} may be read', not needed)
            elif inst.op != 'CALLI':
                report.check(f'{inst.pc:#x} {inst.text}: {slot} is not dead, and nobody reads it',
                             registers & (behind[1] | around[1]))
