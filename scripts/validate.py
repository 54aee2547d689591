#!/usr/bin/python3
"""The microbenchmarks of examples/micro on modelled GPUs, beside values published for real cards.

    scripts/validate.py [-h] [--build B] [--out DIR] [-j N] [--gpu NAME]... [--rows PREFIX]... [--quick] [--record]

Compiles each program for each GPU's architecture, runs it, at the clocks that published.txt names where cards were
measured at others than the model's, and writes B/validate/table.md (every row of every GPU, the published bracket where
examples/micro/published.txt has one, and how far outside of it the model is; of an L2 above 16 MB streams only where one
is published) and plots of the curves. --rows: only rows whose names begin so. --quick: leaves streaming out, which takes
most of the time. --record writes what pages show to docs/results: figures, and the rows of docs/model.md, where those
that were left out stay as they were; `make docs` fills the pages in. Runs are kept by what decides their outcome. The last lines say how many
published rows are within 5 and within 10 %; nothing is asserted.
"""

import argparse
import json
import os
import subprocess
import sys

import figures
import model_page
import results
from model_page import outside, published

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'examples', 'micro')
LARGE_L2 = 16 << 20  # bytes: streaming goes through four times as much a row
CURVES = [('occupancy', 'threads a block, two blocks an SM', 'bytes a core cycle', ['init', 'read', 'scale', 'triad']),
          ('chase', 'KiB', 'cycles a load', ['chase.l1', 'chase.l2', 'chase.constant']),
          ('barrier', 'threads a block', 'cycles', ['barrier']),
          ('limits', 'accesses', 'cycles', ['merge', 'lines', 'past', 'common', 'sectors', 'stores', 'atomics', 'shared']),
          ('blocks', 'blocks an SM', 'cycles a link', ['blocks']),
          ('code', 'instructions of straight code', 'cycles an instruction', ['code.cold', 'code.warm'])]


def clocks():
    """{gpu: settings} of those whose values were measured at other clocks than the model's."""
    with open(os.path.join(FOLDER, 'published.txt'), encoding='utf-8') as file:
        lines = [line.split() for line in file if line.startswith('clocks ')]
    return {gpu: keys for _, gpu, *keys in lines}


def gpus(build):
    """{name: architecture} of all that are modelled, and those whose L2 is large. Code of before Volta does not exist here,
    but for the 63 registers that a thread of Fermi and the first Kepler has."""
    names = os.listdir(os.path.join(build, 'share', 'heddle', 'gpus'))
    found, large = {}, set()
    for name in sorted(name[:-4] for name in names if name.endswith('.ini')):
        keys = json.loads(subprocess.run([os.path.join(build, 'bin', 'heddle'), 'gpus', '--json', name], check=True,
                                         capture_output=True, text=True).stdout)
        capability = int(10 * keys['compute_major'] + keys['compute_minor'])
        found[name] = f'sm_{capability if capability < 32 else min(max(70, capability), 90)}'
        if keys['l2_slices'] * keys['l2_slice_bytes'] > LARGE_L2:
            large.add(name)
    return found, large


def run_of(program, gpu, architecture, rows=(), settings=()):
    return figures.Run([os.path.join('examples', 'micro', program + '.cu')], gpu, rows, f'-O2 -arch={architecture}', settings=settings)


def rows_of(text):
    """{row: (value, unit)} of what a program printed."""
    return {name: (float(value), unit) for name, value, unit in
            (line.split() for line in text.splitlines() if len(line.split()) == 3)}


def table(gpu, rows, known):
    lines = [f'## {gpu}', '']
    cells = []
    for name, (value, unit) in rows.items():
        bracket = known.get((gpu, name))
        if bracket:
            low, high, source = bracket
            cells.append([name, f'{value:.2f}', f'{low:g}' if low == high else f'{low:g} to {high:g}',
                          f'{100 * outside(value, *bracket[:2]):+.1f} %', unit, source])
        else:
            cells.append([name, f'{value:.2f}', '', '', unit, ''])
    return lines + figures.table(['row', 'model', 'published', 'outside', 'unit', 'source'], cells)


def curves(gpu, rows, known, out):
    """Simulated curves beside published points: rows NAME.NUMBER."""
    def points(prefix, value_of):
        found = []
        for name in rows:
            head, _, number = name.rpartition('.')
            number = number.rstrip('K')
            if head == prefix and number.isdigit() and value_of(name) is not None:
                found.append((int(number), value_of(name)))
        return sorted(found)

    for title, xlabel, ylabel, prefixes in CURVES:
        shown = {}
        for prefix in prefixes:
            shown[prefix] = points(prefix, lambda name: rows[name][0])
            shown[prefix + ' published'] = points(
                prefix, lambda name: sum(known[gpu, name][:2]) / 2 if (gpu, name) in known else None)
        shown = {name: curve for name, curve in shown.items() if curve}
        if shown:
            figures.lines(os.path.join(out, f'{gpu}-{title}.svg'), f'{gpu}: {title}', xlabel, ylabel, shown)


NAMED = ('l1.words.32', 'loop.sum.', 'launch.copy.', 'bulk.stream.')  # rows whose errors README gives by name


