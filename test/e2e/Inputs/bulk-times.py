"""What single keys change of the cycles of copies in bulk: bulk-times.cu prints them."""
import subprocess
import sys

KINDS = ('16', '1024', 'pair', 'box', 'cast', 'sent')


def times(*settings):
    keys = [part for setting in ('tma_row=5',) + settings for part in ('--set', setting)]
    out = subprocess.run([sys.argv[1], 'run', '--quiet', '--gpu', 'h100', *keys, '--', sys.argv[2]], check=True,
                         capture_output=True, text=True).stdout.split()
    assert out[-2:] == ['no', 'error'], out
    return {kind: int(out[out.index(kind) + 1]) for kind in KINDS}


# Requests are 1 of 16 bytes; 8 lines of 1 KB; 16 rows of a box of 64 bytes a row; 32 lines to another block, which leave at
# 21.3 bytes a cycle, so that 192 cycles are 128 at 32. The second of a pair follows the first by tma_issue. With one
# request in flight each of eight lines waits for the one before, a way to L2 and back that is all of a copy of 16 bytes
# but the unit's latency (28) and the wake (43), and some cycles of issue.
base = times()
CHANGES = (
    ('tma_row=15', {'16': 0, '1024': 7 * 10, 'box': 15 * 10, 'sent': 31 * 10}),
    ('tma_latency=128', {kind: 100 for kind in KINDS}),
    ('tma_issue=132', {'16': 0, 'pair': 100, '1024': 0}),
    ('tma_tensor_latency=190', {'16': 0, 'box': 100, 'cast': 0}),
    ('tma_multicast=199', {'1024': 0, 'cast': 100, 'sent': 0}),
    ('dsm_bytes=32', {'1024': 0, 'sent': -64}),
    ('mbarrier_wake=143', {'16': 100, 'sent': 100}),
)
# A TLB of one page of 4 KB, which each copy finds taken by the store of the last one's cycles: all of it waits for the page once.
ONE_PAGE = ('tlb_entries=1', 'tlb_page=4096', 'tlb_miss=')
wrong = 0
for setting, differences in CHANGES:
    now = times(setting)
    for kind, difference in differences.items():
        if abs(now[kind] - base[kind] - difference) > 3:
            print(f'{setting}: {kind} {base[kind]} -> {now[kind]}, by hand {difference:+}')
            wrong += 1
single = times('tma_requests=1')
few, many = (times(*ONE_PAGE[:2], ONE_PAGE[2] + miss) for miss in ('200', '300'))
for kind, difference in {'16': 100, '1024': 100, 'pair': 100, 'box': 100, 'sent': 0}.items():
    if abs(many[kind] - few[kind] - difference) > 3:
        print(f'tlb_miss: {kind} {few[kind]} -> {many[kind]}, by hand {difference:+}')
        wrong += 1
way = base['16'] - 28 - 43
if not way - 25 <= (single['1024'] - base['16']) / 7 <= way:
    print(f'tma_requests=1: {base["16"]} and {single["1024"]}, by hand 7 ways of about {way}')
    wrong += 1
if not 99 <= base['cast'] - base['1024'] <= 107 or not 32 - 2 <= base['pair'] - base['16'] <= 32 + 5:
    print(f'cast {base["cast"]}, 1024 {base["1024"]}, pair {base["pair"]}, 16 {base["16"]}')
    wrong += 1
print('bulk times: as by hand' if not wrong else f'bulk times: {wrong} differ')
