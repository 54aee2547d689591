"""sweep.py HEDDLE: sweeps that are killed, interrupted and damaged, and runs that fail.

Works in the current folder, which has to be empty but for the program. What ran is what it wrote into its log.
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

HEDDLE = sys.argv[1]
PATIENCE = 60  # seconds; only what fails waits for so long
RUNS = 10


def check(condition, what):
    if not condition:
        sys.exit(f'FAILED: {what}')


def until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        check(time.monotonic() < end, what)
        time.sleep(0.01)


def plan(text):
    with open('plan.ini', 'w', encoding='utf-8') as file:
        file.write(text)


def environment(log, pause=0):
    return dict(os.environ, WORKER_LOG=os.path.abspath(log), WORKER_PAUSE=str(pause))


def sweep(log, *options, status=0):
    done = subprocess.run([HEDDLE, 'sweep', *options, 'plan.ini'], env=environment(log), text=True, capture_output=True)
    check(done.returncode == status, f'{options}: status {done.returncode}: {done.stdout}{done.stderr}')
    return done.stdout, done.stderr


def noted(log, what):
    if not os.path.exists(log):
        return []
    with open(log, encoding='utf-8') as file:
        return [int(number) for number in re.findall(rf'^{what} (\d+)\n', file.read(), re.M)]


def results():
    return sorted(glob.glob('out/results/*/*.json'))


def number_of(path):
    with open(path, encoding='utf-8') as file:
        return int(json.load(file)['run']['coordinates']['n'])


def begin(log):
    """A sweep, with some results and some runs under way."""
    tool = subprocess.Popen([HEDDLE, 'sweep', '-j2', 'plan.ini'], env=environment(log, 150), stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    had = len(results())
    until(lambda: len(results()) >= had + 2 and len(noted(log, 'begin')) > len(results()) - had, 'it does not begin')
    return tool


def no_workers():
    def is_worker(path):
        try:
            return os.readlink(path) == os.path.realpath('worker')
        except OSError:
            return False
    return not any(is_worker(path) for path in glob.glob('/proc/[0-9]*/exe'))


def ended_and_resumed(number, log):
    """What has a result is not run again; all that has none is, with nothing left behind by the first."""
    tool = begin(log)
    time_of = {path: os.stat(path).st_mtime_ns for path in results()}
    tool.send_signal(number)
    check(tool.wait(PATIENCE) == -number, f'ended by {tool.returncode}')
    until(no_workers, 'programs run on')
    before = {path: os.stat(path).st_mtime_ns for path in results()}
    check(set(time_of.items()) <= set(before.items()), 'results were lost')
    check(all(json.load(open(path))['output'] == 'worker: PASSED\n' for path in before), 'a result is not whole')
    check(len(before) < RUNS, 'it was over already')
    return before


def killed():
    plan(f'[sweep]\nout = out\n[variables]\nn = 1..{RUNS}\n[workload w]\nprogram = worker\narguments = {{n}}\n')
    before = ended_and_resumed(signal.SIGKILL, 'log1')
    again = ended_and_resumed(signal.SIGINT, 'log2')
    check(set(before.items()) <= set(again.items()), 'results were made again')
    check(not set(noted('log2', 'begin')) & {number_of(path) for path in before}, 'something ran twice')
    out, _ = sweep('log3')
    check(len(results()) == RUNS, 'runs are missing')
    check(sorted(noted('log3', 'end')) == sorted(set(range(1, RUNS + 1)) - {number_of(path) for path in again}),
          'not exactly what was missing ran')
    check(out == f'{RUNS} runs: {len(again)} were done, {RUNS - len(again)} done now\n', out)


def damaged():
    """One half, one with another digit, one empty: these three are run again, and are as they were."""
    paths = results()[:3]
    texts = [open(path, 'rb').read() for path in paths]
    numbers = [number_of(path) for path in paths]
    digit = texts[1].index(b'"cycles":') + 10
    changed = [texts[0][:len(texts[0]) // 2], texts[1][:digit] + bytes([texts[1][digit] ^ 1]) + texts[1][digit + 1:], b'']
    for path, text in zip(paths, changed):
        with open(path, 'wb') as file:
            file.write(text)
    out, _ = sweep('none', '--dry-run')
    check('7 done, 0 failed, 0 missing, 3 damaged' in out, out)
    out, _ = sweep('log4')
    check(out == '10 runs: 7 were done, 3 done now (3 of them damaged before)\n', out)
    check(sorted(noted('log4', 'end')) == sorted(numbers), 'others ran')
    for path, text in zip(paths, texts):
        check(json.load(open(path))['statistics']['total'] == json.loads(text)['statistics']['total'], path)


def at_once():
    tool = begin('log5') if not os.path.exists('out') else None
    check(tool, 'there is a folder already')
    _, err = sweep('log6', status=2)
    check('another sweep uses this folder' in err, err)
    tool.send_signal(signal.SIGTERM)
    check(tool.wait(PATIENCE) == -signal.SIGTERM, f'ended by {tool.returncode}')
    until(no_workers, 'programs run on')


def failing():
    plan('[sweep]\nout = failing\ntime = 1\n[workload w]\nprogram = worker\narguments = 3 hang\n')
    out, told = sweep('log7', status=1)
    check(out == '1 runs: 0 were done, 0 done now, 1 failed\n', out)
    plan('[sweep]\nout = failing\nmemory = 400M\n[workload w]\nprogram = worker\n'
         'arguments = 1, 2 fail, 3 hang, 4 eat 600, 5\n')
    out, err = sweep('log7', status=1)
    err += told
    check(out == '5 runs: 0 were done, 2 done now, 3 failed\n', out)
    causes = {'2 fail': 'status 4: worker: FAILED (as asked)', '3 hang': 'stopped after its 1 s',
              '4 eat 600': 'stopped at its 400 MB of memory'}
    listed = [json.loads(line) for line in sweep('none', '--list')[0].splitlines()]
    check({run['coordinates']['arguments']: run['cause'] for run in listed if run['state'] == 'failed'} == causes,
          [run.get('cause') for run in listed])
    check(all(f'arguments={arguments} gpu=v100 policy=baseline: {cause}\n' in err for arguments, cause in causes.items()), err)
    log = next(run['log'] for run in listed if run['coordinates']['arguments'] == '2 fail')
    check('worker: FAILED (as asked)' in open(log, encoding='utf-8').read(), 'the log is not kept')
    sweep('log8', status=1)
    check(noted('log8', 'begin') == [], 'what had failed ran without being asked')
    sweep('log8', '--again', '--only', 'arguments=2*', status=1)
    check(noted('log8', 'begin') == [2], 'what had failed did not run again')


def keys():
    """A run is another one when the program, a file that its arguments name, or the configuration is another."""
    def done_now(log):
        return int(re.search(r'(\d+) done now', sweep(log)[0]).group(1))
    plan('[sweep]\nout = keys\n[workload w]\nprogram = worker\narguments = 1 data\n')
    open('data', 'w').write('a')
    check(done_now('log9') == 1 and done_now('log9') == 0, 'first')
    open('data', 'w').write('b')
    check(done_now('log9') == 1, 'the content of a file does not count')
    open('worker', 'ab').write(b'\0')
    check(done_now('log9') == 1 and done_now('log9') == 0, 'the content of the program does not count')
    plan('[sweep]\nout = keys\n[axes]\nl1_ports = 1, 2\n[workload w]\nprogram = worker\narguments = 1 data\n'
         '[configuration a]\n[configuration b]\n')
    out, _ = sweep('log9')
    check(out == '4 runs (2 the same as others): 1 were done, 1 done now\n', out)


killed()
damaged()
os.rename('out', 'first')
at_once()
failing()
keys()
print('PASSED')
