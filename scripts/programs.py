"""Whole programs beside published cycles: the table of them, their runs through `heddle sweep`, and what an error comes from.

The table is a CSV file. Its first line that is no comment (#) names the columns, in any order; each further line is a kernel
of a program, as a card ran it:

    program       a source (.cu), a folder of sources that are one program, or an executable of heddle-cc; from the folder
    kernel        its name, plain or mangled, without parameters; the mean over its launches is compared. *: all launches of
                  the program, their sum
    cycles        published for the kernel; or
    us            a time in microseconds, at the GPU's core clock (set another by core_mhz in `settings`); or
    watts         mean power of the whole card while the kernel runs, also beside cycles or a time
    arguments     of the program                              compile       options of heddle-cc (-O3 -arch= of the GPU)
    gpu           a name of `heddle gpus` (v100)              settings      KEY=VALUE ... of it
    counter       what the cycles are, by its name in the profile (docs/running.md); none: the kernel's own
    cache_control all: a profiler emptied the caches before each launch, as Nsight Compute does by default; none: it did not
    blocks        only launches with so many blocks           threads       only those with so many threads a block
    instructions  warp instructions of a launch               dram_reads, dram_writes   sectors of 32 bytes of a launch
    set           a word; errors are summed up for each set   source        where the figure is from

Only `program`, `kernel` and one of `cycles`, `us` and `watts` must be there; an empty cell is as a column that is not there.
Columns whose names begin with # are left out.
"""
import csv
import dataclasses
import json
import os
import re
import statistics
import subprocess

import figures

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METRICS = os.path.join(ROOT, 'tools', 'heddle', 'validate', 'metrics.def')
NUMBERS = ('cycles', 'us', 'watts', 'instructions', 'dram_reads', 'dram_writes', 'blocks', 'threads')
COLUMNS = ('program', 'kernel', 'arguments', 'compile', 'gpu', 'settings', 'counter', 'cache_control', 'set', 'source', *NUMBERS)
EMPTY = 'l2_empty_launches=yes'
BINDS = 0.6  # of a unit's capacity: more, and it is called the limit
NOTED = 0.1  # a difference from the profile that is called a reason


class BadTable(Exception):
    """What is wrong with a table, with its place."""


@dataclasses.dataclass
class Row:
    """A kernel of the table. `line` is its line there; numbers that it does not have are None."""
    line: int
    program: str
    kernel: str
    arguments: str = ''
    compile: str = ''
    gpu: str = 'v100'
    settings: str = ''
    counter: str = ''
    set: str = ''
    source: str = ''
    cycles: float = None
    us: float = None
    watts: float = None
    instructions: float = None
    dram_reads: float = None
    dram_writes: float = None
    blocks: float = None
    threads: float = None

    def run(self):
        """What its run is made by: rows that agree in it share one."""
        return self.program, self.arguments, self.compile, self.gpu, self.settings


# ---------------------------------------------------------------- the table

def counters():
    """{counter of a profile: 'KERNEL' or 'LAUNCH', what it counts}."""
    with open(METRICS, encoding='utf-8') as file:
        return {name: counts for counts, name in re.findall(r'^COUNTER\((\w+), \w+, "([^"]+)"\)', file.read(), re.MULTILINE)}


