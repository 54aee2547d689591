"""progress.py SCRIPTS: what scripts/progress.py says of work whose times are known, at times that are made up."""
import io
import sys

sys.path.insert(0, sys.argv[1])
import progress

# Two jobs at once; what has ended took twice as long as before, and so will the rest.
expected = {'a': 10, 'b': 20, 'c': 30, 'd': 40}
assert progress.left(expected, {}, 0, 2) == 50
assert progress.left(expected, {'a': 20, 'b': 40}, 30, 2) == 80  # that of d alone
assert progress.left({**expected, 'd': 30}, {'a': 20, 'b': 40}, 30, 2) == 60
# What runs has not ended, and took nothing away from the estimate of the others: it is as before, and shrinks.
assert progress.left(expected, {}, 10, 2) == 40
assert progress.left(expected, {'a': 10}, 20, 2) == 30  # c and d have 30 seconds behind them, and b none
assert progress.left(dict.fromkeys(range(100), 10) | {'long': 100}, dict.fromkeys(range(10), 10), 100, 2) == 450
# The last ones are not divided among all jobs.
assert progress.left({'a': 1, 'b': 100}, {'a': 1}, 1, 8) == 93
assert progress.left({'a': 1, 'b': 100, 'c': 20}, {'a': 1}, .5, 2) == 100
# More than expected is no time less than none.
assert progress.left({'a': 10}, {}, 30, 1) == 0
# A test that is new counts with the mean of those that have ended; without any that is known, nothing is.
assert progress.left({**expected, 'e': None}, {'a': 10, 'b': 20}, 15, 2) == (30 + 40 + 15) / 2
assert progress.left({'a': None, 'b': None}, {}, 0, 1) is None
assert progress.left({'a': None, 'b': None, 'c': None}, {'a': 7}, 7, 1) == 14
# What was kept and took no time; what was left out.
assert progress.left({'a': 0, 'b': 10}, {'a': 1}, 1, 1) == 10
assert progress.left({'a': 100, 'b': 10}, {'a': None}, 0, 1) == 10
assert [progress.words(s) for s in (59.4, 60, 3599, 7260)] == ['59 s', '1 min 0 s', '59 min 59 s', '2 h 1 min']


class Terminal(io.StringIO):
    def isatty(self):
        return True


def lines(stream):
    now = [0]
    shown = progress.Progress('runs', {'a': 10, 'b': 200}, 1, stream, lambda: now[0])
    for at in (1, 3, 30, 62, 64):
        now[0] = at
        shown.show()
    now[0] = 70
    shown.end('a', 70)
    shown.clear()
    return stream.getvalue()


assert lines(io.StringIO()) == '0 of 2 runs, 3 min 27 s left\n0 of 2 runs, 2 min 26 s left\n', lines(io.StringIO())
terminal = lines(Terminal())
assert terminal.startswith('\r\033[K0 of 2 runs') and terminal.endswith('\r\033[K1 of 2 runs, 23 min 20 s left\r\033[K'), terminal
assert '\n' not in terminal
print('progress as it should be')
