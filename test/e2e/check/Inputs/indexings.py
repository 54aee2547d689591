"""indexings.py METADATA ADDRESSES: the coalescing report against an enumeration of threads: sectors of 32 bytes, and
accesses of the busiest of 32 banks, of each warp. Nothing is undecided, and both ends of each interval have to be met but
where names say that what is counted only lies within."""
import json
import sys


def sectors(addresses, size):
    return len({byte // 32 for at in addresses for byte in range(at, at + size)})


def conflicts(addresses, size):
    """8-byte accesses are served in half-warps, 16-byte ones in quarters; lanes share a word that several want."""
    group = 8 if size > 8 else 16 if size > 4 else 32
    most = 0
    for first in range(0, 32, group):
        words = {(at + byte) // 4 for at in addresses[first:first + group] for byte in range(0, size, 4)}
        banks = [word % 32 for word in words]
        most = max(most, max(banks.count(bank) for bank in banks))
    return most


found = {}
for line in open(sys.argv[2]):
    name, space, size, *addresses = line.split()
    count = (sectors if space == 'global' else conflicts)([int(at) for at in addresses], int(size))
    found.setdefault((name, space), []).append(count)

wrong = []
for kernel in json.load(open(sys.argv[1]))['kernels']:
    name = kernel['demangled'].split('(')[0]
    space = 'global' if (name, 'global') in found else 'shared'
    stores = [a for a in kernel['affine']['accesses'] if a['kind'] == 'store' and a['space'] == space]
    expected = found.pop((name, space))
    for store in stores:
        report = store['sectors_per_request' if space == 'global' else 'bank_conflict_degree']
        if name.startswith('within') and report and report[0] <= min(expected) and max(expected) <= report[1] < 32:
            continue
        if report != [min(expected), max(expected)]:
            wrong.append(f'{name}: the report says {report}, the threads {[min(expected), max(expected)]}')
    if not stores:
        wrong.append(f'{name}: no store')
assert not found, found
print('\n'.join(wrong) or 'all as enumerated')
