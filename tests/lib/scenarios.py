#!/usr/bin/python3
"""Traces with one known cause of lost GPU time each, and what it costs to the nanosecond.

    from scenarios import SCENARIOS, host_stall

    trace, loss_ns = host_stall()               # the simulated window with the cause minus that without it
    trace, nothing = host_stall(planted=False)  # the same program without the cause: its GPUs are busy
    for name, scenario in SCENARIOS.items():
        print(name, scenario.kind, scenario.about)

All are ten training steps of about 20 ms on the GPU in ranges `iter N` > `data`, `fwd`, `bwd`, `opt`. The host
runs up to one step ahead, as it does where nothing makes it wait. A scenario's kind is

    costs   the cause makes the program slower: loss_ns is how much
    warns   worth saying, but in this model the program is no slower for it
    benign  looks like a cause and costs next to nothing: nobody should be warned

Run as a program it writes all of them into a folder:  tests/lib/scenarios.py FOLDER [NAME…]
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from make_trace import Trace

STEPS = 10
COMPUTE, COPIES, COMM = 7, 13, 20  # streams
GEMMS = {"fwd": "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NNT",
         "dgrad": "nvjet_sm90_tst_192x192_64x4_2x1_v_bz_coopB_NTN",
         "wgrad": "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT"}
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluFunctor>(int)"
ADAM = "void at::native::multi_tensor_apply_kernel<AdamMathFunctor>(int)"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)"
SCENARIOS = {}


@dataclass(frozen=True)
class Scenario:
    name: str
    kind: str
    about: str
    build: object

    def __call__(self, planted=True):
        """The trace and what the cause costs it."""
        trace = self.build(planted)
        return trace, trace.window_ns - self.build(False).window_ns if planted else 0


def scenario(kind):
    def register(build):
        made = Scenario(build.__name__, kind, " ".join(build.__doc__.split()), build)
        SCENARIOS[made.name] = made
        return made
    return register


class Step:
    """What a healthy step does; a scenario overrides a part. `i` is the number of the step."""
    data_us = 500

    def data(self, th, i):
        th.host(us=self.data_us)

    def fwd(self, th, i):
        for _ in range(20):
            th.launch(GEMMS["fwd"], us=250)
        for _ in range(10):
            th.launch(ELEMENTWISE, us=100)

    def bwd(self, th, i):
        for _ in range(20):
            th.launch(GEMMS["dgrad"], us=250)
            th.launch(ELEMENTWISE, us=100)
            th.launch(GEMMS["wgrad"], us=250)

    def opt(self, th, i):
        return [th.launch(ADAM, us=500) for _ in range(4)][-1]

    def end(self, th, i):
        """Outside the ranges of the phases."""


def train(step, trace=None, th=None, ahead=True):
    """Ten steps and a last sync. The host waits for the step before last, unless it may run ahead freely."""
    trace = trace or Trace()
    th = th or trace.process().thread()
    done = []
    for i in range(STEPS):
        with th.range(f"iter {i}"):
            with th.range("data"):
                if ahead and i >= 2:
                    th.wait(done[i - 2])
                step.data(th, i)
            with th.range("fwd"):
                step.fwd(th, i)
            with th.range("bwd"):
                step.bwd(th, i)
            with th.range("opt"):
                done.append(step.opt(th, i))
            step.end(th, i)
    th.sync()
    return trace


@scenario("benign")
def healthy(planted):
    """Nothing is wrong."""
    return train(Step())


@scenario("benign")
def final_sync_only(planted):
    """The host runs ahead freely and waits once, at the very end."""
    return train(Step(), ahead=not planted)


@scenario("costs")
def host_stall(planted):
    """60 ms of host code in `data`, of which the GPU's queue hides one step."""
    class Stalled(Step):
        data_us = 60_000 if planted else Step.data_us
    return train(Stalled())


@scenario("costs")
def stall_after_sync(planted):
    """The GPU runs dry in a wait outside `score`, but it is 60 ms of host code in `score` that it waits for."""
    class Scored(Step):
        def end(self, th, i):
            if planted:
                th.sync(stream=COMPUTE)
                with th.range("score"):
                    th.host(us=60_000)
    return train(Scored())


