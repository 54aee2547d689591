"""Mutants against the unit programs that run their line: no copy of the tree, one compile and some links a mutant.

Used by mutate.py --tests lines. Each source file of the rooms is compiled once with counters for coverage, and each unit
program that holds it is run with them, so that a mutant is met by the programs that come by its line alone, the nearest
and quickest first. A mutant is compiled by itself, its object stands in front of the archives, and the programs are
linked anew. A line that no program runs has no test: its mutants survive without a compile.

Everything lies in build/mutants/lines. The checkout's sources are left alone, and may change meanwhile, but not what
tests read of it, such as test/golden/policies.expected. Which lines a program runs is kept in build/mutants/covered for
as long as the program's file stays the same.
"""
import filecmp
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time

import mutants

LLVM = os.environ.get('HEDDLE_LLVM', '19')
LINK = '-fuse-ld=lld -Wl,--as-needed,-s -pthread'.split()
PROFILE = ['-fprofile-instr-generate', '-fcoverage-mapping']


class Lines:
    """The unit programs by the lines that they run."""

    def __init__(self, root, build, home, run):
        self.root, self.build, self.home, self.run_limited = root, os.path.join(root, build), home, run
        self.commands, self.linked, self.covered, self.seconds, self.environment = {}, {}, {}, {}, {}
        self.folder = os.path.join(home, 'lines')

    # ------------------------------------------------------------ commands

    def compile_command(self, path, source, target, more=()):
        """As make compiles the file, but for debug information and what it writes beside the object."""
        if path not in self.commands:
            goal = os.path.relpath(os.path.join(self.build, 'obj', os.path.splitext(path)[0] + '.o'), self.root)
            build = os.path.relpath(self.build, self.root)
            printed = subprocess.run(['make', '-n', 'V=1', f'B={build}', '-W', path, goal], cwd=self.root, check=True,
                                     stdout=subprocess.PIPE, text=True).stdout
            line = next(line for line in printed.splitlines() if f' -c -o {goal} ' in line)
            words = shlex.split(line[:line.index(' -c -o ')])
            self.commands[path] = [word for word in words if word not in ('-g', '-MMD', '-MP', '-Werror', 'ccache')]
        near = os.path.join(self.root, os.path.dirname(path))
        return [*self.commands[path], '-w', '-iquote', near, *more, '-c', '-o', target, source]

    def link_command(self, name, objects, target, more=()):
        """As make links the program, with these objects in front of the archives."""
        if name not in self.linked:
            build = os.path.relpath(self.build, self.root)
            goal, own = f'{build}/test/unit/{name}', f'{build}/obj/test/unit/{name}.o'
            printed = subprocess.run(['make', '-n', 'V=1', f'B={build}', '-W', own, goal], cwd=self.root, check=True,
                                     stdout=subprocess.PIPE, text=True).stdout.replace('\\\n', ' ')
            line = next(line for line in printed.splitlines() if f' -o {goal} ' in line)
            words = shlex.split(line[line.index(f' -o {goal} ') + len(f' -o {goal} '):])
            self.linked[name] = [os.path.join(self.root, word) if word.endswith(('.o', '.a')) else word for word in words]
        return [f'clang-{LLVM}', *LINK, *more, '-o', target, *objects, *self.linked[name]]

    # ------------------------------------------------------------ coverage

    def prepare(self, holders):
        """holders: {path: unit programs that hold its object}."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        objects = {}
        for name in sorted({name for names in holders.values() for name in names}):
            held = [path for path in holders if name in holders[path]]
            kept = os.path.join(self.home, 'covered', f'{name}-{self.digest(name)}.json')
            found = {'lines': {}}
            if os.path.exists(kept):
                with open(kept, encoding='utf-8') as file:
                    found = json.load(file)
            if not set(held) <= set(found['lines']):
                for path in held:
                    if path not in objects:
                        objects[path] = os.path.join(self.folder, path.replace('/', '_') + '.cover.o')
                        subprocess.run(self.compile_command(path, path, objects[path], PROFILE), cwd=self.root, check=True)
                lines = {path: [] for path in held} | self.cover(name, {path: objects[path] for path in held})
                found = {'lines': found['lines'] | lines, 'seconds': self.seconds[name], 'environment': self.environment[name]}
                os.makedirs(os.path.dirname(kept), exist_ok=True)
                with open(kept, 'w', encoding='utf-8') as file:
                    json.dump(found, file)
            self.seconds[name], self.environment[name] = found['seconds'], found['environment']
            for path in held:
                for line, runs in found['lines'][path]:
                    names = self.covered.setdefault(path, {}).setdefault(line, set())
                    if runs:
                        names.add(name)

    def digest(self, name):
        with open(os.path.join(self.build, 'test', 'unit', name), 'rb') as file:
            return hashlib.sha256(file.read()).hexdigest()[:16]

    def cover(self, name, objects):
        """Runs a program with counters. Returns {path: [line, whether the program runs it]} and notes its time."""
        program, raw = os.path.join(self.folder, name), os.path.join(self.folder, name + '-%p.profraw')
        subprocess.run(self.link_command(name, objects.values(), program, PROFILE), cwd=self.root, check=True)
        for fork in ('no', 'yes'):  # those whose cases are to end with a signal pass in processes of their own alone
            self.environment[name] = {'CK_FORK': fork, 'CK_VERBOSITY': 'silent', 'TMPDIR': self.folder}
            started = time.monotonic()
            done = subprocess.run([program], cwd=self.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=dict(os.environ, LLVM_PROFILE_FILE=raw, **self.environment[name]), check=False)
            self.seconds[name] = time.monotonic() - started
            if done.returncode == 0:
                break
        else:
            raise RuntimeError(f'{name} fails on the original')
        parts = [os.path.join(self.folder, each) for each in os.listdir(self.folder) if each.endswith('.profraw')]
        merged = program + '.profdata'
        subprocess.run([f'llvm-profdata-{LLVM}', 'merge', '--sparse', '-o', merged, *parts], check=True)
        for part in parts:
            os.remove(part)
        listed = subprocess.run([f'llvm-cov-{LLVM}', 'export', '-format=lcov', f'-instr-profile={merged}', program],
                                cwd=self.root, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        path, found = None, {}
        for line in listed.stdout.splitlines():
            if line.startswith('SF:'):
                path = os.path.relpath(os.path.join(self.root, line[3:]), self.root)
            elif line.startswith('DA:'):
                number, count = line[3:].split(',')[:2]
                found.setdefault(path, []).append([int(number), int(count) > 0])
        os.remove(program)
        return found

    def programs(self, mutant, holders, near):
        """In the order in which the mutant meets them. A line without code of its own (a table) is the whole file's."""
        lines = self.covered.get(mutant.path, {})
        names = lines[mutant.line] if mutant.line in lines else set().union(*lines.values()) & set(holders)
        return sorted(names, key=lambda name: (self.seconds[name] / (4 if name in near else 1), name))

    # ------------------------------------------------------------ one mutant

    def judge(self, mutant, text, programs, folder):
        """(verdict, by what), as mutate.judge."""
        if not programs:
            return 'survived', ''
        source = os.path.join(folder, os.path.basename(mutant.path))
        first, second = os.path.join(folder, mutant.path.replace('/', '_') + '.before.o'), os.path.join(folder, 'after.o')
        for content, target in ((text, first), (mutants.apply(mutant, text), second)):
            if target == first and os.path.exists(first):
                continue
            with open(source, 'w', encoding='utf-8') as file:
                file.write(content)
            if self.run_limited(self.compile_command(mutant.path, source, target), folder, 60)[0] != 0:
                return 'invalid', 'compiler'
        if filecmp.cmp(first, second, shallow=False):
            return 'same', 'object code'
        for name in programs:
            program = os.path.join(folder, name)
            if self.run_limited(self.link_command(name, [second], program), folder, 60)[0] != 0:
                return 'invalid', 'linker'
            status, _ = self.run_limited([program], folder, 5 + 8 * self.seconds[name], self.environment[name])
            os.remove(program)
            if status != 0:
                return 'killed', 'time' if status is None else name
        return 'survived', ''
