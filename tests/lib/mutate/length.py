"""The same run, captured for fewer steps."""

from .clock import time_columns
from .planting import planting
from .scene import TABLE
from .truth import Unplantable


@planting
def fewer_steps(scene, rows, steps=10):
    """The capture ends after some steps: nothing that a later step did is in it."""
    if not 0 < steps < len(scene.steps):
        raise Unplantable(f"it has {len(scene.steps)} steps")
    until, begins = scene.steps[steps - 1].until, scene.steps[steps].start
    # The host may be ahead of the GPU: what it did for later steps goes, but for what the GPU did before the end.
    rows.db.execute("DELETE FROM NVTX_EVENTS WHERE start >= ?", (begins,))
    launched = {row for op in scene.ops if op.start < until and op.call for row in op.call.rows}
    for row, in rows.db.execute(f"SELECT rowid FROM {TABLE}RUNTIME WHERE start >= ?", (begins,)).fetchall():
        if row not in launched:
            rows.remove(f"{TABLE}RUNTIME", row)
    cut(rows.db, until)
    return {}


def cut(db, until):
    """Nothing happens after a time."""
    for table, begins, ends in time_columns(db):
        db.execute(f'DELETE FROM "{table}" WHERE "{begins[0]}" >= ?', (until,))
        for column in ends:
            db.execute(f'UPDATE "{table}" SET "{column}" = ?1 WHERE "{column}" > ?1', (until,))
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'ANALYSIS_DETAILS'").fetchone():
        db.execute("UPDATE ANALYSIS_DETAILS SET stopTime = startTime + ?1, duration = ?1", (until,))
    drop_unused(db)


def drop_unused(db):
    """Ids of events and calls that are gone go as well."""
    table, tables = f"{TABLE}CUDA_EVENT", {n for n, in db.execute("SELECT name FROM sqlite_master")}
    if table in tables:
        db.execute(f"DELETE FROM {table} WHERE correlationId NOT IN (SELECT correlationId FROM {TABLE}RUNTIME)")
