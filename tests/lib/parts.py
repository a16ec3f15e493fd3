"""Parts of a fleet, read by a reader of its own (docs/fleet.md says what is in them), and written back with other bytes."""

import hashlib
import struct
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = b"gpuwhy part\n"
HEAD = len(MAGIC) + 4 + 8 + 64
TIMES = ("compute", "comm", "copy", "idle")
TYPES = ("AllReduce", "AllGather", "ReduceScatter", "Broadcast", "Reduce", "SendRecv", "AllToAll", "Other")
SOURCES = ("given", "label", "nccl", "range", "variable", "file_name", "assumed")


@dataclass
class Member:
    rank: int = 0
    steps: list = field(default_factory=list)
    classes: list = field(default_factory=list)
    collectives: list = field(default_factory=list)
    kernels: dict = field(default_factory=dict)
    ranges: dict = field(default_factory=dict)
    causes: list = field(default_factory=list)


class Reader:
    def __init__(self, data):
        self.data, self.at, self.texts = data, 0, []

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return self.texts[self.number()]

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def after(self, before):
        return before + self.signed()

    def maybe(self, before):
        value = self.number()
        if not value:
            return None
        value -= 1
        return before + (value >> 1 ^ -(value & 1))

    def none_or(self):
        return self.number() - 1  # -1: none

    def account(self, total):
        parts = [self.number() for _ in TIMES[:-1]]
        return dict(zip(TIMES, [*parts, total - sum(parts)]))


def read_steps(r, member):
    number, now = -1, 0
    for _ in range(r.number()):
        number = r.after(number)
        start = r.after(now)
        now = r.after(start)
        host = r.after(start)
        host_end = r.after(host)
        gpu = r.maybe(start)
        gpu_end = r.maybe(start if gpu is None else gpu)
        kernels = r.number()
        member.steps.append(dict(number=number, start=start, end=now, host=host, host_end=host_end, gpu=gpu, gpu_end=gpu_end,
                                 kernels=kernels, **r.account(now - start)))
    member.first_warm, member.warm, member.steps_left_out, member.steps_name = r.number(), r.number(), r.number(), r.text()
    member.steps_said = r.none_or()


def read_collectives(r, member):
    for _ in range(r.number()):
        kind, told = TYPES[r.number()], r.number()
        communicator = r.bytes(8) if told else None
        member.classes.append(dict(type=kind, communicator=communicator, ranks=r.number(), kernel=r.text(), stream=r.number(),
                                   left_out=r.number(), peer=r.number(), own=r.number()))
    now = sized = blocked = 0
    for _ in range(r.number()):
        number = r.number()
        now = r.after(now)
        length, exposed, idle, stall, launched = r.number(), r.number(), r.number(), r.number(), r.maybe(now)
        blocked = r.after(blocked)
        size = r.maybe(sized)
        sized = sized if size is None else size
        member.collectives.append(dict(cls=number, start=now, end=now + length, exposed=exposed, idle=idle, stall=stall, launched=launched, blocked=blocked, bytes=size))
    member.before, member.after = r.number(), r.number()


def read_end(r, member):
    seen = r.maybe(0)
    end = dict(seen=seen, gpu=r.maybe(seen or 0), calls=r.number(), by_launches=bool(r.number()), lacks=bool(r.number()), pending=bool(r.number()), type=TYPES[r.number()])
    end["communicator"] = r.bytes(8) if r.number() else None
    end["peer"] = r.number()
    end["bytes"] = r.maybe(0)
    before = end["gpu"] or end["seen"] or 0
    end["called"] = r.maybe(before)
    end["path"] = r.text()
    before = before if end["called"] is None else end["called"]
    end["since"] = r.maybe(before)
    end["last_call"] = r.text()
    end["last_call_at"] = r.maybe(before if end["since"] is None else end["since"])
    member.end = end


def read_kernels(r, member):
    for _ in range(r.number()):
        name, communicates, now, values = r.text(), r.number(), 0, {}
        for _ in range(r.number()):
            now = r.after(now)
            values[now] = r.number()
        member.kernels[name] = dict(communicates=bool(communicates), values=values)
    member.without_times = r.number()


def read_member(r):
    m = Member(rank=r.number())
    m.source, m.world, m.local_rank, m.pid, m.device = SOURCES[r.number()], r.number(), r.none_or(), r.number(), r.none_or()
    m.label, m.gpu, m.gpu_id = r.text(), r.text(), r.bytes(8)
    m.window_kind = ("warm", "gpu", "all")[r.number()]
    start = r.signed()
    m.window = (start, r.after(start))
    m.window_words = r.text()
    m.window_times = r.account(m.window[1] - m.window[0])
    read_steps(r, m)
    read_collectives(r, m)
    read_end(r, m)
    read_kernels(r, m)
    for _ in range(r.number()):
        path = r.text()
        m.ranges[path] = dict(host=r.number(), wait=r.number(), compute=r.number(), kernels=r.number())
    for _ in range(r.number()):
        m.causes.append(dict(activity=r.text(), path=r.text(), code=r.text(), ns=r.number()))
    return m


@dataclass
class Part:
    members: list
    findings: list
    texts: list


def body_of(path):
    """The checked body of a part."""
    data = Path(path).read_bytes()
    assert data.startswith(MAGIC)
    version, length = struct.unpack_from("<IQ", data, len(MAGIC))
    body = data[HEAD:]
    assert version == 6 and length == len(body)
    assert data[HEAD - 64:HEAD].decode() == hashlib.sha256(body).hexdigest()
    return body


def read_part(path):
    r = Reader(body_of(path))
    r.texts = [r.bytes(r.number()).decode() for _ in range(r.number())]
    part = Part([], [], r.texts)
    part.file, part.tool, part.schema, part.cuda, part.driver = (r.text() for _ in range(5))
    part.node, part.utc = r.bytes(8), r.maybe(0)
    if r.number():
        start = r.signed()
        part.captured = (start, r.after(start))
    part.members = [read_member(r) for _ in range(r.number())]
    for _ in range(r.number()):
        member, (name, title, place, advice) = r.none_or(), (r.text() for _ in range(4))
        severity, confidence, owner, ns = (r.number() for _ in range(4))
        part.findings.append(dict(member=member, id=name, title=title, place=place, advice=advice, ns=ns,
                                  pct=struct.unpack("<d", r.bytes(8))[0]))
    part.notes = [r.text() for _ in range(r.number())]
    assert r.at == len(r.data), "more follows"
    return part
