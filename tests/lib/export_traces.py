"""Made traces that have in them what a timeline can show."""

import contextlib
import sqlite3

from make_trace import Trace


def small(path):
    """Two processes that both call their GPU 0; copies, sets, kernels on two streams, graphs, marks, domains, colours."""
    t = Trace(gpus=2)
    for number in range(2):
        th = t.process(pid=100 + number, name="/usr/bin/python", devices=(number,)).thread(tid=100 + number, name="main")
        with th.range(f"rank {number}"), th.range("forward", domain=t.domain("model")):
            copy = th.memcpy_async("H2D", bytes=1 << 20, us=40, src="pageable", stream=9)
            th.launch("gemm<float>", us=50, grid=(64, 2, 1), stream=7, after=copy)
            th.launch('odd "name"\n', us=30, block=(32, 1, 1), stream=8)
            th.memset(bytes=4096, us=2, stream=7)
        th.mark("here")
        with th.start_end("request"):
            th.graph([("node", 5), ("node", 5)], stream=7)
        th.sync()
    t.write(path)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE NVTX_EVENTS SET color = 0xff76b900 WHERE text = 'forward'")
    return path


def odd(path):
    """Ranges that cross or are never closed, calls within calls, kernels that overlap on a stream or take no time,
    two contexts with streams of one number, ops that nobody launched."""
    t = Trace(gpus=1)
    for number in range(2):
        th = t.process(pid=200 + number).thread(tid=300 + number)
        for i in range(6):
            with th.range(f"step {i}"), th.range("part"):
                for _ in range(4):
                    th.launch("k", us=30, stream=7 + i % 2, launch_us=3)
                th.mark("done")
        th.sync()
    t.write(path)
    kernel, api = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        for statement in (
                f"UPDATE {kernel} SET end = end + 45000 WHERE rowid % 5 = 0",
                f"UPDATE {kernel} SET end = start WHERE rowid % 7 = 0",
                f"UPDATE {kernel} SET end = start - 5 WHERE rowid % 11 = 0",
                f"UPDATE {kernel} SET correlationId = 100000 + rowid WHERE rowid % 9 = 0",
                f"UPDATE {kernel} SET contextId = 2 WHERE rowid % 4 = 0",
                f"INSERT INTO {api} SELECT start, start + 500, 1, globalTid, correlationId, nameId, 0, NULL FROM {api}",
                f"INSERT INTO {api} SELECT start + 1000, end, 1, globalTid, 0, nameId, 0, NULL FROM {api} WHERE rowid % 3 = 0",
                "UPDATE NVTX_EVENTS SET end = NULL WHERE rowid % 10 = 0",
                "UPDATE NVTX_EVENTS SET start = start - 3000000 WHERE rowid = 2",
                "UPDATE NVTX_EVENTS SET end = end + 7000 WHERE rowid % 6 = 1 AND end IS NOT NULL"):
            db.execute(statement)
    return path
