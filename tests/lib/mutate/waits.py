"""Idle time, copies and waits that are added."""

from statistics import median

from .clock import Change, Clock, apply_clock
from .planting import Account, planting
from .scene import TABLE, grouped, in_steps, name_of
from .truth import Unplantable

PAGEABLE, DEVICE, HOST_TO_DEVICE, STREAM_SYNC = 0, 2, 1, 3  # as the ENUM tables of an export have it
HOST, COPYING, SYNCING = "host", "copy", "sync"  # what `gpuwhy idle` blames idle time on


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
        account.add("idle", place.path, HOST, place.step, ns)
    return {"leaves": account.close()}


@planting
def pageable_copy(scene, rows, ns=150_000, inside=None, size=1 << 20):
    """A copy from pageable memory, which the host waits for, while the GPU has nothing else to do."""
    lead, tail, name = 3000, 1000, name_of("MEMCPY", HOST_TO_DEVICE)  # the call begins before the copy and ends after it
    rows.need(f"{TABLE}MEMCPY")
    places, account = chosen_places(scene, inside), Account(scene)
    clock = Clock(Change(p.at, p.at, lead + ns + tail) for p in places)
    apply_clock(rows.db, clock)
    for place in places:
        call = clock.ends(place.at)
        add_copy(rows, place.op, call, (call + lead, call + lead + ns), call + lead + ns + tail, size)
        account.add("exposed_copy", place.path, name, place.step, ns)
        account.add("idle", place.path, COPYING, place.step, lead + tail)
    return {"leaves": account.close(), "new": ((name, len(places)),)}


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
    returns = min(2000, ns // 2)  # so long after the GPU is through
    # The host is free before that, so that it has to wait.
    places, account = chosen_places(scene, inside, lambda p: waits_from(scene, p) is not None), Account(scene)
    clock = Clock(Change(p.gap[0] + 1, p.gap[0] + 1, ns) for p in places)
    apply_clock(rows.db, clock)
    for place in places:
        drained = clock.ends(place.gap[0])
        add_sync(rows, place.op, clock.begins(waits_from(scene, place)), drained + returns)
        account.add("idle", place.path, SYNCING, place.step, returns)
        account.add("idle", place.path, HOST, place.step, ns - returns)
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
    rows.need(table)
    rows.add(table, **place_of(rows, like), start=start, end=end, correlationId=correlation, syncType=STREAM_SYNC, eventId=0, eventSyncId=0)


@planting
def longer_warm_up(scene, rows, cold=3, factor=3):
    """The first steps take several times as long as steps do: the GPU is idle in them, for the host where that is free."""
    takes, account, changes = int(median(s.ns for s in scene.steps)), Account(scene), []
    if len(scene.steps) < 3 * cold:
        raise Unplantable("too few steps for a warm-up")
    for number, (at, path, blame) in zip(range(cold), pauses(scene)):
        ns = max(takes * factor - scene.steps[number].ns, 1)
        changes.append(Change(at, at, ns))
        account.add("idle", path, blame, number, ns)
    apply_clock(rows.db, Clock(changes))
    return {"leaves": account.close(), "cold": cold}


def pauses(scene):
    """(instant, path, blame) of where the GPU can be idle for longer, of each step."""
    places, openings = scene.places(), list(scene.openings())
    for number in range(len(scene.steps)):
        place = next((p for p in places if p.step == number), None)
        op = next((op for op in openings if op.step == number), None)
        if place:
            yield place.at, place.path, HOST
        elif op:
            yield op.start, op.path, None
        else:
            raise Unplantable(f"something runs at all times of step {number}")
