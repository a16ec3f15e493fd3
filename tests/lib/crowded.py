"""A trace whose names alone nearly fill a page of 1 MB: what `gpuwhy viewer` leaves out of one can be seen."""

from make_trace import Trace


def crowded(name_length=1400, processes=100):
    """Rows of many processes, each with a kernel now and then; names differ, as those that are alike pack to nothing."""
    t = Trace()
    for pid in range(100, 100 + processes):
        th = t.process(pid=pid, name=f"{pid} ".ljust(name_length, "n")).thread(tid=pid)
        for i in range(20):
            th.host(us=50 + (pid * 7919 + i * 104729) % 997)
            th.launch(f"kernel {pid % 7}", us=5 + (pid * 31 + i * 17) % 90, stream=pid)
    return t
