#!/usr/bin/python3
"""Makes captures small enough to commit: their first steps alone, without calls that only ask about a kernel.

    tests/lib/trim_steps.py FOLDER TO [STEPS]     every NAME.sqlite.xz of a folder, whose ranges `step N` are steps

That is how tests/data/diff was made of ../shared/traces/pairs, with 12 steps. The calls that are left out launch nothing and
take under a hundredth of a step; the blame of idle time in them goes to the host code around them.
"""

import lzma
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from mutate import fewer_steps

ASKING = ("cuKernelGetName", "cuKernelGetAttribute", "cuKernelSetAttribute", "cudaStreamIsCapturing_v10000")
MARKER = r"^step \d+$"


def thin(path):
    """Leaves out calls that only ask, and streams that nothing runs on."""
    with closing(sqlite3.connect(path)) as db:
        with db:
            marks = ", ".join("?" * len(ASKING))
            db.execute(f"DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId IN (SELECT id FROM StringIds WHERE value IN ({marks}))", ASKING)
            db.execute("DELETE FROM TARGET_INFO_CUDA_STREAM WHERE streamId NOT IN (SELECT streamId FROM CUPTI_ACTIVITY_KIND_KERNEL)")
        db.execute("VACUUM")


def trim(packed, to, steps):
    with tempfile.TemporaryDirectory() as folder:
        whole, short = Path(folder) / "whole.sqlite", Path(folder) / "short.sqlite"
        whole.write_bytes(lzma.decompress(packed.read_bytes()))
        fewer_steps(whole, short, MARKER, steps=steps)
        thin(short)
        (to / packed.name).write_bytes(lzma.compress(short.read_bytes(), preset=9 | lzma.PRESET_EXTREME))


def main(folder, to, steps=12):
    Path(to).mkdir(parents=True, exist_ok=True)
    for packed in sorted(Path(folder).glob("*.sqlite.xz")):
        trim(packed, Path(to), int(steps))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
