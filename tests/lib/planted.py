"""Programs of every shape with one planted truth each, and the same programs without what was planted.

    from planted import PLANTED

    for name, case in PLANTED.items():
        trace, window = case.build(True)    # what was made, and (from_ns, to_ns) of what an expert would look at
        gain_ns = case.gain_ns()            # by how much that window is shorter without the cause; None: nothing to be had

scenarios.py has one program and many causes; here the programs differ: how many steps, how warm, how many processes.
"""

from dataclasses import dataclass

from make_trace import Op, Trace, ns

GEMM = "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NNT"
NORM = "void layer_norm_kernel<float>(float *)"
EMBED = "void embedding_kernel<float>(float *, int)"
ADAM = "void multi_tensor_apply_kernel<AdamFunctor>(int)"
UM_STREAM, PIECE_US = 4294967295, 50  # of migrations
PLANTED = {}


@dataclass(frozen=True)
class Planted:
    name: str
    about: str
    make: object
    verdict: str
    first: str  # id of the first finding
    words: str = ""  # in the title of the first finding
    span: str = "warm"
    text: str = ""  # in the window's
    costs: bool = True  # leaving it out makes the program faster
    also: tuple = ()  # ids of other findings that are true
    beside: tuple = ()  # … and that must be there

    def build(self, planted=True):
        return self.make(planted)

    def gain_ns(self):
        if not self.costs:
            return None
        (from_ns, to_ns), (healthy_from_ns, healthy_to_ns) = self.build(True)[1], self.build(False)[1]
        return (to_ns - from_ns) - (healthy_to_ns - healthy_from_ns)


def planted(verdict, first, words="", **what):
    def register(make):
        case = Planted(make.__name__, " ".join(make.__doc__.split()), make, verdict, first, words, **what)
        PLANTED[case.name] = case
        return case
    return register


def one_thread(**options):
    trace = Trace(**options)
    return trace, trace.process().thread()


def compute(th, count=16, us=250):
    th.launch(EMBED, us=20)
    for _ in range(count):
        th.launch(GEMM, us=us)
        th.launch(NORM, us=us / 5)
    th.launch(ADAM, us=100)


def steps(th, name, count, step, wait=True):
    """`count` ranges, each of which ends when its work has, if the host waits for it; returns them."""
    made = []
    for n in range(count):
        with th.range(name.format(n)) as r:
            step(n)
            if wait:
                th.sync()
        made.append(r)
    return made


def of_steps(trace, made):
    return trace, (made[0].start_ns, made[-1].end_ns)


def of_gpu_work(trace):
    return trace, (min(o.start_ns for o in trace.ops), max(o.end_ns for o in trace.ops))


def loading(th, us):
    with th.range("data"):
        th.host(us=us)


@planted("host_bound", "host_stall", "`data`", text="all 3 steps 'step N'")
def three_steps(bad):
    """Three steps that begin with 9 ms of loading, longer than the GPU works."""
    trace, th = one_thread()

    def step(_):
        loading(th, 9000 if bad else 20)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 3, step))


@planted("copy_bound", "pageable_h2d", "pageable", text="all 4 steps 'step N'")
def four_steps(bad):
    """Four steps that copy 100 MB from pageable memory, 12 ms each; left out: from pinned memory, beside the compute."""
    trace, th = one_thread()

    def step(_):
        if bad:
            th.memcpy_async("H2D", bytes=100_000_000, us=12_000, src="pageable", blocking=True)
        else:
            th.memcpy_async("H2D", bytes=100_000_000, us=2000, stream=13)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 4, step))


@planted("host_bound", "host_stall", "`tokenize`", text="all 4 steps 'iteration N'")
def nested_levels(bad):
    """Four iterations of twelve layers each: both levels repeat, the step is the outer one."""
    trace, th = one_thread()

    def step(_):
        with th.range("tokenize"):
            th.host(us=25_000 if bad else 20)
        for n in range(12):
            with th.range(f"layer{n}"):
                compute(th, 4)
    return of_steps(trace, steps(th, "iteration {}", 4, step))


