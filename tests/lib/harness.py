"""What every suite of tests shares: the program under test, the traces, and the count of cases.

A suite is a program that prints one line per failing case and, last, `N passed, N failed`
(and `, N skipped`). It exits 1 when a case failed.
"""

import contextlib
import gc
import lzma
import os
import platform
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

# Suites hold hundreds of thousands of rows, in no cycles: looking for cycles at every 700th takes a tenth of their time.
gc.set_threshold(100_000, 20, 20)

# A shell starts background jobs with interrupts ignored, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# As nohup does with SIGHUP, of which suites ask that it ends a program.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
BINARY = Path(os.environ.get("GPUWHY", BUILD / "gpuwhy")).resolve()
SHARED = ROOT.parent / "shared"
DATA = ROOT / "tests" / "data"
# tests/run gives each suite one: two threads of one interpreter take up to twice the time for the same work.
CORES = int(os.environ.get("CORES") or os.cpu_count())
# Unpacked once for all variants of the build.
UNPACKED = ROOT / "build" / "traces"

COMMANDS = ["overview", "findings", "summary", "idle", "iters", "info", "kernels", "memory", "api", "launches", "sync",
            "graphs", "ranges", "nvtx", "suggest", "phases", "processes", "threads", "ranks", "window", "streams", "stages", "overlap",
            "nccl", "stragglers", "schema", "doctor", "graph", "ops", "search", "tree", "timings", "mfu"]
FORMATS = ["text", "markdown", "json", "csv", "html"]

# A sanitizer's verdict has an exit code of its own, so that it is never taken for ours.
SANITIZER_EXIT = 99
# Debian's clang looks for leaks all over the address space of an ARM: three seconds at each of thousands of ends. There valgrind does.
FINDS_LEAKS = platform.machine() == "x86_64"
ENVIRONMENT = dict(
    {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "GPUWHY_PAGER", "LESS")},
    PAGER="cat",
    # Nobody's own maps and skills.
    XDG_CONFIG_HOME=str(BUILD / "no-config"),
    XDG_STATE_HOME=str(BUILD / "no-state"),
    LC_ALL="C.UTF-8",
    NO_COLOR="1",
    ASAN_OPTIONS=f"detect_leaks={int(FINDS_LEAKS)}:exitcode={SANITIZER_EXIT}",
    UBSAN_OPTIONS=f"halt_on_error=1:exitcode={SANITIZER_EXIT}:print_stacktrace=1",
    TSAN_OPTIONS=f"exitcode={SANITIZER_EXIT}",
)


@dataclass
class Result:
    code: int
    out: bytes
    err: bytes

    @property
    def crash(self):
        """Why this is no way for a program to end, or None."""
        if self.code == TIMED_OUT:
            return "it hangs"
        if self.code < 0:
            return f"it died of signal {-self.code}"
        if self.code == SANITIZER_EXIT:
            found = re.search(r"SUMMARY: .*|.*runtime error: .*", self.message)
            return found[0] if found else "sanitizer: " + self.message
        if self.code > 5:
            return f"exit code {self.code}"
        return None

    @property
    def message(self):
        return self.err.decode("utf-8", "backslashreplace").strip()


TIMED_OUT = 1000


