"""Synthetic Nsight Systems exports: say what a program does, get the SQLite file nsys would export.

    from make_trace import Trace

    t = Trace()
    p = t.process(pid=100, name="python")
    th = p.thread(tid=101)
    for i in range(3):
        with th.range(f"iter {i}"):
            th.host(us=300)                                         # host code, no CUDA call
            th.memcpy_async("H2D", bytes=1 << 20, us=120, src="pageable", blocking=True)
            op = th.launch("gemm", us=50, grid=(264, 1, 1), stream=7)
            th.launch("ncclDevKernel_AllReduce", us=30, stream=20, after=op)
            th.malloc(us=80)
            th.call("cuModuleLoadData", us=500)                     # any other CUDA call
            th.sync(stream=7)
    th.sync()
    t.write("trace.sqlite")
    print(t.window_ns, t.busy_ns(device=0), op.start_ns, op.end_ns)

What is simulated, in integer nanoseconds and the same each time:

- Each thread has a clock, and every call moves it. Threads and processes run side by side: what one does
  never delays another, except through streams, events (`after`) and collectives.
- A launch call takes launch_us on the host. The op starts when its stream is free, and not before latency_us
  after the start of the call, nor before the ops it is `after`. Its end is its start plus `us`.
- Ops of different streams overlap, unless the trace is made with serial=True: then a GPU does one at a time.
- A stream holds queue_depth ops that have not ended: the next launch into it blocks until one has.
- sync() returns when the process's work on the device (or in the stream) is done; wait(op) when the op is. A
  blocking copy returns when it has ended. malloc() and call() take their time; free() waits for the device.
- graph() launches many kernels by one call: recorded each (nodes) or as one row (whole=True).
- collective() starts one kernel in each of several threads' streams; all end together.

Every Op, Call and Range made is kept in t.ops, t.calls and t.ranges, so that tests can compare sums. Tables
without rows are absent from the file, as in nsys's own exports. The schema is that of Nsight Systems 2025.3.
"""

import json
import os
import sqlite3
from collections import deque
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

COPY_KINDS = {"H2D": 1, "D2H": 2, "D2D": 8, "P2P": 10, "UM_H2D": 11, "UM_D2H": 12}
MEMORY_KINDS = {"pageable": 0, "pinned": 1, "device": 2, "managed": 4}
SYNC_EVENT, SYNC_STREAM_WAIT, SYNC_STREAM, SYNC_DEVICE = 1, 2, 3, 4
RUNTIME, DRIVER = 0, 1
PUSH_POP, START_END, MARK, DOMAIN_CREATE = 59, 60, 34, 75
VM = 1 << 48

