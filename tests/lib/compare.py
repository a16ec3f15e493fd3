"""Is our CSV NVIDIA's? Rows may be in another order only among rows with equal sort keys."""

import csv
import io
from collections import Counter

SORT_KEYS = ["Total Time (ns)", "Total (MB)", "TAvg (ns)", "Start (ns)", "API Start (ns)",
             "Total Proj Time (ns)", "Orig Start (ns)"]


def split_rows(text):
    """Pairs of a raw row and its fields; a quoted field may hold line ends."""
    lines = text.rstrip("\n").split("\n")
    reader = csv.reader(io.StringIO(text.rstrip("\n") + "\n"))
    rows, begin = [], 0
    for fields in reader:
        rows.append(("\n".join(lines[begin:reader.line_num]), fields))
        begin = reader.line_num
    return rows


def shorten(text):
    return text if len(text) < 300 else text[:300] + "…"


def difference(ours, theirs):
    """What is wrong with our CSV, None when nothing is."""
    if not ours.strip():
        return "nothing was printed"
    ours, theirs = split_rows(ours), split_rows(theirs)
    if ours[0][0] != theirs[0][0]:
        return f"header is {ours[0][0]!r}, not {theirs[0][0]!r}"
    header = theirs[0][1]
    key = next(header.index(k) for k in SORT_KEYS if k in header)
    lacking = Counter(raw for raw, _ in theirs[1:])
    lacking.subtract(raw for raw, _ in ours[1:])
    missing = sorted((row, n) for row, n in lacking.items() if n > 0)
    surplus = sorted((row, n) for row, n in lacking.items() if n < 0)
    if missing or surplus:
        sizes = f"{len(ours) - 1} rows for {len(theirs) - 1}, {len(missing)} not as they should be"
        return shorten(f"{sizes}; theirs {missing[:1]}; ours {surplus[:1]}")
    for number, (a, b) in enumerate(zip(ours[1:], theirs[1:]), 1):
        if a[1][key] != b[1][key]:
            return f"order: row {number} has {header[key]} {a[1][key]}, not {b[1][key]}"
    return None
