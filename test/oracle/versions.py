"""Linear versions as the other analyses see them: the main stream takes the place of its kernel's code, and what the
metadata says of it that of the kernel's, pcs counted from the start of the stream."""

from machine import PC, Program

PCS = {'pc', 'entry_pc', 'loop_pc', 'reconvergence_pc'}
SAID = ('calls', 'intervals', 'divergent_pcs', 'preemption_points', 'barriers', 'reuse')
LISTS = {'pcs', 'divergent_pcs', 'successors', 'jump_table'}


def moved(facts, by):
    """A copy with all pcs less so many bytes."""
    if isinstance(facts, list):
        return [moved(item, by) for item in facts]
    if not isinstance(facts, dict):
        return facts
    result = {}
    for key, at in facts.items():
        if key in PCS and at is not None:
            result[key] = at - by
        elif key in LISTS and at is not None:
            result[key] = [pc - by for pc in at]
        else:
            result[key] = moved(at, by)
    return result


def main_stream(listing):
    return next(s['start_pc'] for s in reversed(listing['linear']['streams']))


def facts_of(facts, start):
    """The kernel's facts with those of its linear version."""
    version, first = facts['linear_version'], start // PC
    said = moved({key: version[key] for key in SAID}, start)
    reuse = dict(said['reuse'], tags=version['reuse']['tags'][first:], exact=version['reuse']['exact'][4 * first:])
    liveness = {'divergent_pcs': said['divergent_pcs'], 'dead_operands': version['dead_operands'][first:]}
    affine = dict(facts['affine'], accesses=[], branches=[]) # whose pcs are the kernel's own
    return dict(facts, affine=affine, intervals=said['intervals'], preemption_points=said['preemption_points'],
                reuse=reuse, calls=said['calls'], liveness=liveness, preempt=dict(facts['preempt'], barriers=said['barriers']))


def programs(listing, metadata):
    """For each kernel with a linear version, the program with that in the kernel's place."""
    for kernel in metadata['kernels']:
        own = next((f for f in listing['functions'] if f['name'] == kernel['name']), {})
        if not kernel.get('linear_version') or 'linear' not in own:
            continue
        start = main_stream(own)
        code = moved(own['linear']['instructions'][start // PC:], start)
        other = dict(own, instructions=code, registers=max(own['registers'], own['linear']['registers']))
        functions = [other if f is own else f for f in listing['functions']]
        kernels = [facts_of(f, start) if f is kernel else f for f in metadata['kernels']]
        program = Program(dict(listing, functions=functions), dict(metadata, kernels=kernels))
        function = program.functions[kernel['name']]
        function.version = True
        yield program, function
