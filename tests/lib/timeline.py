"""Timelines as viewers read them: Chrome's JSON and Perfetto's protobuf, each by a reader of its own.

Both give a Timeline, and fail with a ValueError where a viewer would drop or misplace something. Neither knows how
ours is written: the JSON one follows Google's "Trace Event Format", the other the definitions in Perfetto's
protos/perfetto/trace (field numbers below).
"""

import gzip
import json
import struct
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Timeline:
    processes: dict = field(default_factory=dict)  # id: name
    process_ranks: dict = field(default_factory=dict)
    tracks: dict = field(default_factory=dict)  # id: (process id, name); slices lie on it
    track_ranks: dict = field(default_factory=dict)
    slices: list = field(default_factory=list)  # [track, start, end, name, category, args, arrows out, arrow in]
    instants: list = field(default_factory=list)  # (track, time, name, category, args)
    counters: dict = field(default_factory=lambda: defaultdict(list))  # (process id, name): [(time, value)]
    units: dict = field(default_factory=dict)
    other: dict = field(default_factory=dict)

    def content(self):
        """All that it says, for a comparison of two formats: arrows as the slices they join."""
        def place(track):
            process, name = self.tracks[track]
            return self.processes[process], name

        arrows = defaultdict(lambda: [None, None])
        slices = []
        for track, start, end, name, category, args, out, into in self.slices:
            what = (*place(track), start, end, name, category, tuple(sorted(args.items())))
            slices.append(what)
            for number in out:
                arrows[number][0] = what
            if into is not None:
                arrows[into][1] = what
        if any(None in pair for pair in arrows.values()):
            raise ValueError("an arrow has one end")
        instants = [(*place(track), *rest[:-1], tuple(sorted(rest[-1].items()))) for track, *rest in self.instants]
        counters = {(self.processes[p], name): values for (p, name), values in self.counters.items()}
        ranks = {place(t): (self.process_ranks[self.tracks[t][0]], rank) for t, rank in self.track_ranks.items()}
        return dict(slices=counted(slices), instants=counted(instants), arrows=counted(map(tuple, arrows.values())),
                    counters=counters, ranks=ranks)


def counted(things):
    """How often each comes, as a dictionary: two of these are compared in no time, two Counters one by one."""
    return dict(Counter(things))


def check_ids(timeline):
    """Viewers take process and thread ids for global."""
    both = list(timeline.processes) + list(timeline.tracks)
    if len(set(both)) != len(both):
        raise ValueError("two of the ids are the same")
    names = [(p, n) for p, n in timeline.tracks.values()]
    if len(set(names)) != len(names):
        raise ValueError("two tracks of a process have one name")


# Chrome's JSON.

def nanoseconds(text):
    """Microseconds with three decimals, as they are written."""
    whole, _, part = text.partition(".")
    if len(part) != 3:
        raise ValueError(f"{text} has not three decimals")
    return int(whole + part)


class Stack:
    """What is open on a track; slices come in order of time, and nest."""

    def __init__(self):
        self.open, self.now = [], -1

    def move(self, now):
        if now < self.now:
            raise ValueError(f"a track goes back from {self.now} to {now}")
        self.now = now
        while self.open and self.open[-1][2] <= now:
            self.open.pop()

    def push(self, piece):
        self.move(piece[1])
        if self.open and self.open[-1][2] < piece[2]:
            raise ValueError(f"{piece[3]!r} at {piece[1]} overlaps {self.open[-1][3]!r} and is not inside it")
        self.open.append(piece)


def read_json(path):
    raw = Path(path).read_bytes()
    document = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw, parse_float=str)
    t = Timeline(other=document["otherData"])
    stacks, last = defaultdict(Stack), {}
    for event in document["traceEvents"]:
        phase, pid, tid = event["ph"], event["pid"], event.get("tid")
        if phase == "M":
            read_metadata(t, event, pid, tid)
            continue
        at, args = nanoseconds(event["ts"]), event.get("args", {})
        if phase == "C":
            (unit, value), = args.items()
            t.counters[pid, event["name"]].append((at, float(value) if isinstance(value, str) else value))
            t.units[pid, event["name"]] = unit
            continue
        if t.tracks[tid][0] != pid:
            raise ValueError(f"track {tid} is of two processes")
        stack = stacks[tid]
        if phase == "X":
            piece = [tid, at, at + nanoseconds(event["dur"]), event["name"], event["cat"], args, [], None]
            stack.push(piece)
            t.slices.append(piece)
            last[tid] = piece
        elif phase == "i":
            stack.move(at)
            t.instants.append((tid, at, event["name"], event["cat"], args))
        else:
            bind_arrow(phase, event, at, stack, last[tid])
    check_ids(t)
    return t


def read_metadata(t, event, pid, tid):
    what, args = event["name"], event["args"]
    if what == "process_name":
        t.processes[pid] = args["name"]
    elif what == "process_sort_index":
        t.process_ranks[pid] = args["sort_index"]
    elif what == "thread_name":
        t.tracks[tid] = (pid, args["name"])
    elif what == "thread_sort_index":
        t.track_ranks[tid] = args["sort_index"]
    else:
        raise ValueError(f"metadata {what}")


def bind_arrow(phase, event, at, stack, last):
    """An arrow is of the innermost slice that is open there; one that takes no time is the last."""
    piece = last if last[1] == last[2] == at else None
    if not piece:
        stack.move(at)
        if not stack.open:
            raise ValueError(f"an arrow at {at} has no slice")
        piece = stack.open[-1]
    if phase == "s":
        piece[6].append(event["id"])
    elif phase == "f" and event["bp"] == "e" and piece[7] is None:
        piece[7] = event["id"]
    else:
        raise ValueError(f"event {event}")


