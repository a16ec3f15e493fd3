"""When stages of a run begin and end, and what the GPUs do for them, from the definitions.

A stage's instances are ranges that match, of those inside one another the outermost on a thread. Their work is what their
thread launched while they were open, and what threads of the process did that have no such range. An instance's own time goes
from its start, or the end of the one before in its process, to its end or that of its work.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from itertools import accumulate

from tables import CALLS, GRAPHS, KERNELS, MEMCPYS, MEMSETS, Export

RANGES, DOMAIN = (59, 60, 70, 71), 75


def union(intervals):
    total, reach = 0, None
    for start, end in sorted(intervals):
        if reach is None or start > reach:
            reach = start
        if end > reach:
            total += end - reach
            reach = end
    return total


def merged(intervals):
    found = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return found


class Trace(Export):
    def __init__(self, path):
        super().__init__(path)
        calls = {}
        for start, thread, correlation in self.select(CALLS, "start", "globalTid", "correlationId"):
            key = thread >> 24, correlation
            if key not in calls or start < calls[key][0]:
                calls[key] = start, thread
        self.ops = []  # start, end, device, process, when and by whom it was launched
        for table in (KERNELS, MEMCPYS, MEMSETS, GRAPHS):
            for start, end, device, process, correlation in self.select(table, "start", "end", "deviceId", "globalPid",
                                                                        "correlationId"):
                if start is not None and end is not None:
                    launched = calls.get((process >> 24, correlation)) if process is not None else None
                    self.ops.append((start, max(start, end), device, process and process >> 24, launched))
        rows = self.select("NVTX_EVENTS", "eventType", "text", "textId", "domainId", "globalTid", "start", "end")
        text = lambda r: r[1] if r[1] is not None else self.strings.get(r[2], "")
        domains = {(r[3], r[4] >> 24): text(r) for r in rows if r[0] == DOMAIN}
        self.ranges = []
        for r in rows:
            if r[0] in RANGES and r[6] is not None:
                domain = domains.get((r[3], r[4] >> 24))
                self.ranges.append((f"{domain}:{text(r)}" if domain else text(r), r[4], r[5], max(r[5], r[6])))

    def instances(self, matches):
        """Outermost ranges: process → their instances by start, each with how many ranges are next inside it."""
        found, last = defaultdict(list), {}
        for name, thread, start, end in sorted((r for r in self.ranges if matches(r[0])), key=lambda r: (r[1], r[2], -r[3])):
            if thread in last and end <= last[thread]["end"]:
                within = last[thread]
                within["inside"] += end > within["reach"]
                within["reach"] = max(end, within["reach"])
                continue
            last[thread] = dict(thread=thread, start=start, end=end, to=end, ops=[], inside=0, reach=-math.inf)
            found[thread >> 24].append(last[thread])
        for all_of in found.values():
            all_of.sort(key=lambda i: i["start"])
        return found

    def launch(self, found, device=None):
        of_process = {process: InOrder(all_of) for process, all_of in found.items()}
        of_thread = {thread: InOrder([i for i in all_of if i["thread"] == thread])
                     for all_of in found.values() for thread in {i["thread"] for i in all_of}}
        for op in self.ops:
            if not op[4] or (device is not None and op[2] != device):
                continue
            at, thread = op[4]
            candidates = of_thread.get(thread) or of_process.get(thread >> 24)
            around = candidates and candidates.last_around(at)
            if around:
                around["ops"].append(op)

    def stage(self, matches, window=None, device=None):
        """What the stage's row, and its instances' rows, should say."""
        found = self.instances(matches)
        self.launch(found, device)
        kept = []
        for all_of in found.values():
            done = -math.inf
            for i in all_of:
                i["to"] = max([i["end"], *(o[1] for o in i["ops"])])
                i["from"] = min(max(i["start"], done), i["to"])
                done = max(done, i["to"])
            kept += all_of
        if device is not None:
            kept = [i for i in kept if i["ops"]]
        return within(kept, window)


class InOrder:
    """Instances by start, to find the one around a time without looking at all of them."""

    def __init__(self, instances):
        self.instances = instances
        self.starts = [i["start"] for i in instances]
        self.reach = list(accumulate((i["end"] for i in instances), max))

    def last_around(self, at):
        """Of those that hold the time, the one that began last; of several that began together, the first."""
        found = None
        index = bisect_right(self.starts, at) - 1
        while index >= 0 and self.reach[index] >= at and (not found or self.starts[index] == found["start"]):
            if self.instances[index]["end"] >= at:
                found = self.instances[index]
            index -= 1
        return found


def within(kept, window):
    """Those that lie in the window, if there is one."""
    return [i for i in kept if not window or (i["from"] >= window[0] and i["to"] <= window[1])]


def timed(kept):
    """Those that have a time of their own: others were over while those before them in their process still ran."""
    return [i for i in kept if i["to"] > i["from"]]


def by_device(ops):
    devices = defaultdict(list)
    for op in ops:
        devices[op[2]].append(op[:2])
    return devices
