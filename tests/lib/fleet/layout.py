"""Who of a job talks to whom, and what each rank does in a step."""

import random
from dataclasses import dataclass, replace

STREAMS = {"compute": 7, "dp": 17, "tp": 18, "pp": 19, "world": 21}
LAYOUTS = ("dp", "tp_dp", "pp_dp", "pipeline")
PIPELINES = ("pipeline", "group", "chain")
STAGES = 2
DEEP, LAYERS, BATCHES = 4, 3, 4  # of a pipeline: stages, layers of each, micro-batches of a step


@dataclass(frozen=True)
class Communicator:
    kind: str  # of STREAMS
    id: int  # as NCCL has it
    members: tuple  # ranks
    all: tuple = ()  # ranks that share its id, where they are more: two of them meet at a time


@dataclass(frozen=True)
class Layout:
    """Ranks on nodes, and their communicators: of all ranks, and with `dp` of those with the same part of the model, with `tp` of
    a node's, with `pp` of the two stages of a pipeline, which are neighbours. A `pipeline` is one of several stages, each of ranks that
    follow one another, with layers of its own, and perhaps a head at its end; in a `group` all stages of one share a communicator, and in a `chain` nothing
    is agreed on by all ranks: neighbours meet, and the ranks of a stage. A
    `halo` is a row of ranks that do the same, and exchange the edges of what they compute with both neighbours. `buckets` is `dp` with
    gradients in more buckets, each of which overlaps the compute of the next."""
    name: str
    ranks: int
    gpus_per_node: int
    communicators: tuple
    layers: tuple = (LAYERS,) * DEEP  # of a pipeline, by stage
    scale: float = 1  # what a layer of it takes, in times
    head: bool = False

    def node(self, rank):
        return rank // self.gpus_per_node

    def local(self, rank):
        return rank % self.gpus_per_node

    def stage(self, rank):
        return rank % STAGES if self.name == "pp_dp" else rank * DEEP // self.ranks if self.name in PIPELINES else 0

    def stage_ranks(self, stage):
        return frozenset(r for r in range(self.ranks) if self.stage(r) == stage)

    def balanced(self):
        """The same work in all, and as much in each stage."""
        return replace(self, layers=(LAYERS,) * DEEP, scale=self.scale * sum(self.layers) / (LAYERS * DEEP))

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
    groups = {} if name == "chain" else {"world": [tuple(everyone)]}
    if name in ("dp", "buckets"):
        groups["dp"] = [tuple(everyone)]
    elif name == "tp_dp":
        groups["tp"] = grouped(everyone, lambda r: r // gpus_per_node)
        groups["dp"] = grouped(everyone, lambda r: r % gpus_per_node)
    elif name == "pp_dp":
        groups["pp"] = grouped(everyone, lambda r: r // STAGES)
        groups["dp"] = grouped(everyone, lambda r: r % STAGES)
    elif name in PIPELINES:
        wide = ranks // DEEP
        groups["pp"] = [(r, r + wide) for r in everyone if r + wide < ranks]
        groups["dp"] = [g for g in grouped(everyone, lambda r: r // wide) if wide > 1]
    elif name == "halo":
        groups["pp"] = [(r, r + 1) for r in everyone if r + 1 < ranks]
    else:
        raise ValueError(f"no layout is called {name}")
    draw = random.Random(f"communicators {seed}")
    made = tuple(Communicator(kind, draw.getrandbits(63), g) for kind, all_of in groups.items() for g in all_of)
    return Layout(name, ranks, gpus_per_node, tuple(as_group(c, ranks, seed) for c in made) if name == "group" else made)


def as_group(communicator, ranks, seed):
    """That of a whole pipeline in place of that of two stages of it."""
    if communicator.kind != "pp":
        return communicator
    first = communicator.members[0] % (ranks // DEEP)
    return Communicator("pp", random.Random(f"pipeline {first} of {seed}").getrandbits(63), communicator.members,
                        tuple(range(first, ranks, ranks // DEEP)))


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


def exchange(sender, ns=90_000, stage=None):
    return Collective("pp", "ncclSend", "ncclDevKernel_SendRecv", 4 << 20, ns, True, sender, stage)


HEAD = "void at::native::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*, float*, float const*, long const*, long)"


def passes(template, layout, phase):
    """The kernels of a pass through the model and what is exchanged in it: gradients in buckets, of which all but the last overlap compute."""
    activations = all_reduce("tp", 8 << 20, 80_000, True)
    kernels = template.of_phase(phase)
    bucket = 1 if layout.name == "buckets" else len(kernels) // 2
    for i, kernel in enumerate(kernels):
        yield Launch(kernel)
        if layout.name == "tp_dp" and phase == "forward" and i:
            yield activations
        if phase == "backward" and (i + 1) % bucket == 0:
            yield all_reduce("dp", 16 << 20, 600_000, compute_waits=i + 1 == len(kernels))


def staged(instructions, stage):
    """The same, for one stage of a pipeline."""
    for x in instructions:
        yield Launch(x.kernel, stage) if isinstance(x, Launch) else all_reduce(x.kind, x.bytes, x.ns, x.compute_waits, stage)


def layers_of(template, layout, phase, stage):
    """What a stage computes of one micro-batch."""
    part = layout.scale / (LAYERS * BATCHES)
    layer = [Launch(replace(k, ns=int(k.ns * part)), stage) for k in template.of_phase(phase)]
    work = layer * layout.layers[stage]
    if layout.head and stage == DEEP - 1:  # a product of matrices as there are others, but larger, and a kernel of its own
        first = work[0].kernel
        work += [Launch(replace(first, ns=LAYERS * first.ns), stage),
                 Launch(replace(first, ns=LAYERS * first.ns // 2, name=HEAD, short="nll_loss"), stage)]
    return work


def pipeline_program(template, layout, phase):
    """All micro-batches forward, one after another, and then all of them backward; gradients at the end."""
    program = []
    for batch in range(BATCHES):
        for stage in range(DEEP) if phase == "forward" else reversed(range(DEEP)):
            program += layers_of(template, layout, phase, stage)
            if phase == "forward" and stage + 1 < DEEP:
                program.append(exchange(stage, 20_000, stage))
            if phase == "backward" and stage:
                program.append(exchange(stage, 20_000, stage - 1))
            if phase == "backward" and batch + 1 == BATCHES:
                program.append(all_reduce("dp", 16 << 20, 600_000, True, stage))
    return program


def halo_program(template, phase):
    """The edges go to both neighbours, and come from them, after each kernel."""
    return [x for kernel in template.of_phase(phase) for x in (Launch(kernel), exchange(None, 20_000))]


def phase_program(template, layout, phase):
    if layout.name in PIPELINES and phase != "optimizer":
        return pipeline_program(template, layout, phase)
    if layout.name == "halo":
        return halo_program(template, phase)
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
