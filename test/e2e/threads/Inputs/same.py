"""same.py HEDDLE STATUS POLICIES THREADS [OPTIONS...] -- PROGRAM ARGUMENTS: runs the program under each policy with each number of
host threads; what it prints, its faults and its statistics are the same, byte for byte, but for the host's figures."""
import json
import os
import subprocess
import sys


def strip(value):
    if isinstance(value, dict):
        return {key: strip(part) for key, part in value.items() if key != 'host'}
    return [strip(part) for part in value] if isinstance(value, list) else value


def run(heddle, status, policy, threads, options, program):
    stats = f'{program[0]}.threads.json'
    done = subprocess.run([heddle, 'run', '--quiet', '--policy', policy, '--threads', threads, *options, '--stats', stats, '--']
                          + program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != status:
        sys.exit(f'{policy} on {threads} threads: exit status {done.returncode}\n{done.stdout.decode()}')
    with open(stats, encoding='utf-8') as file:
        figures = strip(json.load(file))
    os.remove(stats)
    return done.stdout, figures


heddle, status, policies, threads = sys.argv[1:5]
dashes = sys.argv.index('--')
for policy in policies.split(','):
    first = None
    for number in threads.split(','):
        outcome = run(heddle, int(status), policy, number, sys.argv[5:dashes], sys.argv[dashes + 1:])
        first = first or outcome
        if outcome[0] != first[0]:
            sys.exit(f'{policy}: on {number} threads it prints\n{outcome[0].decode()}\nnot\n{first[0].decode()}')
        if outcome[1] != first[1]:
            sys.exit(f'{policy}: the statistics on {number} threads are others')
print('the same')
