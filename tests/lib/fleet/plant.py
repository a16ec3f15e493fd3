"""Fleets with something planted in them, and the truth about it.

    truth = plant(folder, "slow_gpu", ranks=64)
    truth.ranks, truth.cause, truth.place    # {41}, "compute", None: what a verdict has to name
    truth.saved_ns, truth.step_ns            # of a step, without it: by running the same job again
    truth.paths, truth.clocks                # by rank
"""

import random
import statistics
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from .files import Capture, FileClock, Writer, empty_file
from .job import Job
from .layout import DEEP, LAYERS, make_layout
from .names import file_name, host_of
from .plants import BadRail, Both, HostStall, MoreWork, Plant, RareStall, SlowGpu, Stop, Swap
from .template import read_template

MS = 1_000_000


@dataclass
class Truth:
    kind: str
    job: Job
    paths: dict  # by rank: those that were written
    clocks: dict  # by rank
    ranks: frozenset = frozenset()  # that slow the job down
    cause: str = None  # compute, host, network; None: nothing is wrong
    place: str = None  # range that it lies in
    period: int = 1  # steps
    since: int = 0  # step
    until: int = None  # step; None: it goes on
    percent: float = None  # that kernels take longer when it is late
    late_ns: float = None  # of a step that they are late in: what they are so by themselves, on average
    reasons: dict = field(default_factory=dict)  # by rank the words for its own, where these are not the same
    doubtful: bool = False  # it may be chance
    stage: int = None  # of a pipeline, which these are all ranks of
    unbalanced: bool = False  # it has more to do than others
    innocent: frozenset = frozenset()  # ranks that are late because of others
    by_step_ns: list = field(default_factory=list)  # what each step from 1 would be shorter
    refused: bool = False  # the files are no job
    missing: frozenset = frozenset()  # ranks without a file that can be read
    damaged: frozenset = frozenset()  # of these, those that have a file
    stopped: int = None  # rank that never got to a collective, the first of several …
    swapped: int = None  # rank that got to collectives in another order
    lost: dict = field(default_factory=dict)  # by rank: kernels of collectives that its capture lacks
    hangs: bool = False  # its capture goes on as long as the others', with nothing in it
    never_whole: tuple = None  # … which is (communicator, the how manieth of it, counted from 0)

    @property
    def saved_ns(self):
        """What a step would be shorter without the cause."""
        return statistics.fmean(self.by_step_ns) if self.by_step_ns else 0

    @property
    def step_ns(self):
        return statistics.fmean(self.job.step_ns())


@lru_cache(maxsize=4)
def template_of(capture, times=1):
    template = read_template(capture, times)
    return template, empty_file(template)


def make_clocks(layout, how, seed):
    """By rank: captures begin when they begin. Hosts agree about UTC to some microseconds, to milliseconds ("shifted"), or one
    node's ranks have clocks that drift ("drifting")."""
    draw = random.Random(f"clocks {seed}")
    far_ns = 8 * MS if how == "shifted" else 20_000
    errors = [draw.randrange(-far_ns, far_ns) for _ in range(layout.nodes)]
    drifts = [40 if how == "drifting" and node == layout.nodes - 1 else 0 for node in range(layout.nodes)]
    return {r: FileClock(draw.randrange(20 * MS, 400 * MS), drifts[layout.node(r)], errors[layout.node(r)]) for r in range(layout.ranks)}


def write_files(folder, job, template, empty, clocks, style, left_out=(), until_ns=0):
    """{rank: path}. All processes of a node have different numbers, those of two nodes have the same."""
    layout, paths = job.layout, {}
    for rank in job.ranks:
        if rank.number not in left_out:
            node = layout.node(rank.number)
            paths[rank.number] = path = Path(folder, file_name(style, rank.number, node))
            capture = Capture(path, host_of(node), 2000 + layout.local(rank.number), clocks[rank.number])
            Writer(template, layout, rank, capture, until_ns).write(empty)
    return paths


def node_ranks(layout, node):
    return frozenset(r for r in range(layout.ranks) if layout.node(r) == node)


def rail_ranks(layout, local):
    return frozenset(r for r in range(layout.ranks) if layout.local(r) == local)


def slow_gpu(layout, draw):
    ranks = frozenset({draw.randrange(layout.ranks)})
    return SlowGpu(ranks), dict(ranks=ranks, cause="compute", percent=3)


