"""cluster_sweep.py HEDDLE short|long: sweeps through a real Slurm on this host; see cluster.py.

Works in the current folder, which has to be empty but for the program. What ran is what it wrote into its log.
"""
import glob
import os
import re
import signal
import sqlite3
import subprocess
import sys

import cluster
from cluster import until

HEDDLE = sys.argv[1]
HOST = {'seconds', 'cpu_seconds', 'peak_bytes'}  # what runs took of the machine


def check(condition, what):
    if not condition:
        sys.exit(f'FAILED: {what}')


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def environment(log, pause=0):
    return dict(os.environ, WORKER_LOG=os.path.abspath(log), WORKER_PAUSE=str(pause))


def prepare():
    cluster.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begin(log, *options, pause=0):
    return subprocess.Popen([HEDDLE, 'sweep', '--engine', 'slurm', *options], env=environment(log, pause), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=prepare)


def ended(tool, status):
    out, err = tool.communicate()
    check(tool.returncode == status, f'{tool.args[4:]}: status {tool.returncode}: {out}{err}')
    return out, err


def sweep(log, *options, status=0, pause=0):
    return ended(begin(log, *options, pause=pause), status)


def noted(log, what):
    if not os.path.exists(log):
        return []
    with open(log, encoding='utf-8') as file:
        return [int(number) for number in re.findall(rf'^{what} (\d+)$', file.read(), re.M)]


def results(folder):
    return glob.glob(f'{folder}/results/*/*.json')


def rows(plan, folder):
    """All of a sweep's database but what its host took: {table: rows}"""
    done = subprocess.run([HEDDLE, 'sweep', '--gather', '--out', folder, plan], check=False, capture_output=True, text=True)
    check(done.returncode in (0, 1), done.stderr)
    base = sqlite3.connect(f'{folder}/results.db')
    tables = [name for name, in base.execute('SELECT name FROM sqlite_master WHERE type = "table" ORDER BY name')]
    found = {}
    for table in tables:
        columns = [row[1] for row in base.execute(f'PRAGMA table_info({table})') if row[1] not in HOST]
        found[table] = base.execute(f'SELECT {", ".join(columns)} FROM {table}').fetchall()
    return found


def left_behind(folder):
    """Files of ours between sweep and tasks; those that stay are the script and the name."""
    return [path for path in glob.glob(f'{folder}/slurm/**', recursive=True) if os.path.isfile(path)
            and os.path.basename(path) not in ('id', 'script')]


def same_as_local():
    """Chunks of several runs, one that fails and one that is stopped at its limit: the database is the local engine's."""
    write('same.ini', '[sweep]\nmemory = 400M\n[axes]\nl1_latency = 20, 30\n[variables]\nn = 1..8\n'
          '[workload w]\nprogram = worker\narguments = {n}, 9 fail, 10 eat 600\n[exclude]\nl1_latency = 30\narguments = 10*\n')
    subprocess.run([HEDDLE, 'sweep', '--out', 'local', 'same.ini'], env=environment('log0'), capture_output=True, check=False)
    out, err = sweep('log1', '--chunk', '4', '--out', 'same', 'same.ini', status=1)
    check(out == '19 runs: 0 were done, 16 done now, 3 failed\n', out + err)
    check(sorted(noted('log1', 'begin')) == sorted(noted('log0', 'begin')), 'not each ran once')
    check(err.count('status 4: worker: FAILED (as asked)') == 2 and err.count('stopped at its 400 MB of memory') == 1, err)
    local, slurm = rows('same.ini', 'local'), rows('same.ini', 'same')
    check(local.keys() == slurm.keys() and len(local['runs']) == 19 and len(local['counters']) == 16, 'nothing is compared')
    for table, values in local.items():
        check(values == slurm[table], f'{table} differs')
    check(not left_behind('same'), left_behind('same'))
    out, _ = sweep('log2', '--out', 'same', 'same.ini', status=1)
    check(out == '19 runs: 16 were done, 0 done now, 3 failed\n' and not noted('log2', 'begin'), 'something ran twice')
    out, _ = sweep('log2', '--out', 'same', '--again', '--only', 'arguments=9*', 'same.ini', status=1)
    check(noted('log2', 'begin') == [9, 9], 'not what failed ran again')


