"""together.py N HEDDLE CALLS-FIB: N runs at once in this folder, which is empty. Run I has I threads, files of its own, and one
file that all of them write. Each must end well, its files whole and of its own threads; the joint file must be one run's.
"""
import json
import os
import re
import subprocess
import sys

count, heddle, program = int(sys.argv[1]), sys.argv[2], sys.argv[3]
runs = [subprocess.Popen([heddle, 'run', '--quiet', '--stats', f'{i}.json', '--kanata', 'joint.kanata', '--', program, str(i), '2'],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for i in range(1, count + 1)]
said = [(run.communicate()[0].decode(), run.returncode) for run in runs]
work = []
for i, (text, status) in enumerate(said, 1):
    assert status == 0 and re.fullmatch(rf'fib: PASSED \({i} threads, n up to \d+, 0 wrong\)\n', text), (i, status, text)
    with open(f'{i}.json', encoding='utf-8') as file:
        stats = json.load(file)
    assert len(stats['launches']) == 2 and 'partial' not in stats, (i, stats['launches'])
    work.append(stats['total']['thread_instructions'])
assert work == sorted(set(work)), work  # more threads, more work
with open('joint.kanata', encoding='utf-8') as file:
    text = file.read()
assert text.startswith('Kanata\t0004\n') and text.endswith('\n'), text[:100]
left = set(os.listdir('.')) - {'joint.kanata'} - {f'{i}.json' for i in range(1, count + 1)}
assert not left, left
print(f'{count} whole')
