"""Every figure of include/heddle/metadata.def with a wrong value: the test that something checks each.

The figures come from the table itself. One that no check looks at needs a row in unchecked.txt with the reason."""

import copy
import os
import re

from corpus import ROOT

TABLE = os.path.join(ROOT, 'include', 'heddle', 'metadata.def')
REASONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'unchecked.txt')
ROW = re.compile(r'^HD_META_(FUNCTION|REUSE|AFFINE|LINEAR)\((\w+), "(\w*)", (\w+),', re.M)
OBJECTS = {'FUNCTION': [], 'REUSE': ['reuse'], 'AFFINE': ['affine'], 'LINEAR': ['linear_version']}
WAYS = {'NUMBER': ('more', 'less'), 'FLAG': ('other',)}


def rows():
    """Of each figure its type and the keys that lead to it."""
    with open(TABLE, encoding='utf-8') as file:
        text = file.read()
    found = [(kind, [*OBJECTS[part], *filter(None, [group]), key]) for part, kind, group, key in ROW.findall(text)]
    begun = re.findall(r'^HD_META_(?:%s)\(' % '|'.join(OBJECTS), text, re.M)
    assert len(found) == len(begun), f'{len(begun) - len(found)} rows of {TABLE} have another form'
    return found


def changes():
    """Of each error its name, `path: way`, and a function that makes it in a function's facts."""
    for kind, keys in rows():
        for way in WAYS[kind]:
            yield f"{'.'.join(keys)}: {way}", change(keys, way)


def change(keys, way):
    def apply(facts):
        for key in keys[:-1]:
            facts = facts.get(key)
            if not facts:
                return False
        old = facts[keys[-1]]
        if way == 'less' and old < 1:
            return False
        facts[keys[-1]] = not old if way == 'other' else old + (1 if way == 'more' else -1)
        return True
    return apply


def reasons():
    """Of each figure that may be wrong unnoticed, why."""
    with open(REASONS, encoding='utf-8') as file:
        lines = [line.rstrip('\n') for line in file if line.strip() and not line.startswith('#')]
    return dict(re.fullmatch(r'(\S+: \w+)  +(\S.*)', line).groups() for line in lines)


def mutants(listing, metadata, apply, at_once):
    """A copy of both for each function that has the figure, wrong in this one; at_once: one copy, wrong in all of them, which hides
    an error that a comparison with another function would show."""
    code = {f['name'] for f in listing['functions'] if f['instructions']}
    others = [i for i, facts in enumerate(metadata['kernels'] + metadata['functions'])
              if facts['name'] in code and apply(copy.deepcopy(facts))]
    for wrong in [others] if at_once and others else [[i] for i in others]:
        other = copy.deepcopy(metadata)
        for i in wrong:
            apply((other['kernels'] + other['functions'])[i])
        yield listing, other


def control(inputs, notices):
    """Analyses that find something wrong where nothing was changed: what they notice says nothing. Prints and counts them."""
    wrong = [(path, analysis) for path, listing, metadata, fit in inputs for analysis in fit
             if notices(path, (listing, metadata), analysis)]
    for path, analysis in wrong:
        print(f'{path}: {analysis} finds something wrong before anything is changed', flush=True)
    return len(wrong)


def check(inputs, notices, order):
    """`order`: the analyses. Prints what is noticed nowhere, and returns how many of these have no reason, or a reason that holds no longer."""
    allowed, count, bad = reasons(), 0, control(inputs, notices)
    for name, apply in changes():
        # First the analysis that costs least, of all files, which has each function wrong alone. What has a reason goes through all
        # the others, too: there all functions are wrong at once.
        noticed = any(notices(path, copies, analysis) for analysis in order
                      for path, listing, metadata, fit in inputs if analysis in fit
                      for copies in mutants(listing, metadata, apply, name in allowed and analysis != order[0]))
        why = allowed.pop(name, None)
        count += 1
        if noticed == bool(why):
            bad += 1
            print(f'{name}: ' + ('noticed, and unchecked.txt says it is not' if noticed else 'missed'), flush=True)
    for name in allowed:
        bad += 1
        print(f'{name}: unchecked.txt names it, and there is no such figure')
    print(f'{count} errors in figures, {bad} not as they should be')
    return bad
