"""Built traces whose stages are known."""

from make_trace import Trace


def benchmark(path):
    """Passes in a range of their own name, then requests by turns on two GPUs: decodes of four steps each."""
    t = Trace(gpus=2)
    th = t.process(devices=(0, 1)).thread()
    with th.range("forward benchmark"):
        for i in range(3):
            with th.range("forward"):
                th.launch("gemm", us=100 + i)
            th.sync()
    for request in range(5):
        th.use(request % 2)
        with th.range("prefill"):
            th.launch("gemm", us=300 + request)
        with th.range("decode all"):
            for _ in range(4):
                with th.range("decode"):
                    th.launch("gemv", us=20)
        th.sync()
    return t.write(path)


def single_steps(path, requests=3, steps=6):
    """Each step of a decode is a range, and nothing is around them."""
    t = Trace()
    th = t.process().thread()
    for _ in range(requests):
        with th.range("prefill"):
            th.launch("gemm", us=300)
        for _ in range(steps):
            with th.range("decode"):
                th.launch("gemv", us=20)
        th.sync()
    return t.write(path)


def two_processes(path, gpus_each=1, steps=4):
    """Steps of training in two processes at once, each on GPUs of its own; the second is a little slower."""
    t = Trace(gpus=2 * gpus_each)
    for rank in range(2):
        devices = tuple(range(rank * gpus_each, (rank + 1) * gpus_each))
        th = t.process(pid=100 + rank, devices=devices).thread()
        for _ in range(steps):
            with th.range("train step"):
                for ordinal in range(gpus_each):
                    th.use(ordinal)
                    with th.range("forward"):
                        th.launch("gemm", us=300 + 50 * rank)
                    with th.range("backward"):
                        th.launch("gemm", us=600 + 50 * rank)
                    th.sync()
    return t.write(path)


def worker_pool(path, workers=300):
    """Two processes; the work of their stage is launched by many threads, none of which has a range."""
    t = Trace(gpus=2)
    processes = [t.process(pid=100 + 1000 * i, devices=(0, 1)) for i in range(2)]
    mains = [p.thread() for p in processes]
    others = [[p.thread() for _ in range(workers)] for p in processes]
    for i in range(4):
        for main, pool in zip(mains, others):
            with main.range(f"forward {i}"):
                begin_us = main.now_ns / 1000
                main.host(us=40 * workers)
            for number, th in enumerate(pool):
                th.at(begin_us + 40 * number)
                th.ordinal = processes.index(th.process)
                th.launch("kernel", us=20 + number % 7)
            main.host(us=500)
    return t.write(path)
