"""Figures of `heddle corun` of programs, held against each other and against the programs' own runs.

corun-programs.py TOGETHER.json WINDOW OWN.json...: the co-run, and `heddle run` of each program.
corun-programs.py KEPT.json: two programs of two kernels under several policies, of which smk and ccbp measure kernels.
"""
import json
import sys

if len(sys.argv) == 2:
    for run in json.load(open(sys.argv[1]))['runs'][1:]:
        own, launches = run['total'][run['policy']], sum(each['launches'] for each in run['corun']['programs'])
        # Four sets of two kernels, one of each program, and one that ended before it was measured; the rest is known.
        assert launches >= 9 and 1 <= own['measured'] <= 5 and own['recalled'] >= 2 * (launches - 5), own
    print('kept')
    sys.exit()
together, window, *own = sys.argv[1:]
window = int(window)


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def counts(launches):
    result = {}
    for launch in launches:
        entry = result.setdefault(launch['kernel'], [0, 0])
        entry[0] += launch.get('launches', 1)
        entry[1] += launch['warp_instructions']
    return result


run = json.load(open(together))
corun = run['corun']
assert corun['cycles'] == window and len(corun['programs']) == len(own)
for i, program in enumerate(corun['programs']):
    alone = corun['alone']['each'][i]
    itself = counts(json.load(open(own[i]))['launches'])
    assert program['stream'] == i + 1
    for each in (program, alone):
        assert near(each['ipc'], each['warp_instructions'] / each['cycles'])
        assert sum(kernel['launches'] for kernel in each['kernels']) == each['launches']
        assert sum(kernel['warp_instructions'] for kernel in each['kernels']) == each['warp_instructions']
        if window:
            assert each['cycles'] == window
            assert 0.9 * window <= sum(kernel['cycles'] for kernel in each['kernels']) <= window
            # whole passes, and a part of the next one
            work = sum(value[1] for value in itself.values())
            assert each['passes'] * work <= each['warp_instructions'] <= (each['passes'] + 1) * work
        else:
            assert each['passes'] == 1 and each['cycles'] == each['first_pass_cycles']
            assert counts(each['kernels']) == itself, (counts(each['kernels']), itself)
    assert near(program['alone_ipc'], alone['ipc']) and near(program['speedup'], program['ipc'] / alone['ipc'])
speedups = [program['speedup'] for program in corun['programs']]
assert near(corun['harmonic_speedup'], len(speedups) / sum(1 / each for each in speedups))
assert near(corun['weighted_speedup'], sum(speedups))
print('as it should be')
