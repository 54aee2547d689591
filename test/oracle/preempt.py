"""Preemption points, their masks and what a warp executes until it comes to one (gpu-multiprogramming-lin 2.4.1, 2.5.3).
"""

from machine import PC, bits, count

NEVER = None  # no such path


def longest(*ways):
    known = [way for way in ways if way is not NEVER]
    return max(known) if known else NEVER


def plus(a, b):
    return NEVER if a is NEVER or b is NEVER else a + b


class Way:
    """What a stretch of code has, in instructions: `through` it without a point, `since` its last point to its end,
    `until` its first point or its own end, `inside` between two points."""

    def __init__(self, through, since, until, inside):
        self.through, self.since, self.until, self.inside = through, since, until, inside


ONE, POINT = Way(1, NEVER, 1, NEVER), Way(NEVER, 0, 0, NEVER)


class Preempt:
    def __init__(self, program, liveness):
        self.program, self.liveness = program, liveness
        self.points = {n: {p['pc'] // PC for p in f.facts['preemption_points']} for n, f in program.functions.items()}
        self.ways, self.worst, self.bounded, self.stretches = {}, {}, {}, {}
        for n in program.callees_first:
            self.measure(program.functions[n])
        self.waits = {n: any(i.waits for m in {n} | program.reachable[n] for i in program.functions[m].insts)
                      for n in program.functions}

    def check(self, report, function):
        if self.check_points(report, function):
            self.check_drain(report, function)

    def check_version(self, report, function):
        self.check_points(report, function)

    def check_points(self, report, function):
        """Returns whether the points are places of the code."""
        facts = function.facts
        pcs = [p['pc'] for p in facts['preemption_points']]
        right = pcs == sorted(set(pcs)) and all(pc % PC == 0 and pc // PC < len(function.insts) for pc in pcs)
        report.check('points are not in order of their pcs', right)
        barriers = {inst.pc: inst for inst in function.insts if inst.waits}
        report.check('barriers are not those of the code', sorted(barriers) == [b['pc'] for b in facts['preempt']['barriers']])
        for point in facts['preemption_points'] if right else ():
            self.check_point(report, function, point, barriers)
        for barrier in facts['preempt']['barriers']:
            masks = bits(barrier['live']) | bits(barrier['predicates']) << 256
            self.liveness.check_set(report, function, 'live of the barrier', barrier['pc'], masks, self.liveness.live)
        if function.name in self.program.helpers:
            report.check('a helper has a point', not pcs)
        elif right:
            self.check_loops(report, function)
            self.check_gaps(report, function)
        return right

    def check_point(self, report, function, point, barriers):
        kind = 'bar.pp' if point['pc'] in barriers else 'pp'
        report.check(f"{point['pc']:#x} is a {kind}", point['kind'] == kind)
        for suffix, masks in (('', self.liveness.live), ('_divergent', self.liveness.diverged)):
            live = bits(point['live' + suffix])
            said = live | bits(point['predicates' + suffix]) << 256
            self.liveness.check_set(report, function, f'live{suffix} of the point', point['pc'], said, masks)
            # 54 bits: 53 registers, and one for all that are higher.
            mask = live & (1 << 53) - 1 | (1 << 53 if live >> 53 else 0)
            report.check(f"{point['pc']:#x}: mask{suffix} is {mask:#016x}", int(point['mask' + suffix], 16) == mask)

    # ---- one in each innermost loop

    def calls_wait(self, function, block):
        return any(self.waits.get(c) for inst in function.instructions(block) for c in inst.callees)

    def on_every_way(self, function, header):
        """Blocks that every iteration passes."""
        body = function.loops[header]
        return [b for b in body if all(b in function.dominators[latch] for latch in function.latches(header))]

    def check_loops(self, report, function):
        if function.irreducible:
            return
        chosen = {p['loop_pc']: p for p in function.facts['preemption_points'] if p['loop_pc'] is not None}
        for header in function.innermost:
            pc = function.blocks[header][0] * PC
            body, point = function.loops[header], chosen.get(pc)
            barriers = [i.index for b in body for i in function.instructions(b) if i.waits]
            waits = any(self.calls_wait(function, b) for b in body)
            report.check(f'the innermost loop at {pc:#x} has no point', point or (waits and not barriers))
            report.check(f'the loop at {pc:#x} has a point beside a callee\'s barrier', not point or barriers or not waits)
            if point:
                ways = [i for b in self.on_every_way(function, header) for i in range(function.blocks[b][0], function.blocks[b][1] + 1)]
                self.check_choice(report, function, point, barriers or ways, pc)

    def check_choice(self, report, function, point, candidates, pc):
        """The fewest live registers."""
        report.check(f"the point of the loop at {pc:#x} is at {point['pc']:#x}", point['pc'] // PC in candidates)
        most = self.liveness.live[function.name][1]
        fewest = min(count(most[at]) for at in candidates)
        report.check(f"{point['pc']:#x}: {len(point['live'])} live registers; {fewest} elsewhere in the loop at {pc:#x}",
                     len(point['live']) <= fewest)

    # ---- until a warp is at the next

    def call_way(self, function, inst):
        named = [c for c in inst.callees if c in self.program.functions]
        callees = [c for c in named if c in self.ways]
        unknown = (function.name, inst.pc) in self.program.unknown or not named
        recursive = any(function.name in self.program.reachable[c] or c == function.name for c in named)
        through, since, until, inside = NEVER, NEVER, NEVER, NEVER
        for c in callees:
            way = self.ways[c]
            through = longest(through, NEVER if way.through is NEVER else 1 + way.through)
            since, inside = longest(since, way.since), longest(inside, self.worst[c])
            until = longest(until, 1 + way.until)
            self.bounded[function.name] &= self.bounded[c]
        if unknown or recursive:
            self.bounded[function.name] = False
            through, until = longest(through, 1), longest(until, 1)
        return Way(through, since, until, inside)

    def measure(self, function):
        """Longest paths from the entry and from points, over code without points."""
        n, insts = function.name, function.insts
        self.bounded[n] = True
        ways = [self.call_way(function, inst) if inst.op in ('CALL', 'CALLI') else ONE for inst in insts]
        self.stretches[n] = ways
        cut = [inst.index in self.points[n] or ways[inst.index].through is NEVER for inst in insts]
        walk = Walk(function, self.points[n], ways)
        for inst in insts: # what leaves a point does not depend on what comes to it
            if cut[inst.index] and function.block_of[inst.index] in function.position:
                walk.pass_on(inst)
        for at in self.in_order(function, cut):
            walk.visit(insts[at])
            if not cut[at]:
                walk.pass_on(insts[at])
        self.ways[n], self.worst[n] = walk.whole, walk.worst

    def in_order(self, function, cut):
        """Instructions, each behind all from which it can be reached without a point. A cycle of these has no bound, and
        goes round once."""
        code = [inst.index for block in function.order for inst in function.instructions(block)]
        waits, done = dict.fromkeys(code, 0), set()
        for at in code:
            for to in function.insts[at].succ if not cut[at] else ():
                waits[to] += 1
        queue = [at for at in code if not waits[at]]
        while len(done) < len(code):
            if not queue:
                self.bounded[function.name] = False
                queue.append(next(at for at in code if at not in done))
            at = queue.pop()
            if at in done:
                continue
            done.add(at)
            yield at
            for to in function.insts[at].succ if not cut[at] else ():
                waits[to] -= 1
                if not waits[to] and to not in done:
                    queue.append(to)

    def check_drain(self, report, function):
        facts, n = function.facts['preempt'], function.name
        report.check(f'drain_bounded is {self.bounded[n]}', facts['drain_bounded'] == self.bounded[n])
        if self.bounded[n]:
            report.check(f'drain_instructions is {self.worst[n]}', facts['drain_instructions'] == self.worst[n])
        else: # how often a cycle goes round nobody knows
            report.check('drain_instructions is less than a path without cycles', facts['drain_instructions'] >= 1)

    # ---- one every K instructions outside innermost loops

    def check_gaps(self, report, function):
        every = function.facts['preempt']['preempt_every']
        report.check('K is not the one asked for', every == int(self.program.flags.get('preempt-every', 1000)))
        inside = {b for header in function.innermost for b in function.loops[header]}
        outside = [i for b in function.order if b not in inside for i in function.instructions(b)]
        gap = self.longest_gap(function, {i.index for i in outside})
        report.check(f'{gap} instructions outside of innermost loops without a point', gap is NEVER or gap <= every)

    def longest_gap(self, function, outside):
        """Calls count as what callees execute; a call with nothing before it may be longer. NEVER: a cycle has no point,
        which `drain_bounded` says."""
        points, best, length = self.points[function.name], 0, {}
        waits = dict.fromkeys(outside, 0)
        for at in outside:
            for to in function.insts[at].succ:
                if to in outside and to not in points:
                    waits[to] += 1
        queue = [at for at in outside if not waits[at]]
        seen = 0
        while queue:
            at = queue.pop()
            seen += 1
            way, before = self.stretches[function.name][at], 0 if at in points else length.get(at, 0)
            best = max(best, before + way.until if before else 1)
            here = longest(plus(before, way.through), way.since)
            for to in function.insts[at].succ:
                if to in outside and to not in points:
                    length[to] = longest(length.get(to, 0), here)
                    waits[to] -= 1
                    if not waits[to]:
                        queue.append(to)
        return best if seen == len(outside) else NEVER


class Walk:
    """Distances at each instruction, from the entry and from the last point."""

    def __init__(self, function, points, ways):
        self.points, self.ways = points, ways
        self.entry, self.since = {0: 0}, {}
        self.worst, self.whole = 0, Way(NEVER, NEVER, 0, NEVER)

    def visit(self, inst):
        way, a, b = self.ways[inst.index], self.entry.get(inst.index, NEVER), self.since.get(inst.index, NEVER)
        if inst.index in self.points:
            self.whole.until, self.worst = longest(self.whole.until, a), longest(self.worst, a, b)
            a, b = NEVER, 0
        self.whole.until = longest(self.whole.until, plus(a, way.until))
        self.worst = longest(self.worst, way.inside, plus(a, way.until), plus(b, way.until), *self.behind(inst))
        if inst.op == 'RET':
            through, since = self.behind(inst)
            self.whole.through, self.whole.since = longest(self.whole.through, through), longest(self.whole.since, since)

    def behind(self, inst):
        """Both distances after the instruction."""
        way, a, b = self.ways[inst.index], self.entry.get(inst.index, NEVER), self.since.get(inst.index, NEVER)
        if inst.index in self.points:
            a, b = NEVER, 0
        return plus(a, way.through), longest(plus(b, way.through), way.since)

    def pass_on(self, inst):
        a, b = self.behind(inst)
        for to in inst.succ:
            self.entry[to], self.since[to] = longest(self.entry.get(to, NEVER), a), longest(self.since.get(to, NEVER), b)
