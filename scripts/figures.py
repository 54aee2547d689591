"""What scripts of figures share: runs through `heddle sweep`, tables in Markdown, plots in SVG and PNG through gnuplot, and
what descriptions of figures are made of (docs/figures.md).

Every `make` target that measures has its runs made by `heddle sweep`, which compiles programs and keeps results in one
folder, BUILD/results, by what decides them: a run that two targets want is made once.
"""
import ctypes
import dataclasses
import difflib
import json
import math
import os
import re
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

COLOURS = ['#4c72b0', '#dd8452', '#55a868', '#c44e52', '#8172b3', '#937860', '#da8bc3', '#8c8c8c']


class RunFailed(Exception):
    pass


def unknown_workloads(names, known):
    """What to say of names that are none of the workloads: with those there are, the nearest first. '' if all are known."""
    unknown, known = [name for name in names if name not in known], sorted(known)
    if not unknown:
        return ''
    near = difflib.get_close_matches(unknown[0], known)
    return f'no workload {", ".join(unknown)}; there are {", ".join(near + [name for name in known if name not in near])}'


def listed(command):
    """The runs of a `heddle sweep` command as they stand."""
    done = subprocess.run([*command, '--list'], capture_output=True, text=True)
    if done.returncode:
        raise RunFailed(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def ends_with_us():
    """For a child: however this script ends, it gets SIGTERM. A sweep then ends its runs; else they would go on."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def swept(command, workers):
    """The runs of a `heddle sweep` command, each with its result; those that were missing are made. The sweep tells how far it
    is, how long the rest takes, and causes of failures, on stderr."""
    if subprocess.run([*command, '-j', str(workers)], stdout=subprocess.DEVNULL, preexec_fn=ends_with_us).returncode == 2:
        raise RunFailed('the sweep cannot begin')
    runs = listed(command)
    wrong = [run for run in runs if run['state'] != 'done']
    for run in wrong[:5]:
        print(f'{" ".join(run["coordinates"].values())}: {run.get("cause", run["state"])}', file=sys.stderr)
    if wrong:
        raise RunFailed(f'{len(wrong)} of {len(runs)} runs have no result')
    return runs


def store_of(build, out=None):
    """The folder of results: one for all targets, or where a caller has its own folder, one there."""
    return os.path.join(os.path.abspath(out), 'runs') if out else os.path.join(os.path.abspath(build), 'results')


def sources_of(path):
    """Sources of a program: a file, or the modules of a folder."""
    if not os.path.isdir(path):
        return [path]
    return sorted(os.path.join(path, file) for file in os.listdir(path) if file.endswith('.cu'))


@dataclasses.dataclass
class Run:
    """A run of a program. `sources` are paths under the project's root; settings are KEY=VALUE of the GPU."""
    sources: list
    gpu: str
    arguments: list = ()
    compile: str = '-O2'
    policy: str = 'baseline'
    options: str = ''
    settings: list = ()

    def plan(self):
        """Its lines in a plan."""
        words = (['-rdc=true'] if len(self.sources) > 1 else []) + list(self.sources)
        lines = [('source', ' '.join(words)), ('compile', self.compile), ('gpu', self.gpu), ('policy', self.policy)]
        lines += [('arguments', ' '.join(self.arguments))] if self.arguments else []
        lines += [('options', self.options)] if self.options else []
        return ''.join(f'{key} = "{value}"\n' for key, value in lines + [setting.split('=', 1) for setting in self.settings])


def write_plan(path, wanted):
    """A plan of `wanted`, {key: Run}: {name of its workload: key}."""
    names = {}
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'[sweep]\nroot = "{ROOT}"\n')
        for number, (key, run) in enumerate(wanted.items()):
            name = re.sub('[^A-Za-z0-9.-]+', '-', '-'.join(map(str, key))) + f'.{number}'
            names[name] = key
            file.write(f'[workload {name}]\n{run.plan()}')
    return names


def sweep_command(build, store, plan):
    return [os.path.join(os.path.abspath(build), 'bin', 'heddle'), 'sweep', '--out', store, plan]


def sweep_programs(build, store, plan, workers, wanted):
    """The programs of `wanted`, {key: Run}, compiled: {key: path}."""
    names, command = write_plan(plan, wanted), sweep_command(build, store, plan)
    if subprocess.run([*command, '--compile', '-j', str(workers)]).returncode:
        raise RunFailed('programs cannot be compiled')
    return {names[run['coordinates']['workload']]: run['built'] for run in listed(command)}


def sweep_runs(build, store, plan, workers, wanted):
    """The results of `wanted`, {key: Run}: {key: a result of `heddle sweep`}, whose `output` is what the program printed,
    `statistics` are those of the run, and `built` is the program. Writes the plan."""
    names, results = write_plan(plan, wanted), {}
    for run in swept(sweep_command(build, store, plan), workers):
        with open(run['result'], encoding='utf-8') as file:
            results[names[run['coordinates']['workload']]] = {**json.load(file), 'built': run['built']}
    return results


