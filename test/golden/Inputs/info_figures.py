"""Compares the lines of `heddle info --figures` with the metadata: info_figures.py METADATA.json TEXT"""
import json
import re
import sys


def numbers(value, path=()):
    """Paths and values of the numbers and flags of an object, at most one object deep."""
    for key, part in value.items():
        if isinstance(part, bool) or isinstance(part, int):
            yield '.'.join(path + (key,)), ('yes' if part else 'no') if isinstance(part, bool) else str(part)
        elif isinstance(part, dict) and not path and key not in ('source', 'idempotence'):
            yield from numbers(part, path + (key,))


with open(sys.argv[1], encoding='utf-8') as file:
    document = json.load(file)
expected = {row['demangled']: dict(numbers(row)) for row in document['kernels'] + document['functions']}
found = {}
with open(sys.argv[2], encoding='utf-8') as file:
    for line in file:
        words = line.split()
        if line.startswith(('kernel', 'function')):
            figures = found[next(name for name in expected if line.rstrip().endswith(name))] = {}
        elif len(words) > 2 and re.fullmatch('[a-z_.0-9]+', words[0]) and re.fullmatch('[0-9]+|yes|no', words[1]):
            figures[words[0]] = words[1]
assert found == expected, (found, expected)
print(sum(map(len, found.values())), 'figures of', len(found), 'functions are those of the metadata')
