"""Kernels that take longer, are called more often, are fused, split, swapped, or run on another stream."""

from collections import Counter

from .clock import Change, Clock, apply_clock
from .planting import Account, planting
from .scene import grouped, in_steps

CALL_NS = 2000  # of a launch call that is added, at most


def is_asked(name, path):
    """Whether a group is the one that was asked for, if one was."""
    return lambda key: (name is None or key[1] == name) and (path is None or key[0] == tuple(path))


def total_ns(ops):
    return sum(op.ns for op in ops)


@planting
def slower_kernel(scene, rows, percent=5, name=None, path=None):
    """All calls of one kernel in one range path take longer; the busiest, unless it is named."""
    groups = grouped((op.group, op.step, op) for op in scene.kernels())
    clean = {key: steps for key, steps in groups.items() if all(map(scene.is_clean, sum(steps.values(), [])))}
    (path, name), steps = in_steps(scene, clean, is_asked(name, path), total_ns)
    account, changes = Account(scene), []
    for step, ops in steps.items():
        for op in ops:
            ns = max(1, op.ns * percent // 100)
            changes.append(Change(op.start, op.end, ns))
            account.add(op.exposed_kind, path, name, step, ns)
    apply_clock(rows.db, Clock(changes))
    return {"leaves": account.close()}


@planting
def clock_drift(scene, rows, percent=4):
    """Every kernel takes longer, as at a lower clock, and with it what overlaps it: no code is to blame."""
    account, changes, done = Account(scene), [], 0
    for start, end, running in kernel_stretches(scene):
        # What rounding leaves over is the next one's: all together are longer by the percentage, to a nanosecond.
        ns = (done + end - start) * percent // 100 - done * percent // 100
        done += end - start
        changes.append(Change(start, end, ns))
        kind = "compute" if any(op.computes for op in running) else "exposed_comm"
        # Edges of steps are edges of stretches, so that none is in two steps.
        account.add(kind, *(running[0].group if len(running) == 1 else (None, None)), scene.step_at(start), ns)
    apply_clock(rows.db, Clock(changes))
    return {"leaves": account.close()}


def kernel_stretches(scene):
    """(start, end, the kernels that run) of each stretch of time between starts and ends of kernels and steps."""
    kernels = [op for op in scene.ops if op.kind == "KERNEL"]
    edges = sorted({edge for op in kernels for edge in (op.start, op.end)} | {s.until for s in scene.steps} | set(scene.begins))
    running, upcoming = [], list(reversed(kernels))
    for start, end in zip(edges, edges[1:]):
        running = [op for op in running if op.end > start]
        while upcoming and upcoming[-1].start <= start:
            op = upcoming.pop()
            running += [op] if op.end > start else []
        if running:
            yield start, end, list(running)


@planting
def extra_call(scene, rows, name=None, path=None):
    """One more call of a kernel in each step, right behind one that it has."""
    feasible = ((op.group, op.step, op) for op in scene.kernels() if scene.is_clean(op) and has_slot(scene, op, 1))
    (path, name), steps = in_steps(scene, grouped(feasible), is_asked(name, path), total_ns)
    chosen = [max(ops, key=lambda op: op.ns) for ops in steps.values()]
    clock, account = Clock(Change(op.end, op.end, op.ns) for op in chosen), Account(scene)
    apply_clock(rows.db, clock)
    for op in chosen:
        start, slot = clock.ends(op.end), slots(scene, op, 1, clock)
        rows.launch(op, start, start + op.ns, slot[0])
        account.add(op.exposed_kind, path, name, op.step, op.ns)
    return {"leaves": account.close(), "new": ((name, len(chosen)),)}


def has_slot(scene, op, count):
    """Whether its thread has time for more launches, before the op is done."""
    start, end = scene.slot_after(op.call, op.range)
    return end - start >= 2 * count and start + min(end - start, count * CALL_NS) <= op.end


def slots(scene, op, count, clock):
    """When more launches can be called, one after the other, on the changed clock."""
    start, end = scene.slot_after(op.call, op.range)
    length = min((end - start) // count, CALL_NS)
    return [(clock.begins(start + n * length), clock.ends(start + (n + 1) * length)) for n in range(count)]


def runs_of(scene, length, fits=lambda *run: True, kinds=None):
    """Runs of different kernels by path and names; or of so many different ones."""
    return grouped(((run[0].path, tuple(op.name for op in run)), run[0].step, run)
                   for run in scene.runs(length) if len({op.name for op in run}) >= (kinds or length) and fits(*run))


def run_ns(runs):
    return total_ns(runs[0])


def apart(runs):
    """Of runs those that share no op with one before."""
    chosen, until = [], 0
    for run in runs:
        if run[0].start >= until:
            chosen.append(run)
            until = run[-1].end
    return chosen


def fuse_places(scene):
    """{(path, names): how often in a step} of all that three kernels in a row may be fused in every step."""
    return {key: max(map(len, map(apart, steps.values()))) for key, steps in runs_of(scene, 3, kinds=1).items()
            if len(steps) == len(scene.steps)}


@planting
def fuse(scene, rows, percent=60, name="triton_poi_fused_planted_0", place=None, every=False):
    """Three kernels of each step that follow one another become one, which takes a part of their time; gaps between them go.
    `place` is one of fuse_places(); `every`: wherever in the step they follow one another so, and not the first time alone."""
    wanted, kinds = (None, None) if place is None else (lambda key: key == place, 1)
    (path, names), steps = in_steps(scene, runs_of(scene, 3, kinds=kinds), wanted, weight=run_ns)
    chosen, account, changes = sum((apart(runs) if every else runs[:1] for runs in steps.values()), []), Account(scene), []
    for run in chosen:
        first, last = run[0], run[-1]
        takes, span = total_ns(run) * percent // 100, last.end - first.start
        changes.append(Change(first.start, last.end, takes - span))
        for op in run:
            account.add(op.exposed_kind, path, op.name, op.step, -op.ns)
        account.add("compute", path, name, first.step, takes)
        account.add("idle", path, None, first.step, total_ns(run) - span)
        rows.change(first.table, first.row, end=last.end, **rows.names(name))
        for op in run[1:]:
            rows.remove_op(op)
    apply_clock(rows.db, Clock(changes))
    return {"leaves": account.close(), "replaced": ((names, (name,), len(chosen)),), "new": ((name, len(chosen)),),
            "gone": tuple((n, len(chosen)) for n in names)}


def split_places(scene):
    """[(path, name)] of all kernels of which one may be split in every step."""
    feasible = grouped((op.group, op.step, op) for op in scene.kernels() if can_split(scene, op))
    return [key for key, steps in feasible.items() if len(steps) == len(scene.steps)]


def can_split(scene, op):
    return scene.is_clean(op) and op.ns > 100 and has_slot(scene, op, 2)


@planting
def split(scene, rows, percent=120, between_ns=1000, name=None, path=None):
    """One kernel of each step becomes three, which take longer together, with gaps between them."""
    feasible = ((op.group, op.step, op) for op in scene.kernels() if can_split(scene, op))
    (path, name), steps = in_steps(scene, grouped(feasible), is_asked(name, path), total_ns)
    chosen, account = [max(ops, key=lambda op: op.ns) for ops in steps.values()], Account(scene)
    names = tuple(f"planted_part_{n}" for n in "abc")
    clock = Clock(Change(op.start, op.end, op.ns * percent // 100 + 2 * between_ns - op.ns) for op in chosen)
    apply_clock(rows.db, clock)
    for op in chosen:
        takes, start = op.ns * percent // 100, clock.begins(op.start)
        pieces = takes // 2, takes // 3, takes - takes // 2 - takes // 3
        account.add(op.exposed_kind, path, name, op.step, -op.ns)
        account.add("idle", path, None, op.step, 2 * between_ns)
        calls = [None, *slots(scene, op, 2, clock)]
        for piece, ns, call in zip(names, pieces, calls):
            account.add("compute", path, piece, op.step, ns)
            if call is None:
                rows.change(op.table, op.row, end=start + ns, **rows.names(piece))
            else:
                rows.launch(op, start, start + ns, call, **rows.names(piece))
            start += ns + between_ns
    return {"leaves": account.close(), "replaced": (((name,), names, len(chosen)),), "gone": ((name, len(chosen)),),
            "new": tuple((piece, len(chosen)) for piece in names)}


@planting
def reorder(scene, rows):
    """Two neighbours of each step change places; each takes as long as before, and so does the gap between them."""
    def can_swap(one, other):
        return other.end - one.ns >= other.call.start  # that now launches the first

    _, steps = in_steps(scene, runs_of(scene, 2, can_swap), weight=run_ns)
    for one, other in (runs[0] for runs in steps.values()):
        rows.change(one.table, one.row, start=other.end - one.ns, end=other.end, correlationId=other.correlation)
        rows.change(other.table, other.row, start=one.start, end=one.start + other.ns, correlationId=one.correlation)
    return {}


@planting
def move_stream(scene, rows, name=None, path=None):
    """A kernel of one range path runs on another stream, at the same times."""
    groups = grouped((op.group, op.step, op) for op in scene.kernels())
    (path, name), steps = in_steps(scene, groups, is_asked(name, path), total_ns)
    ops, table = sum(steps.values(), []), "TARGET_INFO_CUDA_STREAM"
    stream = max([*(op.stream for op in scene.ops), rows.largest(table, "streamId")]) + 1
    like = rows.db.execute(f"SELECT MIN(rowid) FROM {table}").fetchone()[0] if table in rows.tables else None
    if like is not None:
        rows.copy(table, like, streamId=stream)
    for op in ops:
        rows.change(op.table, op.row, streamId=stream)
    return {"moved": tuple((name, old, stream, count) for old, count in Counter(op.stream for op in ops).items())}
