"""The files of a simulated job: each rank's as its own nsys would have left it, with its own clock, strings, host and UTC."""

import json
import random
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from .layout import STREAMS
from .template import CALLS, KEPT, KERNELS, OWN

VM, PUSH_POP, DOMAIN_CREATE, NCCL_DOMAIN = 1 << 48, 59, 75, 1
UTC_NS = 1_780_000_000 * 10**9  # of the true clock's 0
CAPTURE_ENDS_NS = 5_000_000  # after the last event


@dataclass(frozen=True)
class FileClock:
    """What a file's clock reads at a time of the true one, and how wrong its host is about UTC."""
    offset_ns: int = 0
    drift_ppm: float = 0
    utc_error_ns: int = 0

    def reads(self, at_ns):
        return at_ns + self.offset_ns + round(at_ns * self.drift_ppm / 1e6)

    @property
    def began_utc_ns(self):
        return UTC_NS - self.offset_ns + self.utc_error_ns


@dataclass(frozen=True)
class Capture:
    """What is to be known of one file besides what its rank did."""
    path: Path
    host: str
    pid: int
    clock: FileClock


class Strings(dict):
    """Numbers of texts, in no order that another file has."""

    def __init__(self, seed):
        super().__init__()
        self.draw = random.Random(seed)
        self.taken = set()

    def __missing__(self, text):
        number = self.draw.randrange(1, 5000)
        while number in self.taken:
            number += 1
        self.taken.add(number)
        self[text] = number
        return number


def empty_file(template):
    """The bytes of a file with all tables, and with the rows that all files share."""
    db = sqlite3.connect(":memory:")
    for table in (*KEPT, *OWN):
        db.execute(template.created[table])
    for table in KEPT:
        insert(db, table, template.kept[table])
    db.commit()
    return db.serialize()


def insert(db, table, rows):
    rows = list(rows)
    if rows:
        db.executemany(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(rows[0]))})', rows)


