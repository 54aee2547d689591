#!/usr/bin/python3
"""Reads what a dry run of make prints and writes the compile database of it, one entry a source, in their order.

    make -n -B V=1 OBJECT... | compile_commands.py > compile_commands.json

A command is one when it compiles a file (`-c FILE`). Wrappers such as ccache are left away, for tools take the first
word for the compiler, and so are the files that say what depends on what, and -Werror, for what is being written may
have warnings. Exit status 1 when there is no such command.
"""

import json
import os
import shlex
import sys

SUFFIXES = ('.c', '.cpp')
WRAPPERS = ('ccache', 'distcc', 'sccache')


def entry(line):
    """The database's entry of a command, or None."""
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    while words and os.path.basename(words[0]) in WRAPPERS:
        words.pop(0)
    if '-c' not in words or '-o' not in words or not words[-1].endswith(SUFFIXES):
        return None
    kept, rest = [], iter(words)
    for word in rest:
        if word in ('-MF', '-MT', '-MQ'):
            next(rest, None)
        elif word not in ('-MD', '-MMD', '-MP', '-Werror'):
            kept.append(word)
    return {'directory': os.getcwd(), 'file': words[-1], 'output': words[words.index('-o') + 1], 'arguments': kept}


entries = sorted(filter(None, map(entry, sys.stdin)), key=lambda each: each['file'])
if not entries:
    sys.exit('compile_commands: error: make printed no compiler command')
json.dump(entries, sys.stdout, indent=1)
print()
