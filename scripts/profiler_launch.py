#!/usr/bin/python3
"""profiler_launch_cycles: what a profiler's counter of whole launches has beyond a kernel's cycles.

    python3 scripts/profiler_launch.py

An H100 (examples/cards/h100_sxm.csv): gpc__cycles_elapsed.max minus sm__cycles_active.avg and launch_latency, of kernels that
have at least four blocks for each SM, so that all SMs work nearly all the time. The median of every second kernel is the
constant, the others say its error. A Quadro GV100 (examples/cards/counters.txt): elapsed_cycles_sm minus sm__cycles_elapsed.avg
of a launch; its median, and the error of both constants.
"""
import csv
import os
import statistics

CARDS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'examples', 'cards')
SMS, LAUNCH_LATENCY = 132, 1000


def rows_of(name):
    with open(os.path.join(CARDS, name), encoding='utf-8') as file:
        return [line.split() for line in file if line.strip() and not line.startswith('#')]


def h100():
    """(cycles of the launch, the kernel's own with launch_latency), means over the rows of a kernel with the same grid."""
    kernels = {}
    with open(os.path.join(CARDS, 'h100_sxm.csv'), encoding='utf-8') as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith('#')))
    for row in rows:
        if int(row['blocks']) >= 4 * SMS:
            key = row['program'], row['arguments'], row['kernel'], row['blocks']
            kernels.setdefault(key, []).append((int(row['cycles']), int(row['#active']) + LAUNCH_LATENCY))
    return [tuple(statistics.mean(column) for column in zip(*rows)) for rows in kernels.values()]


def error(rows, constant):
    """In percent; rows: cycles of launches, those of kernels, number of launches."""
    return 100 * statistics.mean(abs((own + launches * constant) / whole - 1) for whole, own, launches in rows)


def spread(differences):
    low, _, high = statistics.quantiles(differences, n=4)
    return f'{min(differences):.0f} to {max(differences):.0f}, half of them within {low:.0f} to {high:.0f}'


def main():
    rows = [(*row, 1) for row in h100()]
    fitted, others = rows[::2], rows[1::2]
    constant = statistics.median(whole - own for whole, own, _ in fitted)
    print(f'H100: {constant:.0f} cycles from {len(fitted)} kernels; all {len(rows)}: {spread([row[0] - row[1] for row in rows])}')
    print(f'  the other {len(others)} kernels: mean error {error(others, constant):.1f} %, {error(others, 0):.1f} % without')
    programs = [(int(whole), int(own), int(launches)) for _, launches, whole, own in rows_of('counters.txt')]
    each = [(whole - own) / launches for whole, own, launches in programs for _ in range(launches)]
    median = statistics.median(each)
    print(f'GV100: {median:.0f} cycles, the median of {len(each)} launches: {min(each):.0f} to {max(each):.0f}')
    print(f'  {len(programs)} programs: mean error {error(programs, median):.1f} %, with the constant of the H100 '
          f'{error(programs, constant):.1f} %, {error(programs, 0):.1f} % without')


if __name__ == '__main__':
    main()
