#!/usr/bin/python3
"""What linear versions (R2D2) and the ideal machines of its Figure 4 remove, for all examples.

    scripts/table_linear.py [-h] [--size COLUMN] [--gpu NAME] [--set KEY=VALUE] [--functional] [--out FOLDER]
                            [NAME...]

Builds the programs of examples/workloads.txt, runs each on the baseline with `--ideal` and with linear versions,
and writes FOLDER/table.md, of build/figures/linear. Runs are kept by what decides their outcome. NAME: only those. Sizes
are those of a COLUMN of the table (tests, default, figures); without --size those for figures, of call-heavy programs those
of the tests. A program of examples/ or examples/grids/ that the table has with several sizes runs with the first.

Dynamic instructions count the linear streams as each SM and block executes them. Averages are over workloads, each
counted once, as in the paper. Needs a finished build; environment: B (build tree), JOBS.
"""

import argparse
import json
import os
import subprocess
import sys

import figures

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
B = os.path.join(ROOT, os.environ.get('B', 'build'))
# R2D2, ISCA 2023: Figure 4 (dynamic thread instructions), Figure 12 (dynamic warp instructions), Figure 14.
COLUMNS = {'tests': 2, 'default': 3, 'figures': 4}
PAPER = {'WP': 27, 'TB': 22, 'LN': 33, 'R2D2': 28, 'streams': 1}


def lines():
    with open(os.path.join(ROOT, 'examples', 'workloads.txt'), encoding='utf-8') as file:
        return [line.split(None, 6) for line in file if line.strip() and not line.startswith('#')]


def kind_of(stands):
    """What of R2D2's Table 2 it stands for."""
    return next((part[5:] for part in stands.split('; ') if part.startswith('R2D2 ')), '-')


def workloads(column):
    """(name, kind, sources, sizes) of each; no column: see above."""
    found, seen = [], set()
    for row in lines():
        name, source, stands = row[0], row[1], row[6].strip()
        folder, path = os.path.dirname(source), os.path.join(ROOT, 'examples', source)
        if folder == 'calls':
            found.append(('calls/' + name, '-', figures.sources_of(path), row[COLUMNS[column or 'tests']].split(',')))
        elif folder not in ('', 'grids') or source not in seen:
            found.append((name, kind_of(stands), [path], row[COLUMNS[column or 'figures']].split(',')))
        seen.add(source)
    return found


def runs_of(options, workload):
    """{(name, machine): Run}"""
    name, _, sources, sizes = workload
    sources = [os.path.relpath(source, ROOT) for source in sources]
    more = ' --functional' if options.functional else ''
    return {(name, machine): figures.Run(sources, options.gpu, sizes, policy=policy, options=(flags + more).strip(), settings=options.set)
            for machine, policy, flags in (('base', 'baseline', '--ideal'), ('linear', 'r2d2-functional', ''))}


def total_of(key, result):
    """The program has passed its own check."""
    if 'PASSED' not in result['output']:
        sys.exit(f'{" ".join(key)}: {result["output"]}')
    return result['statistics']['total']


def static_counts(program):
    """Instructions of the kernels that have a linear version: their own, and those of its main stream."""
    text = subprocess.check_output([os.path.join(B, 'bin', 'heddle'), 'dis', '--json', program], text=True)
    own = main = 0
    for unit in json.loads(text)['objects']:
        for function in unit['functions']:
            if 'linear' in function:
                version = function['linear']
                start = {stream['name']: stream['start_pc'] for stream in version['streams']}['main'] // 16
                own += len(function['instructions'])
                main += len(version['instructions']) - start
    return own, main


def share(part, whole):
    return 100 * part / whole if whole else 0.0


