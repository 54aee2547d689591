"""ends-memory.py COMMAND...: the largest process of COMMAND 20 and of COMMAND 1020 differ by less than 6 MB."""
import resource
import subprocess
import sys


def peak(launches):
    subprocess.run([*sys.argv[1:], str(launches)], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


few = peak(20)
many = peak(1020)
print('steady' if many - few < 6 else f'{few:.0f} MB for 20 launches, {many:.0f} MB for 1020')
