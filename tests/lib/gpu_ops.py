"""Every GPU op of an export as the fields that `export-json` prints, worked out from the definitions."""

import re
from collections import defaultdict
from functools import cached_property

from attributed import Trace, owners

KINDS = {"KERNEL": "kernel", "MEMCPY": "memcpy", "MEMSET": "memset", "GRAPH_TRACE": "graph"}
COPIES = {1: "Host-to-Device", 2: "Device-to-Host", 3: "Host-to-Array", 4: "Array-to-Host", 5: "Array-to-Array",
          6: "Array-to-Device", 7: "Device-to-Array", 8: "Device-to-Device", 9: "Host-to-Host", 10: "Peer-to-Peer",
          11: "Unified Host-to-Device", 12: "Unified Device-to-Host", 13: "Unified Device-to-Device"}
PLAIN = {"streamId": "stream", "contextId": "context", "correlationId": "correlation", "gridX": "grid_x",
         "gridY": "grid_y", "gridZ": "grid_z", "blockX": "block_x", "blockY": "block_y", "blockZ": "block_z",
         "registersPerThread": "registers", "staticSharedMemory": "static_smem_bytes",
         "dynamicSharedMemory": "dynamic_smem_bytes", "bytes": "bytes"}
ONLY = {"KERNEL": {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "registers", "static_smem_bytes",
                   "dynamic_smem_bytes"}, "MEMCPY": {"bytes"}, "MEMSET": {"bytes"}, "GRAPH_TRACE": set()}
EVERY = {"stream", "context", "correlation"}
# For each kind what it has of the plain columns, and what is null.
HAS = {kind: [(theirs, ours) for theirs, ours in PLAIN.items() if ours in EVERY | only] for kind, only in ONLY.items()}
NULL = dict.fromkeys(PLAIN.values())


def api_name(name):
    """Without CUPTI's version."""
    return re.sub(r"_v\d{4}$", "", name)


class Ops(Trace):
    """The ops as dicts, by start; and the calls by (process, correlation id), the earliest each."""

    def __init__(self, path):
        super().__init__(path)
        self.strings = dict(self.select("StringIds", "id", "value"))
        self.api_names = defaultdict(lambda: "?", {id_: api_name(name) for id_, name in self.strings.items()})
        self.calls = {}
        for tid, correlation, start, end, name in self.select("CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid",
                                                              "correlationId", "start", "end", "nameId"):
            key = tid >> 24, correlation
            if key not in self.calls or start < self.calls[key][0]:
                self.calls[key] = start, end, tid, self.api_names[name]
        self.gpus = self.read_gpus()

    @cached_property
    def rows(self):
        """All ops with all fields, which not everyone asks for."""
        return self.read_rows()

    def read_gpus(self):
        """(pid, ordinal) → GPU, where processes mean different ones by an ordinal; else nothing."""
        bound = {(pid, cuda): gpu for gpu, cuda, pid in
                 self.select("TARGET_INFO_CUDA_DEVICE", "gpuId", "cudaId", "pid")}
        meant = {}
        for (_, cuda), gpu in bound.items():
            meant.setdefault(cuda, set()).add(gpu)
        return bound if any(len(gpus) > 1 for gpus in meant.values()) else {}

    def name(self, kind, row):
        if kind == "KERNEL":
            return self.strings.get(row["demangledName"], "?")
        if kind == "MEMCPY":
            return f"[CUDA memcpy {COPIES.get(row['copyKind'], 'Unknown')}]"
        return "[CUDA memset]" if kind == "MEMSET" else "[CUDA graph]"

    def read_rows(self):
        owner = iter(owners(self))
        found = []
        wanted = [*PLAIN, "start", "end", "deviceId", "globalPid", "demangledName", "copyKind"]
        for order, kind in enumerate(KINDS):
            for number, values in enumerate(self.select(f"CUPTI_ACTIVITY_KIND_{kind}", *wanted)):
                row, range_ = dict(zip(wanted, values)), next(owner)
                if row["start"] is not None and row["end"] is not None:
                    found.append((row["start"], order, number, self.fields(kind, row, range_)))
        return [f for *_, f in sorted(found, key=lambda f: f[:3])]

    def fields(self, kind, row, range_):
        pid = None if row["globalPid"] is None else row["globalPid"] >> 24
        call = self.calls.get((pid, row["correlationId"])) if pid is not None else None
        end = max(row["start"], row["end"])
        out = NULL | {ours: row[theirs] for theirs, ours in HAS[kind]}
        chain = [r.name for r in range_.chain()] if range_ else []
        queued = row["start"] - call[1] if call else -1
        return out | {
            "name": self.name(kind, row), "type": KINDS[kind], "start_ns": row["start"], "end_ns": end,
            "duration_ns": end - row["start"], "duration_us": (end - row["start"]) / 1e3,
            "device": self.gpus.get((pid & 0xFFFFFF, row["deviceId"]), row["deviceId"]) if pid else row["deviceId"],
            "pid": None if pid is None else pid & 0xFFFFFF, "tid": call[2] & 0xFFFFFF if call else None,
            "api": call[3] if call else None, "api_start_ns": call[0] if call else None,
            "api_end_ns": call[1] if call else None, "queue_ns": queued if queued >= 0 else None,
            "range": chain[0] if chain else None, "nvtx_path": " / ".join(reversed(chain)) if chain else None,
        }