def very_slow_gpu(layout, draw):
    """So slow that all others wait for it in each collective."""
    ranks = frozenset({draw.randrange(layout.ranks)})
    return SlowGpu(ranks, percent=50), dict(ranks=ranks, cause="compute", percent=50)


def two_slow_gpus(layout, draw):
    """Without one of them, the other one still holds all up."""
    ranks = frozenset(draw.sample(range(layout.ranks), 2))
    return SlowGpu(ranks, percent=39), dict(ranks=ranks, cause="compute", percent=39)


def part_of_node(layout, draw):
    ranks = frozenset(draw.sample(sorted(node_ranks(layout, draw.randrange(layout.nodes))), 3))
    return SlowGpu(ranks, percent=20), dict(ranks=ranks, cause="compute", percent=20)


def two_reasons(layout, draw):
    slow, stalled = draw.sample(range(layout.ranks), 2)
    return (Both(one=SlowGpu(frozenset({slow}), percent=20), other=HostStall(frozenset({stalled}), 4 * MS, every=3)),
            dict(ranks=frozenset({slow, stalled}), cause="each",
                 reasons={slow: "in nearly every step: all its kernels", stalled: "every 3 steps: held up by its host in `data`"}))


def two_stalls(layout, draw):
    """Without one of them, the other one still holds all up for most of what it did."""
    long, short = draw.sample(range(layout.ranks), 2)
    return (Both(one=HostStall(frozenset({long}), 3 * MS, every=1), other=HostStall(frozenset({short}), MS * 5 // 2, every=1)),
            dict(ranks=frozenset({long, short}), cause="host", place="data", late_ns=MS * 11 / 4))


def throttles(layout, draw):
    ranks = frozenset({draw.randrange(layout.ranks)})
    return SlowGpu(ranks, percent=8, since=7), dict(ranks=ranks, cause="compute", since=7, percent=8)


def recovers(layout, draw):
    ranks = frozenset({draw.randrange(layout.ranks)})
    return SlowGpu(ranks, percent=8, until=8), dict(ranks=ranks, cause="compute", until=8, percent=8)


def for_a_while(layout, draw):
    ranks = frozenset({draw.randrange(layout.ranks)})
    return SlowGpu(ranks, percent=8, since=4, until=9), dict(ranks=ranks, cause="compute", since=4, until=9, percent=8)


def hot_phase(layout, draw):
    """As one whose expert gets more tokens than others': the GPU is as fast as they are."""
    ranks = frozenset({draw.randrange(layout.ranks)})
    return MoreWork(ranks), dict(ranks=ranks, cause="work", place="backward")


def node_stall(layout, draw):
    ranks = node_ranks(layout, draw.randrange(layout.nodes))
    return HostStall(ranks), dict(ranks=ranks, cause="host", place="data", period=4)


def short_stall(layout, draw):
    ranks = frozenset({draw.randrange(layout.ranks)})
    return HostStall(ranks, MS * 6 // 10, every=1), dict(ranks=ranks, cause="host", place="data", late_ns=MS * 6 // 10)


def few_stalls(layout, draw):
    """As one that writes a checkpoint every five steps, of which a capture has three."""
    ranks = frozenset({draw.randrange(layout.ranks)})
    return HostStall(ranks, 5 * MS, every=5), dict(ranks=ranks, cause="host", place="data", period=5)


def rare_stall(layout, draw):
    ranks = frozenset({draw.randrange(layout.ranks)})
    return RareStall(ranks), dict(ranks=ranks, cause="host", doubtful=True, late_ns=RareStall.ns)


def bad_rail(layout, draw):
    ranks = rail_ranks(layout, draw.randrange(layout.gpus_per_node))
    return BadRail(ranks), dict(ranks=ranks, cause="network")


def passes_on(layout, draw):
    first = 2 * draw.randrange(layout.ranks // 2)
    ranks = frozenset({first})
    return HostStall(ranks, MS, every=1), dict(ranks=ranks, cause="host", place="data", innocent=frozenset({first + 1}))


def slow_stage(layout, draw):
    """All GPUs of a stage: nobody that does the same is faster."""
    stage = draw.randrange(DEEP)
    return SlowGpu(layout.stage_ranks(stage), percent=20), dict(
        ranks=layout.stage_ranks(stage), cause="compute", percent=20, stage=stage)


def throttled_stage(layout, draw):
    stage = draw.randrange(DEEP)
    return SlowGpu(layout.stage_ranks(stage), percent=20, since=7), dict(
        ranks=layout.stage_ranks(stage), cause="compute", percent=20, since=7, stage=stage)


def stalled_stage(layout, draw):
    ranks = layout.stage_ranks(0)
    return HostStall(ranks, MS, every=1), dict(ranks=ranks, cause="host", place="data", stage=0)


def slow_middle(layout, draw):
    """Beside a last stage with still more to do, as models have it."""
    ranks = layout.stage_ranks(1)
    return SlowGpu(ranks, percent=20), dict(ranks=ranks, cause="compute", percent=20, stage=1)


def more_layers(layout, draw):
    return Plant(), dict(ranks=layout.stage_ranks(2), cause="more", stage=2, unbalanced=True)


def stop(layout, draw):
    rank = draw.randrange(layout.ranks)
    return Stop(frozenset({rank})), dict(stopped=rank)


def hang(layout, draw):
    effect, known = stop(layout, draw)
    return effect, known | dict(hangs=True)


def stop_several(layout, draw):
    ranks = frozenset(draw.sample(range(layout.ranks), 2))
    return Stop(ranks), dict(stopped=min(ranks), ranks=ranks)


def swap(layout, draw):
    rank = draw.randrange(layout.ranks)
    return Swap(frozenset({rank})), dict(swapped=rank)


def nothing(layout, draw):
    return Plant(), {}


# A clock is seen to drift when it has drifted by more than collectives take: with steps so many times as long.
LONG = 20

# By kind what is planted, the layout that it needs, and how clocks are.
KINDS = {
    "healthy": (nothing, None, "close"),
    "slow_gpu": (slow_gpu, None, "close"),
    "very_slow_gpu": (very_slow_gpu, None, "close"),
    "two_slow_gpus": (two_slow_gpus, None, "close"),
    "part_of_node": (part_of_node, None, "close"),
    "two_reasons": (two_reasons, None, "close"),
    "two_stalls": (two_stalls, "buckets", "close"),
    "hot_phase": (hot_phase, None, "close"),
    "throttles": (throttles, None, "close"),
    "recovers": (recovers, None, "close"),
    "for_a_while": (for_a_while, None, "close"),
    "few_stalls": (few_stalls, None, "close"),
    "rare_stall": (rare_stall, None, "close"),
    "short_stall": (short_stall, None, "close"),
    "node_stall": (node_stall, None, "close"),
    "bad_rail": (bad_rail, "tp_dp", "close"),
    "shifted_clocks": (nothing, None, "shifted"),
    "drifting_clock": (nothing, None, "drifting"),
    "passes_on": (passes_on, "pp_dp", "close"),
    "slow_stage": (slow_stage, "pipeline", "close"),
    "throttled_stage": (throttled_stage, "pipeline", "close"),
    "stalled_stage": (stalled_stage, "pipeline", "close"),
    "more_layers": (more_layers, "pipeline", "close"),
    "heavy_head": (nothing, "pipeline", "close"),
    "slow_beside_head": (slow_middle, "pipeline", "close"),
    "stops": (stop, None, "close"),
    "hangs": (hang, None, "close"),
    "several_stop": (stop_several, None, "close"),
    "another_order": (swap, None, "close"),
    "trimmed": (nothing, None, "close"),
    "missing": (nothing, None, "close"),
    "damaged": (nothing, None, "close"),
    "two_jobs": (nothing, None, "close"),
    "stray": (nothing, None, "close"),
    "neighbours": (nothing, None, "close"),
}


def plant(folder, kind, capture, ranks=8, steps=13, layout=None, gpus_per_node=None, names="rank", clocks=None, late=False,
          seed=1, losers=0, lost=1, noise=1, hiccups=(0, 0), buffered=False):
    """Writes a fleet into a folder that is there; `capture` is the real rank's that it is made of. `late` captures begin when NCCL
    has been set up: only their names tell the ranks. Captures of so many `losers` lack some kernels of collectives each. `noise`, `hiccups`
    and `buffered` are as Job has them."""
    make, needed, usual = KINDS[kind]
    template, empty = template_of(capture, LONG if (clocks or usual) == "drifting" else 1)
    gpus_per_node = gpus_per_node or (4 if ranks <= 8 else 8)
    layout = make_layout(layout or needed or ("dp" if ranks <= 8 else "tp_dp"), ranks, gpus_per_node, seed)
    if kind == "more_layers":
        layout = replace(layout, layers=(LAYERS, LAYERS, LAYERS + 2, LAYERS))
    layout = replace(layout, head=kind in ("heavy_head", "slow_beside_head"))
    draw = random.Random(f"{kind} {seed}")
    effect, known = make(layout, draw)
    job = Job(template, layout, steps, effect, seed, noise, hiccups, buffered).run()
    if late:
        job.forget_set_up()
    truth = Truth(kind, job, {}, make_clocks(layout, clocks or usual, seed), **known)
    if truth.cause:
        without = Job(template, layout.balanced() if truth.unbalanced else layout, steps, Plant(), seed, noise, hiccups, buffered).run()
        truth.by_step_ns = [a - b for a, b in zip(job.step_ns(), without.step_ns())]
    if truth.stopped is not None:
        truth.never_whole = first_not_whole(job)
    if kind == "missing":
        truth.missing = frozenset({draw.randrange(ranks)})
    if kind == "trimmed":
        trim(job, draw)
    truth.lost = lose(job, draw, losers, lost)
    truth.paths = write_files(folder, job, template, empty, truth.clocks, names, truth.missing, job.abort_ns if truth.hangs else 0)
    AFTERWARDS.get(kind, lambda *_: None)(truth, folder, template, empty, names, draw)
    return truth


def trim(job, draw):
    """Captures end where they end, within the last third of the job; one of them with it."""
    end_ns = max(o.end for rank in job.ranks for o in rank.ops)
    for rank in draw.sample(job.ranks, len(job.ranks) - 1):
        job.trim(rank, draw.randrange(end_ns * 2 // 3, end_ns))


def lose(job, draw, losers, count):
    """{rank: how many}, from the third step on."""
    lost = {}
    for rank in draw.sample(job.ranks, losers):
        total = sum(o.kernel is job.template.collective for o in rank.ops)
        kernels = draw.sample(range(total // 5, total - total // 10), count)
        job.lose(rank, kernels)
        lost[rank.number] = count
    return lost


def first_not_whole(job):
    """The first collective that not all ranks of its communicator got to."""
    seen = {}
    for instance in job.instances:
        number = seen.setdefault(instance.communicator, 0)
        if len(instance.entries) < len(instance.communicator.members):
            return instance.communicator, number
        seen[instance.communicator] += 1
    return None


def damage(truth, folder, template, empty, names, draw):
    """One file ends in the middle, as a full disk leaves it."""
    rank = draw.choice(sorted(truth.paths))
    content = truth.paths[rank].read_bytes()
    truth.paths[rank].write_bytes(content[:len(content) * 6 // 10])
    truth.missing = truth.damaged = frozenset({rank})


def another_run(truth, folder, template, empty, names, ranks, later_s=3600):
    """The same program, run again, an hour later: other communicators. Some of its files lie where the first one's do."""
    seed = truth.job.seed + 1000
    layout = truth.job.layout
    layout = make_layout(layout.name, layout.ranks, layout.gpus_per_node, seed)
    job = Job(template, layout, truth.job.steps, Plant(), seed).run()
    if truth.job.has_forgotten:
        job.forget_set_up()
    later = {r: FileClock(c.offset_ns, 0, c.utc_error_ns + later_s * 10**9) for r, c in make_clocks(layout, "close", seed).items()}
    truth.refused = True
    return write_files(folder, job, template, empty, later, names, set(range(layout.ranks)) - set(ranks))


def mix(truth, folder, template, empty, names, draw):
    """All files of a second job are there as well, under other names."""
    second = Path(folder, "second")
    second.mkdir()
    for path in another_run(truth, second, template, empty, names, range(truth.job.layout.ranks)).values():
        path.rename(Path(folder, f"b_{path.name}"))
    second.rmdir()


def leave_behind(truth, folder, template, empty, names, draw):
    """One rank's file is of another run of the same job: that of this run was never copied."""
    another_run(truth, folder, template, empty, names, [draw.randrange(truth.job.layout.ranks)])


def take_for_its_own(truth, folder, template, empty, names, draw):
    """The second half of the ranks are those of another job, which ran at the same time elsewhere."""
    ranks = truth.job.layout.ranks
    another_run(truth, folder, template, empty, names, range(ranks // 2, ranks), later_s=0)


AFTERWARDS = {"damaged": damage, "two_jobs": mix, "stray": leave_behind, "neighbours": take_for_its_own}