# ---------------------------------------------------------------- numbers

def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def geomean(values):
    values = list(values)
    return math.exp(mean(math.log(value) for value in values)) if values else 0.0


def harmonic(values):
    """Of speedups of kernels beside each other; next to 0 where one never began."""
    values = list(values)
    return len(values) / sum(1 / max(value, 1e-9) for value in values)


def ratio(part, whole):
    return part / whole if whole else 0.0


# ---------------------------------------------------------------- Markdown

def dram_peak(config):
    """Bytes a core cycle: `dram_bus` bytes `dram_ratio` times a clock of each channel."""
    return config['dram_bus'] * config['dram_ratio'] * config['dram_channels'] * config['dram_mhz'] / config['core_mhz']


def dram_use(total, config):
    """% of what the channels could move in the cycles of these statistics."""
    return 100 * ratio((total['dram_reads'] + total['dram_writes']) * config['sector'], total['cycles'] * dram_peak(config))


def table(head, rows):
    """Lines of a table; the first column is text, the others are numbers."""
    lines = ['| ' + ' | '.join(head) + ' |', '|---' + '|---:' * (len(head) - 1) + '|']
    return lines + ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows] + ['']


# ---------------------------------------------------------------- gnuplot

def quoted(text):
    return '"' + text.replace('_', ' ') + '"'


def plot(path, title, ylabel, body, width=1100):
    """Draws `path`, an SVG, and the same as a PNG beside it."""
    drawing = f'set title {quoted(title)}\nset ylabel {quoted(ylabel)}\nset grid y\nset key outside top right\n' + body
    script = ''
    for terminal, place in (('svg', path), ('pngcairo', path.removesuffix('.svg') + '.png')):
        script += (f'reset\nset terminal {terminal} size {width},380 font "sans,11" background "white"\n'
                   f'set output "{place}"\n' + drawing)
    try:
        done = subprocess.run(['gnuplot', '-'], input=script, capture_output=True, text=True)
    except FileNotFoundError:
        raise RunFailed('gnuplot, which draws, is not installed (Debian: gnuplot-nox)') from None
    if done.returncode:
        raise RunFailed(f'gnuplot: {done.stderr}')


def data_block(rows):
    return '$data << EOD\n' + ''.join(' '.join([quoted(row[0]), *(f'{value:.6g}' for value in row[1:])]) + '\n' if row
                                      else '"" \n' for row in rows) + 'EOD\n'


def axis(values, line):
    """The range of an axis for bars that are compared with `line`: it begins at 0 where bars are far from it, else a little below
    the lowest, so that small differences are seen."""
    known = [value for value in values if not math.isnan(value)] + [line or 0]
    low, high = min(known), max(known)
    if not line or low < line / 2 or high > 3 * line:
        return '[0:*]'
    room = max(0.15 * (high - low), 0.02 * line)
    return f'[{math.floor(20 * (low - room) / line) / 20 * line:.6g}:{math.ceil(20 * (high + room) / line) / 20 * line:.6g}]'


def bars(path, title, ylabel, series, rows, line=None):
    """Clustered bars: rows are (name, a number for each of `series`, NAN: none); `line` draws a level."""
    columns = ', '.join(f'$data using {i + 2}:xtic(1) title {quoted(name)} linecolor rgb "{COLOURS[i % 8]}"'
                        for i, name in enumerate(series))
    rows = rows or [('none', *[0] * len(series))]
    level = f'set arrow from graph 0, first {line} to graph 1, first {line} nohead linewidth 1.5 front\n' if line else ''
    span = axis([value for row in rows for value in row[1:]], line)
    plot(path, title, ylabel, data_block(rows) + level + 'set style data histograms\nset style histogram clustered gap 1\n'
         'set style fill solid 0.9\nset datafile missing "nan"\nset yrange ' + span +
         '\nset xtics rotate by -45 scale 0\nplot ' + columns + '\n')


def stacked(path, title, ylabel, series, rows):
    """Stacked bars: rows are (name, a number for each of `series`), or empty for a gap."""
    columns = ', '.join(f'$data using {i + 2}:xtic(1) title {quoted(name)} linecolor rgb "{COLOURS[i % 8]}"'
                        for i, name in enumerate(series))
    rows = [row or ('', *[0] * len(series)) for row in rows] or [('none', *[0] * len(series))]
    plot(path, title, ylabel, data_block(rows) + 'set style data histograms\nset style histogram rowstacked\n'
         'set boxwidth 0.8\nset style fill solid 0.9\nset yrange [0:*]\nset xtics rotate by -60 scale 0 font ",9"\n'
         'plot ' + columns + '\n')


