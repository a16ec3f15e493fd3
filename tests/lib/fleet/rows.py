"""What the rows of an export's tables belong to: a process, a clock, strings. One place for the columns that say so."""

import re

PROCESS_BITS, THREAD_BITS = 24, 24
LOW = (1 << 24) - 1

# Columns that hold a process, with or without one of its threads, and those that hold its number alone.
GLOBAL = ("globalTid", "globalPid", "endGlobalTid")
NUMBERS = ("pid", "processId")
BEGINS, ENDS = ("start", "timestamp", "rawTimestamp"), ("end",)
# Tables that tell what was there, not when something was.
NO_EVENTS = ("ENUM_", "META_DATA_", "TARGET_INFO_", "NVTX_PAYLOAD_", "sqlite_", "StringIds", "PROCESSES", "ThreadNames",
             "ANALYSIS_DETAILS", "DIAGNOSTIC_EVENT")
# By name, where a table's text does not tell that a column is the number of a string.
STRINGS = ("nameId", "textId", "jsonTextId", "demangledName", "shortName", "mangledName")


def tables(db):
    """{name: how it was created} of all tables, in order."""
    return dict(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid"))


def columns(db, table):
    return [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]


def string_columns(names, created):
    """Columns that hold the number of a string: nsys says so beside each, in the text that creates the table."""
    said = set(re.findall(r'^\s*"?(\w+)"?\s.*REFERENCES StringIds', created, re.M))
    return [c for c in names if c in said or c in STRINGS]


def process_of(column, value):
    """The number of the process that a value of a column names; None for none."""
    if value is None:
        return None
    return (value >> THREAD_BITS) & LOW if column in GLOBAL else value


def with_process(column, value, pid):
    """The same value with another process; its threads are as far from it as they were, as a program started again has them."""
    if value is None or column not in GLOBAL:
        return value if value is None else pid
    was, thread = (value >> THREAD_BITS) & LOW, value & LOW
    if thread:
        thread = (thread - was + pid) & LOW
    return value >> 48 << 48 | pid << THREAD_BITS | thread


def owner_column(names):
    """The column that tells whose a row is; None for a table that is everyone's."""
    return next((c for c in (*GLOBAL, *NUMBERS) if c in names), None)
