"""Small errors in what the compiler says, one for each thing that a check looks at: the test of the checks.

Each row has the analysis that must notice, and a function that makes one error in the facts of a function; it returns
False where there is nothing to get wrong."""
def add(*keys, by=1):
    """One more, or less, at the place."""
    def change(facts, _):
        at = facts
        for key in keys[:-1]:
            at = at.get(key, {})
        if keys[-1] not in at or at[keys[-1]] + by < 0:
            return False
        at[keys[-1]] += by
        return True
    return change


def flip(*keys):
    def change(facts, _):
        at = facts
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = not at[keys[-1]]
        return True
    return change


def records(facts, *keys):
    for key in keys:
        facts = facts.get(key) or {}
    return facts or []


def drop(key, *path):
    """The last member of the first list under `key` that has any."""
    def change(facts, _):
        for record in records(facts, *path):
            if record[key]:
                record[key].pop()
                return True
        return False
    return change


def insert(key, *path):
    """A register that the code does not have."""
    def change(facts, function):
        for record in records(facts, *path):
            record[key].append(function.listing['registers'] + 3)
            return True
        return False
    return change


def remove(*path):
    """The first record as a whole."""
    def change(facts, _):
        found = records(facts, *path)
        return bool(found) and (found.pop(0), True)[1]
    return change


def move_pc(*path):
    """The first instruction behind an entry goes to the next subgraph."""
    def change(facts, _):
        found = records(facts, *path)
        for a, b in zip(found, found[1:]):
            if len(a['pcs']) > 2:
                b['pcs'] = sorted(b['pcs'] + [a['pcs'].pop(1)])
                return True
        return False
    return change


