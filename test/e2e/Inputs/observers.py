"""Runs a program under options that watch it, and says whether all of its statistics are those of the plain run.

    observers.py [--few] HEDDLE SCRATCH PROGRAM [OPTION...] [-- ARGUMENT...]

--few: a third of the ways to watch.
"""
import json
import os
import subprocess
import sys

WATCHERS = [[], ['--threads=2'], ['--verify'], ['--check=race,init,sync'], ['--check=race,sync', '--threads=2'], ['--profile'], ['--by-line'], ['--sample=100'],
            ['--sample=100', '--threads=2'], ['--trace=issue,lsu@0:100'], ['--ideal'], ['--out-of-bounds=warn'], ['--verify', '--sample=77'],
            ['--verify', '--threads=3'], ['--ideal', '--profile', '--threads=4']]
# What the watchers add, and what depends on the host.
OWN = {'host', 'verified', 'check', 'profile', 'samples', 'slots', 'options'}


def stripped(value):
    if isinstance(value, dict):
        return {key: stripped(item) for key, item in value.items() if key not in OWN and not key.startswith('ideal_')}
    return [stripped(item) for item in value] if isinstance(value, list) else value


def run(heddle, scratch, program, arguments, options):
    stats = os.path.join(scratch, 'stats.json')
    done = subprocess.run([heddle, 'run', '--quiet', '--stats', stats, *options, '--', program, *arguments], capture_output=True, text=True)
    with open(stats, encoding='utf-8') as file:
        found = stripped(json.load(file))
    printed = [line for line in done.stdout.splitlines() if line.startswith('racing:')]
    return printed, found


def main():
    few = sys.argv[1] == '--few'
    heddle, scratch, program, *options = sys.argv[1 + few:]
    at = options.index('--') if '--' in options else len(options)
    options, arguments = options[:at], options[at + 1:]
    plain = None
    for watcher in WATCHERS[::3] if few else WATCHERS:
        printed, found = run(heddle, scratch, program, arguments, ['--threads=1', *options, *watcher])
        plain = plain or (printed, found)
        if not printed:
            print(' '.join(watcher), 'refused')
            continue
        same = printed == plain[0] and found == plain[1]
        print(' '.join(watcher) or 'plain', *printed, 'same' if same else 'differs')
        if not same:
            print({key: (plain[1].get(key), found.get(key)) for key in found if plain[1].get(key) != found.get(key)}, file=sys.stderr)


main()
