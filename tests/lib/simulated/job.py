"""All ranks of a job, and when everything is: hosts go on until each waits for its GPU, or its queue is full, and then all that is queued by then runs."""

import random
import statistics

from fleet.layout import Communicator, Layout
from fleet.plants import Plant

from .queues import Meeting, settle
from .rank import EXIT_NS, Rank

TRANSFER = 0.02  # how far transfers of one kind are apart


class Job:
    def __init__(self, program, ranks, steps, fault=Plant(), gpus_per_node=4, seed=1, room=0, exit_ns=EXIT_NS):
        """`program(rank)` is what a rank does in a step: a generator that yields the op that its host waits for; with `room` it
        does not, and goes on as far as a queue of so many ops lets it. With and without a fault chance is the same.
        Ranks leave a collective within `exit_ns` of each other."""
        self.program, self.steps, self.fault, self.seed, self.room, self.exit_ns = program, steps, fault, seed, room, exit_ns
        self.layout = Layout("simulated", ranks, gpus_per_node, ())
        self.draw = random.Random(f"transfers of {seed}")
        self.communicators, self.meetings = {}, {}
        self.ranks = [Rank(self, r) for r in range(ranks)]

    def run(self):
        going = [(rank, self.steps_of(rank)) for rank in self.ranks]
        while going:
            waiting = [(rank, host, op) for rank, host in going if (op := next(host, None))]
            settle([op for rank in self.ranks for op in rank.ops[rank.settled:]])
            for rank, _, op in waiting:
                if self.room:
                    rank.hold_up(self.room)
                else:
                    rank.join(op)
            going = [(rank, host) for rank, host, _ in waiting]
        return self

    def steps_of(self, rank):
        for rank.step in range(self.steps):
            with rank.range(f"step {rank.step}"):
                yield from self.program(rank)
            rank.step_ends.append(len(rank.ops))
            rank.host_ns += 5000

    def communicator(self, kind, members):
        """That of some ranks for something: they may have several."""
        key = kind, *members
        if key not in self.communicators:
            number = random.Random(f"{key} of {self.seed}").getrandbits(63)
            self.communicators[key] = Communicator(kind, number, tuple(members))
        return self.communicators[key]

    def meeting(self, key, communicator, us):
        """The collective that is known by a key, which takes so long once all are there."""
        if key not in self.meetings:
            slowest = max(self.fault.transfer(r, communicator.kind) for r in communicator.members)
            self.meetings[key] = Meeting(len(communicator.members), int(us * 1000 * slowest * self.draw.lognormvariate(0, TRANSFER)))
        return self.meetings[key]

    def step_ns(self):
        """How long a step takes after the first: the ranks' mean. Where hosts do not wait, by their GPUs."""
        if self.room:
            return statistics.fmean((r.ops[-1].end - r.ops[r.step_ends[0] - 1].end) / (self.steps - 1) for r in self.ranks)
        spans = [sorted((r.start, r.end) for r in rank.ranges if r.name.startswith("step "))[1:] for rank in self.ranks]
        return statistics.fmean((steps[-1][1] - steps[0][0]) / len(steps) for steps in spans)