@scenario("costs")
def launch_bound(planted):
    """`opt` is 3000 kernels of 3 µs, each launched by a call of 8 µs; left out: the same work in 6 kernels."""
    class Tiny(Step):
        def fwd(self, th, i):
            for _ in range(12):
                th.launch(GEMMS["fwd"], us=250)

        def bwd(self, th, i):
            for _ in range(10):
                th.launch(GEMMS["dgrad"], us=250)
                th.launch(GEMMS["wgrad"], us=250)

        def opt(self, th, i):
            count, us = (3000, 3) if planted else (6, 1500)
            return [th.launch(ADAM, us=us, launch_us=8) for _ in range(count)][-1]
    return train(Tiny())


@scenario("costs")
def tiny_kernels_in_flight(planted):
    """`opt` is 3000 kernels of 3 µs, launched every 8 µs and 9 µs on their way: one is always under way, and none
    waits for the GPU."""
    class Tiny(Step):
        def opt(self, th, i):
            count, us = (3000, 3) if planted else (6, 1500)
            return [th.launch(ADAM, us=us, launch_us=8) for _ in range(count)][-1]
    return train(Tiny(), Trace(latency_us=9))


LETTERS = "abcdefghijklmnopqrstuvwxyz"


@scenario("costs")
def stalls_everywhere(planted):
    """1.5 ms of host code in each of 26 ranges of `data`: none is much, together they are."""
    class Scattered(Step):
        def data(self, th, i):
            for letter in LETTERS:
                with th.range(f"part {letter}"):
                    th.host(us=1500 if planted else 20)
                th.launch(ELEMENTWISE, us=40)
    return train(Scattered())


@scenario("costs")
def tiny_kernels_everywhere(planted):
    """26 ranges of `opt` with 120 kernels of 3 µs each, a kernel of its own in each; left out: one in each."""
    class Tiny(Step):
        def fwd(self, th, i):
            for _ in range(12):
                th.launch(GEMMS["fwd"], us=250)

        def bwd(self, th, i):
            for _ in range(10):
                th.launch(GEMMS["dgrad"], us=250)
                th.launch(GEMMS["wgrad"], us=250)

        def opt(self, th, i):
            count, us = (120, 3) if planted else (1, 360)
            for letter in LETTERS:
                with th.range(f"update {letter}"):
                    for _ in range(count):
                        last = th.launch(f"update_{letter}(float*)", us=us, launch_us=8)
            return last
    return train(Tiny())