def split(*path, at=1):
    """A subgraph becomes two, where it has instructions one behind the other."""
    def change(facts, function):
        found = records(facts, *path)
        for i, a in enumerate(found):
            if len(a['pcs']) < 4 or a['pcs'][-1] - a['pcs'][0] != 16 * (len(a['pcs']) - 1):
                continue
            parts = a['pcs'][:at], a['pcs'][at:]
            found[i:i + 1] = [dict(a, pcs=pcs, entry_pc=pcs[0], live_in=[], working_set=sorted(
                {r for pc in pcs for kind in ('reads', 'writes')
                 for r in function.insts[pc // 16].facts[kind]['registers']})) for pcs in parts]
            for k, record in enumerate(found):
                record['id'] = k
            return True
        return False
    return change


def digit(find, make, *keys):
    """The first digit of a text that `find` takes becomes another."""
    def change(facts, function):
        for key in keys[:-1]:
            facts = facts[key]
        text = facts[keys[-1]]
        for i, old in enumerate(text):
            if find(old, i, function):
                facts[keys[-1]] = text[:i] + make(old) + text[i + 1:]
                return True
        return False
    return change


def reads_live(old, i, function):
    """An operand a that is a register and read again at once."""
    insts = function.insts
    a = insts[i].operand('a')
    return old == '0' and a and i + 1 < len(insts) and insts[i].succ == [i + 1] and insts[i + 1].reads & a and \
        not insts[i].writes & a


def has_result(i, function):
    return function.insts[i // 4].operand('dst') and i % 4 == 0


def wrong_mask(facts, _):
    for point in facts['preemption_points']:
        point['mask'] = f"{int(point['mask'], 16) ^ 1 << 40:#016x}"
        return True
    return False


def move_point(facts, function):
    """To where more registers live."""
    for point in facts['preemption_points']:
        if point['loop_pc'] is not None:
            header = function.block_of[point['loop_pc'] // 16]
            others = [i.pc for b in function.loops.get(header, ()) for i in function.instructions(b)]
            worse = [pc for pc in others if pc != point['pc']]
            if worse:
                point['pc'] = worse[-1]
                return True
    return False


def not_uniform(facts, _):
    """A strided register is called uniform."""
    for point in facts['preemption_points']:
        for pattern in point['patterns']:
            if pattern['pattern'] == 'strided' and pattern['stride']:
                pattern.update(pattern='uniform', stride=None)
                return True
    return False


def other_stride(facts, _):
    for point in facts['preemption_points']:
        for pattern in point['patterns']:
            if pattern['pattern'] == 'strided' and pattern['stride']:
                pattern['stride'] += 1
                return True
    return False


def access(key, make):
    """Another figure of the first access that has it."""
    def change(facts, _):
        for found in (facts.get('affine') or {'accesses': []})['accesses']:
            if found[key] and found['address'] and found['space'] == 'global' and found['stride']:
                found[key] = make(found[key])
                return True
        return False
    return change


def other_factor(text):
    base, factor, *rest = text.split(', ')
    return ', '.join([base, f'{factor}+1', *rest])


def wider_class(facts, _):
    for branch in (facts.get('affine') or {'branches': []})['branches']:
        if branch['class'] in ('affine', 'divergent'):
            branch.update({'class': 'block', 'iterates': False})
            return True
    return False


def idempotent(facts, _):
    if not facts.get('idempotence') or facts['idempotence']['why'] not in ('store', 'atomic') or not facts['params']:
        return False
    facts['idempotence'].update(idempotent=True, why=None, at=None, read=None)
    return True


def other_table(_, function):
    """Linear registers have each other's thread-index parts."""
    table = function.listing.get('linear', {}).get('register_table', [])
    if len(set(table)) < 2:
        return False
    table[:] = table[1:] + table[:1]
    return True


def other_stream(_, function):
    """An immediate of the linear streams is another."""
    for inst in function.listing.get('linear', {}).get('instructions', []):
        for at in inst['operands'].values():
            if inst['opcode'] in ('IMAD_WIDE', 'IADD3', 'LEA') and 'immediate' in at:
                at['immediate'] += 4
                return True
    return False


def dead_in_version(facts, function):
    """A register of the linear version that is read again at once."""
    version, code = facts.get('linear_version'), function.listing.get('linear', {}).get('instructions', [])
    for i, (inst, after) in enumerate(zip(code, code[1:])):
        register = inst['operands'].get('a', {}).get('register', 255)
        again = register in after['reads']['registers'] and register not in inst['writes']['registers']
        if register != 255 and again and inst['successors'] == [after['pc']] and i >= len(code) - version['instructions']:
            digits = version['dead_operands']
            version['dead_operands'] = digits[:i] + '1' + digits[i + 1:]
            return True
    return False


def of_version(change):
    """The same error in what is said of the linear version."""
    return lambda facts, function: bool(facts.get('linear_version')) and change(facts['linear_version'], function)


ROWS = [
    ('stackdepth', 'fru', add('fru')),
    ('stackdepth', 'max_stack_depth', add('max_stack_depth', by=-1)),
    ('stackdepth', 'max_stack_bytes', add('max_stack_bytes', by=4)),
    ('stackdepth', 'low_watermark', add('low_watermark')),
    ('stackdepth', 'high_watermark', add('high_watermark', by=-1)),
    ('stackdepth', 'call_depth', add('call_depth')),
    ('stackdepth', 'pushed_registers', add('stackdepth', 'pushed_registers')),
    ('stackdepth', 'max_fru', add('stackdepth', 'max_fru', by=-1)),
    ('stackdepth', 'recursive', flip('stackdepth', 'recursive')),
    ('stackdepth', 'the chain is shorter', lambda f, _: len(f['stackdepth']['high_watermark_chain']) > 1
        and bool(f['stackdepth']['high_watermark_chain'].pop())),
    ('stackdepth', 'a save is missing', remove('stackdepth', 'saves')),
    ('stackdepth', 'a call is missing', remove('calls')),
    ('liveness', 'max_live', add('liveness', 'max_live', by=-1)),
    ('liveness', 'max_live_divergent', add('liveness', 'max_live_divergent', by=9)),
    ('liveness', 'a divergent branch is missing', remove('liveness', 'divergent_pcs')),
    ('liveness', 'register_reads', add('liveness', 'register_reads')),
    ('liveness', 'dead_reads', add('liveness', 'dead_reads', by=9)),
    ('liveness', 'a live operand is dead', digit(reads_live, lambda old: '1', 'liveness', 'dead_operands')),
    ('liveness', 'a dead operand is live', digit(lambda old, i, _: old in '124', lambda old: '0', 'liveness', 'dead_operands')),
    ('intervals', 'a register is not prefetched', drop('working_set', 'intervals')),
    ('intervals', 'a register is prefetched for nobody', insert('working_set', 'intervals')),
    ('intervals', 'a live register is not live in', drop('live_in', 'intervals')),
    ('intervals', 'an interval is entered in its middle', move_pc('intervals')),
    ('intervals', 'an interval is split', split('intervals', at=2)),
    ('intervals', 'an interval is missing', remove('intervals')),
    ('intervals', 'prefetches', add('ltrf', 'prefetches')),
    ('intervals', 'vector_bytes', add('ltrf', 'vector_bytes', by=32)),
    ('intervals', 'first_intervals', lambda f, _: not f['ltrf'].update(first_intervals=f['ltrf']['interval_count'] - 1)),
    ('intervals', 'a register of a strand is missing', drop('working_set', 'ltrf', 'strands')),
    ('intervals', 'a strand is entered in its middle', move_pc('ltrf', 'strands')),
    ('intervals', 'a strand is split', split('ltrf', 'strands')),
    ('preempt', 'a mask has another bit', wrong_mask),
    ('preempt', 'a live register is not saved', drop('live', 'preemption_points')),
    ('preempt', 'a waiting lane\'s register is not saved', drop('live_divergent', 'preemption_points')),
    ('preempt', 'a register is saved for nobody', insert('live', 'preemption_points')),
    ('preempt', 'a point is elsewhere', move_point),
    ('preempt', 'a loop has no point', remove('preemption_points')),
    ('preempt', 'a barrier\'s register is missing', drop('live', 'preempt', 'barriers')),
    ('preempt', 'drain_instructions', add('preempt', 'drain_instructions', by=-1)),
    ('preempt', 'drain_bounded', flip('preempt', 'drain_bounded')),
    ('switch', 'a switch point is missing', remove('switch_points')),
    ('switch', 'a live register is not kept', drop('live', 'switch_points')),
    ('switch', 'a waiting lane\'s register is not kept', drop('live_divergent', 'switch_points')),
    ('switch', 'what is loading is not kept', drop('loading', 'switch_points')),
    ('switch', 'a register is loading for nobody', insert('loading', 'switch_points')),
    ('switch', 'a pattern is missing', drop('patterns', 'switch_points')),
    ('switch', 'the context is smaller', add('switch', 'switch_context_bytes', by=-4)),
    ('reuse', 'near', add('reuse', 'near')),
    ('reuse', 'dead', add('reuse', 'dead', by=-1)),
    ('reuse', 'a distance is longer', digit(lambda old, i, _: old in '123', lambda old: str(int(old) + 1), 'reuse', 'exact')),
    ('reuse', 'a read value is never read', digit(lambda old, i, f: old == '1' and has_result(i, f), lambda old: '0', 'reuse', 'exact')),
    ('reuse', 'a distance is missing', digit(lambda old, i, f: old == '1' and has_result(i, f), lambda old: '-', 'reuse', 'exact')),
    ('reuse', 'a near value is far', digit(lambda old, i, f: old == '1' and f.facts['reuse']['exact'][4 * i] == '1',
                                          lambda old: '0', 'reuse', 'tags')),
    ('reuse', 'a dead value is near', digit(lambda old, i, f: old == '0' and f.facts['reuse']['exact'][4 * i] == '0',
                                           lambda old: '1', 'reuse', 'tags')),
    ('dynamic', 'a strided register is uniform', not_uniform),
    ('dynamic', 'a stride is another', other_stride),
    ('dynamic', 'an address is another', access('address', other_factor)),
    ('dynamic', 'an access has another stride', access('stride', lambda stride: stride + 4)),
    ('dynamic', 'a request has fewer sectors', access('sectors_per_request', lambda sectors: [0, 0])),
    ('dynamic', 'a divergent branch is the same for the block', wider_class),
    ('idempotence', 'a kernel is idempotent that is not', idempotent),
    ('linear', 'figures of streams', add('linear_version', 'thread_instructions')),
    ('linear', 'the register table is another', other_table),
    ('linear', 'a stream computes something else', other_stream),
    ('intervals', 'a register of a linear version is not prefetched', drop('working_set', 'linear_version', 'intervals')),
    ('preempt', 'a live register of a linear version is not saved', drop('live', 'linear_version', 'preemption_points')),
    ('liveness', 'a live operand of a linear version is dead', dead_in_version),
    ('stackdepth', 'a call of a linear version is missing', remove('linear_version', 'calls')),
    ('dynamic', 'a strided register of a linear version is uniform', of_version(not_uniform)),
    ('dynamic', 'a stride of a linear version is another', of_version(other_stride)),
]