# Columns as nsys has them, of each table those that something reads; "!" is NOT NULL, "?" only where a row has it.
SCHEMA = {
    "StringIds": "id! value:TEXT!",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs utcTime:TEXT localTime:TEXT",
    "ANALYSIS_DETAILS": "globalVid! duration! startTime! stopTime!",
    "DIAGNOSTIC_EVENT": "timestamp! timestampType! source! severity! text:TEXT! globalPid",
    "PROFILER_OVERHEAD": "start! end! globalTid nameId! returnValue!",
    "CUPTI_ACTIVITY_KIND_RUNTIME":
        "start! end! eventClass! globalTid correlationId nameId! returnValue! callchainId",
    "CUPTI_ACTIVITY_KIND_MEMCPY":
        "start! end! deviceId! contextId! greenContextId streamId! correlationId globalPid bytes! "
        "copyKind! srcKind dstKind srcDeviceId dstDeviceId graphNodeId copyCount",
    "CUPTI_ACTIVITY_KIND_MEMSET":
        "start! end! deviceId! contextId! greenContextId streamId! correlationId globalPid value! "
        "bytes! graphNodeId memKind",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION":
        "start! end! deviceId! contextId! greenContextId streamId! correlationId globalPid "
        "deprecatedSyncType syncType! eventId! eventSyncId",
    "CUPTI_ACTIVITY_KIND_KERNEL":
        "start! end! deviceId! contextId! greenContextId streamId! correlationId globalPid "
        "demangledName! shortName! mangledName launchType cacheConfig registersPerThread! gridX! gridY! "
        "gridZ! blockX! blockY! blockZ! staticSharedMemory! dynamicSharedMemory! localMemoryPerThread! "
        "localMemoryTotal! gridId! sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE":
        "start! end! deviceId! contextId! greenContextId streamId! correlationId globalPid graphId! "
        "graphExecId!",
    "NVTX_EVENTS":
        "start! end eventType! rangeId category color text:TEXT globalTid endGlobalTid textId domainId "
        "jsonText:TEXT?",
    "OSRT_API":
        "start! end! eventClass! globalTid correlationId nameId! returnValue! nestingLevel callchainId",
    "SCHED_EVENTS": "start! cpu! isSchedIn! globalTid threadState? threadBlock?",
    "COMPOSITE_EVENTS": "id! start! cpu threadState globalTid cpuCycles!",
    "SAMPLING_CALLCHAINS": "id! symbol! module! kernelMode! unresolved originalIP stackDepth!",
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS":
        "start! globalPid! address! originalFaultPc CpuInstruction! module! unresolvedFaultPc sourceFile sourceLine",
    "PROCESSES": "globalPid pid name:TEXT",
    "ThreadNames": "nameId! priority globalTid",
    "TARGET_INFO_GPU":
        "vmId! id! name:TEXT busLocation:TEXT isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate "
        "smCount chipName:TEXT cuDevice maxWarpsPerSm maxBlocksPerSm maxThreadsPerBlock computeMajor "
        "computeMinor smMajor smMinor",
    "TARGET_INFO_CUDA_DEVICE": "gpuId cudaId! pid!",
    "TARGET_INFO_CUDA_CONTEXT_INFO":
        "nullStreamId! hwId! vmId! processId! deviceId! contextId! parentContextId isGreenContext",
    "TARGET_INFO_CUDA_STREAM": "streamId! hwId! vmId! processId! contextId! priority! flag!",
    "META_DATA_EXPORT": "name:TEXT! value:TEXT",
}
# What nsys writes even when nothing was recorded.
ALWAYS = {"StringIds", "ANALYSIS_DETAILS", "META_DATA_EXPORT", "PROCESSES", "TARGET_INFO_GPU"}


def ns(us):
    return round(us * 1000)


def columns(table, rows):
    """Name, type and flag of each column that the rows need."""
    for word in SCHEMA[table].split():
        name, _, kind = word.rstrip("!?").partition(":")
        if not word.endswith("?") or any(name in row for row in rows):
            yield name, kind or "INTEGER", word[-1]


def create_statement(table, rows):
    parts = []
    for name, kind, flag in columns(table, rows):
        parts.append(f'"{name}" {kind}{" NOT NULL" if flag == "!" else ""}')
    if table == "StringIds":
        parts[0] += " PRIMARY KEY"
    return f'CREATE TABLE "{table}" ({", ".join(parts)})'


@dataclass
class Op:
    """Work on a GPU. `kind` is kernel, memcpy, memset or graph."""
    kind: str
    name: str
    start_ns: int
    end_ns: int
    process: "Process"
    device: int  # GPU of the machine
    ordinal: int  # the same, as the process counts
    stream: int
    correlation: int
    grid: tuple = (1, 1, 1)
    block: tuple = (128, 1, 1)
    bytes: int = 0
    copy: str = None
    src: str = None
    dst: str = None
    node: int = None
    graph: int = 2  # of a whole one

    @property
    def duration_ns(self):
        return self.end_ns - self.start_ns


@dataclass
class Call:
    """A CUDA API call."""
    name: str
    start_ns: int
    end_ns: int
    thread: "Thread"
    correlation: int
    result: int = 0  # 0: success

    @property
    def duration_ns(self):
        return self.end_ns - self.start_ns


@dataclass
class Range:
    """An NVTX range; end_ns is None for one that is never closed."""
    name: str
    start_ns: int
    end_ns: int
    thread: "Thread"
    kind: int = PUSH_POP
    domain: int = 0
    registered: bool = False
    payload: str = None  # what it carries, as JSON


@dataclass
class Stream:
    free_ns: int = 0
    ends: deque = field(default_factory=deque)  # of ops that may still run, in order


