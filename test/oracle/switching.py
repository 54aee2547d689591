"""Switch points: first uses of what global loads bring, and barriers, with the size of a context (gpu-multiprogramming-lin
3.6.6)."""

from machine import PC, REGISTERS, bits, count, name

LOADS = {'LDG', 'LDCX', 'TEX', 'TLD', 'TLD4', 'TXD', 'LD', 'ATOMG', 'ATOM'}
ROW, WORD = 128, 4  # bytes of a register of a warp, and of a thread


class Switching:
    def __init__(self, program, liveness):
        self.program, self.liveness = program, liveness
        functions = program.functions
        self.loaded = bits(())
        for function in functions.values():
            for inst in function.insts:
                if inst.op in LOADS:
                    self.loaded |= inst.writes & REGISTERS
        if program.relocatable or program.unknown:
            self.loaded |= program.limit
        self.entry = {n: self.at_entry(f) for n, f in functions.items()}
        self.exit = dict.fromkeys(functions, 0)
        self.before = {n: [0] * len(f.insts) for n, f in functions.items()}
        while any([self.visit(f) for f in functions.values()]):
            pass

    def at_entry(self, function):
        """What code that is not here may have under way when it calls the function."""
        strange = self.program.relocatable or bool(self.program.unknown) and function.name in self.program.taken
        return self.program.limit if strange and not function.kernel and function.name not in self.program.helpers else 0

    # ---- what is under way before each instruction, by a walk until nothing changes

    def visit(self, function):
        before, changed = self.before[function.name], False
        before[0] |= self.entry[function.name]
        for inst in (inst for block in function.order for inst in function.instructions(block)):
            after = self.behind(function, inst, before[inst.index])
            if inst.op == 'RET':
                changed |= bool(after & ~self.exit[function.name])
                self.exit[function.name] |= after
            for to in inst.succ:
                changed |= bool(after & ~before[to])
                before[to] |= after
            changed |= self.enter_callees(inst, before[inst.index] & ~(inst.reads | inst.writes))
        return changed

    def enter_callees(self, inst, loading):
        changed = False
        for callee in inst.callees if inst.op in ('CALL', 'CALLI') and not inst.helps else ():
            if callee in self.entry:
                changed |= bool(loading & ~self.entry[callee])
                self.entry[callee] |= loading
        return changed

    def behind(self, function, inst, loading):
        loading &= ~(inst.reads | inst.writes)
        if inst.op in ('CALL', 'CALLI') and not inst.helps:
            return self.behind_call(function, inst, loading)
        if inst.op in ('CALL', 'SYSCALL'):
            loading &= ~self.liveness.most.call_kills(inst)
        return loading | (inst.writes & REGISTERS if inst.op in LOADS else 0)

    def behind_call(self, function, inst, loading):
        known = [c for c in inst.callees if c in self.exit]
        strange = (function.name, inst.pc) in self.program.unknown or len(known) < len(inst.callees) or not known
        after = loading | self.program.limit if strange else 0
        for callee in known:
            after |= self.exit[callee]
        return after

    # ---- checks

    def places(self, function, flow):
        """Points by one of the two readings, which know differently well what a helper reads."""
        before, found = self.before[function.name], {}
        for inst in (inst for block in function.order for inst in function.instructions(block)):
            helped = inst.helps or inst.op == 'SYSCALL'
            needs = (flow.effects(function, inst)[0] if helped else inst.reads) | inst.writes
            if inst.waits or needs & before[inst.index] & REGISTERS:
                found[inst.pc] = 'barrier' if inst.waits else 'load'
        return {} if function.name in self.program.helpers else found

    def check(self, report, function):
        least, most = [self.places(function, flow) for flow in (self.liveness.least, self.liveness.most)]
        reached = {inst.pc for block in function.order for inst in function.instructions(block)}
        points = function.facts['switch_points']
        said = {p['pc']: p['kind'] for p in points if p['pc'] in reached}
        report.check('switch points are not in order', [p['pc'] for p in points] == sorted({p['pc'] for p in points}))
        report.check(f'switch points are {said}, not {least}', least.items() <= said.items() <= most.items())
        for point in points:
            if point['pc'] in most:
                self.check_point(report, function, point)
        self.check_size(report, function)

    def check_point(self, report, function, point):
        pc, loading = point['pc'], bits(point['loading'])
        for suffix, masks in (('', self.liveness.live), ('_divergent', self.liveness.diverged)):
            mask = bits(point['live' + suffix]) | bits(point['predicates' + suffix]) << 256
            self.liveness.check_set(report, function, f'live{suffix} of the switch point', pc, mask, masks)
        least = self.before[function.name][pc // PC] & REGISTERS
        waiting = [flow.diverged(function, function.insts[pc // PC], 0, 0) & REGISTERS & self.loaded
                   for flow in (self.liveness.least, self.liveness.most)]
        if function.insts[pc // PC].op == 'CALLI':  # other lanes may be back from what they called, with results in flight
            behind = self.behind(function, function.insts[pc // PC], least) & REGISTERS
            # and what these need may be under way to lanes that wait elsewhere, whether those need it or not
            waiting = [mask | (behind | self.loaded) & REGISTERS & live[pc // PC + 1]
                       for mask, live in zip(waiting, self.liveness.live[function.name])]
        report.check(f'{pc:#x}: {name((least | waiting[0]) & ~loading)} may be loading', not (least | waiting[0]) & ~loading)
        report.check(f'{pc:#x}: {name(loading & ~(least | waiting[1]))} cannot be loading', not loading & ~(least | waiting[1]))
        kept = bits(point['live_divergent']) | loading
        patterns = {p['register']: p['pattern'] for p in point['patterns']}
        whole = bits(point['live_divergent']) & ~loading
        report.check(f'{pc:#x}: a pattern is of another register', not bits(patterns) & ~whole)
        size = ROW * (count(kept) - len(patterns)) + sum(WORD if p == 'uniform' else 2 * WORD for p in patterns.values())
        report.check(f'{pc:#x}: bytes are {size}', point['bytes'] == size)

    def check_size(self, report, function):
        """The largest point, of callees included; where one is not known, all registers."""
        most, names = 0, {function.name} | self.program.reachable[function.name]
        for n in names:
            most = max([most] + [p['bytes'] for p in self.program.functions[n].facts['switch_points']])
        if any(n in names for n, _ in self.program.unknown):
            most = max(most, count(self.program.limit) * ROW)
        report.check(f'the context has {most} bytes', function.facts['switch']['switch_context_bytes'] == most)
