"""Recomputes what must hold of register-intervals and strands (LTRF 3.1, 3.3, 6.6) from `heddle dis --json` and
`heddle info --json` of one object, on its own: usage check-intervals.py DIS.json INFO.json N"""

import json
import sys

LONG = {'LDG', 'LD', 'LDL'}
CALLS = {'CALL', 'CALLI', 'SYSCALL'}


def registers(inst):
    return set(inst['reads']['registers']) | set(inst['writes']['registers'])


def ends_strand(inst, targets):
    loads = inst['opcode'] in LONG or inst['opcode'] in ('ATOMG', 'ATOM') and inst['writes']['registers']
    return loads or any(target <= inst['pc'] for target in targets)


def check(function, code, subgraphs, limit, strands):
    where = function['name'], 'strands' if strands else 'intervals'
    insts = {inst['pc']: inst for inst in code['instructions']}
    of = {}
    for index, subgraph in enumerate(subgraphs):
        assert subgraph['id'] == index, where
        for pc in subgraph['pcs']:
            assert pc not in of, (where, pc)
            of[pc] = index
        used = set().union(*(registers(insts[pc]) for pc in subgraph['pcs']))
        assert subgraph['working_set'] == sorted(used) and len(used) <= limit, (where, index)
        assert set(subgraph['live_in']) <= used, (where, index)
        assert subgraph['entry_pc'] in subgraph['pcs'], (where, index)
    assert sorted(of) == sorted(insts), where
    before = {index: set() for index in range(len(subgraphs))}
    for pc, inst in insts.items():
        call = inst['opcode'] in CALLS
        assert not call or subgraphs[of[pc]]['pcs'] == [pc], (where, pc)
        for target in inst['successors']:
            entry = subgraphs[of[target]]['entry_pc']
            if of[pc] != of[target]:
                assert target == entry, (where, pc, target)
                before[of[target]].add(of[pc])
            elif call or strands and ends_strand(inst, inst['successors']):
                assert target == entry, (where, pc, target)
    for index, others in before.items():
        if strands or len(others) != 1 or subgraphs[index]['entry_pc'] == 0:
            continue
        pair = [subgraphs[index], subgraphs[others.pop()]]
        if any(insts[one['entry_pc']]['opcode'] in CALLS for one in pair):
            continue
        assert len(set(pair[0]['working_set']) | set(pair[1]['working_set'])) > limit, (where, index)


def main():
    dis, info, limit = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), int(sys.argv[3])
    functions = 0
    for one, other in zip(dis['objects'], info['objects']):
        code = {function['name']: function for function in one['functions']}
        for function in other['kernels'] + other['functions']:
            ltrf, intervals, strands = function['ltrf'], function['intervals'], function['ltrf']['strands']
            check(function, code[function['name']], intervals, limit, False)
            check(function, code[function['name']], strands, limit, True)
            prefetches = sum(bool(interval['working_set']) for interval in intervals)
            assert ltrf['interval_registers'] == limit and ltrf['prefetches'] == prefetches
            assert ltrf['interval_count'] == len(intervals) and ltrf['strand_count'] == len(strands)
            assert ltrf['code_bytes'] == 16 * len(code[function['name']]['instructions'])
            assert ltrf['vector_bytes'] == 32 * prefetches and ltrf['explicit_bytes'] == 48 * prefetches
            assert ltrf['first_intervals'] >= len(intervals)
            functions += 1
    print(f'{functions} functions, N {limit}')


main()