class Trace:
    def __init__(self, launch_us=5, latency_us=4, queue_depth=1024, serial=False, gpus=1, sm_count=132,
                 start_us=1000, gpu=("Synthetic GPU", 9, 0), began_s=0):
        """gpu: its name and compute capability; began_s: when it was captured, after all of 2025."""
        self.launch_ns, self.latency_ns = ns(launch_us), ns(latency_us)
        self.queue_depth, self.serial = queue_depth, serial
        self.gpus, self.sm_count, self.gpu = gpus, sm_count, gpu
        self.start_ns, self.began_s = ns(start_us), began_s
        self.processes, self.ops, self.calls, self.ranges = [], [], [], []
        self.syncs, self.overheads, self.osrt, self.diagnostics, self.domains = [], [], [], [], []
        self.switches, self.samples, self.faults = [], [], []
        self.gpu_free_ns = {}

    def process(self, pid=100, name="python", devices=(0,)):
        """A process and the GPUs it sees, in the order of its CUDA ordinals; threads begin on the first."""
        self.processes.append(Process(self, pid, name, tuple(devices)))
        return self.processes[-1]

    def domain(self, name):
        """An NVTX domain for range(domain=…)."""
        self.domains.append(name)
        return len(self.domains)

    def communicator(self, number, threads):
        """What NCCL says of a communicator when it is made: each thread is a rank of it."""
        for rank, thread in enumerate(threads):
            with thread.range("ncclCommInitRankConfig", domain=self.nccl_domain(), payload=json.dumps({
                    "NCCL communicator ID": number, "No. of ranks": len(threads), "Rank": rank, "CUDA device": 0})):
                thread.host(us=10)

    def nccl_domain(self):
        return self.domains.index("NCCL") + 1 if "NCCL" in self.domains else self.domain("NCCL")

    def collective(self, name, us, members, grid=(16, 1, 1), call=None, payload=None):
        """One kernel in each (thread, stream): each starts when it can, all end `us` after the last start.

        `call` is the range that NCCL opens around the launch, `payload` what it carries: JSON, or something to be it.
        """
        ops = []
        if payload is not None and not isinstance(payload, str):
            payload = json.dumps(payload)
        for thread, stream in members:
            with thread.range(call, domain=self.nccl_domain(), payload=payload) if call else nullcontext():
                ops.append(thread.launch(name, us, grid=grid, stream=stream))
        end_ns = max(op.start_ns for op in ops) + ns(us)
        for op in ops:
            op.process.end_op(op, end_ns)
        return ops

    def overhead(self, name, start_us, us, thread=None):
        """A row of the profiler's own cost."""
        self.overheads.append((ns(start_us), ns(start_us + us), thread, name))

    def diagnostic(self, text, severity=2):
        """A message of the profiler: severity 1 information, 2 warning, 3 error."""
        self.diagnostics.append((text, severity))

    # What is true of the trace

    @property
    def events(self):
        return [*self.ops, *self.calls, *(r for r in self.ranges if r.end_ns is not None)]

    @property
    def window_ns(self):
        """From the first start to the last end of anything."""
        return max(e.end_ns for e in self.events) - min(e.start_ns for e in self.events)

    def on(self, device=None, kind=None):
        """The ops of a GPU of the machine, or of all; of one kind, or of all."""
        return [o for o in self.ops if (device is None or o.device == device) and
                (kind is None or o.kind == kind)]

    def busy_ns(self, device=0, kind=None):
        """Length of the union of a GPU's ops."""
        busy, until = 0, None
        for start, end in sorted((o.start_ns, o.end_ns) for o in self.on(device, kind)):
            if until is None or end > until:
                busy += end - (start if until is None else max(start, until))
                until = end
        return busy

    # The file

    def write(self, path, without=()):
        """Writes the export and returns its path; `without` are tables to leave out."""
        rows = {table: [] for table in SCHEMA}
        strings = {}

        def text(value):
            return strings.setdefault(value, len(strings) + 1)

        self.write_ops(rows, text)
        self.write_host(rows, text)
        self.write_target(rows, text)
        rows["StringIds"] = [dict(id=i, value=s) for s, i in strings.items()]
        path = Path(path)
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        partial.unlink(missing_ok=True)
        with sqlite3.connect(partial) as db:
            for table, contents in rows.items():
                if table not in without and (contents or table in ALWAYS):
                    self.write_table(db, table, contents)
        db.close()
        partial.replace(path)
        return path

    @staticmethod
    def write_table(db, table, rows):
        names = [name for name, _, _ in columns(table, rows)]
        db.execute(create_statement(table, rows))
        db.executemany(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(names))})',
                       ([row.get(n) for n in names] for row in rows))

    def write_ops(self, rows, text):
        for number, op in enumerate(sorted(self.ops, key=lambda o: (o.start_ns, o.correlation))):
            row = dict(start=op.start_ns, end=op.end_ns, deviceId=op.ordinal, contextId=op.ordinal + 1,
                       greenContextId=0,
                       streamId=op.stream, correlationId=op.correlation, globalPid=op.process.key,
                       graphNodeId=op.node)
            if op.kind == "kernel":
                short = op.name.split("(")[0].split("<")[0].split("::")[-1]
                row |= dict(demangledName=text(op.name), shortName=text(short), mangledName=text(op.name),
                            launchType=1, cacheConfig=1, registersPerThread=64, staticSharedMemory=0,
                            dynamicSharedMemory=0, localMemoryPerThread=0, localMemoryTotal=0,
                            gridId=number + 1, sharedMemoryExecuted=32768, sharedMemoryLimitConfig=0)
                row |= dict(zip(("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"),
                                op.grid + op.block))
                rows["CUPTI_ACTIVITY_KIND_KERNEL"].append(row)
            elif op.kind == "memcpy":
                rows["CUPTI_ACTIVITY_KIND_MEMCPY"].append(row | dict(
                    bytes=op.bytes, copyKind=COPY_KINDS[op.copy], srcKind=MEMORY_KINDS[op.src],
                    dstKind=MEMORY_KINDS[op.dst], copyCount=1))
            elif op.kind == "memset":
                rows["CUPTI_ACTIVITY_KIND_MEMSET"].append(row | dict(bytes=op.bytes, value=0, memKind=2))
            else:
                rows["CUPTI_ACTIVITY_KIND_GRAPH_TRACE"].append(row | dict(graphId=op.graph - 1, graphExecId=op.graph))

    def write_host(self, rows, text):
        for call in sorted(self.calls, key=lambda c: (c.start_ns, c.correlation)):
            rows["CUPTI_ACTIVITY_KIND_RUNTIME"].append(dict(
                start=call.start_ns, end=call.end_ns, globalTid=call.thread.key, returnValue=call.result,
                correlationId=call.correlation, nameId=text(call.name),
                eventClass=RUNTIME if call.name.startswith("cuda") else DRIVER))
        for call, kind, ordinal, stream in self.syncs:
            rows["CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"].append(dict(
                start=call.start_ns, end=call.end_ns, deviceId=ordinal, contextId=ordinal + 1,
                greenContextId=0, streamId=stream, correlationId=call.correlation,
                globalPid=call.thread.process.key, syncType=kind, eventId=0))
        for number, name in enumerate(self.domains, 1):
            rows["NVTX_EVENTS"].append(dict(start=0, eventType=DOMAIN_CREATE, text=name, domainId=number,
                                            globalTid=self.processes[0].key))
        for r in sorted(self.ranges, key=lambda r: r.start_ns):
            rows["NVTX_EVENTS"].append(dict(
                start=r.start_ns, end=r.end_ns, eventType=r.kind, globalTid=r.thread.key,
                domainId=r.domain, **({"textId": text(r.name)} if r.registered else {"text": r.name}),
                **({"jsonText": r.payload} if r.payload else {})))
        for thread, name, start_ns, end_ns in self.osrt:
            rows["OSRT_API"].append(dict(start=start_ns, end=end_ns, eventClass=27, globalTid=thread.key,
                                         nameId=text(name), returnValue=0, nestingLevel=0))
        self.write_cpu(rows, text)
        for start_ns, end_ns, thread, name in self.overheads:
            rows["PROFILER_OVERHEAD"].append(dict(
                start=start_ns, end=end_ns, globalTid=thread.key if thread else None, nameId=text(name),
                returnValue=0))
        for message, severity in self.diagnostics:
            rows["DIAGNOSTIC_EVENT"].append(dict(timestamp=0, timestampType=1, source=3, severity=severity,
                                                 text=message))

    def write_cpu(self, rows, text):
        for thread, at_ns, comes, what in self.switches:
            rows["SCHED_EVENTS"].append(dict(start=at_ns, isSchedIn=int(comes), globalTid=thread.key) | what)
        for number, (thread, at_ns, function, kernel) in enumerate(self.samples, 1):
            rows["COMPOSITE_EVENTS"].append(dict(id=number, start=at_ns, cpu=0, threadState=0, globalTid=thread.key, cpuCycles=1000))
            for depth, (symbol, module) in enumerate([*((k, "[kernel.kallsyms]") for k in kernel), (function, "/usr/bin/program")]):
                rows["SAMPLING_CALLCHAINS"].append(dict(id=number, symbol=text(symbol), module=text(module),
                                                        kernelMode=int(depth < len(kernel)), stackDepth=depth))
        for number, (process, at_ns, function, file, line) in enumerate(self.faults):
            rows["CUDA_UM_CPU_PAGE_FAULT_EVENTS"].append(dict(
                start=at_ns, globalPid=process.key, address=number << 16, CpuInstruction=text(function),
                module=text("/usr/bin/program"), sourceFile=text(file), sourceLine=line))

    def write_target(self, rows, text):
        name, major, minor = self.gpu
        ends = [*(e.end_ns for e in self.events), *(end_ns for *_, end_ns in self.osrt), *(at_ns for _, at_ns, *_ in self.switches)]
        last_ns = max(ends, default=0)
        duration = last_ns + self.start_ns
        rows["ANALYSIS_DETAILS"].append(dict(globalVid=VM, duration=duration, startTime=5 * 10**8,
                                             stopTime=5 * 10**8 + duration))
        rows["TARGET_INFO_SESSION_START_TIME"].append(dict(
            utcEpochNs=(1767225600 + self.began_s) * 10**9, utcTime="2026-01-01T00:00:00", localTime="2026-01-01T00:00:00"))
        for gpu in range(self.gpus):
            rows["TARGET_INFO_GPU"].append(dict(
                vmId=VM, id=gpu, name=name, busLocation=f"0000:0{gpu}:00.0", isDiscrete=1,
                l2CacheSize=60 << 20, totalMemory=140 << 30, memoryBandwidth=4814304000000,
                clockRate=1980000000, smCount=self.sm_count, chipName="GH100", cuDevice=gpu,
                maxWarpsPerSm=64, maxBlocksPerSm=32, maxThreadsPerBlock=1024, computeMajor=major,
                computeMinor=minor, smMajor=major, smMinor=minor))
        for p in self.processes:
            rows["PROCESSES"].append(dict(globalPid=p.key, pid=p.pid, name=p.name))
            for ordinal, gpu in enumerate(p.devices):
                rows["TARGET_INFO_CUDA_DEVICE"].append(dict(gpuId=gpu, cudaId=ordinal, pid=p.pid))
                rows["TARGET_INFO_CUDA_CONTEXT_INFO"].append(dict(
                    nullStreamId=7, hwId=0, vmId=1, processId=p.pid, deviceId=ordinal,
                    contextId=ordinal + 1, parentContextId=0, isGreenContext=0))
            for ordinal, stream in sorted(p.streams):
                rows["TARGET_INFO_CUDA_STREAM"].append(dict(
                    streamId=stream, hwId=0, vmId=1, processId=p.pid, contextId=ordinal + 1, priority=0,
                    flag=2))
            for th in p.threads:
                rows["ThreadNames"].append(dict(nameId=text(th.name), priority=20, globalTid=th.key))
        export = dict(EXPORT_PRODUCT_NAME="NVIDIA Nsight Systems", EXPORT_PRODUCT_VERSION="2025.3.2.0",
                      EXPORT_SCHEMA_VERSION="3.20.3")
        rows["META_DATA_EXPORT"] += [dict(name=k, value=v) for k, v in export.items()]


