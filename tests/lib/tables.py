"""An export's tables as Python sees them, our answers' tables, and what is different between two."""

import json
import math
import sqlite3

from harness import gpuwhy, whole_capture

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
MEMCPYS = "CUPTI_ACTIVITY_KIND_MEMCPY"
MEMSETS = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"


class Export:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        self.db.text_factory = lambda b: b.decode("utf-8", "replace")
        self.tables = {n for n, in self.db.execute("SELECT name FROM sqlite_master")}
        self.strings = dict(self.select("StringIds", "id", "value"))

    def select(self, table, *wanted):
        """Rows of a table, None for a column that it lacks; nothing when there is no such table."""
        if table not in self.tables:
            return []
        have = self.columns(table)
        names = ", ".join(f'"{w}"' if w in have else "NULL" for w in wanted)
        return self.db.execute(f"SELECT {names} FROM {table}").fetchall()

    def columns(self, table):
        return [c[1] for c in self.db.execute(f"PRAGMA table_info({table})")]

    def span(self):
        """The capture's length, with the GPU work that outlasts it; None when the export does not say."""
        length = max((d for d, in self.select("ANALYSIS_DETAILS", "duration")), default=None)
        work = [row for table in (KERNELS, MEMCPYS, MEMSETS, GRAPHS) for row in self.select(table, "start", "end")]
        return length and max(length, *(e for _, e in work)) - min(0, *(s for s, _ in work)) if work else length

    def extent(self):
        """From the first start to the last end of all that has a time."""
        tables = [f"CUPTI_ACTIVITY_KIND_{k}" for k in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE", "RUNTIME")]
        tables += ["NVTX_EVENTS", "OSRT_API", "CUDA_GPU_MEMORY_USAGE_EVENTS", "SCHED_EVENTS", "COMPOSITE_EVENTS"]
        rows = []
        for table in tables:
            columns = self.columns(table)
            if "start" in columns:
                end = "end" if "end" in columns else "start"
                rows += self.db.execute(f"SELECT MIN(start), MAX(MAX(start, COALESCE({end}, start))) FROM {table}").fetchall()
        rows = [row for row in rows if row[0] is not None]
        return max(b for _, b in rows) - min(a for a, _ in rows)


def pid_of(global_id):
    return None if global_id is None else global_id >> 24 & 0xFFFFFF


def quantile(values, q):
    """Linear interpolation at q·(n−1)."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def inside(start, end, window):
    """The time of [start, end) in the window, None when there is none."""
    if window is None:
        return end - start
    low, high = max(start, window[0]), min(end, window[1])
    if high < low or (high == low and (end > start or low >= window[1])):
        return None
    return high - low


def answer(*args):
    """Our tables of the whole capture by name, rows as dicts; None when the trace lacks what was asked."""
    result = gpuwhy(*whole_capture(*args), "--format", "json", "--limit", "0")
    if result.crash or result.code not in (0, 3):
        raise ValueError(result.crash or f"exit code {result.code}: {result.message}")
    if result.code == 3:
        return None
    return {t["name"]: t["rows"] for t in json.loads(result.out)["tables"]}


def same(ours, value):
    if ours is None or value is None or isinstance(value, (str, bool)):
        return ours == value
    if isinstance(value, int):
        return ours == value
    return math.isclose(ours, value, rel_tol=1e-9, abs_tol=1e-6)


def disagreement(rows, wanted, *keys):
    """What is first wrong with our rows, given {values of keys: {column: value}}; None: nothing."""
    found = {tuple(r[k] for k in keys): r for r in rows}
    if len(found) != len(rows):
        return "a group has two rows"
    if set(found) != set(wanted):
        lacks, more = set(wanted) - set(found), set(found) - set(wanted)
        return f"lacks {sorted(lacks, key=str)[:2]}, has {sorted(more, key=str)[:2]} too"
    for group, numbers in wanted.items():
        for key, value in numbers.items():
            if not same(found[group][key], value):
                return f"{key} of {str(group)[:100]} is {found[group][key]}, not {value}"
    return None
