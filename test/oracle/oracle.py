#!/usr/bin/python3
"""Checks what the compiler says of kernels against the papers: everything is computed anew from the machine code.

    test/oracle/oracle.py [OPTION...] FILE...

FILE is a kernel object (.hdo) or a program built with heddle-cc. Ends with `N checks, N wrong`; exit status 1 when
something is wrong. Environment: B (build tree).
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.pycache_prefix = os.path.join(ROOT, os.environ.get('B', 'build'), 'test', 'pycache')
import fields
import mutations
import versions
from corpus import B, compile_seed
from dynamic import Dynamic, Idempotence, Linear
from figures import Figures
from intervals import Intervals, check_lengths
from liveness import Liveness
from machine import Program
from preempt import Preempt
from reuse import Reuse
from stack import Stack
from switching import Switching


ANALYSES = 'figures', 'stackdepth', 'liveness', 'intervals', 'preempt', 'switch', 'reuse', 'idempotence', 'linear', 'dynamic'

LEAST = 'figures', 'stackdepth' # those that need no liveness


class Report:
    """Counts checks, and keeps what is wrong, with its place."""

    def __init__(self):
        self.checks, self.wrong, self.place = collections.Counter(), [], None

    def at(self, place, analysis):
        self.place, self.analysis = place, analysis

    def check(self, text, holds):
        self.checks[self.analysis] += 1
        if not holds:
            self.wrong.append(f'{self.place}: {self.analysis}: {text}')


def heddle(*arguments):
    command = [os.path.join(B, 'bin', 'heddle'), *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def check_object(report, place, listing, metadata, only=None):
    """`only`: the analysis, where one is wanted."""
    program = Program(listing, metadata)
    liveness = None if only in LEAST else Liveness(program)
    analyses = {'figures': lambda: Figures(program), 'stackdepth': lambda: Stack(program), 'liveness': lambda: liveness,
                'intervals': lambda: Intervals(program, liveness), 'preempt': lambda: Preempt(program, liveness),
                'switch': lambda: Switching(program, liveness),
                'reuse': lambda: Reuse(program, liveness), 'idempotence': lambda: Idempotence(program, liveness),
                'linear': lambda: Linear(program, liveness), 'dynamic': lambda: Dynamic(program, liveness)}
    for name, make in analyses.items():
        analysis = make() if only in (None, name) else None
        for function in program.functions.values() if analysis else ():
            report.at(f'{place}: {function.name}', name)
            analysis.check(report, function)
    check_versions(report, place, listing, metadata, only)


def check_versions(report, place, listing, metadata, only):
    for program, function in () if only == 'figures' else versions.programs(listing, metadata):
        liveness = Liveness(program)
        analyses = {'stackdepth': lambda: Stack(program), 'liveness': lambda: liveness,
                    'intervals': lambda: Intervals(program, liveness), 'preempt': lambda: Preempt(program, liveness),
                    'reuse': lambda: Reuse(program, liveness), 'dynamic': lambda: Linear(program, liveness)}
        for name, make in analyses.items():
            if only in (None, name):
                report.at(f'{place}: linear version of {function.name}', name)
                make().check_version(report, function)


def objects(paths):
    for path in paths:
        listings, facts = heddle('dis', '--json', path)['objects'], heddle('info', '--json', path)['objects']
        for listing, metadata in zip(listings, facts):
            yield path, listing, metadata


def mutate(listing, metadata, change):
    """Changed copies of both, one for each function that has what is changed."""
    for n in [f['name'] for f in metadata['kernels'] + metadata['functions']]:
        copies = json.loads(json.dumps([listing, metadata]))
        function = Program(*copies).functions.get(n)
        if function and change(function.facts, function):
            yield copies


def noticed_in(inputs, name, change):
    """The first of the files in which a check of the analysis notices the error, or None."""
    for path, listing, metadata in inputs:
        for copies in mutate(listing, metadata, change):
            report = Report()
            check_object(report, path, *copies, name)
            if report.wrong:
                return path
    return None


def check_mutations(inputs):
    """Whether each small error is noticed in one of the files at least. Returns how many are not."""
    missed = 0
    for name, what, change in mutations.ROWS:
        place = noticed_in(inputs, name, change)
        print(f'{name}: {what}: {f"noticed in {place}" if place else "missed"}')
        missed += not place
    print(f'{len(mutations.ROWS)} errors, {missed} missed')
    return missed


def notices(path, copies, name):
    """Whether the analysis finds something wrong."""
    report = Report()
    check_object(report, path, *copies, name)
    return bool(report.wrong)


def check_fields(inputs, also):
    """Whether each figure of metadata.def with another value is noticed in one of the files at least; of those in `also`
    by their figures alone, since other analyses do not know all instructions of new machines."""
    return fields.check([(*one, ANALYSES) for one in inputs] + [(*one, ANALYSES[:1]) for one in also], notices, ANALYSES)


def check_trace(report, path, trace):
    """The lengths of intervals in what `heddle run --trace=issue` wrote of the program."""
    report.at(path, 'lengths')
    said = heddle('info', '--json', '--intervals', trace, path)['kernels']
    with open(trace, encoding='utf-8', errors='replace') as lines:
        (_, listing, metadata), = objects([path])
        check_lengths(report, Program(listing, metadata), lines, said)


def check_seeds(report, span):
    first, last = map(int, span.split('-'))
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last + 1):
            for _, listing, metadata in objects([compile_seed(seed, folder)]):
                check_object(report, f'seed {seed}', listing, metadata)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--mutate', action='store_true', help='put small errors into the metadata: are they noticed?')
    parser.add_argument('--fields', action='store_true', help='give each figure of metadata.def another value: is it noticed?')
    parser.add_argument('--also', nargs='*', default=[], metavar='FILE', help='with --fields: objects of which figures alone are checked')
    parser.add_argument('--only', metavar='ANALYSIS', choices=ANALYSES, help='check this alone')
    parser.add_argument('--trace', help="the file's run, written by heddle run --trace=issue: lengths of intervals")
    parser.add_argument('--seeds', metavar='FIRST-LAST', help='random kernels of test/fuzz')
    parser.add_argument('files', nargs='*', metavar='FILE')
    options = parser.parse_args()
    if options.mutate:
        return 1 if check_mutations(list(objects(options.files))) else 0
    if options.fields:
        return 1 if check_fields(objects(options.files), objects(options.also)) else 0
    report = Report()
    if options.seeds:
        check_seeds(report, options.seeds)
    for path, listing, metadata in objects(options.files):
        check_object(report, path, listing, metadata, options.only)
    if options.trace:
        check_trace(report, options.files[0], options.trace)
    for line in report.wrong[:50]:
        print(line)
    print(', '.join(f'{analysis} {number}' for analysis, number in report.checks.items()))
    print(f'{sum(report.checks.values())} checks, {len(report.wrong)} wrong')
    return 1 if report.wrong or not report.checks else 0


if __name__ == '__main__':
    sys.exit(main())
