"""Stacks for a made trace (make_trace.py): which line makes each CUDA call, as nsys writes Python's backtraces, those of machine code,
and Python's periodic samples."""

import json
import sqlite3
from contextlib import closing

PYTHON = {"Python Backtrace on CUDA": 11, "Python Periodic Sampling": 21}
SCHEMAS = """CREATE TABLE IF NOT EXISTS NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, flags INTEGER, numEntries INTEGER,
    payloadSize INTEGER, alignTo INTEGER);
CREATE TABLE IF NOT EXISTS NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT NULL, flags INTEGER, type INTEGER,
    name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
CREATE TABLE IF NOT EXISTS NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER,
    text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);"""
CHAINS = "CREATE TABLE CUDA_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER NOT NULL)"
FILE, LIBRARY = "/home/me/train.py", "/usr/lib/python3/dist-packages/torch/cuda.py"


class Strings:
    def __init__(self, db):
        self.db, self.ids = db, {}
        self.next, = db.execute("SELECT max(id) + 1 FROM StringIds").fetchone()

    def __call__(self, text):
        if text not in self.ids:
            self.ids[text] = self.next + len(self.ids)
            self.db.execute("INSERT INTO StringIds VALUES (?, ?)", (self.ids[text], text))
        return self.ids[text]


def describe(db, kind):
    """The domain and the schema of one kind of Python's stacks: a struct of a state, a count and frames."""
    whole, frame = PYTHON[kind], PYTHON[kind] + 1
    db.executescript(SCHEMAS)
    if "jsonText" not in [c[1] for c in db.execute("PRAGMA table_info(NVTX_EVENTS)")]:
        db.execute("ALTER TABLE NVTX_EVENTS ADD COLUMN jsonText TEXT")
    db.execute("INSERT INTO NVTX_EVENTS (start, eventType, text, domainId) VALUES (0, 75, ?, 1)", (kind,))
    db.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1, ?, ?, ?, NULL, ?, ?, NULL)", [(whole, kind, 2, 4, None), (frame, None, 1, 3, 24)])
    db.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, ?, ?, ?, ?, ?, NULL, ?, ?)", [
        (whole, 0, None, 18, "Thread state ID", None, None), (whole, 1, None, 16, "Thread state", None, 8), (whole, 2, None, 16, "Frames count", None, 12),
        (whole, 3, 48, frame, "Frames", 2, 16), (frame, 0, None, 80, "Function", None, None), (frame, 1, None, 80, "File", None, 8),
        (frame, 2, None, 15, "Line", None, 16)])


def add_python(path, stacks, kind="Python Backtrace on CUDA"):
    """stacks: (time, thread, function, line of FILE); what it calls is a package's, and is called by the module."""
    with closing(sqlite3.connect(path)) as db, db:
        text = Strings(db)
        describe(db, kind)
        for at_ns, thread, function, line in stacks:
            frames = [dict(Function=text(f), File=text(p), Line=n) for f, p, n in (("inner", LIBRARY, 7), (function, FILE, line), ("&lt;module&gt;", FILE, 99))]
            payload = {kind: {"Thread state ID": 1, "Thread state": "Running", "Frames count": len(frames), "Frames": frames}}
            db.execute("INSERT INTO NVTX_EVENTS (start, eventType, globalTid, domainId, jsonText) VALUES (?, 34, ?, 1, ?)",
                       (at_ns, thread.key, json.dumps(payload)))
    return path


def add_native(path, calls):
    """calls: (start of the call, function of the program)."""
    with closing(sqlite3.connect(path)) as db, db:
        text = Strings(db)
        db.execute(CHAINS)
        for number, (at_ns, function) in enumerate(calls):
            for depth, (symbol, module) in enumerate((("cudaCall", "/usr/lib/libcudart.so.12"), (function, "/opt/app"), ("main", "/opt/app"))):
                db.execute("INSERT INTO CUDA_CALLCHAINS VALUES (?, ?, ?, NULL, 0, ?)", (number, text(symbol), text(module), depth))
            db.execute("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = ? WHERE start = ?", (number, at_ns))
    return path
