"""What a planted fleet's ranks do in a step: a few kernels of a real rank's step, as long as they were there to each other.

The capture gives kernels with all that nsys recorded of them, how long launch calls take, and the tables of the file itself: what is
planted is a real export with other rows.
"""

import contextlib
import re
import sqlite3
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from .rows import columns, tables

PHASES = {"forward": 4, "backward": 4, "optimizer": 2}  # kernels that are taken of each
KERNELS, CALLS = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"
COMPUTE_NS = 8_000_000  # of all kernels of a step together
# Tables that a planted file has, with their rows as in the capture …
KEPT = ("META_DATA_EXPORT", "META_DATA_CAPTURE", "TARGET_INFO_SYSTEM_ENV")
# … and with rows of its own.
OWN = ("StringIds", "ANALYSIS_DETAILS", "TARGET_INFO_SESSION_START_TIME", "TARGET_INFO_GPU", "TARGET_INFO_CUDA_DEVICE",
       "TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_STREAM", "PROCESSES", "ThreadNames", KERNELS, CALLS, "NVTX_EVENTS")


@dataclass(frozen=True)
class Kernel:
    """One that is launched in each step."""
    phase: str
    name: str
    short: str
    ns: int
    row: tuple  # all columns, as nsys recorded one of its runs
    call: str  # that launches it


@dataclass(frozen=True)
class Template:
    kernels: tuple  # in order of launch
    collective: Kernel  # one that communicates
    launch_ns: int  # of a launch call
    between_ns: int  # from the end of one to the start of the next
    kernel_columns: tuple
    rows: dict  # of a table that has rows of its own in each file: {column: value} of a real one
    created: dict  # by table
    kept: dict  # rows of tables that are kept

    def of_phase(self, phase):
        return [k for k in self.kernels if k.phase == phase]


def launched_kernels(db):
    """(phase, kernel's row, name, short name, launch call) of steps that are warm, in order of launch."""
    text = dict(db.execute("SELECT id, value FROM StringIds"))
    names = columns(db, KERNELS)
    name, short = names.index("demangledName"), names.index("shortName")
    steps = db.execute("SELECT start FROM NVTX_EVENTS WHERE text LIKE 'step %' ORDER BY start").fetchall()[4:]
    for start, call, *row in db.execute(
            f"SELECT c.start, c.nameId, k.* FROM {KERNELS} k JOIN {CALLS} c ON c.correlationId = k.correlationId "
            "WHERE c.start >= ? ORDER BY c.start", steps[0]):
        phase = db.execute("SELECT text FROM NVTX_EVENTS WHERE text IN ('forward', 'backward', 'optimizer') "
                           "AND start <= ?1 AND end >= ?1", (start,)).fetchone()
        if phase:
            yield phase[0], tuple(row), text[row[name]], text[row[short]], text[call]


def longest_kernels(launched, phase, count):
    """Of a phase those that take most time, in order of their first launch."""
    groups = defaultdict(list)
    for of, row, name, short, call in launched:
        if of == phase and "nccl" not in name:
            groups[name].append((row, short, call))
    ns = {name: statistics.median(row[1] - row[0] for row, _, _ in runs) for name, runs in groups.items()}
    taken = sorted(groups, key=lambda name: -ns[name] * len(groups[name]))[:count]
    return [Kernel(phase, name, groups[name][0][1], int(ns[name]), *groups[name][0][::2]) for name in groups if name in taken]


def scaled(kernels, total_ns):
    was_ns = sum(k.ns for k in kernels)
    return tuple(Kernel(k.phase, k.name, k.short, k.ns * total_ns // was_ns, k.row, k.call) for k in kernels)


def call_times(db):
    """How long a launch call takes, and how long after it the next one begins."""
    calls = db.execute(f"SELECT start, end FROM {CALLS} WHERE nameId IN (SELECT id FROM StringIds WHERE value LIKE '%LaunchKernel%') "
                       "ORDER BY globalTid, start").fetchall()
    between = [b[0] - a[1] for a, b in zip(calls, calls[1:]) if 0 < b[0] - a[1] < 100_000]
    return int(statistics.median(e - s for s, e in calls)), int(statistics.median(between))


def without_comments(created):
    return re.sub(r"\s+", " ", re.sub(r"--.*", "", created))


def read_template(capture, times=1):
    """The template of one rank's capture, whose steps are ranges `step N` > forward | backward | optimizer; kernels can take
    so many times as long."""
    with contextlib.closing(sqlite3.connect(f"file:{Path(capture)}?immutable=1", uri=True)) as db:
        launched = list(launched_kernels(db))
        kernels = [k for phase, count in PHASES.items() for k in longest_kernels(launched, phase, count)]
        nccl = next(Kernel(phase, name, short, 0, row, call) for phase, row, name, short, call in launched if "nccl" in name)
        made = tables(db)
        return Template(scaled(kernels, COMPUTE_NS * times), nccl, *call_times(db), tuple(columns(db, KERNELS)),
                        {t: dict(zip(columns(db, t), db.execute(f'SELECT * FROM "{t}"').fetchone())) for t in OWN},
                        {t: without_comments(made[t]) for t in (*KEPT, *OWN)},
                        {t: db.execute(f'SELECT * FROM "{t}"').fetchall() for t in KEPT})
