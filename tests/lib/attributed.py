"""GPU work, its calls and its ranges, as the definitions say, from an export alone: what tests compare with."""

from collections import defaultdict, namedtuple

from tables import Export

KINDS = ["KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"]
PUSH_POP, RANGES, DOMAIN_CREATE = (59, 70), (59, 60, 70, 71), 75

Op = namedtuple("Op", "kind start end device pid call")  # call: (thread, start), None when unknown


class Range:
    def __init__(self, name, thread, start, end):
        self.name, self.thread, self.start, self.end = name, thread, start, end
        self.parent = None

    def chain(self):
        """The range and all around it, innermost first."""
        at = self
        while at:
            yield at
            at = at.parent


class Trace(Export):
    def __init__(self, path):
        super().__init__(path)
        self.has_calls = "CUPTI_ACTIVITY_KIND_RUNTIME" in self.tables
        self.threads = self.read_ranges()
        self.ops = list(self.read_ops())

    def read_ranges(self):
        """Push/pop ranges by thread, by start, outer before inner, each with its parent."""
        rows = self.select("NVTX_EVENTS", "eventType", "text", "textId", "domainId", "globalTid",
                           "start", "end")
        text = lambda row: row[1] if row[1] is not None else self.strings.get(row[2], "")
        domains = {(row[3], row[4] >> 24): text(row) for row in rows if row[0] == DOMAIN_CREATE}
        last = max((max(row[5], row[6] or row[5]) for row in rows if row[0] in RANGES), default=0)
        threads = defaultdict(list)
        for row in rows:
            if row[0] in PUSH_POP:
                domain = domains.get((row[3], row[4] >> 24), "")
                threads[row[4]].append(Range(f"{domain}:{text(row)}" if domain else text(row), row[4],
                                             row[5], last if row[6] is None else row[6]))
        for ranges in threads.values():
            ranges.sort(key=lambda r: (r.start, -r.end))
            nest(ranges)
        return threads

    def read_ops(self):
        calls = {}
        for tid, correlation, start in self.select("CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid",
                                                   "correlationId", "start"):
            key = tid >> 24, correlation
            if key not in calls or start < calls[key][1]:
                calls[key] = tid, start
        for kind in KINDS:
            for start, end, device, pid, correlation in self.select(
                    f"CUPTI_ACTIVITY_KIND_{kind}", "start", "end", "deviceId", "globalPid",
                    "correlationId"):
                call = calls.get((pid >> 24, correlation)) if pid is not None else None
                yield Op(kind, start, end, device, (pid or 0) >> 24 & 0xFFFFFF, call)


def nest(ranges):
    """The parent of a range is the shortest one that holds it."""
    still_open = []
    for r in ranges:
        still_open = [o for o in still_open if o.end >= r.start]
        around = [o for o in still_open if o.end >= r.end]
        # Of equally short ones the later: the first of two with the very same span holds the other.
        r.parent = min(reversed(around), key=lambda o: o.end - o.start, default=None)
        still_open.append(r)


def owners(trace):
    """The range of each op, or None: a sweep over the calls of each thread."""
    found = [None] * len(trace.ops)
    calls = sorted((op.call[0], op.call[1], i) for i, op in enumerate(trace.ops) if op.call)
    thread, upcoming, still_open = None, [], []
    for tid, at, i in calls:
        if tid != thread:
            thread, upcoming, still_open = tid, list(reversed(trace.threads.get(tid, []))), []
        while upcoming and upcoming[-1].start <= at:
            still_open.append(upcoming.pop())
        still_open = [r for r in still_open if r.end >= at]
        found[i] = still_open[-1] if still_open else None
    return found


def clip(start, end, window):
    """The part inside the window, or None."""
    if window:
        clipped = max(start, window[0]), min(end, window[1])
        inside = clipped[1] > clipped[0] or (start == end and clipped[0] == clipped[1] < window[1])
        return clipped if inside else None
    return start, end
