"""The questions of tests/ask, and what is right about each: the values that SQL on the export's own tables finds."""

import json
import sqlite3

from harness import DATA, ROOT, UNPACKED, unpack

HALVES = ["tuned", "held_out"]
KINDS = ["fact", "top", "window", "cause", "comparison", "unanswerable", "out_of_domain", "hostile"]
UNITS = {"ns", "time_ns", "bytes", "bytes_per_s", "count", "percent", "ratio", "id", "name"}
REQUIRED = {"trace", "question", "kind", "analyses"}
OPTIONAL = {"among", "sql", "units", "finding", "flag"}
# Of an answer about no window: all there is.
ALWAYS = {"start_ns": -2**62, "end_ns": 2**62}


def questions(half):
    """Each with the name of its file: several authors wrote a half, so that it is not the words of one. In the order they came, 10 after 9."""
    paths = sorted((ROOT / "tests" / "ask").glob(f"{half}*.json"), key=lambda path: (len(path.stem), path.stem))
    return [(path.name, entry) for path in paths for entry in json.loads(path.read_text())]


def trace_path(name):
    packed = DATA / f"{name}.sqlite.xz"
    return unpack(packed, UNPACKED / name.rpartition("/")[0])


def truth(entry, window):
    """The values that the answer must cite, each with its unit; None where the window holds nothing of the kind."""
    if "sql" not in entry:
        return []
    places = {"begin": window["start_ns"], "end": window["end_ns"]}
    db = sqlite3.connect(f"file:{trace_path(entry['trace'])}?immutable=1", uri=True)
    try:
        # Names are bytes: a trace may hold any.
        db.text_factory = lambda b: b.decode("utf-8", "replace")
        rows = db.execute(entry["sql"], places).fetchall()
    finally:
        db.close()
    return list(zip(rows[0] if rows else [None] * len(entry["units"]), entry["units"], strict=True))


def defect(entry):
    """What is wrong with a question itself, or None."""
    keys = entry.keys()
    if not REQUIRED <= keys <= REQUIRED | OPTIONAL:
        return f"its keys are {sorted(keys)}"
    if entry["kind"] not in KINDS:
        return f"kind {entry['kind']}"
    if not entry["question"].strip():
        return "it is empty"
    if ("sql" in keys) != ("units" in keys) or not set(entry.get("units", ())) <= UNITS:
        return "SQL without units, or units unknown"
    if entry["kind"] == "out_of_domain" and entry["analyses"]:
        return "an analysis answers what is out of domain"
    if entry["kind"] not in ("out_of_domain", "hostile") and not entry["analyses"]:
        return "no analysis answers it"
    if not (DATA / f"{entry['trace']}.sqlite.xz").exists():
        return f"no trace {entry['trace']}"
    if None in [value for value, _ in truth(entry, ALWAYS)]:
        return "its SQL finds nothing in the whole capture"
    return None
