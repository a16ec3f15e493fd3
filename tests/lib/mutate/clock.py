"""Time put in or taken out of a trace: every table with a time column moves along, so that order, overlaps and all other gaps stay."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

BEGINS, ENDS = {"start", "startedAt", "timestamp", "rawTimestamp"}, {"end", "endedAt"}
# Their columns of these names are no times of events.
NO_EVENTS = ("ENUM_", "META_DATA_", "TARGET_INFO_", "sqlite_")


@dataclass(frozen=True, order=True)
class Change:
    """The time from `start` to `end` gets `ns` longer, or shorter: evenly, for everything that happens in it. Of no length,
    it is an instant at which time is put in: what starts there or later starts later; what ends there ends as before."""
    start: int
    end: int
    ns: int


class Clock:
    """When it is in the changed trace what time in the trace as it was. Changes must not overlap."""

    def __init__(self, changes=()):
        self.changes = sorted(changes)
        self.starts = [c.start for c in self.changes]
        self.before = [0]  # by change: how much those before it add up to
        for change in self.changes:
            self.before.append(self.before[-1] + change.ns)
        for one, next_one in zip(self.changes, self.changes[1:]):
            assert one.end <= next_one.start, f"{one} and {next_one} overlap"
        assert all(c.ns > c.start - c.end or c.ns >= 0 for c in self.changes), "more was taken out than there is"

    @property
    def total(self):
        return self.before[-1]

    def begins(self, at):
        """What starts, or happens, at a time."""
        return self.moved(at, bisect_right(self.starts, at) - 1) if at is not None else None

    def ends(self, at):
        """What ends at a time."""
        return self.moved(at, bisect_left(self.starts, at) - 1) if at is not None else None

    def moved(self, at, number):
        if number < 0:
            return at
        change, before = self.changes[number], self.before[number]
        if at >= change.end:
            return at + before + change.ns
        length = change.end - change.start
        return change.start + before + (at - change.start) * (length + change.ns) // length


def time_columns(db):
    """(table, columns of starts, columns of ends) of each table that has times."""
    for table, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = [c[1] for c in db.execute(f'PRAGMA table_info("{table}")')]
        begins, ends = [c for c in columns if c in BEGINS], [c for c in columns if c in ENDS]
        if begins and not table.startswith(NO_EVENTS):
            yield table, begins, ends


def apply_clock(db, clock):
    """All that has a time happens when the clock has it."""
    db.create_function("begins", 1, clock.begins, deterministic=True)
    db.create_function("ends", 1, clock.ends, deterministic=True)
    for table, begins, ends in time_columns(db):
        changed = [f'"{c}" = begins("{c}")' for c in begins]
        # What has no length stays without one.
        changed += [f'"{c}" = MAX(ends("{c}"), begins("{begins[0]}"))' for c in ends]
        db.execute(f'UPDATE "{table}" SET {", ".join(changed)}')
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'ANALYSIS_DETAILS'").fetchone():
        db.execute("UPDATE ANALYSIS_DETAILS SET duration = duration + ?1, stopTime = stopTime + ?1", (clock.total,))
