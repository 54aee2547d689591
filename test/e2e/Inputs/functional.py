"""functional.py HEDDLE FOLDER PROGRAM [ARGUMENT]...: a program with timing and without does and counts the same.

Counts of what is executed are equal; where they depend on the order of threads (--waits before PROGRAM) they may differ.
"""
import json
import re
import subprocess
import sys

heddle, folder, *program = sys.argv[1:]
waits = program[0] == '--waits'
program = program[waits:]


def run(*options):
    path = f'{folder}/stats.json'
    done = subprocess.run([heddle, 'run', '--quiet', '--stats', path, *options, '--', *program], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding='utf-8')
    with open(path, encoding='utf-8') as file:
        # How many rounds it takes until nothing changes, and chunks of the device heap, depends on the order of threads.
        return done.returncode, re.sub(r'\d+ (chunks|rounds)', r'\1', done.stdout), json.load(file)


status, text, timed = run()
same_status, same_text, functional = run('--functional')
assert (status, text) == (same_status, same_text), (status, text, same_status, same_text)
assert functional['functional'] is True and 'functional' not in timed
for figures, all_figures in zip([functional['total'], *functional['launches']], [timed['total'], *timed['launches']]):
    assert not {'cycles', 'ipc', 'stalls', 'l1d', 'energy_joules', 'bank_reads'} & set(figures), figures
    other = {key for key in figures if key in all_figures and figures[key] != all_figures[key]}
    assert waits or not other, {key: (figures[key], all_figures[key]) for key in other}
    # Accesses by space are those that are made; guards can keep all lanes of an instruction from it.
    accesses = sum(figures[f'{space}_instructions'] for space in ('global', 'shared', 'local'))
    assert 0 <= accesses <= figures['lsu_instructions'], figures
total = functional['total']
assert total['warp_instructions'] and total['global_instructions'] and total['ctas']
assert total['shared_instructions'] >= total['barriers'] * (program[0].endswith('matmul'))
