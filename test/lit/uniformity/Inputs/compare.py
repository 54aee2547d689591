"""Heddle's uniformity against LLVM's own printer, on the same IR.

    compare.py OPT PLUGIN FILE.ll...

The IR is the legalised module, which is what Heddle's analysis works on. A value that Heddle calls uniform and LLVM
divergent is an error, but for what is listed in STRONGER: LLVM 19 takes every call for divergent, and every load through
a pointer whose address space is not known. Where Heddle knows better, the call is put before LLVM as a load from one
address of global memory, which LLVM takes for uniform, so that the rest, control included, is compared without exception.
The one other difference: of an irreducible cycle with divergent entries or exits LLVM assumes more to be divergent, such as
the counters of reducible loops inside; Heddle only phis that its entries, or divergent branches inside it, feed. In functions
with such cycles what has uniform operands passes.
Prints one line of sums: values, of these divergent for both, for Heddle only, and allowed by the list.
"""

import re
import subprocess
import sys

# Calls that give every lane of the warp the same, and those of which the operands decide.
STRONGER_ALWAYS = re.compile(
    r'llvm\.nvvm\.(read\.ptx\.sreg\.(ntid|ctaid|nctaid|warpid|nwarpid|smid|nsmid|gridid|warpsize)|vote\.|activemask|'
    r'match\.all\.|barrier0\.|barrier\.cta\.red)')
STRONGER_BY_OPERANDS = re.compile(
    r'llvm\.(?!nvvm\.(shfl|match|atomic|tex|suld|elect|isspacep|read|ptr)|readcyclecounter)|'
    r'(divide_slow|divide_slow_d|divide128|root_slow)$|__heddle_(?!mem|str|fns|redux)')

TERMINATOR = re.compile(r'(br|switch|ret|unreachable|indirectbr)\b')
CALL = re.compile(r'^(\s*%[-\w.$"]+ = )(?:(?:tail|notail|musttail) )?call (.*)$')


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(command)}\n{done.stderr}')
    return done.stderr


