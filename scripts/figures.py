"""What scripts of figures share: simulated runs kept by content, tables in Markdown, plots in SVG through gnuplot.

A run is kept in a file named after a hash of all that decides its outcome (the program, the runtime library, the GPU's
configuration and the options), so a second call of a script simulates only what has changed.
"""
import concurrent.futures
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile

COLOURS = ['#4c72b0', '#dd8452', '#55a868', '#c44e52', '#8172b3', '#937860', '#da8bc3', '#8c8c8c']


class RunFailed(Exception):
    pass


class Runner:
    """Runs programs under `heddle run` and keeps their statistics below `folder`."""

    def __init__(self, build, folder, workers):
        self.build, self.folder, self.workers = build, folder, workers
        self.digests = {}
        os.makedirs(folder, exist_ok=True)

    def digest(self, path):
        if path not in self.digests:
            with open(path, 'rb') as file:
                self.digests[path] = hashlib.sha256(file.read()).hexdigest()
        return self.digests[path]

    def place(self, program, arguments, gpu, options):
        parts = [self.digest(program), self.digest(os.path.join(self.build, 'lib', 'libheddle-cudart.so')),
                 self.digest(os.path.join(self.build, 'share', 'heddle', 'gpus', gpu + '.ini')), arguments, options]
        return os.path.join(self.folder, hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24] + '.json')

    def simulate(self, program, arguments, gpu, options, path):
        """Leaves the statistics at `path`, and what the program printed beside them."""
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix='.part', delete=False) as part:
            command = [os.path.join(self.build, 'bin', 'heddle'), 'run', '--quiet', '--gpu', gpu, *options, '--stats',
                       part.name, '--', program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            os.unlink(part.name)
            raise RunFailed(f'{" ".join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}')
        with open(path + '.out', 'w', encoding='utf-8') as file:
            file.write(done.stdout)
        os.replace(part.name, path)

    def run(self, program, arguments, gpu, options, output=False):
        """The statistics of a run; with `output`, what the program printed."""
        path = self.place(program, arguments, gpu, options)
        if not os.path.exists(path):
            self.simulate(program, arguments, gpu, options, path)
        with open(path + '.out' if output else path, encoding='utf-8') as file:
            return file.read() if output else json.load(file)

    def run_all(self, wanted, output=False):
        """The results of `wanted`, {key: arguments of run}, simulated in that order."""
        results = {}
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            tasks = {pool.submit(self.run, *arguments, output=output): key for key, arguments in wanted.items()}
            try:
                for task in concurrent.futures.as_completed(tasks):
                    results[tasks[task]] = task.result()
                    progress(f'{len(results)} of {len(wanted)} runs')
            except RunFailed:
                pool.shutdown(cancel_futures=True)
                raise
        progress('')
        return results


def progress(text):
    if sys.stderr.isatty():
        print(f'\r\033[K{text}', end='', file=sys.stderr, flush=True)


# ---------------------------------------------------------------- numbers

def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def geomean(values):
    values = list(values)
    return math.exp(mean(math.log(value) for value in values)) if values else 0.0


def ratio(part, whole):
    return part / whole if whole else 0.0


# ---------------------------------------------------------------- Markdown

def table(head, rows):
    """Lines of a table; the first column is text, the others are numbers."""
    lines = ['| ' + ' | '.join(head) + ' |', '|---' + '|---:' * (len(head) - 1) + '|']
    return lines + ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows] + ['']


# ---------------------------------------------------------------- gnuplot

def quoted(text):
    return '"' + text.replace('_', ' ') + '"'


def plot(path, title, ylabel, body, width=1100):
    script = (f'set terminal svg size {width},380 font "sans,11" background "white"\nset output "{path}"\n'
              f'set title {quoted(title)}\nset ylabel {quoted(ylabel)}\nset grid y\nset key outside top right\n' + body)
    done = subprocess.run(['gnuplot', '-'], input=script, capture_output=True, text=True)
    if done.returncode:
        raise RunFailed(f'gnuplot: {done.stderr}')


def data_block(rows):
    return '$data << EOD\n' + ''.join(' '.join([quoted(row[0]), *(f'{value:.6g}' for value in row[1:])]) + '\n' if row
                                      else '"" \n' for row in rows) + 'EOD\n'


def bars(path, title, ylabel, series, rows, line=None):
    """Clustered bars: rows are (name, a number for each of `series`); `line` draws a level."""
    columns = ', '.join(f'$data using {i + 2}:xtic(1) title {quoted(name)} linecolor rgb "{COLOURS[i % 8]}"'
                        for i, name in enumerate(series))
    level = f'set arrow from graph 0, first {line} to graph 1, first {line} nohead dashtype 2\n' if line else ''
    plot(path, title, ylabel, data_block(rows) + level + 'set style data histograms\nset style histogram clustered gap 1\n'
         'set style fill solid 0.9\nset yrange [0:*]\nset xtics rotate by -45 scale 0\nplot ' + columns + '\n')


def stacked(path, title, ylabel, series, rows):
    """Stacked bars: rows are (name, a number for each of `series`), or empty for a gap."""
    columns = ', '.join(f'$data using {i + 2}:xtic(1) title {quoted(name)} linecolor rgb "{COLOURS[i % 8]}"'
                        for i, name in enumerate(series))
    rows = [row or ('', *[0] * len(series)) for row in rows]
    plot(path, title, ylabel, data_block(rows) + 'set style data histograms\nset style histogram rowstacked\n'
         'set boxwidth 0.8\nset style fill solid 0.9\nset yrange [0:*]\nset xtics rotate by -60 scale 0 font ",9"\n'
         'plot ' + columns + '\n')


def lines(path, title, xlabel, ylabel, curves):
    """Curves over x: {name: [(x, y), ...]}."""
    blocks = ''.join(f'$d{i} << EOD\n' + ''.join(f'{x:.6g} {y:.6g}\n' for x, y in points) + 'EOD\n'
                     for i, points in enumerate(curves.values()))
    columns = ', '.join(f'$d{i} using 1:2 with lines linewidth 1.5 linecolor rgb "{COLOURS[i % 8]}" title {quoted(name)}'
                        for i, name in enumerate(curves))
    plot(path, title, ylabel, blocks + f'set xlabel {quoted(xlabel)}\nset yrange [0:*]\nplot {columns}\n')
