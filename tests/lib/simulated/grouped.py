"""Files of processes that drive several GPUs each: one thread a GPU, as torch.nn.DataParallel and programs that NCCL calls in a group have."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

from fleet.files import NCCL_DOMAIN, PUSH_POP, Capture, Writer, insert
from fleet.names import host_of
from fleet.plant import template_of
from fleet.template import CALLS, KERNELS

from .write import clocks, record_kernels

CALLS_EACH = 1_000_000  # correlation ids of a GPU


def write_grouped(folder, job, capture, gpus, says_ranks=False, threads=True, name="job_rank{}.sqlite"):
    """A file for each `gpus` ranks, called after the process: {number of the process: path}. `says_ranks`: NCCL's set-up is recorded. Without
    `threads` one launches for all GPUs, in a group of NCCL's calls."""
    template, empty = template_of(capture)
    record_kernels(job, template)
    read, paths = clocks(job, 0), {}
    for first in range(0, len(job.ranks), gpus):
        number = first // gpus
        path = paths[number] = Path(folder, name.format(number))
        whose = Capture(path, host_of(job.layout.node(first)), 2000 + job.layout.local(first), read[first])
        Process(job, template, job.ranks[first:first + gpus], whose, says_ranks, threads).write(empty)
    return paths


class Process:
    """Writes the file of one process."""

    def __init__(self, job, template, ranks, capture, says_ranks, threads):
        self.job, self.ranks, self.capture, self.says_ranks, self.threads = job, ranks, capture, says_ranks, threads
        self.writers = [Writer(template, job.layout, rank, capture) for rank in ranks]

    def write(self, empty):
        db = sqlite3.connect(":memory:")
        db.deserialize(empty)
        for i, writer in enumerate(self.writers):
            self.write_gpu(db, i, writer)
        self.writers[0].write_target(db)
        self.writers[0].write_session(db)
        insert(db, "StringIds", sorted((number, text) for text, number in self.writers[0].strings.items()))
        db.commit()
        self.capture.path.write_bytes(db.serialize())
        db.close()

    def write_gpu(self, db, i, writer):
        """Ranges of the program are those of its first thread."""
        rank = self.ranks[i]
        renumber(rank, i * CALLS_EACH)
        writer.strings = self.writers[0].strings
        writer.thread += i if self.threads else 0
        if i and not self.threads:
            rank.ranges = [r for r in rank.ranges if r.payload]
        insert(db, KERNELS, writer.kernels())
        insert(db, CALLS, writer.calls())
        insert(db, "NVTX_EVENTS", [*writer.ranges(), *([self.set_up(i, writer)] if self.says_ranks else [])])

    def set_up(self, i, writer):
        world = max(self.job.communicators.values(), key=lambda c: len(c.members))
        payload = {"NCCL communicator ID": world.id, "No. of ranks": len(world.members), "Rank": self.ranks[i].number, "CUDA device": writer.device}
        clock = self.capture.clock
        return writer.row("NVTX_EVENTS", start=clock.reads(1000 + i), end=clock.reads(2000 + i), text="ncclCommInitRankConfig", domainId=NCCL_DOMAIN,
                          eventType=PUSH_POP, globalTid=writer.thread, jsonText=json.dumps(payload))


def renumber(rank, by):
    """Correlation ids are those of a process."""
    for op in rank.ops:
        op.correlation += by
    rank.calls = [replace(call, correlation=call.correlation + by) for call in rank.calls]
