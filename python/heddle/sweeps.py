"""Runs of one experiment over GPUs, policies and keys."""
import itertools
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from ._library import HeddleError, whole
from .gpu import GPU


def _several(value):
    if isinstance(value, (str, dict, os.PathLike)) or value is None:
        return [value]
    try:
        return list(value)
    except TypeError:
        raise HeddleError(f'{value!r} is neither one to compare nor a list') from None


class Sweep:
    """Rows with what was varied and the figures of each run. `rows` are dictionaries; figures by any name of the
    statistics come with column()."""

    def __init__(self, rows, statistics, varied):
        self.rows, self.statistics, self.varied = rows, statistics, varied

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def column(self, name):
        """Adds a figure, such as 'l2_hits' or 'stalls.fetch', to every row."""
        for row, figures in zip(self.rows, self.statistics):
            row[name] = figures[name]
        return self

    def speedups(self, policy='baseline'):
        """Adds `speedup` over the row that differs in its policy alone."""
        def key(row):
            return [str(row.get(name)) for name in self.varied if name != 'policy']
        base = {str(key(row)): row['cycles'] for row in self.rows if row['policy'] == policy}
        for row in self.rows:
            if str(key(row)) not in base:
                raise HeddleError(f"no run under policy '{policy}' to compare with")
            row['speedup'] = base[str(key(row))] / row['cycles']
        return self

    def pandas(self):
        """The rows as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(self.rows)

    def __str__(self):
        names = [name for name in dict.fromkeys([*self.varied, *(self.rows[0] if self.rows else ())]) if name != 'result']
        cells = [[f'{value:.4g}' if isinstance(value, float) else str(value) for value in
                  (row.get(name, '') for name in names)] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(names, *cells)]
        return '\n'.join('  '.join(word.rjust(width) for word, width in zip(line, widths)).rstrip()
                         for line in [names, *cells])


def sweep(run, gpu='v100', policy='baseline', settings=None, jobs=1, **options):
    """Calls run(gpu) once for every GPU, policy and dictionary of settings; each may be one or a list. What `run` returns is
    `result` of its row. `jobs` runs so many at a time. Further options are those of GPU."""
    runs = list(itertools.product(_several(gpu), _several(policy), _several(settings)))
    jobs = whole(jobs, 'jobs', 1, 2 ** 16)
    running, lock, over = set(), threading.Lock(), threading.Event()

    def one(names):
        with GPU(names[0], names[1], names[2], **options) as device:
            with lock:
                if over.is_set():
                    raise HeddleError('the sweep was ended')
                running.add(device._session)
            try:
                result = run(device)
                figures = device.statistics
            finally:
                with lock:  # whoever interrupts it must find it alive
                    running.remove(device._session)
        row = {'gpu': names[0], 'policy': names[1], **(names[2] or {}), 'cycles': figures.cycles, 'ipc': figures.ipc,
               'energy_joules': figures.energy_joules}
        if result is not None:
            row['result'] = result
        return row, figures

    def at_once():
        with ThreadPoolExecutor(jobs) as pool:
            try:
                futures = [pool.submit(one, names) for names in runs]
                return [future.result() for future in futures]
            except BaseException:  # Ctrl-C, or a run failed: the others are not worth waiting for
                over.set()
                pool.shutdown(wait=False, cancel_futures=True)
                while running:
                    with lock:
                        for session in running:
                            session.interrupt()
                    time.sleep(0.02)
                raise
    done = at_once() if jobs > 1 else [one(names) for names in runs]
    keys = dict.fromkeys(key for names in runs for key in names[2] or {})
    return Sweep([row for row, _ in done], [figures for _, figures in done], ['gpu', 'policy', *keys])
