"""bench_sweep.py BUILD: what `heddle sweep` takes beside its runs, and a gather of many results.

Runs of ten seconds sleep for most of them, so that the figure is that of the sweep on any machine: wall time over that of
the runs on as many processors, and the processor time of the sweep itself. Results to gather are copies of one.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
HEDDLE = os.path.join(BUILD, 'bin', 'heddle')
RESULTS = int(os.environ.get('RESULTS', 100000))
RUNS = int(os.environ.get('RUNS', 40))
JOBS, SECONDS = 4, 10
SOURCE = '''#include <unistd.h>
__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }
int main(int argc, char **argv)
{
	int *x;
	cudaMalloc(&x, 128);
	square<<<1, 32>>>(x);
	return cudaDeviceSynchronize() || (argc > 1 && sleep(%d));
}
''' % SECONDS


def sweep(plan, *options):
    """Wall seconds, and processor seconds of the sweep alone."""
    begin = time.monotonic()
    process = subprocess.Popen([HEDDLE, 'sweep', '--quiet', *options, plan])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f'bench-sweep: heddle sweep {" ".join(options)} failed')
    return time.monotonic() - begin, usage


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def overhead(folder):
    plan = os.path.join(folder, 'runs.ini')
    write(plan, f'[sweep]\nout = runs\njobs = {JOBS}\n[workload w]\nprogram = program\narguments = 1..{RUNS}\n')
    wall, _ = sweep(plan)
    again, _ = sweep(plan)
    runs = []
    for place, _, names in os.walk(os.path.join(folder, 'runs', 'results')):
        for name in names:
            with open(os.path.join(place, name), encoding='utf-8') as file:
                runs.append(json.load(file)['host']['seconds'])
    busy = sum(runs) / JOBS
    print(f'{RUNS} runs of {sum(runs) / RUNS:.2f} s, {JOBS} at a time: {wall:.2f} s, {100 * (wall / busy - 1):.2f} % over '
          f'the runs themselves; to find that all are done: {again:.2f} s')


def copies(folder, plan):
    """A copy of the one result for each run of the plan."""
    listed = subprocess.run([HEDDLE, 'sweep', '--list', plan], capture_output=True, text=True, check=True).stdout
    one = None
    paths = [json.loads(line)['result'] for line in listed.splitlines()]
    for place, _, names in os.walk(os.path.join(folder, 'many', 'results')):
        one = os.path.join(place, names[0]) if names else one
    with open(one, 'rb') as file:
        text = file.read()
    for path in set(os.path.dirname(path) for path in paths):
        os.makedirs(path, exist_ok=True)
    for path in paths:
        with open(path, 'wb') as file:
            file.write(text)
    return len(set(paths)), len(text)


def gather(folder):
    plan = os.path.join(folder, 'many.ini')
    side = max(1, RESULTS // 100)
    write(plan, f'[sweep]\nout = many\n[axes]\nl1_latency = 1..{min(100, RESULTS)}\n[workload w]\nprogram = program\n'
          f'[variables]\nn = 1..{side}\n[configuration c]\nl2_latency = {{n}}\n')
    sweep(plan, '--only', 'l1_latency=1', '--only', 'l2_latency=1')
    count, size = copies(folder, plan)
    for what in ('--gather', '--csv', '--jsonl'):
        path = os.path.join(folder, 'gathered')
        wall, usage = sweep(plan, *((what, '--database', path) if what == '--gather' else (what, path)))
        print(f'{what}: {count} results of {size} bytes: {wall:.1f} s ({1e6 * wall / count:.0f} us each), '
              f'{os.path.getsize(path) / 1e6:.0f} MB, {usage.ru_maxrss / 1024:.0f} MB of memory')
    wall, _ = sweep(plan, '--dry-run')
    print(f'--dry-run, which reads all results: {wall:.1f} s')


def main():
    with tempfile.TemporaryDirectory(prefix='heddle-bench-') as folder:
        write(os.path.join(folder, 'program.cu'), SOURCE)
        subprocess.run([os.path.join(BUILD, 'bin', 'heddle-cc'), '-O2', '-o', os.path.join(folder, 'program'),
                        os.path.join(folder, 'program.cu')], check=True)
        overhead(folder)
        gather(folder)


main()
