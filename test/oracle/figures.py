"""Figures that one reads off the code: sizes, registers, kinds of instructions, what is proven of nothing."""

import math

from machine import RZ, count

STACK_TOP, DYNAMIC_SHARED = {'bank': 0, 'offset': 0x28}, {'bank': 0, 'offset': 0x2c}
DOUBLES = {'DADD', 'DMUL', 'DFMA', 'DSETP', 'DMMA'}
CONVERSIONS = {'F2F', 'F2FP', 'F2I', 'I2F'}
BULK = {'UBLKCP', 'UBLKRED', 'UTMALDG', 'UTMASTG', 'UTMAREDG'}
EXPECTS = {'ARRIVE_TX', 'DROP_TX', 'EXPECT_TX'}
ACCESSES = {'LDG': 'global', 'LDCX': 'global', 'STG': 'global', 'ATOMG': 'global', 'RED': 'global', 'LDS': 'shared',
            'STS': 'shared', 'ATOMS': 'shared', 'LD': 'generic', 'ST': 'generic', 'ATOM': 'generic'}


def is_double(inst):
    halves = inst.op == 'MUFU' and inst.mods.get('MUFUFN') in ('RCP64H', 'RSQ64H')
    return halves or inst.op in DOUBLES or 'F64' in (inst.mods.get('DTYPE'), inst.mods.get('STYPE'))


KINDS = [
    ('mix', 'fp64_instructions', is_double),
    ('mix', 'helper_calls', lambda inst: inst.helps),
    ('mix', 'conversion_instructions', lambda inst: inst.op in CONVERSIONS),
    ('mix', 'local_accesses', lambda inst: inst.op in ('LDL', 'STL') and inst.role == 'plain'),
    ('mix', 'barrier_instructions', lambda inst: inst.op == 'BAR'),
    ('async', 'products', lambda inst: inst.op == 'WGMMA'),
    ('async', 'serialized', lambda inst: inst.op == 'WARPGROUP' and inst.mods.get('WGMODE') == 'SERIALIZE'),
    ('async', 'resizes', lambda inst: inst.op == 'USETMAXREG'),
    ('async', 'bulk_copies', lambda inst: inst.op in BULK),
    ('async', 'shared_barriers', lambda inst: inst.op == 'SYNCS' and inst.mods.get('SYNCSOP') == 'INIT'),
    ('async', 'shared_barrier_waits', lambda inst: inst.text.split('.')[0] == 'SYNCS' and '.WAIT' in inst.text.split(' ')[0]),
]