@planted("host_bound", "host_stall", "`data`", text="warm steps 11 to 30 of 30 'step N'")
def two_regimes(bad):
    """The first third of 30 steps takes 40 ms longer, for another reason than the rest: the rest is what counts."""
    trace, th = one_thread()

    def step(n):
        if n < 10:
            with th.range("autotune"):
                th.host(us=40_000)
        loading(th, 15_000 if bad else 20)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 30, step)[10:])


@planted("host_bound", "host_stall", "`data`", text="all 10 steps 'Forward'")
def benchmark_after_warm_up(bad):
    """A warm-up trains, with most of the kernel time of the capture; what is measured then is ten times the forward pass."""
    trace, th = one_thread()
    with th.range("Warm-up"):
        for n in range(5):
            with th.range(f"Warm-up Step {n + 1}"):
                steps(th, "Forward", 1, lambda _: compute(th, 4))
                steps(th, "Backward", 1, lambda _: compute(th, 24))

    def forward(_):
        loading(th, 3000 if bad else 20)
        compute(th, 4)
    with th.range("Benchmark Forward Only"):
        return of_steps(trace, steps(th, "Forward", 10, forward))


@planted("host_bound", "host_stall", "`evaluate`", text="all 24 steps 'step N'")
def alternating_modes(bad):
    """Every other step takes 9 ms longer: none of them is cold."""
    trace, th = one_thread()

    def step(n):
        if n % 2:
            with th.range("evaluate"):
                th.host(us=9000 if bad else 20)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 24, step))


@planted("sync_bound", "blocking_sync", "drains the GPU", text="all 30 steps 'step N'")
def waits_before_loading(bad):
    """3 ms of loading come after a wait in each of 30 steps: without the wait the GPU would work meanwhile. The loading of the
    first step, which has no wait before it, is a part of the truth, and the smallest."""
    trace, th = one_thread()

    def step(n):
        loading(th, 3000)
        compute(th)
    if bad:
        return of_steps(trace, steps(th, "step {}", 30, step))
    made = steps(th, "step {}", 30, step, wait=False)
    return trace, (made[0].start_ns, max(o.end_ns for o in trace.ops))


@planted("gpu_bound", "gpu_bound", GEMM, text="warm steps 21 to 24 of 24 'step N'", costs=False, also=("cold_steps",))
def few_warm_steps(_):
    """Twenty cold steps of 20 ms and four warm ones of 5 ms: the capture ended soon."""
    trace, th = one_thread()

    def step(n):
        th.host(us=20 if n >= 20 else 15_000)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 24, step)[20:])


@planted("host_bound", "host_stall", "`prepare`", span="gpu", beside=("warm_up_in_window",))
def warm_up_without_steps(bad):
    """A warm-up of 300 ms, mostly host code, before 60 ms of one long kernel after the other: nothing of it is sure."""
    trace, th = one_thread()
    with th.range("Warm-up"):
        th.launch(EMBED, us=20)
        with th.range("prepare"):
            th.host(us=300_000 if bad else 20)
        th.launch(ADAM, us=20)
        th.sync()
    th.launch(GEMM, us=40_000)
    th.launch(NORM, us=20_000)
    th.sync()
    return of_gpu_work(trace)


@planted("gpu_bound", "gpu_bound", GEMM, text="warm steps 2 to 4 of 4 'step N'", costs=False, also=("cold_steps",))
def first_step_of_four(_):
    """Four steps of which the first does 3.5 ms more on the host: not twice as long as the others, which are alike."""
    trace, th = one_thread()

    def step(n):
        th.host(us=20 if n else 3500)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 4, step)[1:])


@planted("gpu_bound", "gpu_bound", GEMM, text="warm steps 11 to 30 of 30 'step N'", costs=False, also=("cold_steps",))
def warm_up_of_a_third(_):
    """A third of 30 steps loads a module each; then the GPU is busy."""
    trace, th = one_thread()

    def step(n):
        if n < 10:
            th.call("cuModuleLoadData", us=20_000)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 30, step)[10:])