class Process:
    def __init__(self, trace, pid, name, devices):
        self.trace, self.pid, self.name, self.devices = trace, pid, name, devices
        self.key = VM | pid << 24
        self.threads, self.streams = [], {}
        self.correlations = 0

    def thread(self, tid=None, name=None):
        self.threads.append(Thread(self, tid or self.pid + len(self.threads), name or self.name))
        return self.threads[-1]

    def stream(self, ordinal, number):
        return self.streams.setdefault((ordinal, number), Stream())

    def next_correlation(self):
        self.correlations += 1
        return self.correlations

    def free_ns(self, ordinal, stream=None):
        """When the process's work so far on a device, or that of one stream, is done."""
        if stream is not None:
            return self.stream(ordinal, stream).free_ns
        return max((s.free_ns for (o, _), s in self.streams.items() if o == ordinal), default=0)

    def begin_op(self, op, not_before_ns, duration_ns):
        """Gives the op its times: it waits for its stream."""
        trace, stream = self.trace, self.stream(op.ordinal, op.stream)
        op.start_ns = max(not_before_ns, stream.free_ns)
        if trace.serial:
            op.start_ns = max(op.start_ns, trace.gpu_free_ns.get(op.device, 0))
        stream.ends.append(0)
        self.end_op(op, op.start_ns + duration_ns)
        trace.ops.append(op)

    def end_op(self, op, end_ns):
        op.end_ns = end_ns
        stream = self.stream(op.ordinal, op.stream)
        stream.free_ns = stream.ends[-1] = end_ns
        self.trace.gpu_free_ns[op.device] = max(end_ns, self.trace.gpu_free_ns.get(op.device, 0))


