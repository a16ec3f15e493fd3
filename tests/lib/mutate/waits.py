"""Idle time, copies and waits that are added, and overlap that is lost."""

from bisect import bisect_left
from statistics import median

from .clock import Change, Clock, apply_clock
from .planting import Account, planting
from .scene import TABLE, grouped, in_steps, merged
from .truth import Unplantable

PAGEABLE, DEVICE, HOST_TO_DEVICE, STREAM_SYNC = 0, 2, 1, 3  # as the ENUM tables of an export have it
OUTSIDE, COPYING, SYNCING = "outside CUDA", "copy", "sync"  # what the host does in idle time


def chosen_places(scene, inside, fits=lambda place: True):
    """The longest place of each step in one range path: the one that was named, or that has the most idle time. Where the
    host is far ahead of the GPU there is none, so half of the steps will do."""
    places = grouped((place.path, place.step, place) for place in scene.places() if fits(place))
    wanted = (lambda path: path[-1:] == (inside,)) if inside else bool
    _, steps = in_steps(scene, places, wanted, lambda found: found[0].free[1] - found[0].free[0], share=0.5)
    return [found[0] for _, found in sorted(steps.items())]


@planting
def idle_in_range(scene, rows, ns=200_000, inside=None):
    """The host does something else in a range, and the GPU is idle for longer."""
    places, account = chosen_places(scene, inside), Account(scene)
    apply_clock(rows.db, Clock(Change(p.at, p.at, ns) for p in places))
    for place in places:
        account.add("idle", place.path, OUTSIDE, place.step, ns)
    return {"leaves": account.close()}


@planting
def pageable_copy(scene, rows, ns=150_000, inside=None, size=1 << 20):
    """A copy from pageable memory, which the host waits for, while the GPU has nothing else to do."""
    lead, tail = 3000, 1000  # of the call, before and after the copy
    if f"{TABLE}MEMCPY" not in rows.tables:
        raise Unplantable("the export has no table of copies")
    places, account = chosen_places(scene, inside), Account(scene)
    clock = Clock(Change(p.at, p.at, lead + ns + tail) for p in places)
    apply_clock(rows.db, clock)
    for place in places:
        call = clock.ends(place.at)
        add_copy(rows, place.op, call, (call + lead, call + lead + ns), call + lead + ns + tail, size)
        account.add("exposed_copy", place.path, f"MEMCPY {HOST_TO_DEVICE}", place.step, ns)
        account.add("idle", place.path, COPYING, place.step, lead + tail)
    return {"leaves": account.close(), "new": ((f"MEMCPY {HOST_TO_DEVICE}", len(places)),)}


def add_copy(rows, like, call_start, copy, call_end, size):
    correlation = rows.correlation()
    rows.copy(f"{TABLE}RUNTIME", like.call.rows[0], start=call_start, end=call_end, correlationId=correlation,
              nameId=rows.string("cudaMemcpyAsync_v3020"))
    rows.add(f"{TABLE}MEMCPY", **place_of(rows, like), start=copy[0], end=copy[1], correlationId=correlation, bytes=size,
             copyKind=HOST_TO_DEVICE, srcKind=PAGEABLE, dstKind=DEVICE, copyCount=1)


def place_of(rows, op):
    """Where an op ran."""
    columns = [c for c in ("deviceId", "contextId", "greenContextId", "streamId", "globalPid") if c in rows.columns(op.table)]
    values = rows.db.execute(f"SELECT {', '.join(columns)} FROM {op.table} WHERE rowid = ?", (op.row,)).fetchone()
    return dict(zip(columns, values))


