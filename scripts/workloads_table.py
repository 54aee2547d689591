#!/usr/bin/python3
"""make workloads-table: the resources that each workload stresses, kernel by kernel, and whether it has its intended class.

    scripts/workloads_table.py [-h] [--gpu NAME]... [--of-class] [--size COLUMN] [--out FOLDER] [-j N] [NAME...]

Runs the programs of examples/workloads.txt (NAME: only those) on the papers' GPUs (--gpu: only these; --of-class: each on
the GPU of the paper that defines its class, as in docs/workloads.md), and writes FOLDER/table.md (default
build/figures/workloads). The table has, for each kernel with a tenth of its program's cycles or more: registers, shared
memory, the limit of its resident blocks, occupancy, utilisation, L2 miss rate, IPC, call depth, and the classes of Lin's
Tables 3.3 and 4.2 and of LTRF. With several GPUs it also compares the classes. Runs are stored, and repeated when program,
simulator or GPU have changed.

Utilisation covers the whole GPU while the kernel runs: issue slots, the busier direction of the network in percent of what
a crossbar sustains (60 % of its peak), DRAM's peak, data ports of L1 and L2 by hits.
Needs a finished build. Environment: B (build tree).
"""

import argparse
import json
import os
import re
import subprocess
import sys

import figures

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUSTAINED = 0.6  # of a crossbar's peak: Lin 3.3.1 and 4.3.2, after Karol
SHARE = 0.1      # of a program's cycles from which on a kernel has a row
STREAM = 'stream'
COLUMNS = {'tests': 2, 'default': 3, 'figures': 4}
# Where a class is asked for: the GPU of the paper that has it.
GPU_OF_CLASS = {'nbi': 'maxwell-cke', 'dbi': 'maxwell-cke', 'ls': 'maxwell-cke', 'registers': 'maxwell-ltrf',
                'shared': 'maxwell-ltrf', 'calls': 'v100'}


class Workload:
    def __init__(self, row, column):
        self.name, self.source = row[:2]
        self.kind, self.stands = row[5], row[6].strip()
        self.sizes = row[COLUMNS[column]].split(',')


def read_table(column):
    with open(os.path.join(ROOT, 'examples', 'workloads.txt'), encoding='utf-8') as file:
        rows = [line.split(None, 6) for line in file if line.strip() and line[0] != '#']
    return {row[0]: Workload(row, column) for row in rows}


# ---------------------------------------------------------------- programs

def architecture_of(gpu):
    """Of GPUs that have fewer registers a thread than those that programs are compiled for by default."""
    with open(os.path.join(ROOT, 'runtime', 'gpus', gpu + '.ini'), encoding='utf-8') as file:
        keys = dict(re.findall(r'^(\w+) *= *(\d+)', file.read(), re.MULTILINE))
    few = int(keys.get('max_regs_per_thread', 255)) < 255
    return f'sm_{keys["compute_major"]}{keys["compute_minor"]}' if few else None


def run_of(workload, gpu, kind):
    path = os.path.join(ROOT, 'examples', workload.source)
    sources = [os.path.relpath(source, ROOT) for source in figures.sources_of(path)]
    return figures.Run(sources, gpu, workload.sizes, '-O2' + (f' -arch={kind}' if kind else ''))


def static_facts(build_tree, program):
    """{kernel: what the passes say of it}"""
    text = subprocess.check_output([os.path.join(build_tree, 'bin', 'heddle'), 'info', '--json', program], text=True)
    return {kernel['demangled']: kernel for part in json.loads(text)['objects'] for kernel in part['kernels']}


# ---------------------------------------------------------------- kernels

