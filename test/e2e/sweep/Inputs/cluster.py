"""A real Slurm of several nodes on this host, of daemons that end with the test, in a folder of its own.

The daemons run in the foreground as children, and are killed by the kernel when the test dies. Nothing of the system's
configuration is read or written.
"""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE = 120  # seconds; only what fails waits for so long
PR_SET_PDEATHSIG = 1

CONFIGURATION = '''ClusterName=heddle
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0
SlurmdTimeout=5
KillWait=2
MessageTimeout=5
MinJobAge=60
MaxArraySize={array}
MaxJobCount={jobs}
NodeName=n[0-{last}] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{first_port}-{last_port}] CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=runs Nodes=ALL Default=YES MaxTime=INFINITE State=UP
'''


def find(program):
    return shutil.which(program, path=os.environ['PATH'] + ':/usr/sbin:/sbin')


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    """The first of so many ports in a row that nobody listens on."""
    for first in range(21000 + os.getpid() % 500 * 20, 32000, count):
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(('127.0.0.1', port))
            return first
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    sys.exit('FAILED: no free ports')


def until(condition, what, patience=PATIENCE):
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            sys.exit(f'FAILED: {what}')
        time.sleep(0.02)


def age(path):
    """Seconds since a file was written to."""
    return time.time() - os.stat(path).st_mtime


class Cluster:
    """Use in a `with`. Sets SLURM_CONF of this process and of its children."""

    def __init__(self, nodes=2, cpus=2, array=101):
        self.nodes, self.cpus, self.array = nodes, cpus, array
        self.daemons = {}

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit('FAILED: ended'))
        self.folder = tempfile.mkdtemp(prefix='heddle-slurm-', dir='/tmp')  # short, for the path of a socket
        os.chmod(self.folder, 0o755)
        try:
            self.begin()
        except BaseException:
            self.tell()
            self.__exit__()
            raise
        return self

    def begin(self):
        port = free_ports(self.nodes + 1)
        memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') >> 21  # megabytes, half of them
        for name in ('munge', 'state', *self.names()):
            os.mkdir(os.path.join(self.folder, name), 0o755)
        with open(self.path('slurm.conf'), 'w', encoding='utf-8') as file:
            file.write(CONFIGURATION.format(folder=self.folder, port=port, first_port=port + 1, last_port=port + self.nodes,
                                            last=self.nodes - 1, cpus=self.cpus, array=self.array,
                                            jobs=max(10000, 2 * self.array), memory=memory))
        with open(self.path('cgroup.conf'), 'w', encoding='utf-8') as file:
            file.write('CgroupPlugin=cgroup/v1\n')  # by name: to find out which, slurmd wants /sys/fs/cgroup, which a chroot lacks
        with open(os.open(self.path('munge/key'), os.O_WRONLY | os.O_CREAT, 0o400), 'wb') as file:
            file.write(os.urandom(1024))
        os.environ['SLURM_CONF'] = self.path('slurm.conf')
        self.start('munged', '-F', '--force', *(f'--{name}={self.path("munge/" + file)}' for name, file in (
            ('socket', 'socket'), ('key-file', 'key'), ('pid-file', 'pid'), ('log-file', 'log'), ('seed-file', 'seed'))))
        until(lambda: os.path.exists(self.path('munge/socket')), 'munged does not begin')
        self.start('slurmctld', '-D')
        for name in self.names():
            self.start(name)
        until(lambda: self.idle() == self.nodes, 'the nodes do not come up')

    def names(self):
        return [f'n{i}' for i in range(self.nodes)]

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, name, *words):
        """A daemon; a node by its name."""
        words = [find(name), *words] if find(name) else [find('slurmd'), '-D', '-N', name]
        with open(self.path(name + '.said'), 'ab') as log:
            self.daemons[name] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                  preexec_fn=die_with_parent)

    def kill(self, name, number=signal.SIGKILL):
        self.daemons[name].send_signal(number)
        self.daemons.pop(name).wait()

    def idle(self):
        said = subprocess.run(['sinfo', '-h', '-N', '-t', 'idle', '-o', '%N'], capture_output=True, text=True, check=False)
        return len(said.stdout.split())

    def tasks(self):
        """(name, index, state, node) of each task that has not ended."""
        said = subprocess.run(['squeue', '-h', '-r', '-o', '%j|%K|%T|%N'], capture_output=True, text=True, check=False)
        return [tuple(line.split('|')) for line in said.stdout.splitlines()]

    def tell(self):
        """What the daemons said, for one who has to find out why they do not work here."""
        for name in self.daemons:
            with open(self.path(name + '.said'), encoding='utf-8', errors='replace') as file:
                sys.stderr.writelines(f'{name}: {line}' for line in file.readlines()[-20:])

    def __exit__(self, *_):
        if 'slurmctld' in self.daemons and self.tasks():
            subprocess.run(['scancel', '-u', 'root'], check=False)
            end = time.monotonic() + 10
            while self.tasks() and time.monotonic() < end:
                time.sleep(0.1)
        for name in sorted(self.daemons, key=lambda name: (name == 'munged', name)):
            self.kill(name, signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)
