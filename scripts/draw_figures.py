"""draw_figures.py NAME...: the figures of papers, each from scripts/plans/NAME.ini, which says what runs, and
scripts/figures/NAME.py, which says what is drawn of it (docs/figures.md). `make figures-NAME` is this for one.

Writes report.md with an SVG and a PNG for each figure into BUILD/figures/NAME, or NAME-SIZE. Runs are kept in BUILD/results.
"""
import argparse
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
import time

import added
import figures
import manual
import results
from figures import table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# In an installation, PREFIX/share/heddle: nothing is written there.
INSTALLED = not os.path.exists(os.path.join(ROOT, 'Makefile'))
BUILD = os.path.dirname(os.path.dirname(ROOT)) if INSTALLED else 'build'


def names():
    return sorted(name[:-3] for name in os.listdir(os.path.join(HERE, 'figures')) if name.endswith('.py'))


def load(name):
    spec = importlib.util.spec_from_file_location('figures_' + name, os.path.join(HERE, 'figures', name + '.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plan_of(options, name, out):
    """The plan, and the names of the workloads that are added to it: then it is a file of its own, in the page's folder."""
    path = options.plan or os.path.join(HERE, 'plans', name + '.ini')
    if not options.add:
        return path, []
    with open(path, encoding='utf-8') as file:
        plan = file.read()
    text, names = added.plan_with(plan, options.add, options.size)
    text = re.sub(r'^root *=.*$', f'root = {added.root_of(path, plan)}', text, count=1, flags=re.M)
    with open(os.path.join(out, 'plan.ini'), 'w', encoding='utf-8') as file:
        file.write(text)
    return file.name, names


def programs_of(options, plan):
    """The folder of built programs that a plan names; None: it names none."""
    with open(plan, encoding='utf-8') as file:
        if '{programs}' not in file.read():
            return None
    return os.path.abspath(options.programs or os.path.join(options.build, 'examples', 'calls'))


def sweep(options, plan):
    """The command of the plan's sweep."""
    build = os.path.abspath(options.build)
    command = [os.path.join(build, 'bin', 'heddle'), 'sweep', '--out', figures.store_of(build, options.out)]
    programs = programs_of(options, plan)
    command += ['--define', 'programs=' + programs] if programs else []
    command += [word for name, value in options.defines.items() for word in ('--define', f'{name}={value}')]
    command += ['--size', options.size] if options.size else []
    command += ['--only', 'workload=' + options.workloads] if options.workloads else []
    command += [word for name, values in options.only.items() for word in ('--only', f'{name}={values}')]
    return [*command, plan]


def varied(runs):
    """Names of the coordinates in which runs of one configuration differ."""
    first = runs[0]['coordinates']
    return [name for name in first if any(run['coordinates'].get(name) != first[name] for run in runs)]


def statistics(run):
    with open(run['result'], encoding='utf-8') as file:
        return json.load(file)['statistics']


class RunsOfProgram(dict):
    """Runs of a program on disk, which nobody compiles: one of other options is the run without them."""

    def __missing__(self, name):
        left = name.split(':')
        for known in sorted(self, key=len, reverse=True):
            parts = known.split(':')
            if parts[0] == left[0] and all(part in left for part in parts):
                return self[known]
        raise KeyError(name)


def runs_of(runs, take=statistics):
    """{configuration: what `take` takes of its run}; of several runs of one configuration {configuration:value of what they
    differ in}."""
    groups = {}
    for run in runs:
        groups.setdefault(run['coordinates'].get('configuration', ''), []).append(run)
    found = RunsOfProgram() if 'program' in runs[0]['coordinates'] else {}
    for name, group in groups.items():
        differ = varied(group)
        for run in group:
            found[':'.join([name, *(run['coordinates'][key] for key in differ)])] = take(run)
    return found


def metadata(options, run):
    """Of the kernels of the program, as the compiler wrote it beside it, or as the program has it."""
    path = run['built'] + '.heddle.json'
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            return json.load(file)['kernels']
    heddle = os.path.join(os.path.abspath(options.build), 'bin', 'heddle')
    done = subprocess.run([heddle, 'info', '--json', run['built']], capture_output=True, text=True)
    if done.returncode:
        raise figures.RunFailed(f'{run["built"]}: {done.stderr.strip()}')
    return [kernel for part in json.loads(done.stdout)['objects'] for kernel in part['kernels']]


def read_workloads(options, description, runs):
    groups, kind = {}, getattr(description, 'Workload', figures.Workload)
    for run in runs:
        groups.setdefault(run['coordinates']['workload'], []).append(run)
    workloads = [kind(name, group[0]['coordinates']['arguments'], metadata(options, group[0]), runs_of(group))
                 for name, group in groups.items()]
    if getattr(description, 'COMPILED', False):  # other programs for other configurations
        for workload in workloads:
            workload.compiled = runs_of(groups[workload.name], lambda run: metadata(options, run))
    if hasattr(description, 'prepare'):
        description.prepare(workloads)
    return workloads


def headlines(description, workloads):
    return ['## Headlines', '', f'{len(workloads)} workloads.', '',
            *table(('', 'here', 'paper', 'difference', 'why, by counters'), [line.row(workloads) for line in description.HEADLINES])]


def sizes(workloads):
    rows = []
    for w in workloads:
        total = next(iter(w.runs.values()))['total']
        rows.append((w.name, w.arguments, total['warp_instructions'], total['cycles']))
    return ['## Sizes', '', *table(('workload', 'arguments', 'warp instructions', 'cycles of the first configuration'), rows)]


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def megabytes(folder, runs):
    """Of the page, and of the programs and results of its runs."""
    files = {os.path.join(at, name) for at, _, names in os.walk(folder) for name in names}
    return sum(map(os.path.getsize, files | {run[key] for run in runs for key in ('result', 'built')})) / 1e6


def times(wall, used):
    """Minutes. Those of the clock only where the runs had a core at least: on a machine that others use they say nothing."""
    return {'cpu-minutes': used / 60, **({'minutes': wall / 60} if wall <= used else {})}


def record(description, name, options, out, runs, of_paper, workloads, took):
    """What pages show of these runs (scripts/results.py). The time only if every run was made now."""
    values = description.results(of_paper, workloads) if hasattr(description, 'results') else {}
    values.update({'workloads': len(of_paper), 'runs': len(runs), 'megabytes': megabytes(out, runs)})
    if took:
        values.update(times(*took))
    results.record(ROOT, name, options.size, {key: value for key, value in values.items() if isinstance(value, (int, float))})


def draw(name, options):
    description = load(name)
    options.defines = description.defines(options) if hasattr(description, 'defines') else {}
    options.only = description.only(options) if hasattr(description, 'only') else {}
    folder = os.path.join('figures', name + ('-' + options.size if options.size else ''))
    if INSTALLED and not options.out:
        options = argparse.Namespace(**{**vars(options), 'out': folder})
    out = os.path.abspath(options.out or os.path.join(options.build, folder))
    os.makedirs(out, exist_ok=True)
    plan, names = plan_of(options, name, out)
    options.workloads = options.workloads or ','.join(names)
    began, used = time.monotonic(), cpu_seconds()
    command = sweep(options, plan)
    fresh = all(run['state'] != 'done' for run in figures.listed(command))
    try:
        runs = figures.swept(command, options.jobs)
    except figures.RunFailed as error:
        programs = programs_of(options, plan)
        if programs and not os.path.isdir(programs):
            raise figures.RunFailed(f'{error}. The folder {programs} is not there: some of these figures run programs that `make calls` '
                                    'builds in the source tree (--programs FOLDER)') from None
        raise
    if not runs:
        raise figures.RunFailed(f'no workload has arguments of the size {options.size}')
    workloads = read_workloads(options, description, runs)
    of_paper = [w for w in workloads if w.name in names or getattr(description, 'is_shown', lambda w: True)(w)]
    text = [f'# {description.TITLE}', '', description.__doc__.strip(), '', *headlines(description, of_paper)]
    for figure in description.FIGURES:
        text += figure(of_paper, out)
    for figure in getattr(description, 'OF_ALL', ()):
        text += figure(workloads, out)
    path = os.path.join(out, 'report.md')
    with open(path + '.part', 'w', encoding='utf-8') as file:
        file.write('\n'.join(text + sizes(workloads)))
    os.replace(path + '.part', path)
    print('\n'.join(headlines(description, of_paper)[2:]))
    print(path)
    if options.record and not options.plan and not options.workloads:
        took = (time.monotonic() - began, cpu_seconds() - used) if fresh else None
        record(description, name, options, out, runs, of_paper, workloads, took)
    if hasattr(description, 'check') and not options.plan and not options.size:
        if wrong := description.check(of_paper):
            raise figures.RunFailed('\n'.join(wrong))


class Manual(argparse.Action):
    """The manual page of heddle-figures, with date and version of those of heddle."""

    def __call__(self, parser, namespace, values, option_string=None):
        heddle = subprocess.run([os.path.join(BUILD, 'bin', 'heddle'), '--man'], stdout=subprocess.PIPE, text=True, check=True)
        foot = [line for line in heddle.stdout.split('\n') if line[:4] in ('.Dd ', '.Os ')]
        print(manual.page(parser, 'heddle-figures', 'repeat the simulations of papers and draw their figures', foot, ['heddle', 'heddle-sweep']))
        parser.exit()


# The program's name, and the page for more, differ where it is installed.
ABOUT = __doc__
if INSTALLED:
    ABOUT = ABOUT.replace('draw_figures.py NAME', 'heddle-figures NAME', 1).replace(' `make figures-NAME` is this for one.', '').replace(
        'BUILD/figures/NAME, or NAME-SIZE. Runs are kept in BUILD/results.', 'figures/NAME, or NAME-SIZE. Runs are kept in the folder runs there.')


def main():
    parser = argparse.ArgumentParser(prog='heddle-figures' if INSTALLED else None, description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', metavar='NAME', help='which (default all): ' + ', '.join(names()))
    parser.add_argument('--build', default=BUILD, help='build tree, or prefix of an installation (default ' + ('that of this program)' if INSTALLED else 'build)'))
    parser.add_argument('--programs', help='folder of built programs (default BUILD/examples/calls)')
    parser.add_argument('--plan', help='instead of scripts/plans/NAME.ini')
    parser.add_argument('--out', help='folder of the page and its runs (default ' + ('figures/NAME)' if INSTALLED else 'BUILD/figures/NAME, runs in BUILD/results)'))
    parser.add_argument('--size', help="of the plan's workloads, e.g. small (default: the full ones)")
    parser.add_argument('--workloads', help='only these, separated by commas')
    parser.add_argument('--add', metavar='PLAN', help='draw the workloads of this plan; with --workloads also others')
    parser.add_argument('--record', action='store_true', help=argparse.SUPPRESS if INSTALLED else 'write the figures that pages show to docs/results (not with --plan or --workloads)')
    parser.add_argument('--man', nargs=0, action=Manual, help=argparse.SUPPRESS)
    parser.add_argument('-j', '--jobs', type=int, default=os.cpu_count(), help='runs at a time (default all cores)')
    options = parser.parse_args()
    if INSTALLED and options.record:
        parser.error('--record is for the source tree')
    for name in options.names or names():
        if name not in names():
            parser.error(f'no figures are named {name}')
        try:
            draw(name, options)
        except (figures.RunFailed, added.BadPlan, OSError) as error:
            sys.exit(f'figures-{name}: error: {error}')


if __name__ == '__main__':
    main()
