"""sizes.py: the peak of the host's memory with few launches and with many, in the program `sizes`."""
import subprocess
import sys


def peak(*args):
    """Of a child of a process of its own, since the largest child counts."""
    code = ('import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); '
            'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)')
    return int(subprocess.check_output([sys.executable, '-c', code, './sizes', 'launches', *args]))


few = peak('100')
for many in (peak('100000', 'each'), peak('100000')):
    assert many < few + 512, (few, many)  # KiB; a record of 256 bytes for each launch would be 25,000
print('flat')