def running(count, log):
    return lambda: len(noted(log, 'begin')) >= count


def left_and_taken_up(number, count):
    """A sweep that a signal ends leaves its tasks in the queue; another one waits for them. Each run runs once."""
    log, folder = f'log-{number}', f'left-{number}'
    write('left.ini', f'[variables]\nn = 1..{count}\n[workload w]\nprogram = worker\narguments = {{n}}\n')
    options = ('--chunk', '1', '-j', '6', '--out', folder, 'left.ini')
    tool = begin(log, *options, pause=300)
    until(running(2, log), 'it does not begin')
    tool.send_signal(number)
    out, err = tool.communicate()
    check(tool.returncode == -number, f'ended by {tool.returncode}: {out}{err}')
    if number == signal.SIGINT:
        check(re.search(r"note: \d+ runs continue in Slurm's queue, \d+ wait \(.*; scancel \d+ ends them\)\n", err), err)
    out, err = sweep(log, *options, pause=300)
    check(len(results(folder)) == count, out + err)
    check(sorted(noted(log, 'begin')) == list(range(1, count + 1)), f'not each ran once: {noted(log, "begin")}')
    check(not left_behind(folder), left_behind(folder))


def cancelled():
    """What a user takes out of the queue is not submitted again, and is no failure; the next call runs it."""
    write('cancelled.ini', '[workload w]\nprogram = worker\narguments = 1, 2 hang\n')
    tool = begin('log3', '--chunk', '1', 'cancelled.ini')
    until(running(2, 'log3'), 'it does not begin')
    until(lambda: results('cancelled.sweep'), 'the first does not end')
    subprocess.run(['scancel', '-u', 'root'], check=True)
    out, err = ended(tool, 1)
    check(out == '2 runs: 0 were done, 1 done now, 1 left\n', out + err)
    check(not glob.glob('cancelled.sweep/failed/*'), 'it counts as failed')


def refused():
    write('refused.ini', '[workload w]\nprogram = worker\narguments = 1, 2\n')
    out, err = sweep('log4', '--partition', 'none', 'refused.ini', status=2)
    check(out == '2 runs: 0 were done, 0 done now, 2 left\n', out)
    check(err.count('cannot submit: sbatch: error:') == 1 and 'invalid partition' in err, err)
    check(not left_behind('refused.sweep'), left_behind('refused.sweep'))


def short():
    with cluster.Cluster(nodes=2):
        same_as_local()
        left_and_taken_up(signal.SIGINT, 10)
        refused()


def many(nodes):
    """200 runs while a node is killed, another one stops, and the controller restarts: nothing lost, nothing twice."""
    write('many.ini', '[variables]\nn = 1..200\n[workload w]\nprogram = worker\narguments = {n}\n')
    tool = begin('log5', '--chunk', '1', '-j', '30', 'many.ini', pause=400)
    until(running(20, 'log5'), 'it does not begin')
    killed = set(kill_node(nodes, 'n1'))
    check(killed, 'nothing ran on the node')
    until(running(60, 'log5'), 'it does not go on')
    nodes.kill('slurmctld', signal.SIGTERM)  # it saves its state; after SIGKILL it does not know what has ended
    until(lambda: cluster.age(nodes.path('slurmctld.said')) > 20, 'the controller does not end')
    nodes.start('slurmctld', '-D')
    out, err = ended(tool, 0)
    check(out == '200 runs: 0 were done, 200 done now\n', out + err)
    ran = noted('log5', 'end')
    twice = {number for number in ran if ran.count(number) > 1}
    check(set(ran) == set(range(1, 201)) and twice <= killed, f'{sorted(twice)} ran twice, of {sorted(killed)}')
    check('runs were lost (NODE_FAIL on n1' in err and 'Slurm does not answer' in err and 'Slurm answers again' in err, err)
    check(not left_behind('many.sweep'), left_behind('many.sweep'))


