"""sizes.py: the peak of the host's memory with few launches and with many, in the program `sizes`."""
import os
import resource
import subprocess


def peak(*args):
    """Of a child of a process of its own, since the largest child counts."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        subprocess.run(['./sizes', 'launches', *args], check=True, stdout=subprocess.DEVNULL)
        os.write(writing, str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss).encode())
        os._exit(0)
    os.wait()
    return int(os.read(reading, 99))


few = peak('100')
for many in (peak('100000', 'each'), peak('100000')):
    assert many < few + 512, (few, many)  # KiB; a record of 256 bytes for each launch would be 25,000
print('flat')
