"""The files of a simulated job, with clocks that hosts set badly, as each rank's nsys would have left them."""

import random
from dataclasses import replace

from fleet.files import FileClock
from fleet.plant import MS, template_of, write_files

UTC_NS = 30 * MS  # that nodes may be wrong by: more than a step


def write(folder, job, capture):
    """`capture` is a real rank's, of which come all columns that are not simulated."""
    template, empty = template_of(capture)
    recorded = {}
    for op in (op for rank in job.ranks for op in rank.ops):
        if op.kernel not in recorded:
            real = template.collective if op.meeting else template.kernels[0]
            recorded[op.kernel] = replace(op.kernel, row=real.row)
        op.kernel = recorded[op.kernel]
    write_files(folder, job, template, empty, clocks(job), "rank")


def clocks(job):
    draw = random.Random(f"clocks of {job.seed}")
    wrong_ns = [draw.randrange(-UTC_NS, UTC_NS) for _ in range(job.layout.nodes)]
    return [FileClock(draw.randrange(200 * MS), 0, wrong_ns[job.layout.node(rank.number)]) for rank in job.ranks]