class Thread:
    def __init__(self, process, tid, name):
        self.process, self.trace, self.tid, self.name = process, process.trace, tid, name
        self.key = process.key | tid
        self.now_ns = self.trace.start_ns
        self.ordinal = 0

    # Host

    def host(self, us):
        """Host code that makes no CUDA call."""
        self.now_ns += ns(us)

    def switch(self, comes, cpu=0, **what):
        """The thread gets a CPU, or leaves it; what: threadState, threadBlock."""
        self.trace.switches.append((self, self.now_ns, comes, dict(cpu=cpu, **what)))

    def off_cpu(self, us, cpu=0, **what):
        """Waits, for what nobody recorded unless what says it: the state in which the thread leaves."""
        self.switch(False, cpu, **what)
        self.host(us)
        self.switch(True, cpu)

    def on_cpu(self, us, cpu=0):
        """Runs, and leaves again."""
        self.switch(True, cpu)
        self.host(us)
        self.switch(False, cpu)

    def sampled(self, function, us, every_us=1000, kernel=()):
        """Host code in a function, which is sampled; kernel: what the kernel runs on its behalf, innermost first."""
        self.trace.samples += [(self, self.now_ns + ns(at), function, kernel) for at in range(0, us, every_us)]
        self.host(us)

    def faults(self, function, count, us, file="", line=0):
        """Host code that touches pages of managed memory which are not there."""
        self.trace.faults += [(self.process, self.now_ns + ns(us) * n // count, function, file, line) for n in range(count)]
        self.host(us)

    def at(self, us):
        """Waits until a time on the trace's clock."""
        self.now_ns = max(self.now_ns, ns(us))

    def osrt(self, name, us):
        """A call of the operating system's runtime: read, poll, sem_wait, …"""
        self.trace.osrt.append((self, name, self.now_ns, self.now_ns + ns(us)))
        self.host(us)

    @contextmanager
    def range(self, name, domain=0, registered=False, payload=None):
        r = Range(name, self.now_ns, None, self, domain=domain, registered=registered, payload=payload)
        self.trace.ranges.append(r)
        yield r
        r.end_ns = self.now_ns

    @contextmanager
    def start_end(self, name):
        """A process-wide range of nvtxRangeStart and nvtxRangeEnd."""
        r = Range(name, self.now_ns, None, self, kind=START_END)
        self.trace.ranges.append(r)
        yield r
        r.end_ns = self.now_ns

    def mark(self, name):
        self.trace.ranges.append(Range(name, self.now_ns, None, self, kind=MARK))

    # Calls

    def call(self, name, us=None, until_ns=0, result=0):
        """A call that takes `us` on the host and lasts until until_ns at least."""
        duration_ns = self.trace.launch_ns if us is None else ns(us)
        made = Call(name, self.now_ns, max(self.now_ns + duration_ns, until_ns), self,
                    self.process.next_correlation(), result)
        self.trace.calls.append(made)
        self.now_ns = made.end_ns
        return made

    def use(self, ordinal):
        """cudaSetDevice: what follows is for another of the process's GPUs."""
        self.ordinal = ordinal
        return self.call("cudaSetDevice_v3020", us=1)

    def malloc(self, us=80):
        return self.call("cudaMalloc_v3020", us)

    def free(self, us=60):
        """cudaFree: it waits for the device."""
        return self.call("cudaFree_v3020", us, until_ns=self.process.free_ns(self.ordinal) + ns(us))

    def sync(self, stream=None, us=3):
        """cudaStreamSynchronize, or cudaDeviceSynchronize without a stream."""
        name = "cudaDeviceSynchronize_v3020" if stream is None else "cudaStreamSynchronize_v3020"
        made = self.call(name, us, until_ns=self.process.free_ns(self.ordinal, stream) + ns(1))
        self.trace.syncs.append((made, SYNC_DEVICE if stream is None else SYNC_STREAM, self.ordinal,
                                 stream or 0))
        return made

    def wait(self, op, us=2):
        """cudaEventSynchronize on an event recorded after the op."""
        made = self.call("cudaEventSynchronize_v3020", us, until_ns=op.end_ns + ns(1))
        self.trace.syncs.append((made, SYNC_EVENT, op.ordinal, op.stream))
        return made

    def stream_wait(self, stream, op, us=2):
        """cudaStreamWaitEvent: what follows in the stream starts after the op. Does not block the host."""
        made = self.call("cudaStreamWaitEvent_v3020", us)
        self.trace.syncs.append((made, SYNC_STREAM_WAIT, self.ordinal, stream))
        target = self.process.stream(self.ordinal, stream)
        target.free_ns = max(target.free_ns, op.end_ns)
        return made

    # Calls that put work on the GPU

    def launch(self, name, us, grid=(264, 1, 1), block=(256, 1, 1), stream=7, after=None, launch_us=None,
               call="cudaLaunchKernel_v7000"):
        """A kernel of `us` on the GPU, launched by a call of launch_us."""
        op = self.new_op("kernel", name, stream, grid=tuple(grid), block=tuple(block))
        self.submit(op, us, call, launch_us, after)
        return op

    def memcpy_async(self, copy, bytes, us, src=None, dst=None, stream=7, blocking=False, after=None,
                     launch_us=None, call="cudaMemcpyAsync_v3020"):
        """A copy H2D, D2H, D2D or P2P; the host's side is pinned unless src or dst says otherwise."""
        src = src or ("pinned" if copy == "H2D" else "device")
        dst = dst or ("pinned" if copy == "D2H" else "device")
        op = self.new_op("memcpy", copy, stream, bytes=bytes, copy=copy, src=src, dst=dst)
        self.submit(op, us, call, launch_us, after, blocking)
        return op

    def memcpy(self, copy, bytes, us, **options):
        """cudaMemcpy: it blocks the host."""
        return self.memcpy_async(copy, bytes, us, blocking=True, call="cudaMemcpy_v3020", **options)

    def memset(self, bytes, us, stream=7, launch_us=None):
        op = self.new_op("memset", "memset", stream, bytes=bytes)
        self.submit(op, us, "cudaMemsetAsync_v3020", launch_us)
        return op

    def graph(self, kernels, stream=7, whole=False, gap_us=1, launch_us=None, grid=(264, 1, 1), number=2):
        """cudaGraphLaunch of [(name, us), …] in a row; returns its ops (one for a whole graph, which has a number)."""
        total_us = sum(us for _, us in kernels) + gap_us * (len(kernels) - 1)
        call = "cudaGraphLaunch_v10000"
        if whole:
            op = self.new_op("graph", "graph", stream, graph=number)
            self.submit(op, total_us, call, launch_us)
            return [op]
        ops = []
        for node, (name, us) in enumerate(kernels):
            op = self.new_op("kernel", name, stream, grid=grid, block=(256, 1, 1), node=(1 << 33) + node)
            if not ops:
                self.submit(op, us, call, launch_us)
            else:
                op.correlation = ops[0].correlation
                self.process.begin_op(op, ops[-1].end_ns + ns(gap_us), ns(us))
            ops.append(op)
        return ops

    def new_op(self, kind, name, stream, **what):
        device = self.process.devices[self.ordinal]
        return Op(kind, name, 0, 0, self.process, device, self.ordinal, stream, 0, **what)

    def submit(self, op, us, call, launch_us=None, after=None, blocking=False):
        """The call that puts an op into its stream."""
        room_ns = self.wait_for_room(self.process.stream(op.ordinal, op.stream))
        ready_ns = max(self.now_ns, room_ns) + self.trace.latency_ns
        for other in after if isinstance(after, (list, tuple)) else [after] if after else []:
            ready_ns = max(ready_ns, other.end_ns)
        self.process.begin_op(op, ready_ns, ns(us))
        until_ns = op.end_ns + ns(1) if blocking else 0
        if room_ns > self.now_ns:
            until_ns = max(until_ns, room_ns + self.trace.launch_ns)
        op.correlation = self.call(call, launch_us, until_ns=until_ns).correlation

    def wait_for_room(self, stream):
        """When the stream's queue has room for one op more."""
        while stream.ends and stream.ends[0] <= self.now_ns:
            stream.ends.popleft()
        if len(stream.ends) < self.trace.queue_depth:
            return self.now_ns
        return stream.ends[len(stream.ends) - self.trace.queue_depth]
