"""A real job that comes to a halt, by hand: its captures without what would have come after a collective that never ended.

    halt(captures, call=52, absent={2}, ranges="open")

CUPTI records kernels that have ended. Of a collective that never does there are the call of NCCL, which may not have returned, and the launch
call; what was launched before it has run, and what was launched after it on another stream may have, too.
"""

import contextlib
import sqlite3

QUEUED = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
HOST = ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "PROFILER_OVERHEAD")
NAMED = "(SELECT id FROM StringIds WHERE value = 'ncclAllReduce')"
COMMUNICATES = "(SELECT streamId FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = shortName WHERE value LIKE 'nccl%')"
BEFORE_NS = 5000  # that who never comes stops before it would have

# How the ranges are told that are open at the end: those of the program and, with "call", of NCCL, too.
RANGES = ("closed", "open", "call")


def halt_rank(capture, call, comes, ranges="closed", lasts_ns=8_000_000_000, polls=False, says_nccl=True, beside=False):
    """The capture goes on for so long, with nothing in it but, perhaps, a watchdog that asks once more.

    ranges: nsys of some versions ends open ranges where the capture ends, of others it leaves their end empty.
    beside: who comes goes on launching until the end of `backward`, and what computes has run.
    """
    with contextlib.closing(sqlite3.connect(capture)) as db, db:
        row, start, end = db.execute(f"SELECT rowid, start, end FROM NVTX_EVENTS WHERE textId = {NAMED} ORDER BY start LIMIT 1 OFFSET ?",
                                     (call,)).fetchone()
        from_ns = start if comes else start - BEFORE_NS
        until_ns = end if comes else from_ns
        if beside and comes:
            until_ns, = db.execute("SELECT end FROM NVTX_EVENTS WHERE text = 'backward' AND start <= ?1 AND end >= ?1", (from_ns,)).fetchone()
        over_ns = until_ns + lasts_ns
        for table in QUEUED:
            launched = f"correlationId IN (SELECT correlationId FROM {HOST[0]} WHERE start >= ?)"
            db.execute(f"DELETE FROM {table} WHERE {launched}", (until_ns if beside and comes else from_ns,))
            db.execute(f"DELETE FROM {table} WHERE {launched} AND streamId IN {COMMUNICATES}", (from_ns,))
        for table in HOST:
            db.execute(f"DELETE FROM {table} WHERE start > ?", (until_ns,))
        db.execute("DELETE FROM NVTX_EVENTS WHERE start > ? AND end IS NOT NULL", (until_ns,))
        db.execute("UPDATE NVTX_EVENTS SET end = ? WHERE end > ?", (over_ns if ranges == "closed" else None, until_ns))
        if comes and ranges == "call":
            db.execute("UPDATE NVTX_EVENTS SET end = NULL WHERE rowid = ?", (row,))
        if not says_nccl:
            db.execute(f"DELETE FROM NVTX_EVENTS WHERE textId = {NAMED}")
        if polls:
            ask(db, over_ns)
        db.execute("UPDATE ANALYSIS_DETAILS SET duration = ?", (over_ns,))


def ask(db, at_ns):
    """The last cudaEventQuery, as it would be then."""
    db.execute(f"UPDATE {HOST[0]} SET start = ?, end = ? WHERE start = (SELECT MAX(start) FROM {HOST[0]} JOIN StringIds ON id = nameId "
               "WHERE value LIKE 'cudaEventQuery%')", (at_ns - 1000, at_ns - 500))


def halt(captures, call, absent, gone=(), **options):
    """absent: ranks that never come. gone: of these, those whose capture is over then."""
    for rank, capture in enumerate(captures):
        halt_rank(capture, call, rank not in absent, **(options | (dict(lasts_ns=1_000_000, polls=False) if rank in gone else {})))
