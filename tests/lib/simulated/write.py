"""The files of a simulated job, with clocks that hosts set badly, as each rank's nsys would have left them."""

import contextlib
import random
import sqlite3
from dataclasses import replace

from fleet.files import FileClock
from fleet.plant import MS, template_of, write_files

UTC_NS = 30 * MS  # that nodes may be wrong by: more than a step


def write(folder, job, capture, later_s=0, wrong_s=None):
    """`capture` is a real rank's, of which come all columns that are not simulated. `later_s`: the job ran so much later. `wrong_s`: by
    node, how far off its UTC is; else a little, by chance."""
    template, empty = template_of(capture)
    record_kernels(job, template)
    return write_files(folder, job, template, empty, clocks(job, later_s * 10**9, wrong_s), "rank")


def record_kernels(job, template):
    """Gives kernels what nsys records of them besides."""
    recorded = {}
    for op in (op for rank in job.ranks for op in rank.ops):
        if op.kernel not in recorded:
            real = template.collective if op.meeting else template.kernels[0]
            recorded[op.kernel] = replace(op.kernel, row=real.row)
        op.kernel = recorded[op.kernel]


def forget_communicators(path):
    """As an export without --include-json true."""
    change(path, "UPDATE NVTX_EVENTS SET jsonText = NULL")


def forget_numbers(path):
    """As a program that calls all its steps alike."""
    change(path, "UPDATE NVTX_EVENTS SET text = 'step' WHERE text GLOB 'step [0-9]*'")


def forget_utc(path):
    """As old versions of nsys, which do not say when a capture began."""
    change(path, "DROP TABLE TARGET_INFO_SESSION_START_TIME")


def change(path, statement):
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute(statement)


def clocks(job, later_ns, wrong_s=None):
    draw = random.Random(f"clocks of {job.seed}")
    wrong_ns = [draw.randrange(-UTC_NS, UTC_NS) for _ in range(job.layout.nodes)]
    if wrong_s:
        wrong_ns = [int(s * 10**9) for s in wrong_s]
    return [FileClock(draw.randrange(200 * MS), 0, later_ns + wrong_ns[job.layout.node(rank.number)]) for rank in job.ranks]