def record(rows, parts):
    """What pages show: README's figures, and the rows of docs/model.md. `parts`: the options that chose the rows."""
    results.merge_rows(ROOT, 'validate', 2, [(gpu, name, row[0], row[3]) for gpu, some in rows.items() for name, row in some.items()],
                       some=bool(parts))
    measured = model_page.measured(ROOT)
    judged = [abs(outside(*row[:3])) for some in measured.values() for row in some.values()]
    bulk = [100 * outside(*row[:3]) for name, row in measured['h100'].items() if name.startswith('bulk.stream.')]
    others = [abs(outside(*row[:3])) for some in measured.values() for name, row in some.items() if not name.startswith(NAMED)]
    reductions = [100 * outside(*row[:3]) for name, row in measured['v100'].items() if name.startswith('loop.sum.')]
    values = {'values': len(judged), 'mean-error': 100 * figures.mean(judged), 'l1-bytes': measured['v100']['l1.words.32'][0],
              'copies': 100 * outside(*measured['v100']['launch.copy.695'][:3]),
              'reduction-least': min(reductions), 'reduction-most': max(reductions), 'bulk-most': max(bulk), 'others': 100 * max(others)}
    values.update({f'within-{part}': sum(error <= part / 100 for error in judged) for part in (5, 10)})
    results.record(ROOT, 'validate', None, values, 'make validate' + (f' VALIDATE_FLAGS="{" ".join(parts)}"' if parts else ''),
                   some=bool(parts))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default=os.path.join(ROOT, os.environ.get('B', 'build')))
    parser.add_argument('-j', type=int, default=int(os.environ.get('JOBS') or 2))
    parser.add_argument('--gpu', action='append', help='only this one; may be repeated')
    parser.add_argument('--rows', action='append', default=[], help='only rows that begin so; may be repeated')
    parser.add_argument('--program', action='append', default=[],
                        help='only this one of examples/micro; may be repeated (default: all, which takes longer to compile)')
    parser.add_argument('--record', action='store_true', help='write what pages show to docs/results')
    parser.add_argument('--out', help='folder of the table and of its runs (default B/validate, runs in B/results)')
    parser.add_argument('--quick', action='store_true', help='without streaming')
    return parser.parse_args()


def measure(options):
    build, store = os.path.abspath(options.build), figures.store_of(options.build, options.out)
    out = os.path.abspath(options.out or os.path.join(build, 'validate'))
    plan = os.path.join(out, 'plan.ini')
    os.makedirs(out, exist_ok=True)
    (models, large), known, measured_at = gpus(build), published(), clocks()
    chosen = options.gpu or list(models)
    if unknown := [gpu for gpu in chosen if gpu not in models]:
        return f'validate: no GPU is named {", ".join(unknown)}'
    programs = sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith('.cu'))
    if unknown := [name for name in options.program if name not in programs]:
        return f'validate: examples/micro has no program {", ".join(unknown)}'
    programs = [name for name in programs if not options.program or name in options.program]
    if options.quick and 'streaming' in programs:
        programs.remove('streaming')
    first = figures.sweep_programs(
        build, store, plan, options.j, {(program,): run_of(program, chosen[0], models[chosen[0]]) for program in programs})
    rows_in = {program: subprocess.run([path, '--list'], check=True, capture_output=True, text=True).stdout.split()
               for (program,), path in first.items()}
    programs = [program for program in programs
                if any(row.startswith(tuple(options.rows or [''])) for row in rows_in[program])]
    streams = {gpu: [row for row in rows_in.get('streaming', []) if (gpu, row) in known
                     and row.startswith(tuple(options.rows or ['']))] for gpu in large}
    wanted = {(gpu, program): run_of(program, gpu, models[gpu],
                                     (streams.get(gpu) if program == 'streaming' else None) or options.rows,
                                     measured_at.get(gpu, []))
              for gpu in chosen for program in programs}
    texts = {key: result['output'] for key, result in figures.sweep_runs(build, store, plan, options.j, wanted).items()}

    page, judged, measured = ['# Microbenchmarks on modelled GPUs, beside published values', ''], [], {}
    for gpu in chosen:
        rows = {}
        for program in programs:
            rows.update(rows_of(texts[gpu, program]))
        page += table(gpu, rows, known)
        judged += [abs(outside(value, *known[gpu, name][:2])) for name, (value, _) in rows.items() if (gpu, name) in known]
        measured[gpu] = {name: (value, *known[gpu, name][:2], unit, known[gpu, name][2])
                        for name, (value, unit) in rows.items() if (gpu, name) in known}
        curves(gpu, rows, known, out)
    with open(os.path.join(out, 'table.md'), 'w', encoding='utf-8') as file:
        file.write('\n'.join(page))
    print('\n'.join(page))
    for part in (0.05, 0.10):
        print(f'within {100 * part:.0f} % of what was published: {sum(error <= part for error in judged)} of {len(judged)} rows')
    print(f'table and plots: {os.path.relpath(out)}')
    if options.record:
        record(measured, [f'--{name}={value}' for name in ('gpu', 'rows', 'program') for value in getattr(options, name) or []] +
               ['--quick'] * options.quick)
    return None


def main():
    try:
        return measure(parse())
    except figures.RunFailed as error:
        return f'validate: {error}'


if __name__ == '__main__':
    sys.exit(main())
