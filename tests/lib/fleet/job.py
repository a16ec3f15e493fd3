"""A job, simulated: what each rank does when, on one true clock, in integer nanoseconds and the same each time.

A rank's host launches what its stream does in order, and waits for all of it at the end of a step. A collective begins on a rank when that
rank gets there, and ends for all when the last has come and the transfer is done: nobody leaves before the last has entered. What
is planted (plants.py) changes how long something takes and nothing else: with and without it, chance is the same.
"""

import random
from dataclasses import dataclass, field

from .layout import STREAMS, Collective, Host, Launch, Pop, Push, Sync, all_reduce, step_program

LATENCY_NS = 4000  # from the start of a launch call to the op, at least
EXIT_NS = 1500  # ranks leave a collective within so much of each other
FIRST_STEP_NS = 2_000_000  # that the first step takes longer, on each host
WAIT_FOR_ABORT_NS = 300_000_000  # for a rank that never comes
CHIP, RUN = 0.001, 0.004  # how far chips, and runs of a kernel, are apart: standard deviations
HOST = 1 / 15  # the same of what a host works


@dataclass(frozen=True)
class Op:
    start: int
    end: int
    kernel: object
    name: str
    stream: int
    correlation: int


@dataclass(frozen=True)
class Call:
    start: int
    end: int
    name: str
    correlation: int


@dataclass(frozen=True)
class Range:
    start: int
    end: int  # None: it was never closed
    name: str
    payload: dict = None  # of NCCL's


@dataclass(frozen=True)
class Instance:
    """One collective on all ranks of a communicator: {rank: time} of those that took part."""
    communicator: object
    step: int
    entries: dict
    exits: dict


@dataclass
class Rank:
    number: int
    draw: random.Random
    host_ns: int = 0
    chip: float = 1
    free_ns: dict = field(default_factory=lambda: dict.fromkeys(STREAMS, 0))
    ops: list = field(default_factory=list)
    calls: list = field(default_factory=list)
    ranges: list = field(default_factory=list)
    open: list = field(default_factory=list)
    stopped: bool = False
    collectives: int = 0

    def call(self, name, until_ns):
        """The host is in a call; returns its correlation id."""
        self.calls.append(Call(self.host_ns, until_ns, name, len(self.calls) + 1))
        self.host_ns = until_ns
        return len(self.calls)

    def push(self, name):
        self.open.append((self.host_ns, name))
        self.host_ns += 1500

    def pop(self):
        self.host_ns += 1500
        start, name = self.open.pop()
        self.ranges.append(Range(start, self.host_ns, name))

    def stop(self):
        """Nothing more comes of it; what was begun is never closed."""
        self.stopped = True
        self.ranges += [Range(start, None, name) for start, name in self.open]


