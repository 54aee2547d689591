"""CPU seconds of tests, kept from run to run: build/test/times.tsv.

A row is `seconds, seconds before, test`, the dearest first. A run brings the rows of the tests that passed in it up to
date and leaves the others, so that `make check TESTS=... TIMES=1` compares a few. Nothing is asserted of a time: they
are there to be read.
"""

import os
import resource

NOISE = 0.2, 0.25  # a change is told from these seconds and this share of the time before on


def children_seconds():
    """CPU seconds of all children, and theirs, that this process has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(path):
    """{test: (seconds, seconds before or None)}; rows that cannot be read do not count."""
    rows = {}
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            for line in file:
                try:
                    seconds, before, test = line.rstrip('\n').split('\t')
                    rows[test] = float(seconds), float(before) if before else None
                except ValueError:
                    continue
    return rows


def weights(path):
    """{test: seconds} of a table with a row `seconds test` each and comments."""
    with open(path, encoding='utf-8') as file:
        rows = [line.split() for line in file if not line.startswith('#')]
    return {test: float(seconds) for seconds, test in rows}


def dearest_first(rows):
    return sorted(rows.items(), key=lambda row: (-row[1][0], row[0]))


def record(path, seconds):
    """Takes {test: seconds} of a run into the file; returns the rows of this run's tests."""
    rows = read(path)
    now = {test: (used, rows[test][0] if test in rows else None) for test, used in seconds.items()}
    rows.update(now)
    with open(path + '.new', 'w', encoding='utf-8') as file:
        for test, (used, before) in dearest_first(rows):
            file.write(f'{used:.2f}\t{"" if before is None else f"{before:.2f}"}\t{test}\n')
    os.replace(path + '.new', path)
    return now


def show(rows, path):
    """Prints the rows of a run with what changed, and their sum."""
    print('CPU seconds of each test; where they changed, those of its run before:')
    for test, (used, before) in dearest_first(rows):
        changed = before is not None and abs(used - before) > max(NOISE[0], NOISE[1] * before)
        print(f'{used:8.2f}  {test}' + (f'  (before: {before:.2f})' if changed else ''))
    known = [row for row in rows.values() if row[1] is not None]
    print(f'{sum(used for used, _ in rows.values()):8.2f}  all {len(rows)}' +
          (f'; {len(known)} of them have been run before: {sum(row[1] for row in known):.2f}, '
           f'now {sum(row[0] for row in known):.2f}' if known else '') + f' ({path})')