@planted("one_shot", "one_shot", "before its first work", span="gpu", costs=False)
def one_shot(_):
    """Half a second of host code, one copy in, one kernel, one copy out."""
    trace, th = one_thread()
    th.call("cudaFree_v3020", us=200)
    th.host(us=500_000)
    th.memcpy("H2D", bytes=40_000_000, us=4000)
    th.launch(GEMM, us=9000)
    th.memcpy("D2H", bytes=40_000_000, us=4000)
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "context creation before its first work", span="gpu", costs=False)
def one_shot_by_context(_):
    """The first call starts the driver for 0.2 s; two kernels follow, the second after its module is loaded."""
    trace, th = one_thread()
    th.call("cudaMalloc_v3020", us=200_000)
    th.launch(GEMM, us=20)
    th.call("cuModuleLoadData", us=3000)
    th.launch(NORM, us=20)
    return of_gpu_work(trace)


def work_amidst(kernel_us, after_us):
    """A start of 0.12 s, one kernel, and host code without a CUDA call until the end."""
    trace, th = one_thread()
    th.call("cuMemAllocAsync", us=120_000)
    th.launch(GEMM, us=kernel_us)
    th.sync()
    th.host(us=after_us)
    with th.range("report"):
        th.host(us=50)
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "134 ms from its first CUDA call to its last; most of that is `cuMemAllocAsync` (120 ms) before its first",
         span="gpu", costs=False)
def one_shot_amidst(_):
    """One kernel of 14 ms, 0.12 s after the first call, and 0.2 s of host code behind it, to the end."""
    return work_amidst(14_000, 200_000)


@planted("one_shot", "one_shot", "of the 3.12 s that it runs; most of that is host code after its last work", span="gpu", costs=False)
def one_shot_and_silence(_):
    """A kernel after a start of 0.12 s, and 3 s of host code without a CUDA call."""
    return work_amidst(100, 3_000_000)


@planted("one_shot", "one_shot", "host code after its last work", span="gpu", costs=False)
def one_shot_and_long_after(_):
    """A kernel and its result, and then 5 s of host code before the memory is freed."""
    trace, th = one_thread()
    th.call("cudaMalloc_v3020", us=120_000)
    th.launch(GEMM, us=90_000)
    th.memcpy("D2H", bytes=40_000_000, us=4000)
    th.host(us=5_000_000)
    th.call("cudaFree_v3020", us=500)
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "after its last work, where its thread is on a CPU 150 ms of 3.15 s: it waits", span="gpu", costs=False)
def one_shot_and_waiting(_):
    """A narrow kernel after a start of 0.12 s, 150 ms of host code, and 3 s in which the thread is on no CPU."""
    trace, th = one_thread()
    th.switch(True)
    th.call("cudaLaunchKernel_v7000", us=120_000)
    th.launch(GEMM, us=50, grid=(1, 1, 1))
    th.sync()
    th.host(us=150_000)
    th.off_cpu(us=3_000_000)
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "most of that is `pthread_cond_wait` (3.00 s) after its last work", span="gpu", costs=False)
def one_shot_and_an_os_call(_):
    """The same where the OS runtime was traced."""
    trace, th = one_thread()
    th.call("cudaMalloc_v3020", us=120_000)
    th.launch(GEMM, us=50)
    th.sync()
    th.osrt("pthread_cond_wait", us=3_000_000)
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "from its first CUDA call to its last; most of that is `cuMemAllocAsync` (120 ms)", span="gpu", costs=False)
def one_shot_and_the_end_of_the_capture(_):
    """A kernel after a start of 0.12 s; 0.6 s later the capture ends, and none of the program's threads that launch did anything."""
    trace, th = one_thread()
    th.call("cuMemAllocAsync", us=120_000)
    th.launch(GEMM, us=14_000)
    th.sync()
    other = trace.process(pid=200, name="nsys").thread()
    other.at(us=600_000)
    with other.range("stop"):
        other.host(us=100_000)
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "before its first work, probably compilation: Julia", span="gpu", costs=False)
def one_shot_in_julia(_):
    """0.1 s between an allocation and the first launch, in a process that is called julia."""
    trace = Trace()
    th = trace.process(name="julia").thread()
    th.call("cuMemHostAlloc", us=100)
    th.host(us=100_000)
    th.launch(GEMM, us=50)
    th.sync()
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "context creation before its first work", span="gpu", costs=False)
def one_shot_by_untraced_context(_):
    """The call that makes the context is not recorded: the profiler's mark is, between two calls that are 0.17 s apart."""
    trace, th = one_thread()
    th.call("cudaGetDeviceProperties_v12000", us=10)
    th.host(us=160_000)
    trace.overhead("CUDA profiling data flush on context created", th.now_ns / 1000, 900, th)
    th.host(us=10_000)
    th.malloc()
    th.launch(GEMM, us=50)
    th.sync()
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "context creation before its first work", span="gpu", costs=False)
def one_shot_by_first_launch(_):
    """The driver starts in the first call, which is a launch."""
    trace, th = one_thread()
    th.call("cudaLaunchKernel_v7000", us=240_000)
    th.launch(GEMM, us=60)
    th.sync()
    return of_gpu_work(trace)


