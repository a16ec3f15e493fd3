"""Programs that stand in for NVIDIA's profilers, and a look at what a test leaves running.

A stand-in is a script in tests/capture/standins that reads its behaviour from a folder named by $STANDIN and writes down
how it was called. What it may be told, in behaviour.json:

  trace         the SQLite file that reports become when they are exported
  reports       {ending: trace}, what `profile` leaves; {} for none
  run           false: the program is not started
  exit          the exit code, else the program's
  say_first, say        text on stderr before the program, and in the end
  slow, hang    seconds to make the report; true: it never ends
  ignore_term   SIGTERM, SIGQUIT, SIGUSR1 and SIGUSR2 do not end it
  leave_after   seconds after which it leaves the program to itself
  session       true: the program has a session of its own, and is sent SIGINT and SIGTERM on, as by the real one
  die           the signal of which it dies when the program has ended
  export_say, export_slow    `export` fails with this text; takes so long
  knows         {"profile": […], "export": […]}, the options that its help names
"""

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from harness import BINARY, ENVIRONMENT, ROOT, run, traces

STANDINS = ROOT / "tests" / "capture" / "standins"
PATIENCE_S = 60


class Standin:
    """A folder to run in, stand-ins in PATH, and their memory."""

    def __init__(self, **behaviour):
        self.temporary = tempfile.TemporaryDirectory(prefix="gpuwhy-capture-")
        self.folder = Path(self.temporary.name).resolve()
        self.memory = self.folder / "memory"
        self.memory.mkdir()
        self.behave(**behaviour)
        # Nothing of the outside: what a manifest says must not depend on where the test runs.
        self.env = {k: v for k, v in ENVIRONMENT.items() if k in ("HOME", "LANG", "LC_ALL", "BUILD") or k.endswith("SAN_OPTIONS")}
        self.env |= {"STANDIN": str(self.memory), "PATH": f"{STANDINS}:/usr/local/bin:/usr/bin:/bin",
                     "GPUWHY_CACHE_DIR": str(self.folder / "cache"), "GIT_CEILING_DIRECTORIES": str(self.folder.parent)}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def behave(self, **behaviour):
        behaviour.setdefault("trace", str(traces()["compiled"]))
        (self.memory / "behaviour.json").write_text(json.dumps(behaviour, default=str))

    def calls(self, does=None):
        """How the stand-ins were called, in order."""
        path = self.memory / "calls.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [c for c in map(json.loads, lines) if does in (None, c.get("does"))]

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def gpuwhy(self, *args, **options):
        return run([BINARY, *args], **dict(cwd=self.folder, env=self.env) | options)

    def start(self, *args, **options):
        return subprocess.Popen([str(a) for a in (BINARY, *args)], **dict(
            cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) | options)

    def runs(self, root="runs"):
        """Folders of runs, the oldest first."""
        return sorted(p for p in (self.folder / root).glob("*") if p.is_dir())

    def manifest(self, folder=None):
        return json.loads(((folder or self.runs()[-1]) / "manifest.json").read_text())

    def processes(self):
        """Those that live and were started in this folder's name, as {pid: command line}."""
        found = {}
        marker = f"STANDIN={self.memory}".encode()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                if marker in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        return found

    def settled(self, seconds=10):
        """What is still running once all had time to end: {} unless something was left."""
        until = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < until:
            time.sleep(0.05)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return left

    def wait_for_call(self, does, seconds=PATIENCE_S):
        """Until a stand-in was called to do this."""
        until = time.monotonic() + seconds
        while not self.calls(does):
            if time.monotonic() > until:
                raise TimeoutError(f"nobody was called to {does}")
            time.sleep(0.02)

    def wait_for(self, path, seconds=PATIENCE_S):
        """Until the file is there; its text."""
        until = time.monotonic() + seconds
        path = self.folder / path
        while not path.exists() or not path.read_text():
            if time.monotonic() > until:
                raise TimeoutError(f"{path.name} never came")
            time.sleep(0.02)
        return path.read_text()


class Terminal:
    """gpuwhy on a terminal of its own, at which somebody types."""

    def __init__(self, standin, *args, columns=100, split=False, shell=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

        def take_terminal():
            # What a shell starts in the background ignores these; what somebody types at does not.
            for number in (signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        before = ["bash", "-c", shell, "bash"] if shell else []
        self.process = subprocess.Popen(
            [*before, *(str(a) for a in (BINARY, *args))], cwd=standin.folder, env=standin.env | {"TERM": "xterm"}, stdin=slave,
            stdout=slave, stderr=subprocess.PIPE if split else slave, start_new_session=True, preexec_fn=take_terminal)
        os.close(slave)
        self.shown = b""

    def type(self, keys):
        os.write(self.master, keys)

    def finish(self, timeout=PATIENCE_S):
        """The exit code; what was shown is in self.shown."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if ready:
                try:
                    self.shown += os.read(self.master, 65536)
                except OSError:
                    break
            elif self.process.poll() is not None:
                break
        try:
            code = self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        os.close(self.master)
        return code


PYTHON = sys.executable
