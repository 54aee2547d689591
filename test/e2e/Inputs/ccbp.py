"""Statistics of kernels that share a GPU: ccbp.py alone|corun|combination FIRST.json SECOND.json"""
import json
import sys

first, second = (json.load(open(path)) for path in sys.argv[2:4])


def name_of(kernel):
    return kernel['kernel'].split('(')[0]


def same_as_baseline():
    for before, after in zip(first['launches'], second['launches'], strict=True):
        for key in ('kernel', 'cycles', 'warp_instructions', 'icnt_flits_down', 'dram_reads', 'stalls'):
            assert before[key] == after[key], (key, before[key], after[key])
    print('as the baseline')


def of_corun():
    assert first['coruns'] == second['coruns'] and first['launches'] == second['launches']
    decided = {name_of(launch): launch['ccbp'] for launch in first['launches'] if 'class' in launch['ccbp']}
    assert {name: own['class'] for name, own in decided.items()} == {'gather': 1, 'triad': 2}, decided
    for share in ('noc_share', 'dram_share'):
        assert 50 < sum(own[share] for own in decided.values()) <= 100.001, (share, decided)
    # 256 threads a block, 2,048 an SM.
    assert 6 <= sum(own['blocks'] for own in decided.values()) <= 8, decided
    assert all(own['blocks'] >= 1 for own in decided.values())
    # A line of 128 bytes: a flit of header and four of data. What streams comes from DRAM, two lines for one written.
    assert abs(decided['gather']['request_flits'] - 5) < 0.2 and decided['gather']['request_bytes'] < 64, decided
    assert 3 < decided['triad']['request_flits'] < 4 and decided['triad']['request_bytes'] > 80, decided
    # What kernels get in all of the window is not more than their rates are worth, but for settling and measuring.
    for grid in first['coruns'][0]['grids']:
        own = decided[name_of(grid)]
        if own['class'] == 1:
            free = 2 * 10000 * 16 * 1200 / 1800   # flits before the controllers begin
            given = own['noc_share'] / 100 * 0.6 * 16 * 1200 / 1800 * grid['cycles']
            assert grid['icnt_flits_down'] < free + given * 1.1, (grid['icnt_flits_down'], free, given)
    assert first['total']['ccbp']['refused'] > 1000
    print('as it should be')


def of_combinations():
    ipc = [{name_of(grid): grid['ipc'] for grid in run['coruns'][0]['grids']} for run in (first, second)]
    # Most blocks on each SM are in the order in which the kernels came.
    assert ipc[0]['gather'] > 1.5 * ipc[1]['gather'] and ipc[1]['path'] > 2 * ipc[0]['path'], ipc
    print('as it should be')


{'alone': same_as_baseline, 'corun': of_corun, 'combination': of_combinations}[sys.argv[1]]()