# Perfetto's protobuf.

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a varint has over ten bytes")


def fields(data):
    """Number and value of each field of a message: an int, or bytes."""
    at, end = 0, len(data)
    while at < end:
        tag = data[at]  # nearly all of them, and most lengths and values, are of one byte
        tag, at = (tag, at + 1) if tag < 0x80 else varint(data, at)
        kind = tag & 7
        if kind == 0:
            value = data[at]
            value, at = (value, at + 1) if value < 0x80 else varint(data, at)
        elif kind == 2:
            length = data[at]
            length, at = (length, at + 1) if length < 0x80 else varint(data, at)
            value, at = data[at:at + length], at + length
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        else:
            raise ValueError(f"wire type {kind}")
        if at > end:
            raise ValueError("a message ends within a field")
        yield tag >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def fixed64(data):
    return struct.unpack("<Q", data)[0]


class Pftrace:
    INTERNED = {1: "categories", 2: "names", 3: "keys", 29: "values"}
    # Time, sequence, event, interned texts, flags, descriptor of a track: each once.
    PACKET = {8, 10, 11, 12, 13, 60}

    def __init__(self, data):
        self.t = Timeline()
        self.interned = {name: {} for name in self.INTERNED.values()}
        self.counter_tracks = {}
        self.open, self.now = defaultdict(list), {}
        self.cleared = False
        self.known, self.ends = {}, {}
        for number, packet in fields(data):
            if number != 1:
                raise ValueError(f"field {number} of a trace")
            self.packet(packet)
        if any(self.open.values()):
            raise ValueError("a slice never ends")
        check_ids(self.t)

    def packet(self, data):
        parts = list(fields(data))
        packet = dict(parts)
        if len(packet) != len(parts) or not packet.keys() <= self.PACKET:
            raise ValueError(f"fields {[number for number, _ in parts]} of a packet")
        if 12 in packet:
            self.intern(packet[12])
        flags = packet.get(13, 0)
        self.cleared |= bool(flags & 1)
        if packet.get(10) != 1 or not self.cleared or not flags & 2:
            raise ValueError("a reader would skip this packet")
        if 60 in packet:
            self.describe(packet[60])
        else:
            self.event(packet.get(8), packet.get(11))

    def intern(self, data):
        for number, entry in fields(data):
            what = dict(fields(entry))
            known = self.interned[self.INTERNED[number]]
            if not what[1] or what[1] in known:
                raise ValueError(f"interned {what} twice")
            known[what[1]] = what[2].decode("utf-8")

    def describe(self, data):
        d = dict(fields(data))
        uuid = d[1]
        if uuid == 0:
            if d != {1: 0, 19: 1}:
                raise ValueError(f"root {d}")
        elif 3 in d:
            process = dict(fields(d[3]))
            if process[1] != uuid or d[11] != 3 or signed(d[12]) != signed(process[3]):
                raise ValueError(f"process {d}")
            self.t.processes[uuid] = process[6].decode("utf-8")
            self.t.process_ranks[uuid] = signed(d[12])
        else:
            name = d[2].decode("utf-8")
            if d[5] not in self.t.processes or uuid in self.t.tracks or uuid in self.counter_tracks:
                raise ValueError(f"track {d}")
            if 8 in d:
                self.counter_tracks[uuid] = (d[5], name)
                unit = dict(fields(d[8]))
                self.t.units[d[5], name] = unit.get(6, {None: b"", 2: b"count", 3: b"bytes"}[unit.get(3)]).decode()
            else:
                self.t.tracks[uuid] = (d[5], name)
                self.t.track_ranks[uuid] = signed(d[12])

    def annotation(self, data):
        a = dict(fields(data))
        key = self.interned["keys"][a.pop(1)]
        (kind, value), = a.items()
        return key, {4: signed, 6: lambda b: b.decode("utf-8"), 17: self.interned["values"].get}[kind](value)

    def args(self, annotations):
        """Most have been met before."""
        args = {}
        for data in annotations:
            if data not in self.known:
                self.known[data] = self.annotation(data)
            key, value = self.known[data]
            args[key] = value
        return args

    def event(self, at, data):
        if data in self.ends:
            return self.end(self.ends[data], at)
        e = defaultdict(list)
        for number, value in fields(data):
            e[number].append(value)
        kind, track = e.pop(9)[0], e.pop(11)[0]
        if kind == 2:
            self.ends[data] = track
            return self.end(track, at)
        if kind == 4:
            value = signed(e[30][0]) if 30 in e else struct.unpack("<d", e[44][0])[0]
            self.t.counters[self.counter_tracks[track]].append((at, value))
            return None
        self.move(track, at)
        name = self.interned["names"][e[10][0]]
        category = ",".join(self.interned["categories"][c] for c in e[3])
        args = self.args(e[4])
        if kind == 3:
            self.t.instants.append((track, at, name, category, args))
            return None
        piece = [track, at, None, name, category, args, [fixed64(f) for f in e[47]],
                 fixed64(e[48][0]) if e[48] else None]
        self.t.slices.append(piece)
        self.open[track].append(piece)
        return None

    def move(self, track, at):
        if track not in self.t.tracks or at < self.now.get(track, 0):
            raise ValueError(f"track {track} at {at}")
        self.now[track] = at

    def end(self, track, at):
        self.move(track, at)
        self.open[track].pop()[2] = at


def read_pftrace(path):
    raw = Path(path).read_bytes()
    return Pftrace(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).t


def read(path):
    return (read_json if ".json" in Path(path).name else read_pftrace)(path)