def measure(results, workload):
    name, kind, _, sizes = workload
    base, linear = (total_of((name, machine), results[name, machine]) for machine in ('base', 'linear'))
    own, main = static_counts(results[name, 'linear']['built'])
    streams = sum(linear[f'linear_{part}_instructions'] for part in ('coefficient', 'thread', 'block'))
    launches = linear['linear_launches']
    reasons = (('without', 'without a version'), ('check_fallbacks', 'by a condition'),
               ('small_fallbacks', 'because the grid is small'), ('register_fallbacks', 'by registers'))
    return {
        'name': name, 'kind': kind, 'sizes': ' '.join(sizes),
        'launches': f"{launches}/{launches + sum(linear['linear_' + why] for why, _ in reasons)}",
        'why': ', '.join(f'{linear["linear_" + key]} {text}' for key, text in reasons if linear['linear_' + key]),
        'static': share(own - main, own), 'own': own, 'main': main,
        'warps': share(base['warp_instructions'] - linear['warp_instructions'] - streams, base['warp_instructions']),
        'threads': share(base['thread_instructions'] - linear['thread_instructions'] - linear['linear_threads'],
                         base['thread_instructions']),
        'streams': share(streams, base['warp_instructions']),
        **{machine: share(base[f'ideal_{machine.lower()}_threads'], base['thread_instructions'])
           for machine in ('WP', 'TB', 'LN')},
    }


def mean(rows, key):
    return sum(row[key] for row in rows) / len(rows) if rows else 0.0


def table(rows):
    yield '| workload | in the paper | sizes | launches | static, % | dynamic, % | thread, % | streams, % | WP, % | TB, % | LN, % |'
    yield '|---|---|---|---|---|---|---|---|---|---|---|'
    for row in rows:
        yield (f"| {row['name']} | {row['kind']} | {row['sizes']} | {row['launches']} | {row['static']:.1f} | {row['warps']:.1f} | "
               f"{row['threads']:.1f} | {row['streams']:.2f} | {row['WP']:.1f} | {row['TB']:.1f} | {row['LN']:.1f} |")
    groups = [('all', rows), ('of kinds that the paper has', [row for row in rows if row['kind'] != '-'])]
    for text, group in groups:
        if group:
            yield (f"| **mean, {text}** | | | | {mean(group, 'static'):.1f} | {mean(group, 'warps'):.1f} | {mean(group, 'threads'):.1f} | "
                   f"{mean(group, 'streams'):.2f} | {mean(group, 'WP'):.1f} | {mean(group, 'TB'):.1f} | {mean(group, 'LN'):.1f} |")
    yield (f"| **the paper's mean** | | | | | {PAPER['R2D2']} | | {PAPER['streams']} | {PAPER['WP']} | {PAPER['TB']} | "
           f"{PAPER['LN']} |")


def document(options, rows):
    yield f'# Instructions that linear versions remove ({options.gpu})'
    yield ''
    yield from table(rows)
    yield ''
    yield ('launches: with the linear version, of all. static: instructions of the kernels that have one, and of its main '
           'stream. dynamic: warp instructions, linear streams counted against the gain. thread: the same in thread '
           'instructions. streams: warp instructions of the linear streams, of the baseline\'s. WP, TB, LN: thread '
           'instructions that the ideal machines of Figure 4 would not execute, of the same baseline run.')
    fallbacks = [f"- {row['name']}: {row['why']}" for row in rows if row['why']]
    if fallbacks:
        yield from ['', 'Launches of the original code:', '', *fallbacks]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', metavar='NAME')
    parser.add_argument('--gpu', default='titanv', help='GPU (default titanv, the paper\'s)')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE', help='configuration key')
    parser.add_argument('--functional', action='store_true', help='without timing: faster, and fewer SMs run streams than in time')
    parser.add_argument('--size', choices=COLUMNS, help='column of workloads.txt for all programs')
    parser.add_argument('--out', help='folder of the table and its runs (default B/figures/linear, runs in B/results)')
    options = parser.parse_args()
    known = workloads(options.size)
    chosen = [w for w in known if not options.names or w[0] in options.names]
    if unknown := figures.unknown_workloads(options.names, {w[0] for w in known}):
        parser.error(unknown)
    out = os.path.abspath(options.out or os.path.join(B, 'figures', 'linear'))
    wanted = {key: run for workload in chosen for key, run in runs_of(options, workload).items()}
    jobs = int(os.environ.get('JOBS') or os.cpu_count() or 1)
    try:
        results = figures.sweep_runs(B, figures.store_of(B, options.out), os.path.join(out, 'plan.ini'), jobs, wanted)
    except figures.RunFailed as error:
        sys.exit(f'table_linear: error: {error}')
    rows = [measure(results, workload) for workload in chosen]
    text = '\n'.join(document(options, rows)) + '\n'
    with open(os.path.join(out, 'table.md'), 'w', encoding='utf-8') as file:
        file.write(text)
    sys.stdout.write(text)


if __name__ == '__main__':
    main()
