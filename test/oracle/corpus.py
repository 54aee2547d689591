"""Kernels to check: random ones of test/fuzz, compiled at levels and register caps by turns."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
B = os.path.join(ROOT, os.environ.get('B', 'build'))
# As test/fuzz/run has them: pipelines in front of the pass, and its parameters.
LEVELS = [('', ''), ('default<O3>,', ''), ('function(reg2mem),', ''), ('default<O3>,', 'uniform=always;')]
REGISTERS = [255, 16, 24, 32, 64]
PARAMETERS = ['', 'interval-regs=8;rthld=4;preempt-every=60;', '', 'interval-regs=32;', 'abi=observed;']


def compile_seed(seed, folder):
    """The kernel object of a seed, below the folder."""
    prefix = os.path.join(folder, str(seed))
    subprocess.run([os.path.join(B, 'test', 'fuzz', 'heddle-generate'), str(seed), prefix], check=True)
    level, keys = LEVELS[seed % len(LEVELS)]
    keys += PARAMETERS[seed // 4 % len(PARAMETERS)]
    bindir = subprocess.check_output(['llvm-config-' + os.environ.get('HEDDLE_LLVM', '19'), '--bindir'], text=True).strip()
    passes = f'{level}heddle<o={prefix};maxrregcount={REGISTERS[seed % len(REGISTERS)]};linear=always;{keys}>'
    subprocess.run([os.path.join(bindir, 'opt'), f'-load-pass-plugin={B}/lib/HeddlePasses.so', '-disable-output',
                    f'-passes={passes}', prefix + '.ll'], check=True)
    return prefix + '.hdo'