def lines(path, title, xlabel, ylabel, curves):
    """Curves over x: {name: [(x, y), ...]}."""
    curves = curves or {'none': [(0, 0)]}
    blocks = ''.join(f'$d{i} << EOD\n' + ''.join(f'{x:.6g} {y:.6g}\n' for x, y in points) + 'EOD\n'
                     for i, points in enumerate(curves.values()))
    columns = ', '.join(f'$d{i} using 1:2 with lines linewidth 1.5 linecolor rgb "{COLOURS[i % 8]}" title {quoted(name)}'
                        for i, name in enumerate(curves))
    plot(path, title, ylabel, blocks + f'set xlabel {quoted(xlabel)}\nset yrange [0:*]\nplot {columns}\n')


# ---------------------------------------------------------------- descriptions of figures

def number(value, digits=2):
    return f'{value:.{digits}f}'


def picture(out, name):
    return os.path.join(out, name + '.svg'), f'![{name}]({name}.svg)'


class Workload:
    """A workload of a plan with the statistics of its runs, by configuration."""

    def __init__(self, name, arguments, kernels, runs):
        self.name, self.arguments, self.kernels, self.runs = name, arguments, kernels, runs

    def total(self, run):
        return self.runs[run]['total']

    def speedup(self, run, over='base'):
        return self.total(over)['cycles'] / self.total(run)['cycles']

    def efficiency(self, run, over='base'):
        return self.total(over)['energy_joules'] / self.total(run)['energy_joules']

    def slots(self, run, reason):
        """% of the issue slots that were used (`issued`) or lost for a reason of include/heddle/stalls.def."""
        return 100 * ratio(self.total(run)['stalls'][reason], sum(self.total(run)['stalls'].values()))


def slots_moved(workloads, run, over='base', most=3):
    """Where the issue slots went otherwise, in points of the mean: what a difference in time is made of."""
    reasons = workloads[0].total(run)['stalls']
    pairs = [(reason, mean(w.slots(over, reason) for w in workloads), mean(w.slots(run, reason) for w in workloads))
             for reason in reasons]
    pairs.sort(key=lambda pair: -abs(pair[2] - pair[1]))
    return 'issue slots: ' + ', '.join(f'{reason} {before:.1f} to {after:.1f} %' for reason, before, after in pairs[:most])


class Headline:
    """A number beside the paper's. `ours` and `why` are functions of the workloads; `paper` is a number, a text or None."""

    def __init__(self, what, ours, paper=None, unit='', digits=2, why=None):
        self.what, self.ours, self.paper, self.unit, self.digits, self.why = what, ours, paper, unit, digits, why

    def show(self, value):
        return value if isinstance(value, str) else '' if value is None else number(value, self.digits) + self.unit

    def difference(self, ours):
        """Its sign and size: of percentages in points, of others in percent."""
        if not isinstance(self.paper, (int, float)) or isinstance(ours, str):
            return ''
        if '%' in self.unit:
            return f'{ours - self.paper:+.1f} points'
        return f'{100 * (ours / self.paper - 1):+.0f} %' if self.paper else f'{ours:+.{self.digits}f}'

    def row(self, workloads):
        ours = self.ours(workloads)
        return (self.what, self.show(ours), self.show(self.paper), self.difference(ours), self.why(workloads) if self.why else '')


def height(value):
    """The bar of a number, or of a text that is one; NAN: what is said in words has no bar."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


class Bars:
    """A figure of bars with its table: `runs` are {title: (configuration, the one it is compared with)}, `value` is a
    function of (workload, configuration, other), `paper` has the paper's means by title."""

    def __init__(self, name, heading, runs, paper=None, value=Workload.speedup, ylabel='speedup', average=geomean, level=1, notes=None):
        self.name, self.heading, self.runs, self.paper = name, heading, runs, paper or {}
        self.value, self.ylabel, self.average, self.level, self.notes = value, ylabel, average, level, notes

    def __call__(self, workloads, out):
        path, shown = picture(out, self.name)
        values = [(w.name, *(self.value(w, *keys) for keys in self.runs.values())) for w in workloads]
        last = [self.average(row[i + 1] for row in values) for i in range(len(self.runs))]
        title = 'geometric mean' if self.average is geomean else 'mean'
        drawn = values + [(title, *last)]
        theirs = [height(self.paper.get(name)) for name in self.runs]
        if not all(map(math.isnan, theirs)):
            drawn.append(('the paper', *theirs))
        bars(path, self.heading, self.ylabel, list(self.runs), drawn, self.level)
        rows = [(row[0], *(number(value) for value in row[1:])) for row in values]
        rows += [(f'**{title}**', *(number(value) for value in last)), ('paper', *(self.paper.get(title, '') for title in self.runs))]
        return [f'## {self.heading}', '', shown, '', *table(('workload', *self.runs), rows),
                *(self.notes(workloads) if self.notes else [])]