@planted("one_shot", "one_shot", "without a kernel", span="gpu", costs=False)
def no_kernel(_):
    """Half a second of host code and one copy: nothing is launched."""
    trace, th = one_thread()
    th.call("cudaFree_v3020", us=200)
    th.host(us=500_000)
    th.memcpy("H2D", bytes=4_000_000, us=400)
    th.call("cudaFree_v3020", us=200)
    return of_gpu_work(trace)


@planted("host_bound", "host_stall", "host code in `main`", span="gpu")
def library_ranges_and_samples(bad):
    """Twenty times 12 ms of host code in `main` outside any range: the ranges are a library's, around the launches."""
    trace, th = one_thread()
    th.switch(True)
    for n in range(20):
        th.sampled("main" if n % 4 else "std::abs(int)", us=12_000 if bad else 20)
        with th.range("MPI_Comm_rank"):
            th.launch(f"{GEMM}_{n}", us=3000 + 100 * n)
        th.sync()
    th.switch(False)
    return of_gpu_work(trace)


@planted("gpu_bound", "gpu_bound", "", span="gpu", costs=False)
def start_and_work(_):
    """The same start before 60 ms of kernels, which are no moment of the run."""
    trace, th = one_thread()
    th.call("cuMemAllocAsync", us=120_000)
    for n in range(6):
        th.launch(f"{GEMM}_{n}", us=10_000)
    th.sync()
    return of_gpu_work(trace)


def frames(wait, count=60, period_us=40_000, copy=lambda th: th.memcpy_async("H2D", bytes=2_000_000, us=100)):
    """A frame per period, of 0.3 ms to 3 ms and its copy: the host waits for the next one."""
    trace, th = one_thread()
    for n in range(count):
        copy(th)
        th.launch(GEMM, us=300 + 37 * (n * 7 % 60))
        th.sync()
        th.osrt(wait, us=(n + 1) * period_us - (th.now_ns - trace.start_ns) / 1000)
    return of_gpu_work(trace)


@planted("paced", "paced", "25.0 times a second", span="gpu", costs=False)
def paced_by_sleep(_):
    """Frames at a fixed period: the host sleeps until the next is due."""
    return frames("clock_nanosleep")


@planted("paced", "paced", "25.0 times a second", span="gpu", costs=False, also=("pageable_h2d",))
def paced_with_copies(_):
    """The same with 6 ms of pageable copies in each frame: without them it sleeps longer, and takes as long."""
    return frames("clock_nanosleep", copy=lambda th: th.memcpy("H2D", bytes=20_000_000, us=6000, src="pageable"))


@planted("waiting_for_input", "waiting_for_input", "`poll`", span="gpu", costs=False)
def paced_by_poll(_):
    """Frames at a fixed period: the host polls for the next."""
    return frames("poll")