class Writer:
    """Writes the file of one rank."""

    def __init__(self, template, layout, rank, capture, until_ns=0):
        """until_ns: it is captured at least until then."""
        self.template, self.layout, self.rank, self.capture = template, layout, rank, capture
        self.until_ns = until_ns
        self.strings = Strings(capture.path.name)
        self.process = VM | capture.pid << 24
        self.thread = self.process | capture.pid
        self.device = layout.local(rank.number)

    def write(self, empty):
        db = sqlite3.connect(":memory:")
        db.deserialize(empty)
        insert(db, KERNELS, self.kernels())
        insert(db, CALLS, self.calls())
        insert(db, "NVTX_EVENTS", self.ranges())
        self.write_target(db)
        self.write_session(db)
        insert(db, "StringIds", sorted((number, text) for text, number in self.strings.items()))
        db.commit()
        self.capture.path.write_bytes(db.serialize())
        db.close()

    def span(self, x):
        """Start and end on the file's clock; a length stays as it is."""
        start = self.capture.clock.reads(x.start)
        return start, None if x.end is None else start + x.end - x.start

    def row(self, table, **changed):
        return tuple((self.template.rows[table] | changed).values())

    def kernels(self):
        names = self.template.kernel_columns
        made = {}  # of a kernel's row all that is the same in each run of it
        for number, op in enumerate(sorted(self.rank.ops, key=lambda o: (o.start, o.correlation))):
            if op.name not in made:
                short = op.kernel.short if op.kernel.ns else op.name
                made[op.name] = dict(zip(names, op.kernel.row)) | {
                    "demangledName": self.strings[op.name], "shortName": self.strings[short], "mangledName": self.strings[op.name],
                    "deviceId": self.device, "globalPid": self.process, "streamId": op.stream}
            start, end = self.span(op)
            yield tuple((made[op.name] | {"start": start, "end": end, "streamId": op.stream, "correlationId": op.correlation,
                                          "gridId": number + 1}).values())

    def calls(self):
        for call in self.rank.calls:
            start, end = self.span(call)
            yield self.row(CALLS, start=start, end=end, globalTid=self.thread, correlationId=call.correlation,
                           nameId=self.strings[call.name])

    def ranges(self):
        """NCCL's have registered names and a domain of their own."""
        made = dict(globalTid=self.thread, eventType=PUSH_POP)
        yield self.row("NVTX_EVENTS", start=self.capture.clock.reads(0), globalTid=self.thread, eventType=DOMAIN_CREATE, text="NCCL")
        for r in sorted(self.rank.ranges, key=lambda r: r.start):
            start, end = self.span(r)
            if r.payload:
                payload = json.dumps(r.payload, separators=(",", ":"))
                what = dict(text=None, textId=self.strings[r.name], domainId=NCCL_DOMAIN, jsonText=payload)
            else:
                what = dict(text=r.name, domainId=0)
            yield self.row("NVTX_EVENTS", start=start, end=end, **made, **what)

    def write_target(self, db):
        """All GPUs of the node are there for each of its processes."""
        pid, node = self.capture.pid, self.layout.node(self.rank.number)
        for gpu in range(self.layout.gpus_per_node):
            insert(db, "TARGET_INFO_GPU", [self.row(
                "TARGET_INFO_GPU", id=gpu, cuDevice=gpu, busLocation=f"0000:{gpu + 1:02x}:00.0", uuid=uuid_of(node, gpu))])
            insert(db, "TARGET_INFO_CUDA_DEVICE", [self.row("TARGET_INFO_CUDA_DEVICE", gpuId=gpu, cudaId=gpu, pid=pid)])
        insert(db, "TARGET_INFO_CUDA_CONTEXT_INFO", [self.row(
            "TARGET_INFO_CUDA_CONTEXT_INFO", processId=pid, deviceId=self.device)])
        insert(db, "TARGET_INFO_CUDA_STREAM", (self.row("TARGET_INFO_CUDA_STREAM", streamId=s, processId=pid) for s in STREAMS.values()))
        insert(db, "PROCESSES", [self.row("PROCESSES", globalPid=self.process, pid=pid)])
        insert(db, "ThreadNames", [self.row("ThreadNames", nameId=self.strings["python3"], globalTid=self.thread)])

    def write_session(self, db):
        clock, host = self.capture.clock, self.capture.host
        last = max(self.until_ns, max(o.end for o in self.rank.ops), max(c.end for c in self.rank.calls))
        until = clock.reads(last + CAPTURE_ENDS_NS)
        insert(db, "ANALYSIS_DETAILS", [self.row("ANALYSIS_DETAILS", duration=until, startTime=0, stopTime=until)])
        insert(db, "TARGET_INFO_SESSION_START_TIME", [self.row("TARGET_INFO_SESSION_START_TIME", utcEpochNs=clock.began_utc_ns)])
        db.execute("UPDATE TARGET_INFO_SYSTEM_ENV SET value = ? WHERE name = 'Hostname'", (host,))
        db.execute("UPDATE META_DATA_EXPORT SET value = ? WHERE name = 'EXPORT_HOST'", (host,))
        db.execute("UPDATE META_DATA_CAPTURE SET value = ? WHERE name = 'DEVICE_DISPLAY_NAME'", (host,))
        db.execute("UPDATE META_DATA_EXPORT SET value = ? WHERE name LIKE 'EXPORT_PARAM_OUTPUT_%'", (self.capture.path.name,))
        db.execute("UPDATE META_DATA_EXPORT SET value = ? WHERE name LIKE 'EXPORT_PARAM_INPUT_%'",
                   (self.capture.path.with_suffix(".nsys-rep").name,))


def uuid_of(node, gpu):
    bits = f"{random.Random(f'gpu {gpu} of node {node}').getrandbits(128):032x}"
    return "-".join((bits[:8], bits[8:12], bits[12:16], bits[16:20], bits[20:]))
