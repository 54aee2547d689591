"""What `heddle corun` says of kernels beside each other, computed anew from its own and other runs' figures.

corun-launches.py TOGETHER.json WINDOW ALONE.json...: the co-run's statistics, and those of each kernel alone.
"""
import json
import sys

together, window, *alone = sys.argv[1:]
window = int(window)


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def ipc_of(run, stream=None):
    """Over the window; of a run without one, over its launch."""
    grids = [grid for corun in run.get('coruns', [])[:1] for grid in corun['grids']] or run['launches']
    grid = next(grid for grid in grids if stream is None or grid['stream'] == stream)
    if window:
        assert grid['cycles'] == window, grid['cycles']
    return grid['warp_instructions'] / grid['cycles'], grid


run = json.load(open(together))
corun = run['corun']
assert corun['cycles'] == window
speedups = []
for i, path in enumerate(alone):
    kernel = corun['kernels'][i]
    own, grid = ipc_of(run, i + 1)
    before, _ = ipc_of(json.load(open(path)))
    assert kernel['stream'] == i + 1 and kernel['kernel'] == grid['kernel']
    assert near(kernel['ipc'], own), (kernel['ipc'], own)
    assert near(kernel['alone_ipc'], before), (kernel['alone_ipc'], before)
    assert near(kernel['speedup'], own / before) and near(kernel['slowdown'], before / own)
    speedups.append(own / before)
assert len(corun['kernels']) == len(alone)
assert near(corun['harmonic_speedup'], len(speedups) / sum(1 / each for each in speedups))
assert near(corun['weighted_speedup'], sum(speedups))
assert all(0.1 < each < 1.05 for each in speedups), speedups
print('as it should be')
