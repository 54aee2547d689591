"""Register-intervals, strands and PREFETCH sets (ltrf-asplos18 3.1, 3.3, 4.3, 6.6), and their lengths in a run (6.5).

What makes a partition right does not depend on the order in which the algorithms choose: one entry, the sets, and that
nothing could be merged or extended further."""

import re

from machine import BRANCHES, bits, count, name

MEMORY = {'LDG': 'GLOBAL', 'LDCX': 'GLOBAL', 'TEX': 'GLOBAL', 'TLD': 'GLOBAL', 'TLD4': 'GLOBAL', 'TXD': 'GLOBAL', 'LD': 'GENERIC', 'LDL': 'LOCAL', 'ATOMG': 'GLOBAL', 'ATOM': 'GENERIC'}


def is_long(inst):
    """A load that may miss the caches, or an atomic with a result."""
    return inst.op in MEMORY and (not inst.op.startswith('ATOM') or bool(inst.operand('dst')))


class Partition:
    """The subgraphs of one function, as the metadata has them."""

    def __init__(self, function, records):
        self.function, self.records = function, records
        self.of = [None] * len(function.insts)
        self.twice = False
        for record in records:
            for pc in record['pcs']:
                self.twice |= pc % 16 != 0 or pc // 16 >= len(self.of) or self.of[pc // 16] is not None
                if not self.twice:
                    self.of[pc // 16] = record['id']
        self.whole = not self.twice and None not in self.of

    def edges(self):
        for inst in self.function.insts:
            for to in inst.succ:
                yield inst, self.function.insts[to]

    def sets(self):
        result = [0] * len(self.records)
        for inst in self.function.insts:
            result[self.of[inst.index]] |= inst.registers
        return result

    def entries(self):
        return [record['entry_pc'] // 16 for record in self.records]


class Intervals:
    def __init__(self, program, liveness):
        self.program, self.liveness = program, liveness

    def check(self, report, function):
        facts = function.facts['ltrf']
        limit = facts['interval_registers']
        report.check('N is not the one asked for', limit == int(self.program.flags.get('interval-regs', 16)))
        intervals = self.check_partition(report, function, function.facts['intervals'], limit, False)
        strands = self.check_partition(report, function, facts['strands'], limit, True)
        for key, records in (('interval_count', function.facts['intervals']), ('strand_count', facts['strands'])):
            report.check(key, facts[key] == len(records))
        prefetches = sum(bool(record['working_set']) for record in function.facts['intervals'])
        for key, value in (('prefetches', prefetches), ('code_bytes', 16 * len(function.insts)),
                           ('vector_bytes', 32 * prefetches), ('explicit_bytes', 48 * prefetches),
                           ('strand_prefetches', sum(bool(record['working_set']) for record in facts['strands']))):
            report.check(f'{key} is {value}', facts[key] == value)
        if intervals and strands:
            report.check(f"first_intervals {facts['first_intervals']}",
                         facts['interval_count'] <= facts['first_intervals'] <= len(function.insts))
            self.check_irreducible(report, intervals, limit)
            self.check_extended(report, strands, limit)

    def check_version(self, report, function):
        limit = function.facts['ltrf']['interval_registers']
        intervals = self.check_partition(report, function, function.facts['intervals'], limit, False)
        if intervals:
            self.check_irreducible(report, intervals, limit)

    # ---- what holds of both

    def check_partition(self, report, function, records, limit, strands):
        partition, what = Partition(function, records), 'strand' if strands else 'interval'
        report.check(f'an instruction is in no {what}, or in two', partition.whole)
        report.check(f'{what}s are not in order of their entries', [r['id'] for r in records] == list(range(len(records)))
                     and partition.entries() == sorted(set(partition.entries())))
        if not partition.whole:
            return None
        self.check_sets(report, partition, what, limit)
        self.check_entries(report, partition, what, strands)
        for record in records:
            self.liveness.check_set(report, function, f"live_in of {what} {record['id']}", record['entry_pc'],
                                    bits(record['live_in']), self.diverged(function, record), bits(record['working_set']))
        return partition

    def diverged(self, function, record):
        """Live registers at the entry, of waiting lanes too: as at a boundary, where no call is."""
        at = record['entry_pc'] // 16
        masks = []
        for flow, live in zip((self.liveness.least, self.liveness.most), self.liveness.live[function.name]):
            around = flow.around[function.name][function.block_of[at]] | flow.waiting[function.name]
            masks.append({at: live[at] | around})
        return {function.name: masks}

    def check_sets(self, report, partition, what, limit):
        for record, registers in zip(partition.records, partition.sets()):
            said = bits(record['working_set'])
            report.check(f"{what} {record['id']}: the working set has not {name(registers & ~said)}", not registers & ~said)
            report.check(f"{what} {record['id']}: nobody uses {name(said & ~registers)}", not said & ~registers)
            report.check(f"{what} {record['id']}: {count(said)} registers", count(said) <= limit)

    def check_entries(self, report, partition, what, strands):
        entries = partition.entries()
        for record in partition.records:
            report.check(f"{what} {record['id']}: its entry is elsewhere", record['entry_pc'] in record['pcs'])
        for inst, to in partition.edges():
            a, b = partition.of[inst.index], partition.of[to.index]
            report.check(f'{what} {b} is entered at {to.pc:#x}', a == b or to.index == entries[b])
            if a == b and strands:
                back = partition.function.block_of[to.index] <= partition.function.block_of[inst.index] and \
                    to.index <= inst.index
                report.check(f'strand {a} goes on behind {inst.pc:#x}',
                             to.index == entries[a] or not (is_long(inst) or back))
        for inst in partition.function.insts:
            alone = len(partition.records[partition.of[inst.index]]['pcs']) == 1
            report.check(f'the call at {inst.pc:#x} is not alone', not inst.calls or alone)

    # ---- what the algorithms leave

    @staticmethod
    def sources(partition):
        """Of each subgraph those that it is entered from, itself left out, and the instructions."""
        result = [set() for _ in partition.records]
        for inst, to in partition.edges():
            a, b = partition.of[inst.index], partition.of[to.index]
            if a != b:
                result[b].add((a, inst.index))
        return result

    def check_irreducible(self, report, partition, limit):
        """Algorithm 2 "is repeated until the CFG can not be reduced anymore"."""
        insts, sets = partition.function.insts, partition.sets()
        calls = [insts[at].calls for at in partition.entries()]
        for b, sources in enumerate(self.sources(partition)):
            only = {a for a, _ in sources}
            if len(only) != 1 or calls[b] or partition.of[0] == b:
                continue
            a = only.pop()
            report.check(f'interval {b} could be merged into {a}', calls[a] or count(sets[a] | sets[b]) > limit)

    def check_extended(self, report, partition, limit):
        """Algorithm 1 takes a block that is entered from the strand alone, and of it as much as fits."""
        insts, sets, entries = partition.function.insts, partition.sets(), partition.entries()
        for b, sources in enumerate(self.sources(partition)):
            only = {a for a, _ in sources}
            at = insts[entries[b]]
            if len(only) != 1 or at.calls or at.index == 0 or self.loops_to(partition, at):
                continue
            a = only.pop()
            ends = any(self.ends(partition.function, insts[i]) for _, i in sources)
            report.check(f'strand {a} could go on at {at.pc:#x}', ends or count(sets[a] | at.registers) > limit)

    @staticmethod
    def loops_to(partition, at):
        return any(to is at and partition.of[inst.index] == partition.of[at.index] for inst, to in partition.edges())

    @staticmethod
    def ends(function, inst):
        back = any(function.block_of[to] <= function.block_of[inst.index] and to <= inst.index for to in inst.succ)
        return inst.calls or is_long(inst) or back


# ---- lengths in a run

TRACE = re.compile(r'\d+ issue sm (\d+) warp (\d+) cta (\S+) in (\S+) pc 0x([0-9a-f]+) ')


class Warp:
    """A warp of a trace: where it was last, and the registers of the longest run that is open."""

    def __init__(self, cta, kernel):
        self.cta, self.kernel, self.inst, self.inside, self.run = cta, kernel, None, None, None

    def goes_on(self, cta, function, at):
        """Whether the slot still has this warp: a kernel's first instruction is a new one's, but behind a branch."""
        return self.cta == cta and not (function.kernel and at == 0 and self.inst.op not in BRANCHES)


def lengths(program, lines):
    """Of each kernel: instructions, PREFETCHes that its warps executed, and the fewest of any choice of places."""
    parts = {n: Partition(f, f.facts['intervals']) for n, f in program.functions.items()}
    warps, totals = {}, {}
    for match in filter(None, map(TRACE.match, lines)):
        slot, cta, n, at = match.group(1, 2), match[3], match[4], int(match[5], 16) // 16
        function = program.functions[n]
        inst, inside, warp = function.insts[at], (n, parts[n].of[at]), warps.get(slot)
        if not warp or not warp.goes_on(cta, function, at):
            warp = warps[slot] = Warp(cta, n)
        total = totals.setdefault(warp.kernel, [0, 0, 0])
        total[0] += 1
        if inside != warp.inside or warp.inst.op == 'RET':
            total[1] += bool(function.facts['intervals'][inside[1]]['working_set'])
        limit = program.functions[warp.kernel].facts['ltrf']['interval_registers']
        if warp.run is None or count(warp.run | inst.registers) > limit:
            total[2] += 1
            warp.run = 0
        warp.inst, warp.inside, warp.run = inst, inside, warp.run | inst.registers
    return totals


def check_lengths(report, program, lines, said):
    """`said`: what `heddle info --json --intervals` made of the same lines."""
    totals = lengths(program, lines)
    for kernel in said:
        found = kernel['warp_instructions'], kernel['prefetches'], kernel['optimal_prefetches']
        mine = tuple(totals.pop(kernel['name'], (0, 0, 0)))
        report.check(f"{kernel['name']}: instructions and PREFETCHes are {mine}, not {found}", mine == found)
        for key, fetches in (('real_length', mine[1]), ('optimal_length', mine[2])):
            length = mine[0] / fetches if fetches else 0
            report.check(f"{kernel['name']}: {key} is {length}", abs(length - kernel[key]) < 1e-9 * max(length, 1))
    report.check(f'no lengths of {", ".join(totals)}', not totals)
