"""bench_scale.py BUILD [--repeat N]: host time and memory of simulations that grow in one way.

Each table has the runs of test/bench/scale.cu whose first column grows and all else stays: warp instructions, simulated
cycles, user seconds of one host thread (the least of N runs), nanoseconds a warp instruction, and the most memory that the
process held. A cost that grows with the work alone has the same nanoseconds in each row.
"""
import argparse
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPU = 'v100'
# What grows, its values, and for one of them the settings of the GPU and the program's blocks, threads, turns, streams, launches.
TABLES = [
    ('SMs, four blocks each', (10, 20, 40, 80, 160, 320), lambda n: ([f'sm_count={n}'], (4 * n, 256, 32, 1, 1))),
    ('blocks', (80, 320, 1280, 5120, 20480), lambda n: ([], (n, 256, 8, 1, 1))),
    ('turns of the kernel', (8, 32, 128, 512, 2048), lambda n: ([], (80, 256, n, 1, 1))),
    ('launches of one warp', (100, 400, 1600, 6400), lambda n: ([], (1, 32, 1, 1, n))),
    ('streams, 64 launches in all', (1, 2, 4, 8, 16, 32), lambda n: ([], (20, 256, 32, n, 64))),
]


def run(build, program, stats, settings, numbers):
    """(totals, user seconds, bytes) of a run."""
    command = [os.path.join(build, 'bin', 'heddle'), 'run', '--quiet', '--threads', '1', '--gpu', GPU, '--stats', stats]
    for setting in settings:
        command += ['--set', setting]
    subprocess.run([*command, '--', program, *map(str, numbers)], check=True, stdout=subprocess.DEVNULL)
    with open(stats, encoding='utf-8') as file:
        result = json.load(file)
    return result['total'], result['host']['user_seconds'], result['host']['peak_bytes']


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build')
    parser.add_argument('--repeat', type=int, default=3, help='runs of each row; the least time counts (default 3)')
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    out = os.path.join(build, 'bench', 'scale')
    os.makedirs(out, exist_ok=True)
    program, stats = os.path.join(out, 'scale'), os.path.join(out, 'stats.json')
    subprocess.run([os.path.join(build, 'bin', 'heddle-cc'), '-O3', '-std=c++17', '-o', program,
                    os.path.join(ROOT, 'test', 'bench', 'scale.cu')], check=True)
    for title, values, settings_of in TABLES:
        print(f'{title:<28} {"warp instr.":>12} {"cycles":>10} {"user s":>8} {"ns each":>8} {"peak MiB":>9}', flush=True)
        for value in values:
            runs = [run(build, program, stats, *settings_of(value)) for _ in range(arguments.repeat)]
            total, (seconds, peak) = runs[0][0], min(entry[1:] for entry in runs)
            instructions = total['warp_instructions']
            print(f'{value:<28} {instructions:>12,} {total["cycles"]:>10,} {seconds:>8.3f} '
                  f'{1e9 * seconds / instructions:>8.0f} {peak / 2**20:>9.1f}', flush=True)


if __name__ == '__main__':
    main()
