"""progress.py SCRIPTS: what scripts/progress.py says of work whose times are known, at times that are made up."""
import io
import sys

sys.path.insert(0, sys.argv[1])
import progress

# Two jobs at once; what has ended took twice as long as before, and so will the rest.
expected = {'a': 10, 'b': 20, 'c': 30, 'd': 40}
assert progress.left(expected, (), 0, 2) == 50
assert progress.left(expected, {'a', 'b'}, 30, 2) == 70
# A test that is new counts with the mean of those that have ended; without any that is known, nothing is.
assert progress.left({**expected, 'e': None}, {'a', 'b'}, 15, 2) == 35 + 15 / 2
assert progress.left({'a': None, 'b': None}, (), 0, 1) is None
assert progress.left({'a': None, 'b': None, 'c': None}, {'a'}, 7, 1) == 14
# What was kept and took no time.
assert progress.left({'a': 0, 'b': 10}, {'a'}, 1, 1) == 10
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
    shown.end('a')
    shown.clear()
    return stream.getvalue()


assert lines(io.StringIO()) == '0 of 2 runs, 3 min 30 s left\n0 of 2 runs, 3 min 30 s left\n', lines(io.StringIO())
terminal = lines(Terminal())
assert terminal.startswith('\r\033[K0 of 2 runs') and terminal.endswith('\r\033[K1 of 2 runs, 23 min 20 s left\r\033[K'), terminal
assert '\n' not in terminal
print('progress as it should be')
