"""Register stacks (cars-hpca24 III-A, III-C, IV-A): pushes and pops, FRU, MaxStackDepth, watermarks, the deepest chain."""

from machine import REGISTERS, members

MOST_EXACT = 9  # functions of a cycle whose chains are tried one by one


class Stack:
    def __init__(self, program):
        self.program = program
        self.pushes = {n: self.pushed(f) for n, f in program.functions.items()}
        self.fru = {n: len(self.pushes[n]) + 1 if n not in program.helpers else 0
                    for n, f in program.functions.items() if not f.kernel}
        self.base = {n: self.base_registers(f) for n, f in program.functions.items()}
        self.depth = self.deepest(lambda n: self.fru.get(n, self.base_of_kernel(n)))
        self.bytes = self.deepest(lambda n: program.functions[n].listing['frame_bytes'])
        self.length = self.deepest(lambda n: n not in program.helpers)

    @staticmethod
    def saves(function):
        for inst in function.insts:
            if inst.role in ('callee-save', 'callee-restore'):
                restore = inst.role == 'callee-restore'
                slot = inst.operands['dst' if restore else 'c']
                yield {'pc': inst.pc, 'register': slot['register'], 'count': slot['words'], 'restore': restore,
                       'offset': inst.facts['number']}

    def pushed(self, function):
        return {r for save in self.saves(function) if not save['restore']
                for r in range(save['register'], save['register'] + save['count'])}

    def base_registers(self, function):
        """What is not renamed: of a kernel all its registers, of a function all below the highest it does not save."""
        if function.kernel:
            return function.listing['registers']
        used = 0
        for inst in function.insts:
            used |= inst.touched
        return max((r + 1 for r in members(used & REGISTERS & ~self.program.abi.saved)), default=0)

    def base_of_kernel(self, n):
        return max(self.base[m] for m in {n} | self.program.reachable[n])

    def deepest(self, weight):
        """The heaviest chain of calls from each function, no function of a cycle twice (III-C: one iteration)."""
        program, result = self.program, {}
        for n in program.callees_first:
            if n in result:
                continue
            group = {m for m in program.reachable[n] if n in program.reachable[m]} | {n}
            outside = {m: max((result[c] for c in program.callees[m] if c not in group), default=0) for m in group}
            for m in group:
                result[m] = self.heaviest_path(m, group, outside, weight)
        return result

    def heaviest_path(self, start, group, outside, weight):
        if len(group) > MOST_EXACT: # then all of the cycle counts
            return sum(map(weight, group)) + max(outside.values())

        def path(at, seen):
            ways = [path(to, seen | {to}) for to in self.program.callees[at] & group - seen]
            return weight(at) + max([outside[at], *ways])
        return path(start, {start})

    def check(self, report, function):
        facts, n = function.facts, function.name
        report.check('saves are not those of the code', facts['stackdepth']['saves'] == list(self.saves(function)))
        report.check('pushed_registers', facts['stackdepth']['pushed_registers'] == len(self.pushes[n]))
        report.check('recursive', facts['stackdepth']['recursive'] == (n in self.program.recursive))
        self.check_pops(report, function)
        fru = self.base_of_kernel(n) if function.kernel else self.fru[n]
        for key, value in (('fru', fru), ('max_stack_depth', self.depth[n]), ('max_stack_bytes', self.bytes[n]),
                           ('call_depth', max(self.length[n] - 1, 0))):
            report.check(f'{key} is {value}, not {facts[key]}', facts[key] == value)
        self.check_watermarks(report, function, fru)
        self.check_chain(report, function)
        self.check_calls(report, function)

    def check_version(self, report, function):
        self.check_calls(report, function)

    def check_pops(self, report, function):
        places = {save['register'] + k: save['offset'] + 4 * k for save in self.saves(function) if not save['restore']
                  for k in range(save['count'])}
        for save in self.saves(function):
            right = all(places.get(save['register'] + k) == save['offset'] + 4 * k for k in range(save['count']))
            report.check(f"{save['pc']:#x} pops what was not pushed there", right)

    def check_watermarks(self, report, function, fru):
        if not function.kernel:
            return
        facts, n = function.facts, function.name
        most = max((self.fru[m] for m in self.program.reachable[n] if m in self.fru), default=0)
        report.check(f'max_fru is {most}', facts['stackdepth']['max_fru'] == most)
        report.check(f'low_watermark is {fru + most}', facts['low_watermark'] == fru + most)
        report.check(f'high_watermark is {self.depth[n]}', facts['high_watermark'] == self.depth[n])

    def check_chain(self, report, function):
        chain = function.facts['stackdepth']['high_watermark_chain']
        known = all(n in self.program.functions for n in chain)
        report.check('the chain begins elsewhere', known and chain and chain[0] == function.name)
        if not known or not chain:
            return
        # Inside a cycle the chain has its members in some order, one iteration.
        steps = all(b in self.program.callees[a] or a in self.program.reachable[b] or
                    any(b in self.program.callees[m] for m in chain[:i + 1] if a in self.program.reachable[m])
                    for i, (a, b) in enumerate(zip(chain, chain[1:])))
        report.check('a step of the chain is no call', steps)
        total = sum(self.fru[n] if n in self.fru else self.base_of_kernel(n) for n in chain)
        report.check(f'the chain has {total}', total == function.facts['max_stack_depth'])

    def check_calls(self, report, function):
        sites = {inst.pc: inst for inst in self.program.sites(function) if inst.calls}
        calls = {call['pc']: call for call in function.facts['calls']}
        report.check('calls are not those of the code', sorted(sites) == sorted(calls))
        for pc in sites.keys() & calls.keys():
            callees = calls[pc]['callees']
            most = max((self.fru[c] for c in callees if c in self.fru), default=0)
            report.check(f'{pc:#x}: fru is {most}', calls[pc]['fru'] == most)
            report.check(f'{pc:#x}: callees', sites[pc].op == 'CALLI' or callees == sites[pc].callees)
            inside = any(function.name in self.program.reachable.get(c, ()) or c == function.name for c in callees)
            report.check(f'{pc:#x}: recursive', calls[pc]['recursive'] == inside)
