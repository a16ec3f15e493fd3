"""A capture of several processes, split into one file per process as if each had been captured by an nsys of its own.

    files = split("one.sqlite", folder, offsets_ns=[0, 5_000_000], drifts_ppm=[0, 12])
    files[1].path, files[1].pid, files[1].offset_ns, files[1].drift_ppm

A file holds the rows of its process alone and what is everyone's. What happened at t on the capture's clock is at
t + offset + drift × (t - first) on its own, where `first` is the capture's first event. Durations stay as they are, and on a thread what
lies inside what (nesting.py), so that statistics of the files together are those of the capture to the digit. Strings have other
numbers in each file.
"""

import contextlib
import datetime
import random
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from .nesting import moved_starts
from .rows import BEGINS, ENDS, NO_EVENTS, columns, owner_column, process_of, string_columns, tables, with_process


class Unsplittable(Exception):
    """The capture has events that are no process's."""


@dataclass(frozen=True)
class Clock:
    """The clock of one file: how times of the capture read on it."""
    offset_ns: int = 0
    drift_ppm: float = 0
    first_ns: int = 0

    def reads(self, at_ns):
        return at_ns + self.offset_ns + round(self.drift_ppm * (at_ns - self.first_ns) / 1e6)


@dataclass(frozen=True)
class File:
    path: Path
    pid: int  # in the capture
    own_pid: int  # in the file
    clock: Clock
    strings: dict  # number in the capture: number in the file


def working_processes(db):
    """Numbers of the processes that do GPU work, in order of their numbers: mostly of their ranks."""
    found = set()
    for table in tables(db):
        if table.startswith("CUPTI_ACTIVITY_KIND_") and "streamId" in columns(db, table) and "start" in columns(db, table):
            found |= {process_of("globalPid", row[0]) for row in db.execute(f'SELECT DISTINCT globalPid FROM "{table}"')}
    return sorted(found - {None})


def first_event_ns(db):
    return min(row[0] for table in tables(db) if not table.startswith(NO_EVENTS) and "start" in columns(db, table)
               for row in db.execute(f'SELECT MIN(start) FROM "{table}"') if row[0] is not None)


class Mover:
    """Rows of a capture as a file has them."""

    def __init__(self, source, file, host):
        self.file, self.host = file, host
        self.nested = moved_starts(source, tables(source), file.pid, file.clock)

    def start(self, table, number, at_ns):
        return self.nested.get((table, number)) or self.file.clock.reads(at_ns)

    def row(self, table, names, texts, row, has_times):
        """A row, after its number, with the file's clock, process and numbers of strings."""
        number, *row = row
        moved, moved_ns = list(row), None
        for i, (name, value) in enumerate(zip(names, row)):
            if value is None:
                continue
            if has_times and name in BEGINS:
                moved[i] = self.start(table, number, value)
                moved_ns = moved[i] - value if moved_ns is None else moved_ns
            elif has_times and name in ENDS:
                moved[i] = value + moved_ns
            elif name in texts:
                moved[i] = self.file.strings.get(value, value)
            elif name == owner_column([name]):
                moved[i] = with_process(name, value, self.file.own_pid)
        return moved

    def whole(self, table, names, row, utc_ns):
        """A row of a table that is about the capture and not about one process of it."""
        row = dict(zip(names, row))
        if table == "StringIds":
            row["id"] = self.file.strings[row["id"]]
        elif table == "ANALYSIS_DETAILS":  # a clock that began earlier has run for longer
            row["duration"] += self.file.clock.offset_ns
            row["stopTime"] += self.file.clock.offset_ns
        elif table == "TARGET_INFO_SESSION_START_TIME":
            text = datetime.datetime.fromtimestamp(utc_ns // 10**9, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
            row |= {"utcEpochNs": utc_ns, "utcTime": text, "localTime": text}
        elif self.host and row.get("name") in ("Hostname", "EXPORT_HOST", "DEVICE_DISPLAY_NAME"):
            row["value"] = self.host
        elif table == "META_DATA_EXPORT" and row["name"].startswith(("EXPORT_PARAM_INPUT", "EXPORT_PARAM_OUTPUT")):
            row["value"] = self.file.path.with_suffix(Path(row["value"]).suffix).name
        return list(row.values())


def copy_table(source, target, table, created, mover, utc_ns):
    names = columns(source, table)
    owner, texts = owner_column(names), string_columns(names, created)
    has_times = not table.startswith(NO_EVENTS)
    if has_times and not owner and any(c in names for c in BEGINS):
        raise Unsplittable(f"nothing tells whose the rows of {table} are")
    target.execute(created)
    if owner:
        at = names.index(owner) + 1
        rows = (mover.row(table, names, texts, row, has_times or table == "DIAGNOSTIC_EVENT")
                for row in source.execute(f'SELECT rowid, * FROM "{table}"')
                if process_of(owner, row[at]) in (mover.file.pid, None))
    else:
        rows = (mover.whole(table, names, row, utc_ns) for row in source.execute(f'SELECT * FROM "{table}"'))
    target.executemany(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(names))})', rows)


def renumbered(db, number):
    """Other numbers for all strings: {as it was: in the file}."""
    ids = [row[0] for row in db.execute("SELECT id FROM StringIds ORDER BY id")]
    order = [n + 1000 * number for n in range(1, len(ids) + 1)]
    random.Random(f"strings of file {number}").shuffle(order)
    return dict(zip(ids, order))


def split(trace, folder, offsets_ns=(), drifts_ppm=(), names="job_rank%d.sqlite", utc_errors_ns=(), hosts=None, pids_clash=False):
    """Returns a File for each process that does GPU work; lists that are short are filled up with 0.

    utc_errors_ns: by how much each file's start is wrong in UTC. hosts: the name of each file's host. pids_clash: all
    processes have the number of the first, as the first process in each of several containers has.
    """
    at = lambda values, i: values[i] if i < len(values) else 0  # noqa: E731
    with contextlib.closing(sqlite3.connect(f"file:{trace}?immutable=1", uri=True)) as source:
        pids, first_ns = working_processes(source), first_event_ns(source)
        utc_ns = source.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
        files = [File(Path(folder, names % i), pid, pids[0] if pids_clash else pid,
                      Clock(at(offsets_ns, i), at(drifts_ppm, i), first_ns), renumbered(source, i + 1)) for i, pid in enumerate(pids)]
        for i, file in enumerate(files):
            mover = Mover(source, file, hosts and hosts[i])
            with contextlib.closing(sqlite3.connect(file.path)) as target, target:
                for table, created in tables(source).items():
                    copy_table(source, target, table, created, mover,
                               utc_ns - file.clock.offset_ns + at(utc_errors_ns, i))
    return files