def cells_of(line, place):
    try:
        return next(csv.reader([line], strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise BadTable(f'{place}: {"a quote does not end" if "end of data" in str(error) else error}') from error


def head_of(cells, place):
    names = [cell.strip() for cell in cells]
    for name in names:
        if name not in COLUMNS and not name.startswith('#'):
            raise BadTable(f"{place}: no column is named '{name}'; columns: {', '.join(COLUMNS)}")
        if names.count(name) > 1:
            raise BadTable(f"{place}: two columns are named '{name}'")
    for name in ('program', 'kernel'):
        if name not in names:
            raise BadTable(f"{place}: no column '{name}'")
    if not {'cycles', 'us', 'watts'} & set(names):
        raise BadTable(f"{place}: no column 'cycles', 'us' or 'watts'")
    return names


def number_of(name, text, place):
    try:
        value = float(text.replace(',', ''))
    except ValueError:
        value = -1
    if not (0 < value < float('inf') or (value == 0 and name.startswith('dram_'))):
        raise BadTable(f"{place}: {name}: '{text}' is no number above 0")
    return value


def row_of(names, cells, place, line):
    if len(cells) != len(names):
        raise BadTable(f'{place}: {len(cells)} cells, and {len(names)} columns: {", ".join(names)}')
    given = {name: cell.strip() for name, cell in zip(names, cells) if cell.strip() and not name.startswith('#')}
    for name in ('program', 'kernel'):
        if name not in given:
            raise BadTable(f'{place}: no {name}')
    if 'cycles' in given and 'us' in given:
        raise BadTable(f'{place}: cycles and us: one of them')
    if not {'cycles', 'us', 'watts'} & set(given):
        raise BadTable(f'{place}: neither cycles nor us nor watts')
    for name in ('program', 'arguments', 'compile'):
        if set('"{}') & set(given.get(name, '')):
            raise BadTable(f"{place}: {name}: no quotes and braces can stand there")
    for name in NUMBERS:
        if name in given:
            given[name] = number_of(name, given[name], place)
    for setting in given.get('settings', '').split():
        if not re.fullmatch(r'[a-z0-9_.]+=\S+', setting):
            raise BadTable(f"{place}: settings: '{setting}' is not KEY=VALUE")
    control = given.pop('cache_control', 'none')
    if control not in ('all', 'none'):
        raise BadTable(f"{place}: cache_control: '{control}' is neither all nor none")
    if control == 'all':
        given['settings'] = ' '.join(filter(None, [given.get('settings'), EMPTY]))
    known = counters()
    if given.get('counter', next(iter(known))) not in known:
        raise BadTable(f"{place}: no counter of cycles is named '{given['counter']}'; those known: {', '.join(known)}")
    return Row(line, **given)


def read(path):
    """The rows of a table."""
    rows, names = [], None
    try:
        with open(path, encoding='utf-8') as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadTable(f'{path}: {getattr(error, "strerror", None) or "is no text"}') from error
    for number, line in enumerate(lines, 1):
        place = f'{path}:{number}'
        if not line.strip() or line.startswith('#'):
            continue
        cells = cells_of(line, place)
        if names is None:
            names = head_of(cells, place)
        else:
            rows.append(row_of(names, cells, place, number))
    if not rows:
        raise BadTable(f'{path}: no row')
    return rows


def configurations(build, path, rows):
    """{(gpu, settings): values of its keys}; settings are checked."""
    folder, found = os.path.join(build, 'share', 'heddle', 'gpus'), {}
    names = sorted(name[:-4] for name in os.listdir(folder) if name.endswith('.ini'))
    for row in rows:
        if (row.gpu, row.settings) in found:
            continue
        if row.gpu not in names:
            raise BadTable(f"{path}:{row.line}: no GPU is named '{row.gpu}'; those known: {', '.join(names)}")
        done = subprocess.run([os.path.join(build, 'bin', 'heddle'), 'gpus', '--json', row.gpu], check=True, capture_output=True, text=True)
        values = json.loads(done.stdout)
        for key, value in (setting.split('=', 1) for setting in row.settings.split()):
            if key not in values:
                raise BadTable(f"{path}:{row.line}: {row.gpu} has no key '{key}' (heddle gpus {row.gpu} lists them)")
            values[key] = float(value) if re.fullmatch(r'[0-9.]+', value) else value
        found[row.gpu, row.settings] = values
    return found


# ---------------------------------------------------------------- runs

def architecture(config):
    capability = int(10 * config['compute_major'] + config['compute_minor'])
    return f'sm_{capability if capability < 32 else min(max(70, capability), 90)}'


def missing(folder, row):
    """Why a row's program cannot be run, or None."""
    path = os.path.join(folder, row.program)
    if not os.path.exists(path):
        return 'no such file'
    if os.path.isdir(path):
        return None if figures.sources_of(path) else 'a folder without sources (.cu)'
    if path.endswith('.cu') or os.access(path, os.X_OK):
        return None
    return 'neither a source (.cu) nor executable'


def section_of(name, folder, row, config, options):
    """A workload of the plan."""
    path = os.path.join(folder, row.program)
    if os.path.isdir(path) or path.endswith('.cu'):
        sources = [os.path.relpath(source, folder) for source in figures.sources_of(path)]
        words = (['-rdc=true'] if len(sources) > 1 else []) + sources
        lines = [('source', ' '.join(words)), ('compile', row.compile or f'-O3 -arch={architecture(config)}')]
    else:
        lines = [('program', row.program)]
    lines += [('gpu', row.gpu), ('policy', 'baseline')]
    lines += [('arguments', row.arguments)] if row.arguments else []
    lines += [('options', options)] if options else []
    lines += [setting.split('=', 1) for setting in row.settings.split()]
    return f'[workload {name}]\n' + ''.join(f'{key} = "{value}"\n' for key, value in lines)


def told_of(errors, plan, first, sections):
    """{workload: what the sweep said at its lines of the plan}, and the rest of what it said; sections begin at line `first`."""
    starts, told, rest = [], {}, []
    for name, text in sections.items():
        starts.append((first, name))
        first += text.count('\n')
    where = rest
    for line in errors.splitlines():
        if at := re.match(re.escape(plan) + r':(\d+): error: (.*)', line):
            names = [name for start, name in starts if start <= int(at[1])]
            where = told.setdefault(names[-1], []) if names else rest
            line = at[2]
        elif line.startswith('failed: '):
            where = rest
        where.append(line.strip())
    return {name: ' '.join(filter(None, lines[:2])) for name, lines in told.items()}, ' '.join(rest)


def runs_of(command, plan, head, sections, workers):
    """{workload: its run, as `heddle sweep --list` has it} of a plan of these sections, {workload: text}, after `head`; one whose
    program cannot be compiled has a cause."""
    os.makedirs(os.path.dirname(plan), exist_ok=True)
    with open(plan, 'w', encoding='utf-8') as file:
        file.write(head + ''.join(sections.values()))
    done = subprocess.run([*command, '--quiet', '-j', str(workers)], capture_output=True, text=True)
    told, rest = told_of(done.stderr, plan, head.count('\n') + 1, sections) if done.returncode == 2 else ({}, '')
    try:
        runs = {run['coordinates']['workload']: run for run in figures.listed(command)}
    except figures.RunFailed as error:
        if not told:
            raise figures.RunFailed(rest or str(error)) from error
        runs = {}
    for name in runs.keys() & told.keys():
        runs[name].setdefault('cause', told[name])
    return runs, told


def run_rows(build, store, plan, workers, table, folder, rows, configs, options='', seconds=None):
    """({run of a row: its statistics}, {run: why there are none, a text, and whether that is an error}). `seconds`: what a run may
    take at most."""
    first, results, reasons = {}, {}, {}
    for row in rows:
        why = missing(folder, row)
        if why:
            reasons[row.run()] = why, False
        else:
            first.setdefault(row.run(), row)
    names = {f'r{number}': run for number, run in enumerate(first)}
    sections = {name: section_of(name, folder, first[run], configs[first[run].gpu, first[run].settings], options)
                for name, run in names.items()}
    if not sections:
        return results, reasons
    head = f'[sweep]\nroot = "{folder}"\n' + (f'time = {seconds}\n' if seconds else '')
    runs, told = runs_of(figures.sweep_command(build, store, plan), plan, head, sections, workers)
    if not runs:  # nothing runs with such a plan
        name, text = next(iter(told.items()))
        raise BadTable(f'{table}:{first[names[name]].line}: {text}')
    for name, run in names.items():
        made = runs.get(name, {'state': 'missing'})
        if made['state'] == 'done':
            with open(made['result'], encoding='utf-8') as file:
                results[run] = json.load(file)
        else:
            log = f" (log: {made['log']})" if made.get('log') else ''
            reasons[run] = made.get('cause', made['state']) + log, True
    return results, reasons


# ---------------------------------------------------------------- a kernel

def plain(name):
    """A kernel's name without parameters, template arguments and mangling."""
    mangled = re.match(r'_ZN?((?:K?\d+[A-Za-z_]\w*)+)', name)
    if mangled:
        rest, last = mangled[1].lstrip('K'), ''
        while digits := re.match(r'\d+', rest):
            size = int(digits[0])
            last, rest = rest[digits.end():][:size], rest[digits.end():][size:]
        return last
    depth, text = 0, ''
    for letter in name.replace('(anonymous namespace)::', ''):
        if letter == '(' and not depth:
            break
        depth += (letter == '<') - (letter == '>')
        text += letter if not depth and letter != '>' else ''
    return text.split()[-1].rsplit('::', 1)[-1] if text.split() else name


def launches_of(row, result):
    """The launches that a row is compared with."""
    def fits(launch):
        size = [launch[key][0] * launch[key][1] * launch[key][2] for key in ('grid', 'block')]
        return ((row.kernel == '*' or plain(launch['kernel']) == plain(row.kernel)) and (row.blocks or size[0]) == size[0] and
                (row.threads or size[1]) == size[1])
    return [launch for launch in result['statistics']['launches'] if fits(launch)]


def total(launches):
    """Sums of the counters of launches."""
    summed = {key: sum(launch[key] for launch in launches) for key, value in launches[0].items() if isinstance(value, (int, float))}
    for group in ('stalls', 'energy'):
        summed[group] = {name: sum(launch[group][name] for launch in launches) for name in launches[0][group]}
    return summed


def used(config, summed):
    """{unit: the part of its capacity that was used}: of SMs with a warp, of L2 and DRAM."""
    sms, cycles, core = max(summed['active_sm_cycles'], 1), max(summed['cycles'], 1), config['core_mhz']
    bus = config['dram_channels'] * config['dram_bus'] * config['dram_ratio'] * config['dram_mhz'] / core
    parts = {'issue': summed['stalls']['issued'] / (sms * config['schedulers']),
             'shared memory': summed['shared_cycles'] / sms,
             'L1': summed['l1d_sectors'] * config['sector'] / (sms * config['l1_width'] * config['l1_ports']),
             'load/store unit': summed['lsu_instructions'] * config['lsu_interval'] / sms,
             'L2': summed['l2_accesses'] / (cycles * config['l2_slices'] * config['l2_mhz'] / core),
             'DRAM': 32 * (summed['dram_reads'] + summed['dram_writes']) / (cycles * bus)}
    for unit in ('int', 'fp32', 'fp64', 'sfu'):
        parts[unit] = summed[f'{unit}_instructions'] * config[f'ii_{unit}'] / (sms * config[f'units_{unit}'])
    return parts


def binding(config, summed):
    """What limits a kernel: a unit that is used nearly always, or else what its warps wait for."""
    parts = used(config, summed)
    unit = max(parts, key=parts.get)
    if parts[unit] >= BINDS:
        return f'{unit} ({100 * parts[unit]:.0f} %)'
    waits = {reason: slots for reason, slots in summed['stalls'].items() if reason != 'issued'}
    reason = max(waits, key=waits.get)
    most = f'{unit} {100 * parts[unit]:.0f} %'
    return f'too few warps on an SM ({most})' if reason == 'idle' else f'waits: {reason} ({most})'


@dataclasses.dataclass
class Compared:
    """A row beside its launches; numbers are of one launch, of all where the kernel is *."""
    row: Row
    cycles: float
    published: float  # None: only watts are
    watts: float
    launches: int
    instructions: float
    dram_reads: float
    dram_writes: float
    l1_misses: float  # parts of the accesses; None: there are none
    l2_misses: float
    stalls: list      # (part of the issue slots, reason), the largest first
    binds: str

    energy: dict      # {unit: its part of the energy}

    @property
    def error(self):
        return self.cycles / self.published - 1

    @property
    def power_error(self):
        return self.watts / self.row.watts - 1


def compare(row, launches, config):
    summed, count = total(launches), len(launches)
    parts = 1 if row.kernel == '*' else count
    cycles = summed['cycles'] / parts
    if row.counter and counters()[row.counter] == 'LAUNCH':
        cycles += config['profiler_launch_cycles'] * count / parts
    slots = sum(summed['stalls'].values()) or 1
    stalls = sorted(((value / slots, reason) for reason, value in summed['stalls'].items() if reason != 'issued'), reverse=True)
    published = row.cycles or (row.us and row.us * config['core_mhz'])
    energy = {**summed['energy'], **{part: summed[f'{part}_joules'] for part in ('static', 'idle', 'constant')}}
    return Compared(row, cycles, published, summed['energy_joules'] / summed['cycles'] * config['core_mhz'] * 1e6, count,
                    summed['warp_instructions'] / parts, summed['dram_reads'] / parts, summed['dram_writes'] / parts,
                    summed['l1d_misses'] / summed['l1d_accesses'] if summed['l1d_accesses'] else None,
                    summed['l2_misses'] / summed['l2_accesses'] if summed['l2_accesses'] else None,
                    stalls, binding(config, summed), {part: joules / summed['energy_joules'] for part, joules in energy.items()})


def percent(value, wanted, digits=0):
    return f'{100 * (value / wanted - 1):+.{digits}f} %'


def reason(compared):
    """What an error comes from, as far as counters say: differences from the profile, then misses, stalls and the limit."""
    row, words = compared.row, []
    for what, value, wanted in (('instructions', compared.instructions, row.instructions), ('DRAM reads', compared.dram_reads, row.dram_reads),
                                ('DRAM writes', compared.dram_writes, row.dram_writes)):
        if wanted and (what == 'instructions' or wanted >= 1000) and abs(value / wanted - 1) >= NOTED:
            words.append(f'{what} {percent(value, wanted)}')
    misses = [f'{100 * part:.0f} % of {name}' for name, part in (('L1', compared.l1_misses), ('L2', compared.l2_misses)) if part is not None]
    if misses:
        words.append('misses ' + ', '.join(misses))
    words.append('stalls ' + ', '.join(f'{name} {100 * part:.0f} %' for part, name in compared.stalls[:2]))
    words.append('limit ' + compared.binds)
    return '; '.join(words)


# ---------------------------------------------------------------- many

@dataclasses.dataclass
class Comparison:
    compared: list  # Compared, in the table's order
    left: list      # (Row, why it is not compared, whether that is an error)


def names_of(row):
    """What a program is called by: alone, and with its arguments."""
    return {row.program, f'{row.program} {row.arguments}'}


def compare_all(build, store, plan, workers, table, folder, seconds=None, sets=None, names=None):
    """The table's rows, all or of some sets and programs, beside runs of the programs that are there."""
    build, folder, rows = os.path.abspath(build), os.path.abspath(folder), read(table)
    if unknown := set(sets or []) - {row.set for row in rows}:
        raise BadTable(f"{table}: no row is of the set '{unknown.pop()}'")
    names = set(names or [])
    if unknown := names - {name for row in rows for name in names_of(row)}:
        raise BadTable(f"{table}: no row is of the program '{unknown.pop()}'")
    rows = [row for row in rows if (not sets or row.set in sets) and (not names or names & names_of(row))]
    configs = configurations(build, table, rows)
    results, reasons = run_rows(build, store, plan, workers, table, folder, rows, configs, seconds=seconds)
    found = Comparison([], [])
    for row in rows:
        if row.run() in reasons:
            found.left.append((row, *reasons[row.run()]))
            continue
        launches = launches_of(row, results[row.run()])
        if launches:
            found.compared.append(compare(row, launches, configs[row.gpu, row.settings]))
        else:
            names = dict.fromkeys(plain(launch['kernel']) for launch in results[row.run()]['statistics']['launches'])
            found.left.append((row, f'no such launch of {row.kernel}; kernels: {", ".join(names) or "none"}', True))
    return found


def summary(errors):
    """Mean, median and worst of errors, parts of what is published, and their number."""
    sizes = [abs(error) for error in errors]
    return {'mean': 100 * figures.mean(sizes), 'median': 100 * statistics.median(sizes),
            'worst': 100 * max(sizes), 'count': len(sizes)}


def sets_of(compared, error='error'):
    """{name of a set: its errors}, and where there are several, 'all'."""
    sets = {}
    for one in compared:
        sets.setdefault(one.row.set or 'all', []).append(getattr(one, error))
    if len(sets) > 1:
        sets['all'] = [getattr(one, error) for one in compared]
    return sets


def timed(compared):
    return [one for one in compared if one.published]


def powered(compared):
    return [one for one in compared if one.row.watts]


def summary_lines(compared, error='error'):
    rows = [[name, str(values['count'])] + [f'{values[key]:.1f} %' for key in ('mean', 'median', 'worst')]
            for name, values in ((name, summary(errors)) for name, errors in sets_of(compared, error).items())]
    return figures.table(['set', 'kernels', 'mean error', 'median', 'worst'], rows) if rows else []


def named(one):
    return [' '.join(filter(None, [one.row.program, one.row.arguments])), f'`{plain(one.row.kernel)}`', one.row.gpu]


def table_lines(compared):
    rows = [[*named(one), f'{one.cycles:.0f}', f'{one.published:.0f}', percent(one.cycles, one.published, 1),
             percent(one.instructions, one.row.instructions) if one.row.instructions else '', reason(one), one.row.source]
            for one in compared]
    return figures.table(['program', 'kernel', 'GPU', 'cycles', 'published', 'error', 'instructions', 'reason', 'source'], rows) if rows else []


def largest_parts(one, most=4):
    """Where the power goes: the largest parts of the energy."""
    parts = sorted(one.energy.items(), key=lambda part: -part[1])[:most]
    return ', '.join(f'{name} {one.watts * part:.0f} W' for name, part in parts)


def power_lines(compared):
    rows = [[*named(one), f'{one.watts:.0f}', f'{one.row.watts:.0f}', percent(one.watts, one.row.watts, 1), largest_parts(one), one.row.source]
            for one in compared]
    return figures.table(['program', 'kernel', 'GPU', 'watts', 'published', 'error', 'largest parts', 'source'], rows) if rows else []


def left_lines(left, table):
    if not left:
        return []
    return ['Not compared:', ''] + [f'- {table}:{row.line}: {row.program} {row.kernel}: {why}' for row, why, _ in left] + ['']
