"""Overlap that is lost: a copy or collective runs when the GPU has nothing else to do, no longer beside kernels."""

from bisect import bisect_left
from dataclasses import dataclass

from .clock import Change, Clock, apply_clock
from .planting import Account, planting
from .scene import Op, grouped, in_steps


@dataclass(frozen=True)
class Overlapped:
    op: Op
    moved: int  # when all is done that computes beside it: where it begins from now on
    at: int  # when it is done, too: where the time that it is overlapped for is put in
    exposed: tuple  # (start, end, a copy that it hides there or None) of where it was exposed and is no more

    @property
    def ns(self):
        """How much longer all takes."""
        return min(self.op.ns, self.moved - self.op.start)

    @property
    def idle_ns(self):
        """How much of that is no overlap that was lost: where it was exposed, nothing may run now."""
        return sum(end - start for start, end, _ in self.exposed)

    @property
    def worth(self):
        return self.ns - 2 * self.idle_ns


@planting
def lost_overlap(scene, rows, share=0.5):
    """One copy or collective of each step, or of a share of the steps, waits until nothing computes beside it."""
    candidates = grouped((found.op.group, found.op.step, found) for found in overlapped(scene))
    (path, name), steps = in_steps(scene, candidates, weight=lambda found: max(f.worth for f in found), share=share)
    chosen, account = [max(found, key=lambda f: f.worth) for found in steps.values()], Account(scene)
    clock = Clock(Change(f.at, f.at, f.ns) for f in chosen)
    apply_clock(rows.db, clock)
    for found in chosen:
        op, start = found.op, clock.ends(found.moved)
        rows.change(op.table, op.row, start=start, end=start + op.ns)
        account.add(op.exposed_kind, path, name, scene.step_at(found.at), found.ns)
        for begin, end, hidden in found.exposed:
            for step, ns in scene.by_step(begin, end).items():
                account.add(op.exposed_kind, path, name, step, -ns)
                account.add(*("exposed_copy", *hidden.group) if hidden else ("idle", path, None), step, ns)
    return {"leaves": account.close()}


def overlapped(scene):
    """Copies and collectives that compute overlaps and that can move without a change to anything else."""
    starts, longest = [op.start for op in scene.ops], max(op.ns for op in scene.ops)
    for op in scene.ops:
        if op.computes or op.step is None or op.alone:
            continue
        near = scene.ops[bisect_left(starts, op.start - longest):]
        at = next_instant(near, op)
        beside = [o for o in near[:bisect_left(near, at, key=lambda o: o.start)] if o is not op and o.end > op.start]
        moved = max((o.end for o in beside if o.computes and o.start < op.end), default=op.start)
        moved = at if at > op.end else moved
        found = Overlapped(op, moved, at, tuple(exposed_parts(op, beside, min(op.end, moved))))
        if found.worth > 0 and can_move(scene, op, beside, at):
            yield found


def next_instant(ops, op):
    """The first instant since its end that no other op goes on over."""
    at = op.end
    for other in ops:
        if other.start >= at:
            break
        if other is not op:
            at = max(at, other.end)
    return at


def can_move(scene, op, beside, at):
    """Whether it stays in order on its stream and within its step."""
    until, step = scene.steps[op.step].until, scene.step_at(at)
    in_order = all(o.stream != op.stream or o.end <= op.start for o in beside)
    return in_order and op.end < until and at < until - 1 and step is not None and step == scene.step_at(at - 1)


def exposed_parts(op, beside, until):
    """Where an op is exposed, up to a time: a collective hides copies there."""
    copies = [o for o in beside if o.exposed_kind == "exposed_copy"]
    over = beside if op.exposed_kind == "exposed_copy" else [o for o in beside if o not in copies]
    for start, end in without(over, op.start, until):
        for copy in copies if over is not beside else ():
            if copy.end > start and copy.start < end:
                if copy.start > start:
                    yield start, copy.start, None
                yield max(start, copy.start), min(end, copy.end), copy
                start = min(end, copy.end)
        if start < end:
            yield start, end, None


def without(ops, start, end):
    """The parts of a stretch of time that no op covers."""
    for op in ops:
        if op.start >= end:
            break
        if op.start > start:
            yield start, op.start
        start = max(start, op.end)
    if start < end:
        yield start, end
