"""classes.py SCRIPTS: the classes of workloads_table.py where they change, and for what Lin's Table 4.2 prints."""

import sys

sys.path.insert(0, sys.argv[1])
import workloads_table as table  # noqa: E402

UNDER = [(55, 59, 49, 10, 20), (59, 59, 49, 59, 59)]
MODERATE = [(60, 0, 0, 0, 0), (55, 61, 49, 10, 20), (55, 59, 50, 10, 20), (0, 0, 0, 60, 0), (0, 0, 0, 0, 60), (80, 90, 70, 80, 80)]
SATURATED = [(81, 0, 0, 0, 0), (0, 91, 0, 0, 0), (0, 0, 71, 0, 0), (0, 0, 0, 81, 0), (0, 0, 0, 0, 81)]
for uses, kind in [(u, 'under') for u in UNDER] + [(u, 'moderate') for u in MODERATE] + [(u, 'saturated') for u in SATURATED]:
    assert table.throughput_class(*uses) == kind, (uses, kind)

# Per cent of the peaks of network and DRAM; DRAM sustains 65 %.
PAPER = {'CFD': (54, 14, 'nbi'), 'LAV': (53, 1, 'nbi'), 'SMV': (52, 25, 'nbi'), 'KM': (52, 22, 'nbi'), 'LBM': (15, 61, 'dbi'),
         'FTD': (32, 65, 'dbi'), 'SAD': (17, 64, 'dbi'), 'SRT': (37, 59, 'dbi'), 'BFS': (14, 24, 'ls'), 'BP': (19, 36, 'ls'),
         'BT': (27, 19, 'ls'), 'HG': (19, 25, 'ls'), 'PF': (28, 39, 'ls')}
for name, (network, dram, kind) in PAPER.items():
    assert table.bandwidth_class(network / table.SUSTAINED, dram, 65) == kind, name

# A kernel of two launches: 1000 cycles at 1000 MHz, one SM with 4 schedulers, 2 slices and channels at half that clock.
CONFIG = {'sm_count': 2, 'schedulers': 4, 'l2_slices': 2, 'core_mhz': 1000, 'icnt_mhz': 500, 'l2_mhz': 500, 'dram_mhz': 500,
          'dram_bus': 8, 'dram_ratio': 2, 'dram_channels': 2, 'sector': 128, 'icnt_flit': 32, 'l1_ports': 1, 'max_ctas': 32,
          'max_warps': 64, 'max_threads': 2048, 'shared_unit': 128, 'shared_bytes': 98304}
COUNTS = {'warp_instructions': 1000, 'icnt_flits_up': 60, 'icnt_flits_down': 150, 'dram_reads': 10, 'dram_writes': 5,
          'l1d_hits': 100, 'l2_hits': 25, 'l2_misses': 5, 'l2_accesses': 50}
LAUNCH = {'kernel': 'k(int)', 'cycles': 500, 'block': [100, 2, 1], 'resident_ctas': 8, 'limiter': 'registers', 'dynamic_shared': 0}
kernel = table.Kernel([LAUNCH | COUNTS] * 2, CONFIG)


def near(value, expected):
    assert abs(value - expected) < 1e-9, (value, expected)


near(kernel.scheduler(), 100 * 2000 / (1000 * 2 * 4))
near(kernel.network('up'), 100 * 120 / (0.6 * 2 * 500))
near(kernel.network('down'), 100 * 300 / (0.6 * 2 * 500))
near(kernel.dram(), 100 * 128 * 30 / (8 * 2 * 2 * 500))
near(kernel.l1(), 100 * 200 / (1000 * 2))
near(kernel.l2(), 100 * 50 * 4 / (500 * 2))
near(kernel.l2_misses(), 10)
near(kernel.ipc(), 2)
near(kernel.occupancy(), 100 * 8 * 7 / 64)  # 200 threads are 7 warps: 9 blocks, but for registers
assert kernel.register_sensitive(0) and kernel.register_sensitive(10000) and not kernel.register_sensitive(12288)
print('classes as in the paper')