def legalised(opt, plugin, path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    heddle = [opt, f'-load-pass-plugin={plugin}', '-disable-output', '-']
    return (run(heddle + ['-passes=print<heddle-legalize>'], text), run(heddle + ['-passes=print<heddle-uniformity>'], text))


def split_call(rest):
    """'noundef i32 @name(args), ...' as (type, name, args), or None."""
    match = re.match(r'(?:[a-z_]+(?:\([^()]*(?:\([^()]*\))?[^()]*\))? )*?((?:\{[^}]*\}|<[^>]*>|i\d+|float|double|half|ptr(?: addrspace\(\d+\))?)) '
                     r'@([\w.$]+)\((.*)', rest)
    return match and match.groups()


def substitute(text):
    """The IR with the calls whose result is uniform whatever goes in as loads."""
    lines = []
    for line in text.splitlines():
        match = CALL.match(line)
        call = match and split_call(match.group(2))
        if call and STRONGER_ALWAYS.match(call[1]):
            line = f'{match.group(1)}load {call[0]}, ptr addrspace(1) null'
        lines.append(line)
    return '\n'.join(lines) + '\n'


def ours(text):
    """{function: ({value: (divergent, text)}, [(divergent, text) of each terminator])}"""
    functions, current = {}, None
    for line in text.splitlines():
        if line.startswith('uniformity of '):
            current = functions.setdefault(line[14:], ({}, []))
            continue
        verdict, _, rest = line.strip().partition('  ')
        rest = rest.strip()
        value = re.match(r'(%[-\w.$"]+) = ', rest)
        if value:
            current[0][value.group(1)] = (verdict == 'divergent', rest)
        elif TERMINATOR.match(rest):
            current[1].append((verdict == 'divergent', rest))
    return functions


def theirs(text):
    functions, current = {}, None
    for line in text.splitlines():
        match = re.match(r"UniformityInfo for function '(.*)':", line)
        if match:
            current = functions.setdefault(match.group(1), ({}, [], []))
        if re.match(r'  depth=\d+: entries\(\S+ ', line):  # divergent, or left by a divergent branch
            current[2].append(line)
        divergent, rest = line.startswith('  DIVERGENT:'), line.replace('DIVERGENT:', '').strip()
        value = re.match(r'(%[-\w.$"]+) = ', rest)
        if value and line.startswith('  '):
            current[0][value.group(1)] = divergent
        elif current and TERMINATOR.match(rest):
            current[1].append(divergent)
    return functions


def allowed(rest, divergent):
    """A pure intrinsic with uniform operands, or a generic load that Heddle found to be of another space."""
    match = re.match(r'%[-\w.$"]+ = (?:tail )?call (.*)', rest)
    call = match and split_call(match.group(1))
    return bool(call and STRONGER_BY_OPERANDS.match(call[1]) and
                not any(divergent.get(name) for name in re.findall(r'%[-\w.$"]+', call[2])))


def follows_from_uniform(rest, divergent):
    """Anything but a call that is not on the list, with operands that are uniform."""
    operands = re.sub(r'label %[-\w.$"]+', '', re.sub(r'^%[-\w.$"]+ = ', '', rest))
    if re.match(r'((tail )?call|atomicrmw|cmpxchg)\b', operands):
        return allowed(rest, divergent)
    return not any(divergent.get(name) for name in re.findall(r'%[-\w.$"]+', operands))


def compare(opt, plugin, path, sums):
    module, text = legalised(opt, plugin, path)
    mine = ours(text)
    while True:  # until no value of the list is left that LLVM calls divergent
        other = theirs(run([opt, '-passes=print<uniformity>', '-disable-output', '-'], substitute(module)))
        again = substitute_allowed(module, mine, other)
        if again == module:
            break
        sums['allowed'] += 1
        module = again
    failures = 0
    for name, (values, terminators) in mine.items():
        # LLVM prints nothing of a function without divergence.
        their_values, their_terminators, irreducible = other.get(name, ({}, [], []))
        divergent_values = {value: verdict for value, (verdict, _) in values.items()}

        def differs(rest):
            if irreducible and follows_from_uniform(rest, divergent_values):
                sums['irreducible'] += 1
                return False
            print(f'{path}: {name}: uniform for Heddle, divergent for LLVM: {rest}')
            return True

        for value, (divergent, rest) in values.items():
            theirs_too = their_values.get(value, False)
            sums['values'] += 1
            sums['both'] += divergent and theirs_too
            sums['heddle only'] += divergent and not theirs_too
            failures += bool(theirs_too and not divergent and differs(rest))
        if their_terminators and len(their_terminators) != len(terminators):
            sys.exit(f'{path}: {name}: {len(their_terminators)} terminators, not {len(terminators)}')
        for (divergent, rest), theirs_too in zip(terminators, their_terminators):
            sums['branches'] += rest.startswith(('br i1', 'switch'))
            failures += bool(theirs_too and not divergent and differs(rest))
    return failures


def substitute_allowed(module, mine, other):
    """Each function's values on the list that LLVM calls divergent, as loads."""
    lines, current, values, divergent = [], None, {}, {}
    for line in module.splitlines():
        define = re.match(r'define .*?@"?([^"(]+)"?\(', line)
        if define:
            current = define.group(1)
            values = mine.get(current, ({}, []))[0]
            divergent = {value: verdict for value, (verdict, _) in values.items()}
        match = CALL.match(line)
        name = match and match.group(1).split()[0]
        if match and current in other and other[current][0].get(name) and not divergent.get(name, True) and \
                allowed(line.strip(), divergent):
            line = f'{match.group(1)}load {split_call(match.group(2))[0]}, ptr addrspace(1) null'
        lines.append(line)
    return '\n'.join(lines) + '\n'


def main():
    opt, plugin, *paths = sys.argv[1:]
    sums = dict.fromkeys(['values', 'both', 'heddle only', 'branches', 'allowed', 'irreducible'], 0)
    failures = sum(compare(opt, plugin, path, sums) for path in paths)
    print(', '.join(f'{name} {number}' for name, number in sums.items()) + f', failures {failures}')
    return 1 if failures or not sums['both'] else 0


if __name__ == '__main__':
    sys.exit(main())
