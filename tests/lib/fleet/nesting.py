"""On a clock that drifts, a range that keeps its length would end before the last thing inside it does, by nanoseconds. What lies inside
something else on its thread, or after it, is moved so much less that it still does."""

from collections import defaultdict

PUSH_POP = 59
# Tables whose rows lie inside each other, and which of them.
NESTED = {"NVTX_EVENTS": f"eventType = {PUSH_POP}", "CUPTI_ACTIVITY_KIND_RUNTIME": "1", "OSRT_API": "1"}


def spans_by_thread(db, tables, pid):
    """{thread of the process: [(start, end, (table, row))]}, what is outside first."""
    threads = defaultdict(list)
    for table, which in NESTED.items():
        if table in tables:
            for row, start, end, thread in db.execute(f"SELECT rowid, start, end, globalTid FROM {table} WHERE end IS NOT NULL "
                                                      f"AND globalTid >> 24 & 0xffffff = ? AND {which}", (pid,)):
                threads[thread].append((start, end, (table, row)))
    for spans in threads.values():
        spans.sort(key=lambda s: (s[0], -s[1]))
    return threads


def families(spans):
    """(span or None, those directly inside it in order) of a thread's, parents before their children's families."""
    children, order, open_ones = {None: []}, [None], []
    for span in spans:
        while open_ones and open_ones[-1][1] < span[1]:
            open_ones.pop()
        parent = open_ones[-1] if open_ones else None
        children[parent].append(span)
        children[span] = []
        order.append(span)
        open_ones.append(span)
    return ((parent, children[parent]) for parent in order)


def moved_starts(db, tables, pid, clock):
    """{(table, row): start on the clock} of all that lies inside each other in a process; of a clock that does not drift, nothing."""
    moved = {}
    for spans in spans_by_thread(db, tables, pid).values() if clock.drift_ppm else ():
        for parent, children in families(spans):
            room = (moved[parent[2]], moved[parent[2]] + parent[1] - parent[0]) if parent else (float("-inf"), float("inf"))
            (place_gaining if clock.drift_ppm > 0 else place_losing)(children, *room, clock, moved)
    return moved


def place_gaining(children, _low, high, clock, moved):
    """On a clock that gains, what comes later moves further: from the last to the first, none beyond the one after it."""
    after = (float("inf"), high)  # start of the one after it, as it was and moved
    for start, end, key in reversed(children):
        limit = after[1] if end <= after[0] else high
        moved[key] = min(clock.reads(start), limit - (end - start))
        after = start, moved[key]


def place_losing(children, low, _high, clock, moved):
    before = (float("-inf"), low)  # end of the one before it
    for start, end, key in children:
        moved[key] = max(clock.reads(start), before[1] if start >= before[0] else low)
        before = end, moved[key] + end - start
