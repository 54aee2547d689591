"""regimes.py SCRIPTS PLAN: what scripts/figures/duet.py finds of two made-up programs."""
import os
import sys

sys.path[:0] = [sys.argv[1], os.path.join(sys.argv[1], 'figures')]
import duet  # noqa: E402


def made(name, kind, registers, shared, threads, blocks, grid):
    launch = {'kernel': 'k', 'block': [threads, 1, 1], 'grid': [grid, 1, 1], 'resident_ctas': blocks, 'dynamic_shared': 0, 'cycles': 1,
              'limiter': ''}
    config = {'registers': 65536, 'shared_bytes': 98304, 'shared_unit': 256, 'max_warps': 64, 'max_ctas': 32, 'sm_count': 4}
    workload = duet.Workload(name, '', [{'demangled': 'k', 'registers': registers, 'shared_bytes': shared}],
                             {'base': {'launches': [launch], 'config': config}})
    workload.kind = lambda: kind
    return workload


programs = [made('HG', 'under', 41, 2560, 256, 6, 72), made('DWT_2', 'moderate', 32, 6560, 192, 10, 12)]
for w in programs:
    here, paper, _ = duet.regime(w)['limit']
    print(f'{w.name}: limit {here}, paper {paper}')
duet.PLAN = sys.argv[2]
print('\n'.join(sorted(duet.check(programs), key=lambda line: 'no more' not in line)))