def run(argv, timeout=60, **options):
    """Runs a program to its end with nothing on standard input."""
    options = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                   env=ENVIRONMENT) | options
    with subprocess.Popen([str(a) for a in argv], **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return Result(TIMED_OUT, out or b"", err or b"")
    return Result(process.returncode, out or b"", err or b"")


def spelled(command, folder=BUILD / "scratch"):
    """A command as those call it who want its answer alone: `graph` writes files as well, `search` looks for
    something, `mfu` needs FLOPs."""
    if command == "search":
        return [command, "--pattern", "e"]
    if command == "mfu":
        return [command, "--flops", "1e12", "--peak-tflops", "1000"]
    if command != "graph":
        return [command]
    folder.mkdir(parents=True, exist_ok=True)
    return [command, "--out_dir", folder]


def gpuwhy(*args, **options):
    said = {"graph": {"--out_dir"}, "mfu": {"--flops", "--model", "--ncu", "--peaks"}}.get(args[0] if args else None, set())
    if args and not said & set(args) and (args[0] != "search" or len(args) < 3 or str(args[2]).startswith("-")):
        args = [*spelled(args[0]), *args[1:]]
    return run([BINARY, *args], **options)


def whole_capture(*args):
    """The same asked about the whole capture, which SQL over all rows answers, unless a window is asked for."""
    return [*args, *([] if {"--trim", "--iteration", "--span"} & set(args) else ("--span", "all"))]


def reports():
    """The names of the reports of `gpuwhy stats`."""
    listing = gpuwhy("stats", "--list", "--format", "csv").out.decode()
    return [line.split(",")[0] for line in listing.splitlines()[1:]]


def unpack(packed, folder=None):
    """The path of an unpacked copy of NAME.sqlite.xz."""
    folder = Path(folder or UNPACKED)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / packed.name.removesuffix(".xz")
    if not path.exists() or path.stat().st_mtime < packed.stat().st_mtime:
        partial = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        partial.write_bytes(lzma.decompress(packed.read_bytes()))
        partial.replace(path)
    return path


def traces():
    """Name and path of each trace that the project carries."""
    return {p.name.removesuffix(".sqlite.xz"): unpack(p) for p in sorted(DATA.glob("*.sqlite.xz"))}


# Captures of one program each, which differ in a habit.
FAMILIES = [{"collate_stall", "grads_to_host", "log_items", "narrow_kernel", "nocache_malloc", "optimizer_loop", "pageable_batch",
             "pinned_async", "train_healthy"}, {"before", "after"}]


def lot(kind=""):
    """What draws lots where strangers, too, are taken by lot, for each suite and kind of case in its own way: what one
    leaves out another takes. None: all are taken."""
    seed = os.environ.get("STRANGERS")
    return random.Random(f"{seed} {'/'.join(Path(sys.argv[0]).parts[-2:])} {kind}") if seed else None


def some(cases, share, kind=""):
    """Of many cases of one kind a share by lot, where strangers, too, are taken by lot; else all."""
    cases, draw = list(cases), lot(kind)
    if not draw:
        return cases
    taken = set(draw.sample(range(len(cases)), max(1, round(share * len(cases)))))
    return [case for i, case in enumerate(cases) if i in taken]


def programs():
    """What a law is held against: of each of the FAMILIES one by lot, and a third of all that, where strangers, too, are
    taken by lot."""
    own, draw = traces(), lot()
    if not draw:
        return own
    for family in FAMILIES:
        assert own.keys() >= family
        for name in family - {draw.choice(sorted(family))}:
            del own[name]
    return dict(some(own.items(), 1 / 3))


def by_lot(names, count=2):
    """Of some names the first and others by lot, or one by lot, where strangers, too, are taken by lot; else all."""
    (first, *others), draw = names, lot()
    if not draw:
        return list(names)
    return [first, *draw.sample(others, count - 1)] if count > 1 else [draw.choice([first, *others])]


def plain_traces():
    """Plain CUDA programs, one habit each."""
    return {p.name.removesuffix(".sqlite.xz"): unpack(p, UNPACKED / "plain") for p in sorted((DATA / "plain").glob("*.xz"))}


def plain_programs():
    """Plain programs that a law is held against: a third of them by lot where strangers, too, are taken by lot."""
    return dict(some(plain_traces().items(), 1 / 3))


def runs_to_compare():
    """Runs of one training program, twelve steps each: base three times, and five changes of it twice (lib/trim_steps.py)."""
    return {p.name.removesuffix(".sqlite.xz"): unpack(p, UNPACKED / "diff") for p in sorted((DATA / "diff").glob("*.xz"))}


def profiles():
    """Name and path of each CSV of Nsight Compute that the project carries; they lie beside the traces."""
    return {p.name.removesuffix(".csv.xz"): unpack(p) for p in sorted((DATA / "ncu").glob("*.csv.xz"))}


def public_traces(every=False):
    """Others' traces, where they are at hand: never part of the project. STRANGERS=N,SEED: N of them, by lot."""
    packed = sorted((SHARED / "traces" / "public").glob("*.sqlite.xz"))
    if os.environ.get("STRANGERS") and not every:
        count, seed = map(int, os.environ["STRANGERS"].split(","))
        packed = sorted(random.Random(seed).sample(packed, min(count, len(packed))))
    return {p.name.removesuffix(".sqlite.xz"): unpack(p, UNPACKED / "public") for p in packed}


def small_public_traces():
    """Those that Python, too, is through with in a moment."""
    return {name: path for name, path in public_traces().items() if path.stat().st_size < 4 << 20}


def odd_traces(path, folder):
    """Copies of a trace whose ranges are changed as real ones sometimes are: name and path."""
    odd = {}
    for name, statement in {
        "overlap": "UPDATE NVTX_EVENTS SET end = end + 3000000 WHERE rowid % 6 = 0",
        "open": "UPDATE NVTX_EVENTS SET end = NULL WHERE rowid % 30 = 0",
        "start/end": "UPDATE NVTX_EVENTS SET eventType = 60 + 11 * (rowid % 2) WHERE rowid % 3 = 0",
        "empty": "UPDATE NVTX_EVENTS SET end = start WHERE rowid % 4 = 0",
        "same name": "UPDATE NVTX_EVENTS SET text = 'x' WHERE rowid % 2 = 0",
    }.items():
        odd[f"{path.stem} {name}"] = changed = Path(folder, name.replace("/", "_") + ".sqlite")
        shutil.copy(path, changed)
        with contextlib.closing(sqlite3.connect(changed)) as db, db:
            db.execute(statement)
    return odd


class Suite:
    def __init__(self, name):
        self.name = name
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()

    def ok(self):
        with self.lock:
            self.passed += 1

    def fail(self, case, why):
        with self.lock:
            self.failed += 1
            print(f"FAIL {self.name}: {case}: {why}", flush=True)

    def skip(self, case, why):
        with self.lock:
            self.skipped += 1
            print(f"SKIP {self.name}: {case}: {why}", flush=True)

    def check(self, case, why):
        """Counts a case: `why` is what is wrong with it; None, or False, when nothing is. Empty is not nothing: what was
        found where something else should have been may well be empty."""
        if why is not None and why is not False:
            self.fail(case, why)
        else:
            self.ok()

    def each(self, function, items, share=1):
        """Calls function(item) for all items, CORES at a time, or for a share of them where strangers are taken by lot; an
        exception fails its case."""
        items = some(items, share) if share < 1 else items

        def guarded(item):
            try:
                function(item)
            except Exception as problem:  # the suite must reach its last line
                self.fail(str(item), f"{type(problem).__name__}: {problem}")

        if CORES == 1:
            for item in items:
                guarded(item)
            return
        with ThreadPoolExecutor(CORES) as pool:
            list(pool.map(guarded, items))

    def finish(self):
        if self.passed + self.failed == 0 and not self.skipped:
            self.fail("all", "no case was run")
        print(counts(self.passed, self.failed, self.skipped), flush=True)
        sys.exit(1 if self.failed else 0)


def counts(passed, failed, skipped):
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def need_binary():
    if not os.access(BINARY, os.X_OK):
        sys.exit(f"{BINARY} is not there: run make first")
