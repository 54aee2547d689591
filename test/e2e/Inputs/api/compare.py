#!/usr/bin/python3
"""Holds what run.cu or launches.cu printed against what a card printed.

    compare.py RESULTS MEASURED EXCEPTIONS    whether every line is as it should be; status 1 when one is not
    compare.py --write RESULTS                prints the table MEASURED of a card's results

A line of results is `call: what it said`. What is expected of a call is what EXCEPTIONS says (`pattern | what is right
here | why`), where MEASURED has no or another answer, else what MEASURED has, else, for functions that no card was asked
about or that had no answer, that a wrong argument is refused. Each value in a row of EXCEPTIONS has to be of use.
MEASURED has the calls of a function in one line, by what they said.
"""

import collections
import fnmatch
import re
import sys

SUCCESS = ('cudaSuccess', 'CUDA_SUCCESS')
# Handles and pointers that are none, and descriptions full of ones: CUDA defines nothing for them, and a card finds what
# happens to lie there. Its word is right, and so is every refusal.
UNDEFINED = re.compile(r'=(never|destroyed|small|wild|freed|ones|of_\w+|device|not_device)$')
# What a card said is no answer.
NO_ANSWER = re.compile(r'(signal|hangs|ends|no world)\b')
REFUSED = re.compile(r'(cudaError|CUDA_ERROR_)\w+')
# Calls that no card was asked about which may succeed: the right one, and arguments that the API reference lets be so.
MAY_SUCCEED = re.compile(r' valid$|=0$|=0x40000000$|tream=null$')


def read_results(path):
    results = collections.OrderedDict()
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            if line.startswith('#') or ': ' not in line:
                continue
            call, said = line.rstrip('\n').split(': ', 1)
            results[call] = said
    return results


def read_measured(path):
    measured = {}
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            if line.startswith('#') or not line.strip():
                continue
            function, rest = line.rstrip('\n').split(': ', 1)
            for said, labels in re.findall(r'([^()]+?) \(([^()]*)\)(?:; )?', rest):
                for label in labels.split(', '):
                    measured[f'{function} {label}'] = said
            if '(' not in rest:
                measured[function] = rest
    return measured


def read_exceptions(path):
    rows = []
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith('#'):
                pattern, right, reason = [part.strip() for part in line.split('|')]
                assert reason, f'{path}:{number}: no reason'
                rows.append([pattern, right, number, set()])
    return rows


def write(results):
    functions = {}
    for call, said in results.items():
        function, _, label = call.partition(' ')
        functions.setdefault(function, {}).setdefault(said, []).append(label)
    for function in functions:
        said = '; '.join(f'{said} ({", ".join(labels)})' if labels != [''] else said
                         for said, labels in sorted(functions[function].items()))
        print(f'{function}: {said}')


def has_answer(call, right):
    return right is not None and not NO_ANSWER.match(right) and not UNDEFINED.search(call)


def expected(call, said, measured, rows):
    """What is right. A row is asked only about calls to which no card's answer is known, or whose answer is another."""
    right = measured.get(call)
    if has_answer(call, right) and said == right:
        return right
    for row in rows:
        if fnmatch.fnmatchcase(call, row[0]):
            row[3].add(said)
            return row[1]
    return right


def is_right(call, said, right):
    if right and said in right.split(' or '):
        return True
    if not has_answer(call, right):
        return bool(REFUSED.fullmatch(said)) or said in SUCCESS and bool(MAY_SUCCEED.search(call))
    return False


def main():
    if sys.argv[1] == '--write':
        write(read_results(sys.argv[2]))
        return 0
    results = read_results(sys.argv[1])
    measured = read_measured(sys.argv[2])
    rows = read_exceptions(sys.argv[3])
    wrong = []
    for call, said in results.items():
        right = expected(call, said, measured, rows)
        if not is_right(call, said, right):
            wrong.append(f'{call}: {said}, not {right or "refused"}')
    wrong += [f'{sys.argv[3]}:{row[2]}: no {row[0]} says {right}, or a card says it, too'
              for row in rows for right in row[1].split(' or ') if right not in row[3]]
    wrong += [f'{call}: not tried' for call in measured if call not in results]
    print('\n'.join(wrong + [f'{len(results)} calls: {"FAILED" if wrong or not results else "PASSED"}']))
    return 1 if wrong or not results else 0


sys.exit(main())
