"""order.py INFO TRACE STATS: who issues the parts of vecadd's linear version, and when; one SM with room for five blocks."""

import json
import re
import sys

PARTS = ('coefficient', 'thread', 'block', 'main')

with open(sys.argv[1], encoding='utf-8') as file:
    counts = list(map(int, re.search(r'streams of (\d+), (\d+) and (\d+)', file.read()).groups()))
starts = [16 * sum(counts[: i + 1]) for i in range(3)]
issued = {part: [] for part in PARTS}  # (cycle, warp of the SM, block, warp of the block)
placed = {'launched': {}, 'retired': {}}  # {block: cycle}
with open(sys.argv[2], encoding='utf-8') as file:
    for line in file:
        match = re.match(r'(\d+) cta sm 0 cta (\d+) (launched|retired)', line)
        if match:
            placed[match.group(3)][int(match.group(2))] = int(match.group(1))
        match = re.match(r'(\d+) issue sm 0 warp (\d+) cta (\d+)\.(\d+) .* pc 0x([0-9a-f]+)', line)
        if match:
            part = PARTS[sum(int(match.group(5), 16) >= start for start in starts)]
            issued[part].append(tuple(int(match.group(i)) for i in range(1, 5)))

blocks = sorted({block for _, _, block, _ in issued['main']})
assert blocks == list(range(8)), blocks
# The SM's first warp, its first block's warps, each block's first warp, wherever on the SM it is; the first five blocks come
# in the order of their places.
ran = {part: {(block, index) for _, _, block, index in issued[part]} for part in PARTS}
assert ran['coefficient'] == {(0, 0)}, ran['coefficient']
assert ran['thread'] == {(0, index) for index in range(8)}, ran['thread']
assert ran['block'] == {(block, 0) for block in blocks}, ran['block']
for part in ('coefficient', 'thread', 'block'):
    for _, slot, block, index in issued[part]:
        assert block > 4 or slot == 8 * block + index, (part, slot, block, index)
for part, length, times in zip(PARTS, counts, (1, 8, 8)):
    assert len(issued[part]) == length * times, (part, len(issued[part]))


def first(part, block=None):
    return min(cycle for cycle, _, of, _ in issued[part] if block in (None, of))


def last(part, block=None):
    return max(cycle for cycle, _, of, _ in issued[part] if block in (None, of))


# One part after another on the SM, and no block's body before its own block-index part.
assert last('coefficient') < first('thread') and last('thread') < first('block')
for block in blocks:
    assert last('block', block) < first('main', block), block
# But bodies do not wait for the parts of other blocks that came with theirs, and go on while those of later blocks run.
together, later = blocks[:5], blocks[5:]
assert min(first('main', block) for block in together) < max(last('block', block) for block in together)
assert any(first('block', block) < cycle < last('block', block) for block in later
           for cycle, _, of, _ in issued['main'] if of != block)

# Schedulers go round-robin from a block's coming, while any stream runs, to the end of the last one, which is a few cycles
# behind its last instruction; and by their own rule in all other cycles of the SM.
spans = []
for block in blocks:
    begin, end = placed['launched'][block], last('block', block)
    if spans and begin <= spans[-1][1]:
        spans[-1][1] = max(spans[-1][1], end)
    else:
        spans.append([begin, end])
with open(sys.argv[3], encoding='utf-8') as file:
    total = json.load(file)['total']
turning = sum(end - begin for begin, end in spans)
behind = total['r2d2']['stream_cycles'] - turning
assert len(spans) > 1 and len(spans) <= behind < 8 * len(spans), (total['r2d2'], spans)
assert total['active_sm_cycles'] == max(placed['retired'].values()) - min(placed['launched'].values())
own = sum(after[0] - before[1] for before, after in zip(spans, spans[1:])) + max(placed['retired'].values()) - spans[-1][1]
assert total['active_sm_cycles'] - total['r2d2']['stream_cycles'] == own - behind
