"""compare.py OLD.json NEW.json DIFF.json: whether what `heddle diff --json` says is what the two metadata documents say,
worked out here from the documents alone: pairs, figures, their order, and the warps of a V100."""
import json
import re
import sys

old, new, diff = (json.load(open(name, encoding='utf-8')) for name in sys.argv[1:])


def functions(document):
    return {f['demangled']: (kind, f) for kind in ('kernel', 'function') for f in document[kind + 's']}


def bare(name):
    return re.sub(r'\(.*', '', name)


def pairs(left, right):
    both = {name: name for name in left if name in right}
    for name in right.keys() - both.keys():
        same = [other for other in left if other not in right and bare(other) == bare(name)]
        if len(same) == 1:
            both[name] = same[0]
    return both


def figure(function, metric):
    if metric == 'spill_bytes':
        return function['spill_store_bytes'] + function['spill_load_bytes']
    if metric in ('max_live', 'max_live_divergent', 'divergent_branches'):
        return function['liveness'][metric]
    return function[metric]


def percent(function, block):
    """Occupancy on a V100: 65536 registers in units of 256 a warp, 64 warps, 32 CTAs, 96 KiB of shared memory."""
    warps = (block + 31) // 32
    registers = -(-function['registers'] * 32 // 256) * 256
    ctas = min(32, 64 // warps, 65536 // registers // warps)
    if function['shared_bytes']:
        ctas = min(ctas, 98304 // (-(-function['shared_bytes'] // 256) * 256))
    return 100 * ctas * warps / 64


compared = ['registers', 'spill_bytes', 'stack_bytes', 'max_stack_bytes', 'shared_bytes', 'instructions', 'fru',
            'max_stack_depth', 'max_live', 'max_live_divergent', 'divergent_branches']
left, right = functions(old), functions(new)
matched = pairs(left, right)
assert diff['compared'] == len(matched)
told = {change['name']: change for change in diff['changes']}
figures = 0
for name, (kind, function) in right.items():
    if name not in matched:
        assert told[name]['change'] == 'new' and told[name]['kind'] == kind, name
        continue
    before = left[matched[name]][1]
    found = {f['metric']: f for f in told.get(name, {'figures': []})['figures']}
    for metric in compared:
        a, b = figure(before, metric), figure(function, metric)
        assert (metric in found) == (a != b), (name, metric, a, b)
        if a != b:
            verdict = 'worse' if b > a else 'better'
            assert (found[metric]['old'], found[metric]['new'], found[metric]['verdict']) == (a, b, verdict), name
            figures += 1
    for f in found.values():
        if f['metric'] == 'occupancy':
            assert f['gpu'] == 'v100' and f['counts']
            assert (f['old'], f['new']) == (percent(before, f['block']), percent(function, f['block'])), name
            figures += 1
    if name in told:
        assert told[name]['old_name'] == matched[name]
for name in left.keys() - set(matched.values()):
    assert told[name]['change'] == 'removed', name


def loss(change, metric):
    values = [f for f in change['figures'] if f['metric'] == metric]
    return max([f['new'] - f['old'] for f in values], default=0)


# Those that lost come first, the most first; those that only gained behind them.
order = [c for c in diff['changes'] if c['change'] == 'figures']
losses = [max(0, loss(c, 'max_stack_bytes')) for c in order]
assert losses == sorted(losses, reverse=True), losses
worse = [any(f['counts'] and f['verdict'] == 'worse' for f in c['figures']) for c in order]
assert worse == sorted(worse, reverse=True), worse
kinds = [c['change'] for c in diff['changes']]
assert kinds == sorted(kinds, key=['figures', 'new', 'removed'].index), kinds
print(f"{len(order)} changed, {len(matched) - len(order)} the same, {figures} figures, "
      f"{kinds.count('new')} new, {kinds.count('removed')} removed")
