"""How far long work is, on standard error: `12 of 40 tests, 3 min 5 s left`.

Estimates come from the seconds of earlier runs, scaled by what those that have ended took this time themselves. What no
earlier run had counts with the mean of these. On a terminal the line is written over, elsewhere there is one each minute.
"""
import sys
import time

FIRST = 2  # seconds without a line
PAUSES = 0.5, 60  # seconds between lines: on a terminal, elsewhere


def words(seconds):
    """As `heddle sweep` prints durations."""
    seconds = round(seconds)
    if seconds < 60:
        return f'{seconds} s'
    if seconds < 3600:
        return f'{seconds // 60} min {seconds % 60} s'
    return f'{seconds // 3600} h {seconds // 60 % 60} min'


def left(expected, ended, elapsed, jobs):
    """Seconds until all of `expected`, {name: seconds or None}, have ended; None: nothing is known.

    ended: {name: its own seconds, or None if it did not run}. The other seconds of the jobs are of work that runs.
    """
    known = {name: seconds for name, seconds in expected.items() if seconds is not None}
    own = {name: seconds for name, seconds in ended.items() if seconds is not None}
    planned = sum(known.get(name, 0) for name in own)
    taken = sum(seconds for name, seconds in own.items() if known.get(name))
    scale = taken / planned if planned and taken else 1
    mean = sum(own.values()) / len(own) if own else sum(known.values()) / len(known) if known else None
    if mean is None:
        return None
    rest = [scale * known[name] if name in known else mean for name in expected if name not in ended]
    running = max(0, elapsed * jobs - sum(own.values()))
    # No work is divided among jobs. The longest has run for as long as all that run together, at the most.
    shared = (sum(rest) - running) / max(1, min(jobs, len(rest)))
    return max(0, shared, max(rest, default=0) - running)


class Progress:
    def __init__(self, unit, expected, jobs, stream=sys.stderr, clock=time.monotonic):
        self.unit, self.expected, self.jobs, self.stream, self.clock = unit, dict(expected), jobs, stream, clock
        self.ended, self.begun, self.shown, self.over = {}, clock(), None, stream.isatty()

    def text(self):
        seconds = left(self.expected, self.ended, self.clock() - self.begun, self.jobs)
        return (f'{len(self.ended)} of {len(self.expected)} {self.unit}'
                + (f', {words(seconds)} left' if seconds is not None else ''))

    def show(self):
        """Writes the line if it is time for one."""
        now = self.clock()
        if len(self.ended) == len(self.expected) or now - self.begun < FIRST or self.shown is not None and now - self.shown < PAUSES[not self.over]:
            return
        self.shown = now
        self.stream.write(f'\r\033[K{self.text()}' if self.over else self.text() + '\n')
        self.stream.flush()

    def end(self, name, seconds):
        """seconds: its own; None: it did not run."""
        self.ended[name] = seconds
        self.expected.setdefault(name)
        self.show()

    def clear(self):
        """Before other output."""
        if self.over and self.shown is not None:
            self.stream.write('\r\033[K')
            self.stream.flush()