class Kernel:
    """Sums over the launches of a kernel in a run."""

    def __init__(self, launches, config):
        self.name, self.config = launches[0]['kernel'], config
        self.launches, self.largest = launches, max(launches, key=lambda launch: launch['cycles'])
        self.count = {key: sum(launch[key] for launch in launches)
                      for key, value in launches[0].items() if isinstance(value, int)}
        self.cycles = self.count['cycles']

    def cycles_at(self, clock):
        return self.cycles * self.config[clock] / self.config['core_mhz']

    def percent(self, count, places):
        return 100 * figures.ratio(count, places)

    def scheduler(self):
        return self.percent(self.count['warp_instructions'], self.cycles * self.config['sm_count'] * self.config['schedulers'])

    def network(self, direction):
        """% of what is sustained: flits of a direction, through as many ports as the side with fewer has."""
        ports = min(self.config['sm_count'], self.config['l2_slices'])
        return self.percent(self.count['icnt_flits_' + direction], SUSTAINED * ports * self.cycles_at('icnt_mhz'))

    def dram(self):
        c = self.config
        peak = c['dram_bus'] * c['dram_ratio'] * c['dram_channels'] * self.cycles_at('dram_mhz')
        return self.percent(c['sector'] * (self.count['dram_reads'] + self.count['dram_writes']), peak)

    def l1(self):
        return self.percent(self.count['l1d_hits'], self.cycles * self.config['sm_count'] * self.config['l1_ports'])

    def l2(self):
        busy = self.count['l2_hits'] * -(-self.config['sector'] // self.config['icnt_flit'])
        return self.percent(busy, self.cycles_at('l2_mhz') * self.config['l2_slices'])

    def l2_misses(self):
        return self.percent(self.count['l2_misses'], self.count['l2_accesses'])

    def ipc(self):
        return figures.ratio(self.count['warp_instructions'], self.cycles)

    def warps_of_block(self):
        x, y, z = self.largest['block']
        return -(-x * y * z // 32)

    def occupancy(self):
        """% of the warps of an SM that could be resident."""
        return self.percent(self.largest['resident_ctas'] * self.warps_of_block(), self.config['max_warps'])

    def register_sensitive(self, shared):
        """LTRF 5: whether with registers without end an SM would hold more blocks."""
        c, unit = self.config, self.config['shared_unit'] or 1
        rooms = [c['max_ctas'], c['max_warps'] // self.warps_of_block(), c['max_threads'] // (32 * self.warps_of_block())]
        if shared:
            rooms.append(c['shared_bytes'] // (-(-shared // unit) * unit))
        return self.largest['resident_ctas'] < min(rooms)


def kernels_of(statistics):
    """The kernels with a row, longest first, with their shares of the cycles."""
    groups = {}
    for launch in statistics['launches']:
        groups.setdefault(launch['kernel'], []).append(launch)
    found = [Kernel(launches, statistics['config']) for launches in groups.values()]
    total = sum(kernel.cycles for kernel in found)
    shares = [(kernel, figures.ratio(kernel.cycles, total)) for kernel in found]
    return sorted(((k, share) for k, share in shares if share >= SHARE), key=lambda pair: -pair[1])


# ---------------------------------------------------------------- classes

def throughput_class(scheduler, network, dram, l1, l2):
    """Lin, Table 3.3; comparisons are strict."""
    if scheduler < 60 and network < 60 and dram < 50 and l1 < 60 and l2 < 60:
        return 'under'
    if scheduler > 80 or network > 90 or dram > 70 or l1 > 80 or l2 > 80:
        return 'saturated'
    return 'moderate'


def bandwidth_class(down, dram, sustained):
    """
    Lin, Table 4.2: network or DRAM intensive, or latency sensitive. `down` is in % of what the network from the L2
    sustains, `dram` in % of the peak, of which streaming reaches `sustained` %. Intensive is what the thresholds of 3.4.2
    are, and the one that is nearer to its limit names it.
    """
    if down <= 60 and dram <= 50:
        return 'ls'
    return 'nbi' if down >= 100 * figures.ratio(dram, sustained) else 'dbi'


def reached(workload, kernel, fact, sustained):
    """Whether a kernel is what its workload was written for, or None where nothing is asked."""
    shared = fact['shared_bytes'] + kernel.largest['dynamic_shared']
    if workload.kind in ('nbi', 'dbi', 'ls'):
        return bandwidth_class(kernel.network('down'), kernel.dram(), sustained) == workload.kind
    return {'registers': kernel.register_sensitive(shared), 'shared': kernel.largest['limiter'] == 'shared memory',
            'calls': fact['call_depth'] > 0}.get(workload.kind)


# ---------------------------------------------------------------- the report

HEAD = ('workload', 'kernel', 'of cycles, %', 'registers', 'shared, bytes', 'limit', 'occupancy, %', 'issue, %', 'to L2, %',
        'from L2, %', 'DRAM, %', 'L1, %', 'L2, %', 'L2 misses, %', 'IPC', 'call depth', 'Table 3.3', 'Table 4.2', 'registers (LTRF)')


def bare(name):
    """A demangled name without its return type, template arguments, and parameters."""
    depth, kept = 0, ''
    for letter in name:
        depth += letter == '<'
        kept += letter if not depth else ''
        depth -= letter == '>'
    return kept.split('(')[0].split(' ')[-1]


def row(workload, kernel, share, fact, sustained):
    shared = fact['shared_bytes'] + kernel.largest['dynamic_shared']
    up, down, uses = kernel.network('up'), kernel.network('down'), (kernel.dram(), kernel.l1(), kernel.l2())
    numbers = [f'{value:.0f}' for value in (kernel.occupancy(), kernel.scheduler(), up, down, *uses, kernel.l2_misses())]
    return (workload.name, bare(kernel.name), f'{100 * share:.0f}', fact['registers'], shared,
            kernel.largest['limiter'], *numbers, f'{kernel.ipc():.2f}', fact['call_depth'],
            throughput_class(kernel.scheduler(), max(up, down), *uses), bandwidth_class(down, uses[0], sustained).upper(),
            'sensitive' if kernel.register_sensitive(shared) else 'insensitive')


def sustained_dram(statistics):
    """What streaming reaches, in % of the peak."""
    return max(kernel.dram() for kernel, _ in kernels_of(statistics))


def section(gpu, chosen, facts, runs, missed):
    sustained, rows = sustained_dram(runs[gpu, None]), []
    for workload in chosen:
        kernels = kernels_of(runs[gpu, workload.name])
        rows += [row(workload, kernel, share, facts[gpu, workload.name][kernel.name], sustained) for kernel, share in kernels]
        if GPU_OF_CLASS.get(workload.kind) == gpu:
            kept = [reached(workload, kernel, facts[gpu, workload.name][kernel.name], sustained) for kernel, _ in kernels]
            if not any(kept):
                missed.append(f'- {workload.name} is not `{workload.kind}` on {gpu}')
            elif not kept[0]:
                missed.append(f'- {workload.name} is `{workload.kind}` on {gpu} in kernels that are not its longest')
    return [f'## {gpu}', '', f'Streaming reaches {sustained:.0f} % of the DRAM\'s peak.', '', *figures.table(HEAD, rows)]


def classes_on(gpu, name, runs):
    """Of a workload's longest kernel: Table 4.2 and Table 3.3."""
    if (gpu, name) not in runs:
        return '-'
    kernel, _ = kernels_of(runs[gpu, name])[0]
    up, down, uses = kernel.network('up'), kernel.network('down'), (kernel.dram(), kernel.l1(), kernel.l2())
    kind = bandwidth_class(down, uses[0], sustained_dram(runs[gpu, None])).upper()
    return f'{kind}, {throughput_class(kernel.scheduler(), max(up, down), *uses)}'


def side_by_side(chosen, runs):
    """The classes on all GPUs, where there are several."""
    if len(chosen) < 2:
        return []
    workloads = {workload.name: workload for listed in chosen.values() for workload in listed}
    rows = [(name, workload.kind, *(classes_on(gpu, name, runs) for gpu in chosen)) for name, workload in workloads.items()]
    return ['## Classes', '', 'Classes of the longest kernel: Table 4.2, Table 3.3.', '',
            *figures.table(('workload', 'written for', *chosen), rows), '']


def report(chosen, facts, runs):
    """chosen: for each GPU its workloads."""
    missed, text = [], side_by_side(chosen, runs)
    for gpu, workloads in chosen.items():
        text += [*section(gpu, workloads, facts, runs, missed), '']
    asked = [w for gpu, workloads in chosen.items() for w in workloads if GPU_OF_CLASS.get(w.kind) == gpu]
    classes = [f'{len(asked) - sum(" is not " in line for line in missed)} of {len(asked)} workloads have the class that '
               'they were written for.', *([''] if missed else []), *missed, ''] if asked else []
    return '\n'.join(['# What the workloads stress', '', *classes, *text])


def all_gpus():
    folder = os.path.join(ROOT, 'runtime', 'gpus')
    return sorted(file[:-4] for file in os.listdir(folder) if file.endswith('.ini'))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', metavar='NAME')
    parser.add_argument('--gpu', action='append', help='only this GPU')
    parser.add_argument('--of-class', action='store_true', help='each only where its class is asked for')
    parser.add_argument('--size', choices=COLUMNS, default='figures', help='column of workloads.txt (default figures)')
    parser.add_argument('--out', help='folder of the results')
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count(), help='runs at a time (default all cores)')
    options = parser.parse_args()
    options.table = read_table(options.size)
    if unknown := figures.unknown_workloads(options.names, options.table):
        parser.error(unknown)
    for gpu in options.gpu or []:
        if gpu not in all_gpus():
            parser.error(f'no GPU {gpu}')
    return options


def main():
    options = parse()
    build_tree = os.path.join(ROOT, os.environ.get('B', 'build'))
    out = options.out or os.path.join(build_tree, 'figures', 'workloads')
    store = figures.store_of(build_tree, options.out)
    gpus = options.gpu or (sorted(set(GPU_OF_CLASS.values())) if options.of_class else all_gpus())
    os.makedirs(out, exist_ok=True)
    named = [options.table[name] for name in options.names] or list(options.table.values())
    chosen = {gpu: [w for w in named if not options.of_class or GPU_OF_CLASS.get(w.kind) == gpu] for gpu in gpus}
    try:
        stream = read_table('figures')[STREAM]
        wanted = {(gpu, None): run_of(stream, gpu, architecture_of(gpu)) for gpu in gpus}
        wanted |= {(gpu, w.name): run_of(w, gpu, architecture_of(gpu)) for gpu in gpus for w in chosen[gpu]}
        results = figures.sweep_runs(build_tree, store, os.path.join(out, 'plan.ini'), options.jobs, wanted)
        runs = {key: result['statistics'] for key, result in results.items()}
        of_program = {program: static_facts(build_tree, program) for program in sorted({result['built'] for result in results.values()})}
        facts = {key: of_program[result['built']] for key, result in results.items()}
    except (figures.RunFailed, subprocess.CalledProcessError) as error:
        sys.exit(f'workloads-table: error: {error}')
    text = report(chosen, facts, runs)
    with open(os.path.join(out, 'table.md'), 'w', encoding='utf-8') as file:
        file.write(text)
    sys.stdout.write(text)


if __name__ == '__main__':
    main()
