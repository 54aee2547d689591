"""Statistics of kernels that share a GPU: ccbp.py alone|same|corun|apart|combination|turns|limits|moves|stays RUN.json..."""
import json
import sys

runs = [json.load(open(path)) for path in sys.argv[2:]]
first, second = runs[0], runs[-1]


def name_of(kernel):
    return kernel['kernel'].split('(')[0]


def same_as_baseline():
    for before, after in zip(first['launches'], second['launches'], strict=True):
        for key in ('kernel', 'cycles', 'warp_instructions', 'icnt_flits_down', 'dram_reads', 'stalls'):
            assert before[key] == after[key], (key, before[key], after[key])
    print('as the baseline')


def same_on_threads():
    assert any('class' in launch['ccbp'] for launch in first['launches'])
    assert first['coruns'] == second['coruns'] and first['launches'] == second['launches']
    print('as it should be')


def of_corun():
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
            slices = first['config']['l2_slices']
            free = 2 * 10000 * slices * 1200 / 1800   # flits before the controllers begin
            given = own['noc_share'] / 100 * 0.6 * slices * 1200 / 1800 * grid['cycles']
            assert grid['icnt_flits_down'] < free + given * 1.1, (grid['icnt_flits_down'], free, given)
    total = first['total']['ccbp']
    assert total['refused'] > 1000
    # What may leave is what has tokens, and both kernels want more than that.
    for name in decided:
        own = {key: sum(launch['ccbp'][key] for launch in first['launches'] if name_of(launch) == name)
               for key in ('tokens', 'lapsed', 'throttled', 'sent')}
        assert own['sent'] > 10000 and own['throttled'] > 100000, (name, own)
        assert abs(own['tokens'] - own['lapsed'] - own['sent']) < 0.03 * own['sent'], (name, own)
    assert 99 < total['noc_given'] < 100.001 and 0.7 * total['noc_given'] < total['noc_used'] < total['noc_given'], total
    assert total['dram_used'] <= 100 and total['controlled'] >= 60000, total
    # Over time: nothing is given while kernels are measured, then all that there is.
    over_time = first['launches'][0]['samples']['ccbp']
    given = [sum(pair) for pair in zip(over_time['noc_given_0'], over_time['noc_given_1'])]
    assert given[0] == 0 and 99 < max(given) < 100.001, given
    assert max(over_time['noc_used_0']) > 10 and max(over_time['blocks_1']) >= 1 and not any(over_time['noc_given_2'])
    print('as it should be')


def measured_apart():
    total = first['total']['ccbp']
    decided = {name_of(launch): launch['ccbp'] for launch in first['launches'] if 'class' in launch['ccbp']}
    # Settling and measuring of two kernels take 4,000 cycles each, and blocks of the first have to end.
    blocks = first['launches'][0]['samples']['ccbp']['blocks_0']
    assert total['measured'] == 1 and not any(blocks[:16]) and any(blocks[16:]), (total, blocks)
    # `gather` has the L2 to itself then: beside `triad` half of its data come from DRAM.
    assert {name: own['class'] for name, own in decided.items()} == {'gather': 1, 'triad': 2}, decided
    assert decided['gather']['dram_wanted'] < 5 < 50 < decided['triad']['dram_wanted'], decided
    # `path` waits for `gather`, and is preferred until it no longer does, or to the limit.
    assert second['total']['ccbp']['preferred'] > 1, second['total']['ccbp']
    print('as it should be')


def of_combinations():
    ipc = [{name_of(grid): grid['ipc'] for grid in run['coruns'][0]['grids']} for run in (first, second)]
    # Most blocks on each SM are in the order in which the kernels came.
    assert ipc[0]['gather'] > 1.5 * ipc[1]['gather'] and ipc[1]['path'] > 2 * ipc[0]['path'], ipc
    print('as it should be')


def by_turns():
    # gather asks L1 ten times as often: with turns path gets more of it.
    ipc = [{name_of(grid): grid['ipc'] for grid in run['coruns'][0]['grids']} for run in (first, second)]
    assert ipc[1]['path'] > 1.01 * ipc[0]['path'] and ipc[1]['gather'] < 0.99 * ipc[0]['gather'], ipc
    assert second['total']['warped-slicer-memory']['renewed'] > 50
    print('as it should be')


def with_limits():
    free, limited = (run['total']['warped-slicer-memory'] for run in (first, second))
    assert free['limited'] == free['lowered'] == 0 and limited['limited'] > 1000 and limited['lowered'] > 10, (free, limited)
    stalls = [sum(grid['l1d_stall_cycles'] for grid in run['coruns'][0]['grids']) for run in (first, second)]
    assert stalls[1] < stalls[0], stalls
    print('as it should be')


def moving():
    # All that leaves for another kernel comes back: the results are there.
    for run in runs:
        own = run['total']['preempt']
        assert own['requests'] > 0 and own['switched_blocks'] > 0 and own['dropped'] == 0, own
        assert own['register_bytes'] > 0 and own['stack_bytes'] > 0, own
    print('as it should be')


def staying():
    # Running blocks to their end is what the shares' policy does by itself.
    assert first['total']['drain']['requests'] == 0 and first['total']['drain']['drained_blocks'] == 0
    print('as it should be')


{'alone': same_as_baseline, 'same': same_on_threads, 'corun': of_corun, 'apart': measured_apart, 'combination': of_combinations, 'turns': by_turns,
 'limits': with_limits, 'moves': moving, 'stays': staying}[sys.argv[1]]()