@planting
def new_sync(scene, rows, ns=100_000, inside=None):
    """The host waits for the GPU, and has the more to do before it can launch again."""
    # The host is free before the GPU is through, so that it has to wait.
    places, account = chosen_places(scene, inside, lambda p: waits_from(scene, p) is not None), Account(scene)
    clock = Clock(Change(p.gap[0] + 1, p.gap[0] + 1, ns) for p in places)
    apply_clock(rows.db, clock)
    for place in places:
        start, end = clock.begins(waits_from(scene, place)), clock.ends(place.gap[0]) + min(2000, ns // 2)
        add_sync(rows, place.op, start, end)
        account.add("idle", place.path, SYNCING, place.step, ns)
    return {"leaves": account.close(), "new": (("cudaStreamSynchronize", len(places)),)}


def waits_from(scene, place):
    """Since when the thread has been free when the gap begins, 50 µs at most; None where it is in a call, or in another range."""
    start, thread = place.gap[0], place.op.call.thread
    if place.free[0] != start:
        return None
    for free in scene.free_times(thread, start - 50_000, start):
        same = scene.innermost(thread, free[0]) is scene.innermost(thread, place.at)
        if free[1] == start and free[1] - free[0] > 100 and same and place.path:
            return free[0]
    return None


def add_sync(rows, like, start, end):
    correlation, table = rows.correlation(), f"{TABLE}SYNCHRONIZATION"
    rows.copy(f"{TABLE}RUNTIME", like.call.rows[0], start=start, end=end, correlationId=correlation,
              nameId=rows.string("cudaStreamSynchronize_v3020"))
    if table in rows.tables:
        rows.add(table, **place_of(rows, like), start=start, end=end, correlationId=correlation, syncType=STREAM_SYNC,
                 eventId=0, eventSyncId=0)


@planting
def lost_overlap(scene, rows):
    """A copy or collective of each step runs when the GPU has nothing else to do, no longer beside kernels."""
    candidates = grouped((op.name, op.step, (op, exposed, at)) for op, exposed, at in overlapped(scene))
    name, steps = in_steps(scene, candidates, weight=lambda found: max(covered_ns(c) for c in found))
    chosen, account = [max(found, key=covered_ns) for found in steps.values()], Account(scene)
    clock = Clock(Change(at, at, op.ns) for op, _, at in chosen)
    apply_clock(rows.db, clock)
    for op, exposed, at in chosen:
        start = clock.ends(at)
        rows.change(op.table, op.row, start=start, end=start + op.ns)
        account.add(op.exposed_kind, op.path, name, scene.step_at(at), op.ns)
        for stretch in exposed:
            for step, ns in scene.by_step(*stretch).items():
                account.add(op.exposed_kind, op.path, name, step, -ns)
                account.add("idle", op.path, None, step, ns)
    return {"leaves": account.close()}


def covered_ns(candidate):
    op, exposed, _ = candidate
    return op.ns - sum(end - start for start, end in exposed)


def overlapped(scene):
    """(op, where it is exposed, an instant after it when all is done that overlaps it) of copies and collectives."""
    compute = merged((op.start, op.end) for op in scene.ops if op.computes)
    everything = merged((op.start, op.end) for op in scene.ops)
    others = [op for op in scene.ops if not op.computes]
    for op in scene.ops:
        if op.computes or op.step is None or op.alone:
            continue
        around = everything[bisect_left(everything, (op.end,)) - 1]
        exposed, at = list(without(compute, op.start, op.end)), around[1]
        apart = all(o is op or o.end <= op.start or o.start >= at for o in others)
        until = scene.steps[op.step].until
        inside = scene.step_at(at) is not None and scene.step_at(at) == scene.step_at(at - 1)
        if apart and inside and at + 1 < until and op.end < until and covered_ns((op, exposed, at)) > 0:
            yield op, exposed, at


def without(spans, start, end):
    """The parts of a stretch of time that no span covers."""
    for s, e in spans[max(bisect_left(spans, (start,)) - 1, 0):]:
        if s >= end:
            break
        if s > start:
            yield start, s
        start = max(start, e)
    if start < end:
        yield start, end


@planting
def longer_warm_up(scene, rows, cold=3, factor=3):
    """The first steps take several times as long as steps do: the host is busy with something else in them."""
    takes, account, changes = int(median(s.ns for s in scene.steps)), Account(scene), []
    if len(scene.steps) < 3 * cold:
        raise Unplantable("too few steps for a warm-up")
    for number in range(cold):
        place = next((p for p in scene.places() if p.step == number), None)
        if not place:
            raise Unplantable(f"step {number} is never idle")
        ns = max(takes * factor - scene.steps[number].ns, 1)
        changes.append(Change(place.at, place.at, ns))
        account.add("idle", place.path, OUTSIDE, number, ns)
    apply_clock(rows.db, Clock(changes))
    return {"leaves": account.close(), "cold": cold}
