"""A trace as one sees it who wants to change it: GPU ops with rows, ranges and calls; steps; gaps; where the host is free."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache

from attributed import KINDS, Range, Trace, owners
from gpu_ops import COPIES

from .truth import Unplantable

TABLE = "CUPTI_ACTIVITY_KIND_"
COMM = re.compile(r"^(void )?(\w+::)*nccl|nvshmem|deep_ep::")
# "step 3" is "step N", "layer12" is "layerN"; "fc1" is a name.
COUNTER = re.compile(r"(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])|(?<=[A-Za-z]{3})\d+(?![A-Za-z0-9])")


@dataclass
class Call:
    """A CUDA call that launched something, with its rows: a runtime's and, within it, a driver's may have one id."""
    thread: int
    start: int
    end: int
    rows: list
    ops: int = 0  # how many it launched: a graph's call has many


@dataclass(eq=False)
class Op:
    kind: str  # KERNEL, MEMCPY, MEMSET, GRAPH_TRACE
    row: int
    start: int
    end: int
    stream: int
    correlation: int
    name: str
    call: Call = None
    range: Range = None
    step: int = None  # that launched it
    alone: bool = True  # no other op overlaps it
    path: tuple = ()

    @property
    def ns(self):
        return self.end - self.start

    @property
    def table(self):
        return TABLE + self.kind

    @property
    def group(self):
        return self.path, self.name

    @property
    def computes(self):
        return self.kind in ("KERNEL", "GRAPH_TRACE") and not COMM.search(self.name)

    @property
    def exposed_kind(self):
        """The class of its time where nothing overlaps it."""
        if self.computes:
            return "compute"
        return "exposed_comm" if self.kind == "KERNEL" else "exposed_copy"


@dataclass
class Step:
    """A step on the host, start to end, and its own time, begin to until: after the step before, its work done."""
    start: int
    end: int
    begin: int = 0
    until: int = 0

    @property
    def ns(self):
        return self.until - self.begin


@dataclass(frozen=True)
class Place:
    """An instant at which the GPU is idle and the thread that will end the gap is outside CUDA calls."""
    at: int
    step: int
    path: tuple
    gap: tuple
    free: tuple  # of that thread's calls
    op: Op = field(compare=False)  # that ends the gap


def name_of(kind, label=None):
    """What copies are called, and what has no name of its own."""
    return f"[CUDA memcpy {COPIES.get(label, label)}]" if kind == "MEMCPY" else f"[CUDA {kind.lower()}]"


@cache
def folded(name):
    return COUNTER.sub("N", name)


def path_of(innermost):
    return tuple(folded(r.name) for r in reversed(list(innermost.chain()))) if innermost else ()


class Scene:
    """`marker` matches the names of the ranges that are steps, as `gpuwhy iters --marker` does. One process alone."""

    def __init__(self, path, marker):
        self.trace = Trace(path)
        if not self.trace.has_calls:
            raise Unplantable("no calls were recorded")
        self.calls, self.busy = self.read_calls()
        self.ops = self.read_ops()
        self.steps = self.read_steps(re.compile(marker))
        self.join()
        self.begins = [s.begin for s in self.steps]
        self.range_starts = defaultdict(list, {t: [r.start for r in rs] for t, rs in self.trace.threads.items()})
        self.ops.sort(key=lambda op: (op.start, op.end))
        self.mark_overlaps()
        self.trace.db.close()

    def read_calls(self):
        """Calls by correlation id, and for each thread when it is in calls: sorted, merged."""
        calls, spans = {}, defaultdict(list)
        for row, thread, start, end, correlation in self.trace.db.execute(
                f"SELECT rowid, globalTid, start, end, correlationId FROM {TABLE}RUNTIME"):
            spans[thread].append((start, end))
            call = calls.setdefault(correlation, Call(thread, start, end, []))
            call.start, call.end = min(call.start, start), max(call.end, end)
            call.rows.append(row)
        return calls, {thread: merged(all_of_it) for thread, all_of_it in spans.items()}

    def read_ops(self):
        ops = []
        for kind in KINDS:
            if TABLE + kind in self.trace.tables:
                name = "demangledName" if kind == "KERNEL" else "copyKind" if kind == "MEMCPY" else "NULL"
                for *row, label in self.trace.db.execute(f"SELECT rowid, start, end, streamId, correlationId, {name} FROM {TABLE}{kind}"):
                    ops.append(Op(kind, *row, self.trace.strings.get(label, "") if kind == "KERNEL" else name_of(kind, label)))
        for op, known, innermost in zip(ops, self.trace.ops, owners(self.trace), strict=True):
            op.call = self.calls.get(op.correlation) if known.call else None
            if op.call:
                op.call.ops += 1
            op.range, op.path = innermost, path_of(innermost)
        return ops

    def read_steps(self, marker):
        found = [r for ranges in self.trace.threads.values() for r in ranges if marker.search(r.name)]
        if len({r.thread for r in found}) != 1:
            raise Unplantable(f"steps on {len({r.thread for r in found})} threads")
        return [Step(r.start, r.end) for r in sorted(found, key=lambda r: r.start)]

    def join(self):
        """Which step launched each op, and so when steps are done."""
        starts, done = [s.start for s in self.steps], [0] * len(self.steps)
        for op in self.ops:
            number = bisect_right(starts, op.call.start) - 1 if op.call else -1
            if number >= 0 and op.call.start <= self.steps[number].end:
                op.step = number
                done[number] = max(done[number], op.end)
        until = 0
        for step, gpu_end in zip(self.steps, done):
            step.begin = max(step.start, until)
            step.until = until = max(step.end, step.begin, gpu_end)

    def mark_overlaps(self):
        last = None  # the op that ends last so far
        for op in self.ops:
            if last and op.start < last.end:
                op.alone = last.alone = False
            if not last or op.end > last.end:
                last = op

    def step_at(self, at):
        """The step whose own time an instant is in, or None."""
        number = bisect_right(self.begins, at) - 1
        return number if number >= 0 and at < self.steps[number].until else None

    def by_step(self, start, end):
        """{step: ns} of a stretch of time."""
        parts = {}
        for number, step in enumerate(self.steps):
            inside = min(end, step.until) - max(start, step.begin)
            if inside > 0:
                parts[number] = inside
        return parts

    def is_clean(self, op):
        """Whether all of its time is its step's, and nobody else's."""
        return op.alone and op.step is not None and op.end > op.start and \
            self.steps[op.step].begin <= op.start and op.end <= self.steps[op.step].until

    def kernels(self):
        return [op for op in self.ops if op.kind == "KERNEL" and op.step is not None]

    def runs(self, length):
        """Kernels that follow one another on the device, of one step, range, thread and stream, each clean."""
        for at in range(len(self.ops) - length + 1):
            run = self.ops[at:at + length]
            if all(op.kind == "KERNEL" and self.is_clean(op) for op in run) and \
                    len({(op.step, op.range, op.call.thread, op.stream) for op in run}) == 1:
                yield run

    def gaps(self):
        """(start, end, the op that ends it) of each stretch without any op."""
        until = None
        for op in self.ops:
            if until is not None and op.start > until:
                yield until, op.start, op
            until = op.end if until is None else max(until, op.end)

    def openings(self):
        """Ops of a step that begin within its time while nothing runs."""
        until = 0
        for op in self.ops:
            if op.start >= until and op.step is not None and op.step == self.step_at(op.start) == self.step_at(op.start - 1):
                yield op
            until = max(until, op.end)

    def innermost(self, thread, at):
        """The range that a thread is in, or None: the last that began by then, or one around it."""
        number = bisect_right(self.range_starts[thread], at) - 1
        found = self.trace.threads[thread][number] if number >= 0 else None
        while found and found.end <= at:
            found = found.parent
        return found

    def free_times(self, thread, start, end):
        """The parts of a stretch of time in which a thread is in no CUDA call."""
        busy = self.busy.get(thread, [])
        at = start
        for b_start, b_end in busy[max(bisect_left(busy, (start,)) - 1, 0):]:
            if b_start >= end:
                break
            if b_start > at:
                yield at, b_start
            at = max(at, b_end)
        if at < end:
            yield at, end

    def places(self):
        """Instants well inside gaps, one for each stretch in which the host is free, longest first."""
        found = []
        for start, end, op in self.gaps():
            if op.call is None or op.step is None or op.call.start <= start + 8:
                continue
            for free in self.free_times(op.call.thread, start, min(end, op.call.start)):
                at = (free[0] + free[1]) // 2
                step = self.step_at(at)
                if free[1] - free[0] >= 8 and step is not None and step == self.step_at(free[0]) == self.step_at(free[1]):
                    found.append(Place(at, step, path_of(self.innermost(op.call.thread, at)), (start, end), free, op))
        return sorted(found, key=lambda p: p.free[0] - p.free[1])

    def slot_after(self, call, innermost):
        """When the call's thread is free after it, in the same range: (start, end), perhaps empty."""
        starts = self.range_starts[call.thread]
        inner = bisect_right(starts, call.end)
        until = min([call.end + 10_000, *(r.end for r in [innermost] if r), *starts[inner:inner + 1]])
        first = next(iter(self.free_times(call.thread, call.end, until)), None)
        return first if first and first[0] == call.end else (call.end, call.end)


def merged(spans):
    found = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def in_steps(scene, candidates, wanted=None, weight=len, share=1):
    """Of candidates by key and step the heaviest key that every step has, or a share of them: key, {step: its candidates}."""
    usual = {key: steps for key, steps in candidates.items()
             if len(steps) >= share * len(scene.steps) and (wanted is None or wanted(key))}
    if not usual:
        raise Unplantable(f"nothing of the kind is in {share:.0%} of the steps")
    return max(usual.items(), key=lambda item: (sum(map(weight, item[1].values())), str(item[0])))


def grouped(things):
    """{key: {step: [things]}} of (key, step, thing)."""
    groups = defaultdict(lambda: defaultdict(list))
    for key, step, thing in things:
        groups[key][step].append(thing)
    return groups