@planted("copy_bound", "blocking_d2h", span="gpu", beside=("waiting_for_input",))
def asks_then_works(bad):
    """4 s at a prompt amidst 0.6 s of work, half of which is copies to pageable memory: the prompt is nobody's loss."""
    trace, th = one_thread()
    th.launch(GEMM, us=1000)
    th.sync()
    th.osrt("getc", us=4_000_000)
    for _ in range(10):
        th.launch(GEMM, us=30_000)
        th.memcpy("D2H", bytes=40_000_000, us=30_000 if bad else 100, dst="pageable")
    return of_gpu_work(trace)


@planted("page_faults", "page_faults", "`layer_norm_kernel`", span="gpu")
def unified_memory(bad):
    """Six kernels that touch 64 MB of managed memory: 32 pieces of 2 MB come while each runs; left out: a prefetch."""
    trace, th = one_thread()
    for _ in range(6):
        th.host(us=300)
        if bad:
            kernel = th.launch(NORM, us=20_000)
            migrate(kernel, kernel.start_ns, every_us=600)
        else:
            th.host(us=32 * PIECE_US)
            kernel = th.launch(NORM, us=100)
            migrate(kernel, kernel.start_ns - 32 * ns(PIECE_US), every_us=PIECE_US)
        th.sync()
    return of_gpu_work(trace)


def migrate(kernel, start_ns, every_us):
    """Pages for a kernel, 32 pieces of 2 MB: no call asks for them."""
    for n in range(32):
        at_ns = start_ns + n * ns(every_us)
        kernel.process.trace.ops.append(Op("memcpy", "UM_H2D", at_ns, at_ns + ns(PIECE_US), kernel.process, kernel.device,
                                           kernel.ordinal, UM_STREAM, 0, bytes=2 << 20, copy="UM_H2D", src="managed", dst="managed"))


def tiny_kernels(th, launch_us):
    for _ in range(80):
        th.launch(NORM, us=3, launch_us=launch_us)


def wait_for_scalar(th):
    with th.range("scalar"):
        th.sync()


@planted("sync_bound", "blocking_sync", "in `scalar`", text="all 20 steps 'step N'", also=("launch_bound", "tiny_kernels"))
def lead_lost_by_waits(bad):
    """Blocks of tiny kernels before a long one, and a wait after each. The gaps lie between the tiny launches; a host that had
    not waited would have made them while the GPU computes."""
    trace, th = one_thread()

    def step(_):
        for _ in range(12):
            tiny_kernels(th, 8)
            th.launch(GEMM, us=1600)
            if bad:
                wait_for_scalar(th)
    made = steps(th, "step {}", 20, step, wait=False)
    return trace, (made[0].start_ns, max(made[-1].end_ns, max(o.end_ns for o in trace.ops)))


@planted("launch_bound", "tiny_kernels", "one at a time", text="all 20 steps 'step N'", also=("blocking_sync", "launch_bound"))
def no_lead_to_lose(bad):
    """The same waits where the long kernel comes first: they are short, and what holds the GPU up are slow launches."""
    trace, th = one_thread()

    def step(_):
        for _ in range(12):
            th.launch(GEMM, us=1600)
            tiny_kernels(th, 40 if bad else 2)
            wait_for_scalar(th)
    return of_steps(trace, steps(th, "step {}", 20, step, wait=False))


@planted("sync_bound", "sync_each_launch", "after every launch", text="all 500 repetitions")
def sync_after_each_launch(bad):
    """1,000 kernels of 20 µs, and a cudaDeviceSynchronize after each, which takes 15 µs to return."""
    trace, th = one_thread()
    for _ in range(500):
        for name in (GEMM, NORM):
            th.launch(name, us=20)
            if bad:
                th.sync()
                th.host(us=10)
    th.sync()
    return of_gpu_work(trace)