def unanswered(nodes):
    """A sweep that begins while the controller is down says so, and takes nothing that is in the queue from it."""
    write('unanswered.ini', '[variables]\nn = 1..12\n[workload w]\nprogram = worker\narguments = {n}\n')
    options = ('--chunk', '0', 'unanswered.ini')
    tool = begin('log8', *options, pause=1000)
    until(running(2, 'log8'), 'it does not begin')
    tool.send_signal(signal.SIGTERM)
    tool.communicate()
    nodes.kill('slurmctld', signal.SIGTERM)
    _, err = sweep('log8', *options, status=2)
    check('error: no answer from Slurm: ' in err, err)
    nodes.start('slurmctld', '-D')
    out, err = sweep('log8', *options)
    check(sorted(noted('log8', 'begin')) == list(range(1, 13)), f'not each ran once: {noted("log8", "begin")}')
    check(not left_behind('unanswered.sweep'), left_behind('unanswered.sweep'))


def of_node(name):
    """(process, number of its run or 0) for all that Slurm runs on a node."""
    for path in glob.glob('/proc/[0-9]*/environ'):
        folder = os.path.dirname(path)
        try:
            with open(path, 'rb') as file:
                if f'SLURMD_NODENAME={name}'.encode() not in file.read().split(b'\0'):
                    continue
            words = open(folder + '/cmdline', 'rb').read().split(b'\0')
            parent = int(re.search(r'^PPid:\s*(\d+)', open(folder + '/status', encoding='utf-8').read(), re.M).group(1))
        except OSError:
            continue
        is_run = os.path.basename(words[0]) == b'worker' and len(words) > 1
        yield int(os.path.basename(folder)), int(words[1]) if is_run else 0, parent


def kill_node(nodes, name):
    """As when its power fails. The runs that it had."""
    nodes.kill(name)
    found = list(of_node(name))
    parents = {parent for _, _, parent in found} - {1, os.getpid()}
    processes = parents | {process for process, _, _ in found}
    for number in (signal.SIGSTOP, signal.SIGKILL):  # none sees the end of another one
        for process in processes:
            try:
                os.kill(process, number)
            except OSError:
                pass
    return [number for _, number, _ in found if number]


def full_disk(nodes):
    """The folder's disk is full: the sweep says so and stops; with room again it goes on."""
    os.mkdir('disk')
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', 'disk'], check=True)
    try:
        write('disk.ini', '[variables]\nn = 1..40\n[workload w]\nprogram = worker\narguments = {n}\n')
        options = ('--chunk', '1', '--out', 'disk/out', 'disk.ini')
        out, err = sweep('log6', *options, status=2, pause=150)
        check('No space left on device' in err, out + err)
        until(lambda: not nodes.tasks(), 'tasks do not end')
        subprocess.run(['mount', '-o', 'remount,size=64m', 'disk'], check=True)
        before = {path: os.stat(path).st_mtime_ns for path in results('disk/out')}
        kept = {os.path.basename(path).split('.')[0] for path in glob.glob('disk/out/slurm/runs/*.stats')}
        kept &= set(os.listdir('disk/out/slurm/ends'))
        check(kept and len(before) + len(kept) < 40, f'{len(before)} results and {len(kept)} to be made')
        out, err = sweep('log7', '--again', *options)
        check(len(results('disk/out')) == 40, out + err)
        check(len(noted('log7', 'begin')) == 40 - len(before) - len(kept), 'something ran twice')
        check(all(os.stat(path).st_mtime_ns == time for path, time in before.items()), 'results were made again')
        check(not left_behind('disk/out'), left_behind('disk/out'))
    finally:
        until(lambda: subprocess.run(['umount', 'disk'], check=False, capture_output=True).returncode == 0, 'the disk is in use')


def long():
    with cluster.Cluster(nodes=3, array=11) as nodes:
        cancelled()
        left_and_taken_up(signal.SIGKILL, 30)
        unanswered(nodes)
        many(nodes)
    with cluster.Cluster(nodes=2) as nodes:
        full_disk(nodes)


{'short': short, 'long': long}[sys.argv[2]]()
print('PASSED')
