"""bench_cluster.py BUILD: sweeps through a real Slurm whose nodes are all on this host.

Tasks a second: Slurm's own with tasks that do nothing, those of a sweep with a run in each task, and its runs a second with
many in a task. Overhead: the wall time of runs that sleep over their own, where each node has one. The nodes have many more
processors than this host, whose load is part of each number.
"""
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'test', 'e2e', 'sweep', 'Inputs'))
import cluster  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
HEDDLE = os.path.join(BUILD, 'bin', 'heddle')
NODES, TASKS, LONG = (int(os.environ.get(name, value)) for name, value in (('NODES', 64), ('TASKS', 1000), ('LONG', 600)))
SOURCE = '''#include <cstdlib>
#include <unistd.h>
__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }
int main(int, char **argv)
{
	int *x;
	cudaMalloc(&x, 128);
	square<<<1, 32>>>(x);
	return cudaDeviceSynchronize() || sleep(std::atoi(argv[2]));
}
'''


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def timed(words):
    """Wall seconds, and processor seconds of the command and what it waits for."""
    begin = time.monotonic()
    process = subprocess.Popen(words)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f'bench-cluster: {" ".join(words)} failed')
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime


def bare(count):
    """Slurm alone: tasks that do nothing."""
    subprocess.run(['sbatch', f'--array=0-{count - 1}', '--output=/dev/null', '--wrap=true'], check=True, capture_output=True)
    begin = time.monotonic()
    while subprocess.run(['squeue', '-h'], check=True, capture_output=True).stdout:
        time.sleep(0.2)
    wall = time.monotonic() - begin
    print(f'Slurm alone: {count} tasks that do nothing: {wall:.1f} s, {count / wall:.0f} a second', flush=True)


def sweep(name, runs, seconds, *options):
    """The sweep's wall and processor seconds."""
    write(f'{name}.ini', f'[variables]\nn = 1..{runs}\n[workload {name}]\nprogram = program\narguments = {{n}} {seconds}\n')
    return timed([HEDDLE, 'sweep', '--quiet', '--engine', 'slurm', *options, f'{name}.ini'])


def main():
    if os.getuid() or not cluster.find('slurmctld'):
        sys.exit('bench-cluster: error: needs slurm-wlm, munge and root')
    with tempfile.TemporaryDirectory(prefix='heddle-bench-') as folder:
        os.chdir(folder)
        write('program.cu', SOURCE)
        subprocess.run([os.path.join(BUILD, 'bin', 'heddle-cc'), '-O2', '-o', 'program', 'program.cu'], check=True)
        with cluster.Cluster(nodes=NODES, cpus=1, array=TASKS + 1):
            bare(TASKS)
            wall, own = sweep('single', TASKS, 0, '--chunk', '0')
            print(f'a sweep of {TASKS} runs, each a task: {wall:.1f} s, {TASKS / wall:.1f} a second; the sweep itself '
                  f'{own:.2f} s of a processor', flush=True)
            wall, own = sweep('shared', TASKS, 0)
            print(f'{TASKS} runs, four to a task: {wall:.1f} s, {TASKS / wall:.1f} runs a second; {own:.2f} s', flush=True)
            for seconds in (10, LONG):
                wall, own = sweep(f'long{seconds}', 8, seconds, '--chunk', '0')
                print(f'8 runs of {seconds} s, 8 at a time: {wall:.2f} s, {100 * (wall / seconds - 1):.1f} % more; '
                      f'{own:.2f} s of a processor', flush=True)


main()