@scenario("warns")
def launch_storm(planted):
    """Nothing but 5 µs kernels, launched as fast as they run; left out: the same work in large ones."""
    class Storm(Step):
        def fwd(self, th, i):
            self.work(th, GEMMS["fwd"], 6000)

        def bwd(self, th, i):
            self.work(th, ELEMENTWISE, 12_000)

        def opt(self, th, i):
            return self.work(th, ADAM, 2000)

        def work(self, th, name, us):
            each = 5 if planted else 500
            return [th.launch(name, us=each, launch_us=4.8) for _ in range(us // each)][-1]
    return train(Storm())


@scenario("costs")
def blocking_sync(planted):
    """A sync in the middle of each step drains the GPU, then 5 ms of host code; left out: the code alone."""
    class Synced(Step):
        def bwd(self, th, i):
            if planted:
                th.sync(stream=COMPUTE)
            th.host(us=5000)
            super().bwd(th, i)
    return train(Synced())


@scenario("benign")
def benign_sync(planted):
    """A sync at the end of each step: long, but the GPU is busy meanwhile and gets its next work at once."""
    class Synced(Step):
        data_us = 20

        def end(self, th, i):
            if planted:
                th.sync(stream=COMPUTE)
    return train(Synced())


@scenario("costs")
def pageable_copy(planted):
    """A pageable H2D of 150 MB and 15 ms in the compute stream; left out: pinned, beside the compute."""
    class Batch(Step):
        def data(self, th, i):
            super().data(th, i)
            if planted:
                th.memcpy_async("H2D", bytes=150_000_000, us=15_000, src="pageable", blocking=True)
            else:
                th.memcpy_async("H2D", bytes=150_000_000, us=3000, stream=COPIES)
    return train(Batch())


@scenario("benign")
def pinned_overlapped(planted):
    """A pinned H2D of 150 MB in a stream of its own, under the compute of the step before."""
    class Batch(Step):
        def data(self, th, i):
            super().data(th, i)
            if planted:
                op = th.memcpy_async("H2D", bytes=150_000_000, us=3000, stream=COPIES)
                th.stream_wait(COMPUTE, op)
    return train(Batch())


@scenario("costs")
def small_copies(planted):
    """500 blocking copies of 4 KiB in a loop; left out: one of 2 MB beside the compute."""
    class Copies(Step):
        def data(self, th, i):
            super().data(th, i)
            if not planted:
                th.memcpy_async("H2D", bytes=500 * 4096, us=50, stream=COPIES)
                return
            for _ in range(500):
                th.memcpy("H2D", bytes=4096, us=2, src="pageable", launch_us=9)
    return train(Copies())


class CopyLoop(Step):
    """Copies of 4 KiB in a loop, and 40 µs of host code around each; or one of 2 MB beside the compute."""

    def __init__(self, planted, copy):
        self.planted, self.copy = planted, copy

    def data(self, th, i):
        super().data(th, i)
        if not self.planted:
            th.memcpy_async("H2D", bytes=500 * 4096, us=50, stream=COPIES)
            return
        for _ in range(500):
            th.host(us=40)
            self.copy(th)


@scenario("costs")
def small_copies_apart(planted):
    """500 copies of 4 KiB in a loop, each with a call of its own that returns at once, and host code around it."""
    return train(CopyLoop(planted, lambda th: th.memcpy_async("H2D", bytes=4096, us=2)))


@scenario("costs")
def small_copies_synced(planted):
    """The same from pageable memory, and the host waits for each."""
    def copy(th):
        th.memcpy_async("H2D", bytes=4096, us=2, src="pageable", blocking=True)
        th.sync(stream=COMPUTE)
    return train(CopyLoop(planted, copy))


@scenario("costs")
def profiler_overhead(planted):
    """The profiler holds the thread up for 30 ms in each `data`: neither host code nor the call it lies in."""
    class Recorded(Step):
        def data(self, th, i):
            if planted:
                th.trace.overhead("CUPTI Buffer flush", th.now_ns / 1000, 30_000, th)
                th.host(us=10_000)
                th.call("cudaMalloc_v3020", us=20_000)
            super().data(th, i)
    return train(Recorded())


@scenario("costs")
def d2h_blocking(planted):
    """A pageable D2H after each of 100 kernels, and 30 µs of host code that looks at it."""
    class Logged(Step):
        def bwd(self, th, i):
            for _ in range(100):
                th.launch(GEMMS["dgrad"], us=120)
                if planted:
                    th.memcpy_async("D2H", bytes=65536, us=6, dst="pageable", blocking=True)
                    th.host(us=30)
    return train(Logged())


@scenario("costs")
def alloc_in_steady(planted):
    """cudaMalloc before and cudaFree after each kernel of `bwd`."""
    class Uncached(Step):
        def bwd(self, th, i):
            for _ in range(60):
                if planted:
                    th.malloc(us=80)
                th.launch(GEMMS["dgrad"], us=200)
                if planted:
                    th.free(us=60)
    return train(Uncached())


@scenario("costs")
def module_load(planted):
    """A module of 30 ms is loaded in step 6; the GPU's queue hides one step of it."""
    class Lazy(Step):
        def fwd(self, th, i):
            if planted and i == 6:
                th.call("cuModuleLoadData", us=30_000)
            super().fwd(th, i)
    return train(Lazy())


@scenario("costs")
def slow_calls(planted):
    """A graph is instantiated anew in each step, which takes 30 ms; a little of it in other calls."""
    class Rebuilt(Step):
        def fwd(self, th, i):
            if planted:
                th.call("cudaStreamBeginCapture_v10000", us=200)
                th.call("cudaGraphInstantiateWithFlags_v11040", us=30_000)
            super().fwd(th, i)
    return train(Rebuilt())


@scenario("costs")
def slow_launch(planted):
    """The first launch of a kernel loads its code: 30 ms in one call of step 6."""
    class Lazy(Step):
        def fwd(self, th, i):
            th.launch(ELEMENTWISE, us=100, launch_us=30_000 if planted and i == 6 else None)
            super().fwd(th, i)
    return train(Lazy())


@scenario("costs")
def slow_launches(planted):
    """The launch of one and the same graph takes 30 ms in each step: that is no loading of code."""
    class Large(Step):
        def fwd(self, th, i):
            th.graph([(GEMMS["fwd"], 250)] * 20, launch_us=30_000 if planted else None)
    return train(Large())


@scenario("costs")
def held_back(planted):
    """A host function of 8 ms in the stream: what comes after it has long been launched."""
    class Dependent(Step):
        def bwd(self, th, i):
            if planted:
                th.call("cudaLaunchHostFunc_v10000", us=4)
                stream = th.process.stream(th.ordinal, COMPUTE)
                stream.free_ns = max(stream.free_ns, th.now_ns) + 8_000_000
            super().bwd(th, i)
    return train(Dependent())


@scenario("costs")
def held_back_briefly(planted):
    """Each of 600 kernels of 15 µs waits 12 µs for another stream's event: launched long before, too short for
    latency to tell."""
    class Dependent(Step):
        def bwd(self, th, i):
            for _ in range(600):
                if planted:
                    stream = th.process.stream(th.ordinal, COMPUTE)
                    stream.free_ns = max(stream.free_ns, th.now_ns) + 12_000
                th.launch(ELEMENTWISE, us=15)
    return train(Dependent())


@scenario("costs")
def pauses(planted):
    """The whole step is a graph of 3000 kernels of 4 µs, with 3 µs from each to the next; left out: 0.5 µs."""
    class Replayed(Step):
        def fwd(self, th, i):
            th.graph([(ELEMENTWISE, 4)] * 3000, gap_us=3 if planted else 0.5)

        def bwd(self, th, i):
            """All is in the graph."""
    return train(Replayed())


@scenario("costs")
def narrow_kernel(planted):
    """A kernel of 2 blocks takes 12 ms; left out: the same work on all 132 SMs."""
    class Narrow(Step):
        def fwd(self, th, i):
            super().fwd(th, i)
            if planted:
                th.launch("void row_reduce_kernel(float const*, float*, int)", us=12_000, grid=(2, 1, 1))
            else:
                th.launch("void row_reduce_kernel(float const*, float*, int)", us=182, grid=(264, 1, 1))
    return train(Narrow())


@scenario("costs")
def sync_each_launch(planted):
    """cudaDeviceSynchronize after each of 1,000 launches; left out: one at the end."""
    trace = Trace()
    th = trace.process(pid=100, devices=(0,)).thread()
    for i in range(1000):
        th.launch(("force(float*, int)", "integrate(float*, int)")[i % 2], us=12)
        if planted:
            th.sync()
    th.sync()
    return trace


@scenario("costs")
def narrow_freed(planted):
    """One kernel of one block, 400 ms, and the host waits for it in cudaFree; left out: on all 132 SMs."""
    trace = Trace()
    th = trace.process(pid=100, devices=(0,)).thread()
    th.malloc()
    th.launch("one_thread(float*, int)", us=400_000 if planted else 3_030, grid=(1, 1, 1) if planted else (264, 1, 1))
    th.free()
    return trace


@scenario("costs")
def narrow_kernels(planted):
    """The same by 26 kernels of 460 µs, none of which matters by itself; left out: on all SMs."""
    class Narrow(Step):
        def fwd(self, th, i):
            super().fwd(th, i)
            for letter in "abcdefghijklmnopqrstuvwxyz":
                name = f"void row_reduce_{letter}<float>(float const*, float*, int)"
                th.launch(name, **(dict(us=460, grid=(2, 1, 1)) if planted else dict(us=7, grid=(264, 1, 1))))
    return train(Narrow())


class Reduced(Step):
    """A gradient all-reduce of 6 ms, which the optimizer waits for: after `bwd`, or under it."""

    def __init__(self, exposed):
        self.exposed = exposed

    def bwd(self, th, i):
        if self.exposed:
            super().bwd(th, i)
            gradients = th.launch(ELEMENTWISE, us=10)
            self.comm = th.launch(ALL_REDUCE, us=6000, grid=(16, 1, 1), stream=COMM, after=gradients)
        else:
            first = th.launch(ELEMENTWISE, us=10)
            self.comm = th.launch(ALL_REDUCE, us=6000, grid=(16, 1, 1), stream=COMM, after=first)
            super().bwd(th, i)

    def opt(self, th, i):
        th.stream_wait(COMPUTE, self.comm)
        return super().opt(th, i)


@scenario("costs")
def exposed_comm(planted):
    """An all-reduce of 6 ms with nothing beside it; left out: the same under the compute of `bwd`."""
    return train(Reduced(exposed=planted))


@scenario("benign")
def overlapped_comm(planted):
    """An all-reduce of 6 ms in a stream of its own, under the compute of `bwd`."""
    return train(Reduced(exposed=False) if planted else Step())


@scenario("benign")
def straggler(planted):
    """One of two GPUs waits in its all-reduce for the other, which computes all the time: no run gets shorter by it."""
    t = Trace(gpus=2)
    for rank, (compute_us, comm_us) in enumerate(((250, 600), (100, 12_600)) if planted else ((250, 600), (250, 600))):
        class Rank(Step):
            def bwd(self, th, i, us=compute_us):
                for _ in range(80):
                    th.launch(GEMMS["dgrad"], us=us)

            def opt(self, th, i, us=comm_us):
                th.launch(ALL_REDUCE, us=us, grid=(16, 1, 1))
                return super().opt(th, i)
        train(Rank(), t, t.process(pid=100 + rank, name=f"rank{rank}", devices=[rank]).thread())
    return t


@scenario("costs")
def copy_bound(planted):
    """A pinned H2D of 18 ms in the compute stream before 2 ms of compute; left out: the data is there."""
    class Streaming(Step):
        data_us = 50

        def data(self, th, i):
            super().data(th, i)
            if planted:
                th.memcpy_async("H2D", bytes=900_000_000, us=18_000)

        def fwd(self, th, i):
            for _ in range(4):
                th.launch(GEMMS["fwd"], us=200)

        def bwd(self, th, i):
            for _ in range(4):
                th.launch(GEMMS["dgrad"], us=200)

        def opt(self, th, i):
            return [th.launch(ADAM, us=100) for _ in range(4)][-1]
    return train(Streaming())


@scenario("costs")
def exposed_memset(planted):
    """A memset of 5 ms in the compute stream before each step; left out: the buffer is never zeroed."""
    class Zeroed(Step):
        def fwd(self, th, i):
            if planted:
                th.memset(bytes=8_000_000_000, us=5000)
            super().fwd(th, i)
    return train(Zeroed())


@scenario("costs")
def migrations(planted):
    """Pages of unified memory are moved for 5 ms before each step; left out: they are there."""
    class Touched(Step):
        def fwd(self, th, i):
            for _ in range(50 if planted else 0):
                th.memcpy_async("UM_H2D", bytes=2_000_000, us=100, src="managed", launch_us=5)
            super().fwd(th, i)
    return train(Touched())


@scenario("costs")
def dominant_kernel(planted):
    """One kernel that is no matrix product takes 72 % of kernel time; left out: it takes a fifteenth of it."""
    class Naive(Step):
        softmax = "void masked_softmax_naive(float const*, float*, int, int)"

        def fwd(self, th, i):
            for _ in range(20):
                th.launch(GEMMS["fwd"], us=250)
            self.attend(th, 10)

        def bwd(self, th, i):
            for name in ("dgrad", "wgrad"):
                for _ in range(20):
                    th.launch(GEMMS[name], us=250)
            self.attend(th, 20)

        def attend(self, th, count):
            for _ in range(count):
                th.launch(self.softmax, us=1500 if planted else 100)
    return train(Naive())


@scenario("benign")
def dominant_gemm(planted):
    """One matrix product on tensor cores takes 75 % of kernel time: that is what a GPU is for."""
    class OneGemm(Step):
        def fwd(self, th, i):
            for n in range(30):
                th.launch(*((GEMMS["fwd"], 250) if n < 20 else (ELEMENTWISE, 100)))

        def bwd(self, th, i):
            for _ in range(20):
                th.launch(GEMMS["fwd"] if planted else GEMMS["dgrad"], us=250)
                th.launch(ELEMENTWISE, us=100)
                th.launch(GEMMS["fwd"] if planted else GEMMS["wgrad"], us=250)
    return train(OneGemm())


class Projected(Step):
    """Five of the backward's matrix products are done by a kernel of this name and time."""

    def __init__(self, name, us):
        self.name, self.us = name, us

    def bwd(self, th, i):
        for n in range(20):
            th.launch(*((self.name, self.us) if n < 5 else (GEMMS["dgrad"], 250)))
            th.launch(ELEMENTWISE, us=100)
            th.launch(GEMMS["wgrad"], us=250)


def off_tensor_core_by(name, planted):
    return train(Projected(name, 2500) if planted else Projected(GEMMS["dgrad"], 250))


@scenario("costs")
def off_tensor_core(planted):
    """40 % of kernel time in a matrix product on CUDA cores; left out: tensor cores, ten times as fast."""
    return off_tensor_core_by("volta_sgemm_128x64_tn", planted)


@scenario("costs")
def off_tensor_core_ampere(planted):
    """The same as off_tensor_core, with the name that cuBLAS uses for Ampere."""
    return off_tensor_core_by("ampere_sgemm_128x128_nn", planted)


@scenario("costs")
def off_tensor_core_cutlass(planted):
    """The same as off_tensor_core, with a name of CUTLASS."""
    kernel = "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)"
    return off_tensor_core_by(kernel, planted)


@scenario("benign")
def tf32_gemm(planted):
    """40 % of kernel time in a TF32 matrix product, which is single precision on tensor cores."""
    name = "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x8_kernel"
    return train(Projected(name if planted else GEMMS["dgrad"], 2500))


@scenario("warns")
def graph_opaque(planted):
    """`fwd` and `bwd` are CUDA graphs recorded whole, without their kernels; left out: recorded by node."""
    class Replayed(Step):
        def fwd(self, th, i):
            th.graph([(GEMMS["fwd"], 250)] * 24, whole=planted, gap_us=0)

        def bwd(self, th, i):
            th.graph([(GEMMS["dgrad"], 250)] * 48, whole=planted, gap_us=0)
    return train(Replayed())


@scenario("warns")
def graph_partly_opaque(planted):
    """`fwd` alone is a CUDA graph recorded whole, which is less than half of the work; left out: recorded by node."""
    class Replayed(Step):
        def fwd(self, th, i):
            th.graph([(GEMMS["fwd"], 250)] * 24, whole=planted, gap_us=0)
    return train(Replayed())


@scenario("benign")
def graph_tiny_kernels(planted):
    """`opt` is 1000 kernels of 2 µs inside one CUDA graph: small, but one call launches them all."""
    class Replayed(Step):
        def opt(self, th, i):
            return th.graph([(ADAM, 2)] * 1000 if planted else [(ADAM, 500)] * 4, gap_us=0)[-1]
    return train(Replayed())


@scenario("costs")
def starving_process(planted):
    """Of two processes with a GPU each one has a fifth of the other's work; left out: the same for both."""
    t = Trace(gpus=2)
    for rank, share in enumerate((1, 0.2) if planted else (0.6, 0.6)):
        th = t.process(pid=100 + rank, name=f"rank{rank}", devices=[rank]).thread()
        train(Share(share, pause_us=16_000 if planted and rank else 0), t, th)
    return t


class Share(Step):
    """A part of a step's work, and then nothing to do for a while."""

    def __init__(self, share, pause_us):
        self.share, self.pause_us = share, pause_us

    def data(self, th, i):
        super().data(th, i)
        if self.pause_us and i:
            th.sync(stream=COMPUTE)
            th.osrt("pthread_cond_wait", us=self.pause_us - self.data_us)

    def fwd(self, th, i):
        for _ in range(24):
            th.launch(GEMMS["fwd"], us=250 * self.share)

    def bwd(self, th, i):
        for _ in range(24):
            th.launch(GEMMS["dgrad"], us=250 * self.share)
            th.launch(GEMMS["wgrad"], us=250 * self.share)

    def opt(self, th, i):
        return [th.launch(ADAM, us=500 * self.share) for _ in range(4)][-1]


@scenario("warns")
def low_coverage(planted):
    """`fwd` and `bwd` are launched by a thread that has no ranges; left out: by the one that has them."""
    t = Trace()
    p = t.process()
    main, autograd = p.thread(), p.thread(name="autograd")

    class Elsewhere(Step):
        def fwd(self, th, i):
            self.elsewhere(th, lambda other: super(Elsewhere, self).fwd(other, i))

        def bwd(self, th, i):
            self.elsewhere(th, lambda other: super(Elsewhere, self).bwd(other, i))

        def elsewhere(self, th, work):
            if not planted:
                work(th)
                return
            autograd.at(th.now_ns / 1000)
            work(autograd)
            th.at(autograd.now_ns / 1000)
    return train(Elsewhere(), t, main)


def main(folder, *names):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or SCENARIOS:
        trace, loss_ns = SCENARIOS[name]()
        trace.write(folder / f"{name}.sqlite")
        print(f"{name:24} {SCENARIOS[name].kind:6} window {trace.window_ns / 1e6:8.3f} ms  "
              f"loss {loss_ns / 1e6:8.3f} ms  GPU busy {100 * trace.busy_ns() / trace.window_ns:5.1f} %")


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 1 else sys.exit(__doc__)