class Figures:
    def __init__(self, program):
        self.program = program

    def inside(self, function):
        """The function and those that it may call; helpers count as the call that they are."""
        seen, stack = {function.name}, [function.name]
        while stack:
            for to in self.program.callees[stack.pop()] - self.program.helpers - seen:
                seen.add(to)
                stack.append(to)
        return [self.program.functions[n] for n in sorted(seen)]

    def check(self, report, function):
        def same(key, said, value):
            report.check(f'{key} is {value}, not {said}', said == value)
        facts = function.facts
        for key, value in (*self.sizes(function), *self.registers(function), *self.memory(function)):
            same(key, facts[key], value)
        code = [inst for f in self.inside(function) for inst in f.insts]
        for group, key, is_of in KINDS:
            same(key, facts[group][key], sum(map(is_of, code)))
        for key, value in self.unproven(function):
            same(key, facts['proof'][key], value)
        self.check_asynchronous(report, function, code, same)
        self.check_bounds(report, facts, same)
        self.check_taken(report, function)
        self.check_summaries(report, facts)
        if function.listing.get('linear') and facts.get('linear_version'):
            self.check_linear(function, same)

    # ---- each a list of keys with their values

    def sizes(self, function):
        facts, insts = function.facts, function.insts
        yield 'instructions', len(insts)
        for key, role, op, slot in (('spill_store_bytes', 'spill-store', 'STL', 'c'), ('spill_load_bytes', 'spill-load', 'LDL', 'dst')):
            yield key, sum(4 * inst.operands[slot]['words'] for inst in insts if (inst.role, inst.op) == (role, op))
        yield 'callee_save_bytes', sum(4 * inst.operands['c']['words'] for inst in insts if inst.role == 'callee-save')
        yield 'stack_bytes', function.listing['frame_bytes']
        yield 'param_bytes', max((p['offset'] + p['bytes'] for p in facts['params']), default=0)
        top = not function.kernel or any(STACK_TOP == inst.operands.get('b') for inst in self.moves(function))
        yield 'dynamic_stack', top and any('immediate' not in inst.operands.get('b', {}) and inst.operands.get('b') != STACK_TOP
                                           for inst in self.moves(function))

    @staticmethod
    def moves(function):
        return [inst for inst in function.insts if inst.operands.get('dst', {}).get('register') == 1]

    def registers(self, function):
        own = function.listing['registers']
        reachable = [self.program.functions[n].listing['registers'] for n in self.program.reachable[function.name]]
        yield 'own_registers', own
        yield 'registers', max([own, *reachable]) if function.kernel else own
        written = [at for inst in function.insts for at in inst.uniform_writes]
        yield 'uniform_registers', max(written, default=-1) + 1

    def memory(self, function):
        reads = any(DYNAMIC_SHARED in inst.operands.values()
                    for n in {function.name} | self.program.reachable[function.name] for inst in self.program.functions[n].insts)
        yield 'shared_bytes', function.listing['shared_bytes'] if function.kernel else 0
        yield 'dynamic_shared', function.kernel and reads

    def unproven(self, function):
        spaces, calls = [], []
        for f in self.inside(function):
            affine = f.facts.get('affine')
            if affine:
                spaces += [a['space'] for a in affine['accesses'] if not a['sectors_per_request'] and not a['bank_conflict_degree']]
            else:
                spaces += [ACCESSES[inst.op] for inst in f.insts if inst.op in ACCESSES]
            calls += f.facts['calls']
        facts = function.facts
        shared = not function.kernel or facts['shared_bytes'] or facts['dynamic_shared']
        yield 'unproven_accesses', len(spaces)
        yield 'unproven_sectors', sum(space != 'shared' for space in spaces)
        yield 'unproven_conflicts', sum(space != 'global' for space in spaces) if shared else 0
        yield 'recursive_calls', sum(call['recursive'] for call in calls)
        yield 'dynamic_frames', sum(f.facts['dynamic_stack'] for f in self.inside(function))
        yield 'unknown_calls', sum(call['unknown_callees'] or any(c not in self.program.functions for c in call['callees'])
                                   for call in calls)

    # ---- what has several parts

    def check_asynchronous(self, report, function, code, same):
        facts = function.facts['async']
        numbers = [inst.facts['number'] for inst in function.insts if inst.op == 'USETMAXREG']
        same('least_registers', facts['least_registers'], min(numbers, default=0))
        same('most_registers', facts['most_registers'], max(numbers, default=0))
        same('store_groups', facts['store_groups'], max((inst.facts['number'] for inst in code if inst.op == 'UTMAWAIT'), default=0))
        self.check_products(report, facts, code)
        told = [self.constant(f, inst) for f in self.inside(function) for inst in f.insts
                if inst.op == 'SYNCS' and inst.mods.get('SYNCSOP') in EXPECTS]
        known = [at for at in told if isinstance(at, int)]
        unknown = len(told) - len(known)
        # The compiler looks through more than one block; what comes from the launch it cannot know.
        report.check('unknown_stages leaves some of the launch out', facts['unknown_stages'] >= told.count('launch'))
        report.check(f"unknown_stages {facts['unknown_stages']} is more than {unknown}", facts['unknown_stages'] <= unknown)
        report.check(f"stage_bytes {facts['stage_bytes']} is less than {max(known, default=0)}", facts['stage_bytes'] >= max(known, default=0))
        if not unknown:
            same('stage_bytes', facts['stage_bytes'], max(known, default=0))

    @staticmethod
    def check_products(report, facts, code):
        """Registers of one product at least, of all at most; groups as a wait says at most."""
        products = [inst for inst in code if inst.op == 'WGMMA']
        least, every = max((count(inst.operand('dst')) for inst in products), default=0), 0
        for inst in products:
            every |= inst.touched
        report.check(f"product_registers {facts['product_registers']} is not between {least} and {count(every)}",
                     least <= facts['product_registers'] <= count(every))
        waits = [inst.facts['number'] for inst in code if inst.op == 'WARPGROUP' and inst.mods.get('WGMODE') == 'WAIT']
        report.check(f"product_groups {facts['product_groups']}", facts['product_groups'] <= max(waits, default=0))

    @staticmethod
    def constant(function, inst):
        """The constant in operand c, where the block gives it one; 'launch': a parameter; None: not known."""
        register = inst.operands['c'].get('register', RZ)
        if register == RZ:
            return inst.operands['c'].get('immediate', 0)
        block = function.block_of[inst.index]
        for before in reversed(function.insts[:inst.index]):
            if before.writes >> register & 1:
                at = function.block_of[before.index]
                if before.op != 'MOV' or before.guard or at not in function.dominators.get(block, ()):
                    return None
                if 'bank' in before.operands['b']:
                    return 'launch'
                return before.operands['b'].get('immediate') if at == block else None
        return None

    @staticmethod
    def check_bounds(report, facts, same):
        """Of shared memory and launches."""
        align, bounds = facts['shared_align'], facts['launch_bounds']
        used = facts['shared_bytes'] or facts['dynamic_shared']
        report.check(f'shared_align {align}', align & (align - 1) == 0 and (align > 0 or not facts['shared_bytes']) and
                     (bool(used) or not align))
        if any(bounds['reqntid']):
            same('max_threads', bounds['max_threads'], math.prod(bounds['reqntid']))

    def check_taken(self, report, function):
        """What is called indirectly has its address taken."""
        callees = {c for call in function.facts['calls'] if call['kind'] == 'indirect' for c in call['callees']}
        report.check(f'the addresses of {callees} are not all taken', callees <= self.program.taken | (callees - set(self.program.functions)))

    @staticmethod
    def check_linear(function, same):
        listing, facts = function.listing['linear'], function.facts
        version, affine = facts['linear_version'], facts['affine']
        for key in ('registers', 'frame_bytes', 'coefficient_registers'):
            same(f'{key} of the linear version', version[key], listing[key])
        same('conditions', version['conditions'], listing['launch_conditions'])
        same('conditions', version['conditions'], len(affine['conditions']))

    @staticmethod
    def check_summaries(report, facts):
        """What figures say of each other, where the code alone does not have them."""
        affine = facts.get('affine')
        if affine:
            wanted, given = affine['wanted_registers'], len(facts['linear_registers'])
            report.check(f'{given} linear registers are not of {wanted}, 16 at most', given <= min(wanted, 16))
            report.check('there are more linear values than values', affine['linear_values'] <= affine['values'])
