#!/usr/bin/python3
"""Makes the traces that the page is shown with, and tells where they, the program and its environment are, as JSON."""

import contextlib
import json
import os
import sqlite3
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
from bare_traces import BARE  # noqa: E402
from crowded import crowded  # noqa: E402
from harness import BINARY, DATA, ENVIRONMENT, UNPACKED, need_binary, unpack  # noqa: E402
from make_trace import Trace  # noqa: E402

# Each would do something to a page that took it for more than text.
EVIL = [
    "<img src=x onerror=\"document.title='owned'\">", "</script><script>document.title='owned'</script>", "<!--<script>",
    "\"'><svg onload=document.title='owned'>", "javascript:document.title='owned'", "left\u202eright\u2066\u2069\u200f",
    "\x1b]0;owned\x07\r\n\t\u2028line", "__proto__", "constructor", "${document.title='owned'}", "]]>&lt;b&gt;<b>bold", "%3Cscript%3E&#60;",
    "`code` *strong* [link](javascript:1)", "=1+1", "long" * 16384,
]


def hostile():
    t = Trace()
    p = t.process(pid=100, name=EVIL[0])
    th = p.thread(tid=101, name=EVIL[1])
    for step in range(4):
        with th.range(f"step {step} {EVIL[1]}"):
            for i, name in enumerate(EVIL):
                with th.range(name, domain=t.domain(EVIL[3]) if i % 2 else 0):
                    th.host(us=100)
                    th.launch(f"{name}{'' if i % 3 else '<int>(char*)'}", us=40 + i)
                    th.memcpy_async("H2D", bytes=1 << 20, us=30, src="pageable", blocking=True)
            th.osrt(EVIL[0], us=50)
            th.mark(EVIL[2])
            th.sync()
    t.diagnostic(EVIL[1])
    return t


def one_shot():
    """A program that does one thing once."""
    t = Trace()
    th = t.process(pid=7, name="once").thread(tid=7)
    th.launch("only_kernel", us=1000)
    th.sync()
    return t


MADE = {"hostile": (hostile, set()), "crowded": (lambda: crowded(name_length=1380), set()), "one_shot": (one_shot, set()), "no_kernels": BARE["ranges only"], "nothing": BARE["nothing"]}
PACKED = {"train": DATA / "train.sqlite.xz", "infer": DATA / "infer.sqlite.xz", "samples": DATA / "host" / "python.sqlite.xz",
          "before": DATA / "before.sqlite.xz", "after": DATA / "after.sqlite.xz", "nccl": DATA / "nccl.sqlite.xz",
          **{f"rank{i}": DATA / "job" / f"healthy_rank{i}.sqlite.xz" for i in range(2)}}


def make(name, folder):
    build, without = MADE[name]
    path, partial = folder / f"{name}.sqlite", folder / f"{name}.{os.getpid()}"
    build().write(partial, without)
    partial.replace(path)
    return path


def without_ranges(path, folder):
    changed, partial = folder / "no_ranges.sqlite", folder / f"no_ranges.{os.getpid()}"
    partial.write_bytes(path.read_bytes())
    with contextlib.closing(sqlite3.connect(partial)) as db, db:
        db.execute("DROP TABLE NVTX_EVENTS")
    partial.replace(changed)
    return changed


def main():
    need_binary()
    folder = UNPACKED / "page"
    folder.mkdir(parents=True, exist_ok=True)
    traces = {name: unpack(path, folder) for name, path in PACKED.items()}
    traces |= {name: make(name, folder) for name in MADE}
    traces["no_ranges"] = without_ranges(traces["before"], folder)
    json.dump({"binary": str(BINARY), "environment": ENVIRONMENT, "evil": EVIL, "traces": {n: str(p) for n, p in traces.items()}}, sys.stdout)


main()