@planted("sync_bound", "sync_each_launch", "after every launch", text="all 500 repetitions")
def sync_beside_copies(bad):
    """1,000 kernels of 20 µs with a wait after each, and a blocking copy of 100 µs after each tenth: a queue hides the gaps
    between kernels, not the copies."""
    trace, th = one_thread()
    for n in range(1000):
        th.launch((GEMM, NORM)[n % 2], us=20)
        if bad:
            th.sync()
            th.host(us=10)
        if n % 10 == 4:
            th.memcpy("H2D", bytes=400_000, us=100, src="pinned")
    th.sync()
    return of_gpu_work(trace)


FAN = "Fan2(float *, float *, float *, int, int, int)"


@planted("gpu_bound", "few_threads", "blocks of 16 threads", text="all 200 repetitions")
def half_warps(bad):
    """A kernel of a million blocks of 4×4 threads, which fill half of a warp; left out: 8×4 threads, half as many warps."""
    trace, th = one_thread()
    for _ in range(200):
        th.launch(NORM, us=20)
        th.launch(FAN, us=600 if bad else 300, grid=(1024, 1024, 1), block=(4, 4, 1) if bad else (8, 4, 1))
    th.sync()
    return of_gpu_work(trace)


def compiling(bad, compile_one):
    trace, th = one_thread()

    def step(n):
        if bad or not n:
            compile_one(th)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 12, step))


@planted("compilation_bound", "run_time_compilation", "compil", text="all 12 steps 'step N'")
def jit_by_nvrtc(bad):
    """Each step compiles a kernel for 12 ms of host code and loads it in 0.3 ms; left out: the first alone."""
    def compile_one(th):
        th.host(us=12_000)
        th.call("cuModuleLoadData", us=300)
    return compiling(bad, compile_one)


@planted("compilation_bound", "run_time_compilation", "compil", text="all 12 steps 'step N'")
def jit_by_driver(bad):
    """Each step loads PTX, which the driver compiles for 12 ms; left out: the first alone."""
    return compiling(bad, lambda th: th.call("cuModuleLoadDataEx", us=12_000))


def load_with_data(th, call, us):
    """A call that loads code, and copies the data that come with it at its end."""
    copy = th.memcpy_async("H2D", bytes=4096, us=2, call=call, launch_us=us)
    copy.start_ns = th.now_ns
    th.process.end_op(copy, th.now_ns + ns(2))


@planted("compilation_bound", "run_time_compilation", "compil", text="all 12 steps 'step N'")
def jit_with_data(bad):
    """The same where the module has data: the call that loads it is the one that launches what ends the gap."""
    return compiling(bad, lambda th: load_with_data(th, "cuModuleLoadDataEx", 12_000))


@planted("allocation_bound", "alloc_in_steady", "module loading", text="all 12 steps 'step N'")
def lazy_loading_with_data(bad):
    """Each step looks up a function for 12 ms, which loads it and copies its data; left out: the first alone."""
    return compiling(bad, lambda th: load_with_data(th, "cuModuleGetFunction", 12_000))


@planted("host_bound", "host_stall", "`collate`", text="all 6 steps 'step N'")
def many_ranges_in_a_gap(bad):
    """Each step passes eighty short ranges before the one that takes 12 ms."""
    trace, th = one_thread()

    def step(_):
        for first in "abcdefgh":
            for second in "abcdefghij":
                with th.range(f"pass_{first}{second}"):
                    th.host(us=5)
        with th.range("collate"):
            th.host(us=12_000 if bad else 20)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 6, step))


@planted("host_bound", "host_stall", "`data`", text="all 6 steps 'step N'", beside=("run_time_compilation",))
def loads_and_compiles(bad):
    """Each step loads for 12 ms and then compiles for 5 ms, most of that in a range inside; left out: the loading."""
    trace, th = one_thread()

    def step(_):
        loading(th, 12_000 if bad else 20)
        with th.range("compile_kernels"):
            th.host(us=1000)
            with th.range("lower"):
                th.host(us=4000)
        compute(th)
    return of_steps(trace, steps(th, "step {}", 6, step))


def plain_matrices(bad, gpu, times):
    trace, th = one_thread(gpu=gpu)

    def step(_):
        for _ in range(8):
            th.launch("ampere_sgemm_128x128_nn" if bad else GEMM, us=2500 if bad else 2500 / times)
    return of_steps(trace, steps(th, "step {}", 6, step))