class Job:
    def __init__(self, template, layout, steps, plant, seed=1, noise=1, hiccups=(0, 0), buffered=False):
        """`noise`: how many times as far runs, of kernels and on hosts, are apart; `hiccups`: in what share of steps each host stands
        still for once, and how long on average; `buffered`: senders leave with their last byte, whenever the receiver enters."""
        self.template, self.layout, self.steps, self.plant, self.seed = template, layout, steps, plant, seed
        self.ranks = [Rank(r, random.Random(f"rank {r} of {seed}")) for r in range(layout.ranks)]
        self.transfers = random.Random(f"transfers of {seed}")
        self.instances, self.abort_ns = [], None
        self.step, self.noise, self.hiccups = 0, noise, hiccups
        self.has_forgotten, self.buffered = False, buffered

    def run(self):
        for rank in self.ranks:
            rank.chip = rank.draw.gauss(1, CHIP)
            rank.host_ns = 1_000_000 + rank.draw.randrange(200_000)
            self.join_communicators(rank)
        program = step_program(self.template, self.layout)
        for self.step in range(self.steps):
            for instruction in program:
                self.follow(instruction)
        if self.abort_ns:
            self.abort()
        return self

    def join_communicators(self, rank):
        for c in self.layout.communicators:
            if rank.number in c.members:
                start, rank.host_ns = rank.host_ns, rank.host_ns + 200_000
                rank.ranges.append(Range(start, rank.host_ns, "ncclCommInitRankConfig", {
                    "NCCL communicator ID": c.id, "No. of ranks": len(c.all or c.members),
                    "Rank": (c.all or c.members).index(rank.number),
                    "CUDA device": self.layout.local(rank.number)}))

    def forget_set_up(self):
        self.has_forgotten = True
        for rank in self.ranks:
            rank.ranges = [r for r in rank.ranges if not r.name.startswith("ncclComm")]

    def follow(self, instruction):
        if isinstance(instruction, Collective):
            for communicator in self.layout.of_kind(instruction.kind):
                if instruction.stage in (None, self.layout.stage(communicator.members[0])):
                    self.collective(instruction, communicator)
            return
        for rank in self.ranks:
            if not rank.stopped:
                self.follow_alone(instruction, rank)

    def follow_alone(self, x, rank):
        if isinstance(x, Push):
            rank.push(f"step {self.step}" if x.name == "step" else x.name)
        elif isinstance(x, Pop):
            rank.pop()
        elif isinstance(x, Host):
            late_ns = FIRST_STEP_NS if self.step == 0 else 0
            rank.host_ns += max(1000, round(rank.draw.gauss(x.ns, x.ns * HOST * self.noise))) + late_ns
            rank.host_ns += self.plant.stall_ns(rank.number, self.step, rank.open[-1][1]) + self.hiccup_ns(rank)
        elif isinstance(x, Launch) and x.stage in (None, self.layout.stage(rank.number)):
            self.compute(x.kernel, rank)
        elif isinstance(x, Sync):
            rank.call("cudaDeviceSynchronize_v3020", max(rank.host_ns, *rank.free_ns.values()) + 6000)

    def hiccup_ns(self, rank):
        """Whoever is asked, of a step and a range always the same."""
        share, ns = self.hiccups
        draw = random.Random(f"hiccup {self.seed} {rank.number} {self.step}")
        return round(draw.expovariate(1 / ns)) if ns and rank.open[-1][1] == "data" and draw.random() < share else 0

    def compute(self, kernel, rank):
        rank.host_ns += self.template.between_ns
        begin_ns = max(rank.host_ns + LATENCY_NS, rank.free_ns["compute"])
        slowness = self.plant.slowness(rank.number, self.step, kernel.phase)
        ns = round(kernel.ns * rank.chip * max(0.1, rank.draw.gauss(1, RUN * self.noise)) * slowness)
        rank.free_ns["compute"] = begin_ns + ns
        correlation = rank.call(kernel.call, rank.host_ns + self.template.launch_ns)
        rank.ops.append(Op(begin_ns, begin_ns + ns, kernel, kernel.name, STREAMS["compute"], correlation))

    def collective(self, x, communicator):
        entered = {}
        for number in communicator.members:
            rank = self.ranks[number]
            if not rank.stopped and self.plant.stops(number, self.step, x.kind):
                rank.stop()
                self.abort_ns = self.abort_ns or rank.host_ns + WAIT_FOR_ABORT_NS
            if not rank.stopped and self.plant.swaps(number, self.step, x.kind):
                self.swap(self.plant.swaps(number, self.step, x.kind), rank)
            if not rank.stopped:
                entered[number] = self.enter(x, communicator, rank)
        noise = abs(self.transfers.gauss(1, 0.03))
        ns = max(round(x.ns * noise * self.plant.transfer(number, x.kind)) for number in communicator.members)
        whole = len(entered) == len(communicator.members)
        end_ns = max(start for start, _ in entered.values()) + ns if whole else self.abort_ns
        exits = {}
        for number, (start_ns, correlation) in entered.items():
            rank = self.ranks[number]
            goes_on = self.buffered and x.sender is not None and self.layout.stage(number) == x.sender
            exits[number] = (start_ns + ns if goes_on else end_ns) + rank.draw.randrange(EXIT_NS)
            rank.ops.append(Op(start_ns, exits[number], self.template.collective, x.kernel, STREAMS[x.kind], correlation))
            rank.free_ns[x.kind] = exits[number]
            if x.compute_waits:
                rank.free_ns["compute"] = max(rank.free_ns["compute"], exits[number])
        self.instances.append(Instance(communicator, self.step, {n: s for n, (s, _) in entered.items()}, exits))

    def swap(self, kind, rank):
        """Gets to another collective, and to no further one: whom it waits for there waits for it elsewhere."""
        communicator = next(c for c in self.layout.of_kind(kind) if rank.number in c.members)
        self.abort_ns = self.abort_ns or rank.host_ns + WAIT_FOR_ABORT_NS
        x = all_reduce(kind, 4, 14_000, True)
        start_ns, correlation = self.enter(x, communicator, rank)
        rank.ops.append(Op(start_ns, self.abort_ns, self.template.collective, x.kernel, STREAMS[kind], correlation))
        rank.stop()

    def enter(self, x, communicator, rank):
        """The call that launches a rank's part; when that begins, and its correlation id."""
        rank.host_ns += self.template.between_ns
        waits = x.sender is None or self.layout.stage(rank.number) == x.sender
        start_ns = max(rank.host_ns + LATENCY_NS, rank.free_ns[x.kind], rank.free_ns["compute"] if waits else 0)
        began_ns = rank.host_ns
        rank.host_ns += 3000
        correlation = rank.call(self.template.collective.call, rank.host_ns + self.template.launch_ns)
        rank.host_ns += 2000
        payload = {"NCCL communicator ID": communicator.id, "Message size [bytes]": x.bytes}
        if x.call == "ncclAllReduce":
            payload["Reduction operation"] = "Sum"
        rank.ranges.append(Range(began_ns, rank.host_ns, x.call if waits else "ncclRecv", payload))
        return start_ns, correlation

    def trim(self, rank, until):
        """Its capture is over then: what has not ended is not in it."""
        rank.ops = [o for o in rank.ops if o.end <= until]
        rank.calls = [c for c in rank.calls if c.end <= until]
        rank.ranges = [Range(r.start, r.end if r.end is not None and r.end <= until else None, r.name, r.payload)
                       for r in rank.ranges if r.start < until]

    def lose(self, rank, kernels):
        """Kernels of collectives that its capture lacks, by their numbers in order of time."""
        ops = sorted((o for o in rank.ops if o.kernel is self.template.collective), key=lambda o: o.start)
        gone = {ops[k].correlation for k in kernels if k < len(ops)}
        rank.ops = [o for o in rank.ops if o.correlation not in gone]

    def abort(self):
        """The watchdog gives up: what runs is ended, what would begin later never did."""
        until = self.abort_ns
        cut = lambda end: end if end is None else min(end, until)  # noqa: E731
        for rank in self.ranks:
            rank.ops = [Op(o.start, cut(o.end), *list(vars(o).values())[2:]) for o in rank.ops if o.start < until]
            rank.calls = [Call(c.start, cut(c.end), c.name, c.correlation) for c in rank.calls if c.start < until]
            rank.ranges = [Range(r.start, cut(r.end), r.name, r.payload) for r in rank.ranges if r.start < until]

    # What is true of it

    def steps_of(self, rank):
        return sorted((r.start, r.end) for r in self.ranks[rank].ranges if r.name.startswith("step "))

    def step_ns(self, first=1):
        """By step from `first` how long it takes, from its start to the next one's, or to its end: the ranks' mean."""
        total = [0] * (self.steps - first)
        for rank in range(self.layout.ranks):
            steps = self.steps_of(rank)[first:]
            for i, (start, end) in enumerate(steps):
                total[i] += (steps[i + 1][0] if i + 1 < len(steps) else end) - start
        return [ns / self.layout.ranks for ns in total]
