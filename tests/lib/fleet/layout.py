"""Who of a job talks to whom, and what each rank does in a step."""

import random
from dataclasses import dataclass

STREAMS = {"compute": 7, "dp": 17, "tp": 18, "pp": 19, "world": 21}
LAYOUTS = ("dp", "tp_dp", "pp_dp")
STAGES = 2


@dataclass(frozen=True)
class Communicator:
    kind: str  # of STREAMS
    id: int  # as NCCL has it
    members: tuple  # ranks


@dataclass(frozen=True)
class Layout:
    """Ranks on nodes, and their communicators: of all ranks, and with `dp` of those with the same part of the model, with `tp` of
    a node's, with `pp` of the two stages of a pipeline, which are neighbours."""
    name: str
    ranks: int
    gpus_per_node: int
    communicators: tuple

    def node(self, rank):
        return rank // self.gpus_per_node

    def local(self, rank):
        return rank % self.gpus_per_node

    def stage(self, rank):
        return rank % STAGES if self.name == "pp_dp" else 0

    @property
    def nodes(self):
        return -(-self.ranks // self.gpus_per_node)

    def of_kind(self, kind):
        return [c for c in self.communicators if c.kind == kind]


def grouped(ranks, key):
    groups = {}
    for rank in ranks:
        groups.setdefault(key(rank), []).append(rank)
    return [tuple(g) for g in groups.values()]


def make_layout(name, ranks, gpus_per_node, seed):
    everyone = range(ranks)
    groups = {"world": [tuple(everyone)]}
    if name == "dp":
        groups["dp"] = [tuple(everyone)]
    elif name == "tp_dp":
        groups["tp"] = grouped(everyone, lambda r: r // gpus_per_node)
        groups["dp"] = grouped(everyone, lambda r: r % gpus_per_node)
    elif name == "pp_dp":
        groups["pp"] = grouped(everyone, lambda r: r // STAGES)
        groups["dp"] = grouped(everyone, lambda r: r % STAGES)
    else:
        raise ValueError(f"no layout is called {name}")
    draw = random.Random(f"communicators {seed}")
    return Layout(name, ranks, gpus_per_node,
                  tuple(Communicator(kind, draw.getrandbits(63), g) for kind, all_of in groups.items() for g in all_of))


# Instructions of a step, in an order that suits all ranks; those with a stage are for its ranks alone.

@dataclass(frozen=True)
class Push:
    name: str


@dataclass(frozen=True)
class Pop:
    pass


@dataclass(frozen=True)
class Host:
    """The host works, and nothing else can go on before it has."""
    ns: int


@dataclass(frozen=True)
class Launch:
    kernel: object
    stage: int = None


@dataclass(frozen=True)
class Collective:
    kind: str
    call: str  # of NCCL
    kernel: str
    bytes: int
    ns: int  # that a transfer takes once all are there
    compute_waits: bool
    sender: int = None  # stage that sends; the other one only waits for it
    stage: int = None


@dataclass(frozen=True)
class Sync:
    pass


def all_reduce(kind, size, ns, compute_waits, stage=None):
    return Collective(kind, "ncclAllReduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", size, ns, compute_waits, None, stage)


def exchange(sender):
    return Collective("pp", "ncclSend", "ncclDevKernel_SendRecv", 4 << 20, 90_000, True, sender)


def passes(template, layout, phase):
    """The kernels of a pass through the model and what is exchanged in it: gradients in two buckets, of which one overlaps compute."""
    activations = all_reduce("tp", 8 << 20, 80_000, True)
    kernels, half = template.of_phase(phase), len(template.of_phase(phase)) // 2
    for i, kernel in enumerate(kernels):
        yield Launch(kernel)
        if layout.name == "tp_dp" and phase == "forward" and i:
            yield activations
        if phase == "backward" and (i + 1 == half or i + 1 == len(kernels)):
            yield all_reduce("dp", 16 << 20, 600_000, compute_waits=i + 1 == len(kernels))


def staged(instructions, stage):
    """The same, for one stage of a pipeline."""
    for x in instructions:
        yield Launch(x.kernel, stage) if isinstance(x, Launch) else all_reduce(x.kind, x.bytes, x.ns, x.compute_waits, stage)


def phase_program(template, layout, phase):
    work = list(passes(template, layout, phase))
    if layout.name != "pp_dp" or phase == "optimizer":
        return work
    first, last = (0, 1) if phase == "forward" else (1, 0)
    return [*staged(work, first), exchange(first), *staged(work, last)]


def step_program(template, layout, data_ns=300_000):
    """`step N` > data | forward | backward | optimizer, whose first kernel waits for what all ranks agree on."""
    program = [Push("step"), Push("data"), Host(data_ns), Pop()]
    for phase in ("forward", "backward", "optimizer"):
        agreed = [all_reduce("world", 4, 14_000, True)] if phase == "optimizer" else []
        program += [Push(phase), *agreed, *phase_program(template, layout, phase), Pop()]
    return [*program, Sync(), Pop()]
