"""local.py STATS KERNEL MOST: under every policy the kernel makes at most so many local accesses other than spills."""
import json
import sys

path, kernel, most = sys.argv[1:]
with open(path) as file:
    document = json.load(file)
for run in document.get('runs', [document]):
    counts = [launch['l1d']['other_local'] for launch in run['launches'] if launch['kernel'].startswith(kernel)]
    assert counts, f'no launch of {kernel}'
    assert max(counts) <= int(most), f'{kernel}: {max(counts)} local accesses, more than {most}'
