"""Exports with next to nothing in them, as strangers have them: each has lacked something that a test took for granted."""

from harness import UNPACKED
from make_trace import Trace

# What the host waits in, the GPU's work done: also by the end of a context.
WAITS = ["cudaDeviceReset_v3020", "cuCtxDestroy_v2", "cuDevicePrimaryCtxReset_v2", "cudaFreeArray_v3020", "cuArrayDestroy",
         "cuMipmappedArrayDestroy", "cuMemFreeHost", "cudaMemcpyToSymbol_v3020", "cuMemcpyDtoH_v2"]
# What looks like it and returns at once.
NO_WAITS = ["cuDevicePrimaryCtxRelease_v2", "cudaSetDevice_v3020", "cudaStreamWaitValue32", "cuStreamWriteValue64_v2",
            "cuStreamBatchMemOp_v2", "cudaStreamAttachMemAsync_v6000", "cudaSignalExternalSemaphoresAsync_v2_v11020",
            "cudaGraphAddMemcpyNode_v10000", "cuMemFreeAsync", "cudaFreeAsync_v11020"]
# What waits when it takes much longer than usual.
MAY_WAIT = ["cudaLaunch_v3020", "cuLaunchGridAsync", "cudaMemPrefetchAsync_v8000", "cudaMemPrefetchBatchAsync_v13000",
            "cuMemsetD32Async", "cudaMemset_v3020"]


def calls_only():
    t = Trace()
    th = t.process().thread()
    for name in WAITS + NO_WAITS:
        th.call(name, us=20)
    for name in MAY_WAIT:
        for us in (3, 3, 3, 900):
            th.call(name, us)
    return t


def ranges_only():
    t = Trace()
    th = t.process().thread()
    for i in range(3):
        with th.range(f"frame {i}"):
            th.osrt("read", us=40)
    return t


def one_set():
    t = Trace()
    t.process().thread().memset(bytes=4096, us=2)
    return t


def reset():
    t = Trace()
    th = t.process().thread()
    for _ in range(3):
        th.launch("kernel", us=30)
        th.memset(bytes=4096, us=2)
    th.call("cudaDeviceReset_v3020", us=400)
    return t


# What builds it, and which of its tables the export is without.
BARE = {
    "nothing": (Trace, {"ANALYSIS_DETAILS", "META_DATA_EXPORT", "PROCESSES"}),
    "calls only": (calls_only, set()),
    "ranges only": (ranges_only, set()),
    "one set": (one_set, set()),
    "reset": (reset, set()),
    "reset, no length": (reset, {"ANALYSIS_DETAILS"}),
}


def bare_traces():
    """Name and path of each."""
    folder = UNPACKED / "bare"
    folder.mkdir(parents=True, exist_ok=True)
    return {name: build().write(folder / f"{name.replace(' ', '_')}.sqlite", without)
            for name, (build, without) in BARE.items()}
