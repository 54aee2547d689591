"""bench_sampling.py BUILD: programs under --sampling beside full runs, one host thread each.

Of each: the errors of cycles, energy and DRAM sectors, what was stated for cycles, the share of the program's instructions
that had time, and processor seconds of both runs, which have the host program's in them. Then the mean of the errors, how
many lie within what was stated, and how much less time all took together. Full runs are kept in BUILD/bench/sampling and
made again when anything in BUILD/lib or the program is newer. Environment: see bench-sampling.sh.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import time

import figures
import progress

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(sys.argv[1])
OUT = os.path.join(BUILD, 'bench', 'sampling')
HEDDLE = os.path.join(BUILD, 'bin', 'heddle')
COLUMNS = {'tests': 2, 'default': 3, 'figures': 4}
SIZES = os.environ.get('SIZES', 'tests')
GPUS = os.environ.get('GPUS', 'v100').split()
WANTED = os.environ.get('ERROR', '1.5')
NAMES = os.environ.get('NAMES', '').split()
JOBS = int(os.environ.get('JOBS', 2))
TIME = int(os.environ.get('TIME', 600))


def long_sizes():
    """What scripts/plans/sampling.txt has for SIZES=long, by name."""
    if SIZES != 'long':
        return None
    with open(os.path.join(ROOT, 'scripts', 'plans', 'sampling.txt'), encoding='utf-8') as file:
        return dict(line.split() for line in file if line.strip() and line[0] != '#')


def workloads():
    """(name, source, arguments) of each line."""
    sizes = long_sizes()
    with open(os.path.join(ROOT, 'examples', 'workloads.txt'), encoding='utf-8') as file:
        for line in file:
            words = line.split('#')[0].split()
            if not words or (NAMES and words[0] not in NAMES) or (sizes and words[0] not in sizes):
                continue
            chosen = sizes[words[0]] if sizes else words[COLUMNS[SIZES]]
            yield words[0], os.path.join(ROOT, 'examples', words[1]), chosen.split(',')


def newest(folder):
    return max(entry.stat().st_mtime for entry in os.scandir(folder) if entry.is_file())


def compile_program(name, source):
    program = os.path.join(OUT, name)
    files = figures.sources_of(source)
    options = ['-O2', '-arch=sm_75'] + (['-rdc=true'] if len(files) > 1 else [])
    if not os.path.exists(program) or os.path.getmtime(program) < max(newest(os.path.join(BUILD, 'bin')),
                                                                     *map(os.path.getmtime, files)):
        subprocess.run([os.path.join(BUILD, 'bin', 'heddle-cc'), *options, '-o', program, *files], check=True)
    return program


def base_of(program, arguments, gpu, sampling):
    return f'{program}.{gpu}.{"-".join(arguments)}' + (f'.{WANTED}' if sampling else '')


def is_kept(program, base):
    depends = max(newest(os.path.join(BUILD, 'lib')), os.path.getmtime(program))
    return os.path.exists(base + '.json') and os.path.getmtime(base + '.json') >= depends


def expected(name, arguments, gpu):
    """Seconds that the runs which are not kept took before; None: they have never run."""
    program, seconds = os.path.join(OUT, name), 0
    for base in (base_of(program, arguments, gpu, sampling) for sampling in (False, True)):
        if not os.path.exists(program) or not os.path.exists(base + '.json'):
            return None
        if not is_kept(program, base):
            with open(base + '.json', encoding='utf-8') as stats:
                seconds += json.load(stats)['host']['user_seconds']
    return seconds


def run(program, arguments, gpu, sampling):
    """(output, statistics)"""
    base = base_of(program, arguments, gpu, sampling)
    if not is_kept(program, base):
        with open(base + '.out', 'w', encoding='utf-8') as out:
            subprocess.run([HEDDLE, 'run', '--quiet', '--threads=1', '--gpu', gpu, '--stats', base + '.new',
                            *([f'--sampling={WANTED}'] if sampling else []), '--', program, *arguments], stdout=out,
                           stderr=subprocess.STDOUT, check=True, timeout=TIME)
        os.rename(base + '.new', base + '.json')
    with open(base + '.out', encoding='utf-8') as out, open(base + '.json', encoding='utf-8') as stats:
        return out.read(), json.load(stats)


def measure(name, source, arguments, gpu):
    program = compile_program(name, source)
    text, full = run(program, arguments, gpu, False)
    same, sampled = run(program, arguments, gpu, True)
    of_full, total = full['total'], sampled['total']
    parts = total['sampling']

    def off(key):
        return 100 * (total[key] / of_full[key] - 1) if of_full[key] else 0

    stated = parts['errors'].get('cycles', 0)
    dram_full = of_full['dram_reads'] + of_full['dram_writes']
    dram = total['dram_reads'] + total['dram_writes']
    return {
        'name': name, 'launches': parts['launches'], 'timed': parts['launches'] - parts['functional'],
        'share': 100 * parts['detailed_instructions'] / max(parts['instructions'], 1), 'cycles': off('cycles'),
        'stated': None if stated is None else 100 * stated / total['cycles'],
        'energy': off('energy_joules'), 'dram': 100 * (dram / dram_full - 1) if dram_full else 0,
        'seconds': full['host']['user_seconds'], 'less': sampled['host']['user_seconds'], 'same': text == same,
    }


def timed(*work):
    """(what measure returns, or its error; seconds)"""
    begun = time.monotonic()
    try:
        return measure(*work), time.monotonic() - begun
    except (subprocess.SubprocessError, OSError) as error:
        return error, time.monotonic() - begun


def mean(values):
    values = [abs(value) for value in values]
    return sum(values) / len(values) if values else 0


def summary(label, rows):
    if not rows:
        return
    within = sum(row['stated'] is not None and abs(row['cycles']) <= row['stated'] + 1e-9 for row in rows)
    seconds, less = sum(row['seconds'] for row in rows), sum(row['less'] for row in rows)
    print(f'{label}: {len(rows)} programs, mean error of cycles {mean(row["cycles"] for row in rows):.2f} %, largest '
          f'{max(abs(row["cycles"]) for row in rows):.2f} %, of energy {mean(row["energy"] for row in rows):.2f} %, of DRAM '
          f'sectors {mean(row["dram"] for row in rows):.2f} %; {within} within what was stated; {seconds:.1f} s and '
          f'{less:.1f} s, {seconds / max(less, 1e-9):.1f} times less')


def table(gpu, rows):
    print(f'\n{gpu}, sizes {SIZES}, --sampling={WANTED}')
    print(f'{"program":20} {"launches":>9} {"timed":>6} {"instr %":>8} {"cycles %":>9} {"stated":>7} {"energy %":>9} '
          f'{"DRAM %":>8} {"full s":>8} {"less s":>8} {"times":>6}')
    for row in rows:
        stated = f'{row["stated"]:7.2f}' if row['stated'] is not None else '      ?'
        print(f'{row["name"]:20} {row["launches"]:9} {row["timed"]:6} {row["share"]:8.2f} {row["cycles"]:9.3f} {stated} '
              f'{row["energy"]:9.3f} {row["dram"]:8.2f} {row["seconds"]:8.2f} {row["less"]:8.2f} '
              f'{row["seconds"] / max(row["less"], 1e-9):6.1f}{"" if row["same"] else "  other output"}')
    summary('all', rows)
    summary('those of which less than half of the instructions had time', [row for row in rows if row['share'] < 50])


def main():
    os.makedirs(OUT, exist_ok=True)
    for gpu in GPUS:
        rows, failed, works = {}, [], list(workloads())
        shown = progress.Progress(f'programs on {gpu}', {work[0]: expected(work[0], work[2], gpu) for work in works}, JOBS)
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            jobs = {pool.submit(timed, *work, gpu): work[0] for work in works}
            waiting = set(jobs)
            while waiting:
                ended, waiting = concurrent.futures.wait(waiting, timeout=0.5, return_when=concurrent.futures.FIRST_COMPLETED)
                shown.show()
                for job in ended:
                    row, seconds = job.result()
                    if isinstance(row, Exception):
                        failed.append(f'{jobs[job]}: {row}')
                    else:
                        rows[jobs[job]] = row
                    shown.end(jobs[job], seconds)
        shown.clear()
        rows = [rows[work[0]] for work in works if work[0] in rows]
        table(gpu, rows)
        for line in failed:
            print('failed:', line)


main()