@planted("gpu_bound", "off_tensor_cores", "FP32", text="all 6 steps 'step N'")
def plain_fp32_on_a100(bad):
    """Matrix products in plain FP32 on a GPU that runs TF32 eight times as fast; left out: four times, for the memory's sake."""
    return plain_matrices(bad, ("NVIDIA A100-SXM4-80GB", 8, 0), 4)


@planted("gpu_bound", "off_tensor_cores", "FP32", text="all 6 steps 'step N'")
def plain_fp32_on_geforce(bad):
    """The same on a graphics card, where half precision is twice as fast and TF32 no faster."""
    return plain_matrices(bad, ("NVIDIA GeForce RTX 3070 Ti", 8, 6), 2)


@planted("gpu_bound", "off_tensor_cores", "FP32", text="all 6 steps 'step N'")
def plain_fp32_on_a_workstation(bad):
    """The same on a professional card of that generation: half precision is four times as fast, TF32 twice."""
    return plain_matrices(bad, ("NVIDIA RTX 5000 Ada Generation", 8, 9), 4)


@planted("gpu_bound", "gpu_bound", "ampere_sgemm", text="all 6 steps 'step N'", costs=False)
def plain_fp32_on_a_small_turing(_):
    """The same on a Turing that has none, though its generation does."""
    return plain_matrices(True, ("NVIDIA GeForce GTX 1660 Ti", 7, 5), 1)


@planted("gpu_bound", "gpu_bound", "ampere_sgemm", text="all 6 steps 'step N'", costs=False)
def plain_fp32_without_tensor_cores(_):
    """The same on a GPU that has no tensor cores: there is nothing to have."""
    return plain_matrices(True, ("NVIDIA GeForce GTX 1080", 6, 1), 1)


@planted("host_bound", "host_stall", "host code", text="all 30 replays of CUDA graph 5")
def replays_of_a_graph(bad):
    """A token is one graph, recorded whole, and one kernel that samples; the host works for 8 ms before the next."""
    trace, th = one_thread()
    for _ in range(30):
        th.graph([(GEMM, 4000)], whole=True, number=5)
        th.launch(NORM, us=100)
        th.sync()
        th.host(us=8000 if bad else 20)
    return of_gpu_work(trace)


@planted("host_bound", "host_stall", "host code", text="all 20 repetitions of about 3 CUDA graphs")
def several_graphs_in_a_step(bad):
    """A step is three graphs, recorded whole, none of which has half of the time; the host works for 15 ms before the next."""
    trace, th = one_thread()
    for _ in range(20):
        for number, us in ((5, 2000), (7, 2500), (9, 2200)):
            th.graph([(GEMM, us)], whole=True, number=number)
        th.sync()
        th.host(us=15_000 if bad else 20)
    return of_gpu_work(trace)


@planted("gpu_bound", "gpu_bound", GEMM, text="all 20 repetitions", costs=False)
def two_processes_in_turn(_):
    """Two processes share a GPU: each computes while the other's host works, so that the GPU is never idle."""
    trace = Trace(serial=True)
    threads = [trace.process(pid=100 + n, name=f"worker{n}").thread() for n in range(2)]
    for _ in range(20):
        for th in threads:
            compute(th)
            th.sync()
            th.host(us=4500)
    return of_gpu_work(trace)


@planted("host_bound", "host_stall", "host code", text="all 20 repetitions")
def two_processes_that_stall(bad):
    """Two processes share a GPU, and the host of both works for 15 ms at the same time."""
    trace = Trace(serial=True)
    threads = [trace.process(pid=100 + n, name=f"worker{n}").thread() for n in range(2)]
    for _ in range(20):
        for th in threads:
            compute(th, 8)
        for th in threads:
            th.sync()
        meet_us = max(th.now_ns for th in threads) / 1000
        for th in threads:
            th.at(meet_us)
            th.host(us=15_000 if bad else 20)
    return of_gpu_work(trace)
