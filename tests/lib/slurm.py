"""A Slurm of one's own: Debian's slurmctld and several slurmd on this machine, in a temporary folder, as the user who
runs the test, without munge or a database. Nodes differ by name and port alone: Debian's slurmd takes -N.
"""

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ["slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo"]
SEARCHED = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=120
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=10000,sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
SlurmdTimeout=4
MessageTimeout=3
TCPTimeout=1
KillWait=1
ReturnToService=2
MailProg=/bin/true
MaxArraySize={array_max}
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def lacks():
    """What is not installed, or None."""
    missing = [name for name in PROGRAMS if not shutil.which(name, path=SEARCHED)]
    return f"{', '.join(missing)} not installed (tools/setup --test)" if missing else None


def free_ports(count):
    """Ports that nobody has now. They are below those that the system itself gives away."""
    found = []
    for port in range(20000 + os.getpid() % 9000, 32000):
        with socket.socket() as s:
            try:
                s.bind(("0.0.0.0", port))
                found.append(port)
            except OSError:
                continue
        if len(found) == count:
            return found
    raise OSError("no free ports")


def answers(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


class Cluster:
    def __init__(self, folder, nodes, array_max=1001):
        self.folder = Path(folder)
        self.nodes = {f"n{i}": None for i in range(1, nodes + 1)}
        self.controller = None
        ports = free_ports(nodes + 1)
        self.port = ports[0]
        host = socket.gethostname().split(".")[0]
        lines = [f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=16 RealMemory=2000"
                 for name, port in zip(self.nodes, ports[1:])]
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ["state", *self.nodes]:
            (self.folder / name).mkdir()
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            host=host, port=self.port, user=pwd.getpwuid(os.getuid()).pw_name, folder=self.folder, array_max=array_max, nodes="\n".join(lines)))
        self.environment = {"SLURM_CONF": str(self.configuration), "PATH": SEARCHED}

    def __enter__(self):
        try:
            self.controller = self.start("slurmctld", "-D", "-c")
            self.wait(lambda: answers(self.port), "slurmctld")
            for name in self.nodes:
                self.start_node(name)
            self.wait(lambda: self.ask("sinfo", "-h", "-o", "%T").split() == ["idle"], "its nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.nodes:
            self.kill_node(name)
        if self.controller:
            self.controller.kill()
            self.controller.wait()

    def start(self, *argv):
        with open(self.folder / "said.txt", "ab") as said:
            return subprocess.Popen([shutil.which(argv[0], path=SEARCHED), *argv[1:]], stdin=subprocess.DEVNULL, stdout=said,
                                    stderr=said, env=os.environ | self.environment)

    def start_node(self, name):
        self.nodes[name] = self.start("slurmd", "-D", "-N", name)

    def tasks(self, name):
        """Processes that the node has started, by what they were told: the node's name, and where this Slurm is."""
        wanted = {f"SLURM_CONF={self.configuration}".encode(), f"SLURMD_NODENAME={name}".encode()}
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and wanted <= set((entry / "environ").read_bytes().split(b"\0")):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def kill_node(self, name):
        """All of it at once, as when its power fails; what started the tasks goes with them."""
        if not self.nodes[name]:
            return
        self.nodes[name].kill()
        self.nodes[name].wait()
        self.nodes[name] = None
        for pid in self.tasks(name):
            try:
                parent = re.search(r"PPid:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]
                stepd = Path(f"/proc/{parent}/cmdline").read_bytes().startswith(b"slurmstepd")
                for end in ([int(parent)] if stepd else []) + [pid]:
                    os.kill(end, signal.SIGKILL)
            except (OSError, TypeError):
                continue

    def ask(self, *argv):
        done = subprocess.run([shutil.which(argv[0], path=SEARCHED), *argv[1:]], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env=os.environ | self.environment, timeout=30, check=False)
        return done.stdout

    def wait(self, condition, what, seconds=60):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise TimeoutError(f"{what}: not within {seconds} s; {self.folder}")
            time.sleep(0.05)
