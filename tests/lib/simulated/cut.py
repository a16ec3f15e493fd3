"""Captures that begin after NCCL was set up, and end before the job: of each rank some steps are left, with all that its host launched in them, or all that was
over at some moment."""

from dataclasses import replace


def cut(job, steps):
    """`steps`: {rank: (first, end)}; the others keep theirs. Returns the job."""
    for rank in (r for r in job.ranks if r.number in steps):
        first, end = steps[rank.number]
        spans = {r.name: r for r in rank.ranges if r.name.startswith("step ")}
        from_ns, to_ns = spans[f"step {first}"].start, spans[f"step {end - 1}"].end
        rank.ranges = [r for r in rank.ranges if from_ns <= r.start and r.end <= to_ns]
        rank.calls = [c for c in rank.calls if from_ns <= c.start < to_ns]
        kept = {c.correlation for c in rank.calls}
        rank.ops = [op for op in rank.ops if op.correlation in kept]
    return job


def end_within(job, steps):
    """`steps`: {rank: (step, share)}: its capture ends within that step, whose range is closed there."""
    for rank in (r for r in job.ranks if r.number in steps):
        step, share = steps[rank.number]
        span = next(r for r in rank.ranges if r.name == f"step {step}")
        end_ns = int(span.start + share * (span.end - span.start))
        rank.ranges = [replace(r, end=min(r.end, end_ns)) for r in rank.ranges if r.start < end_ns]
        rank.calls = [c for c in rank.calls if c.end <= end_ns]
        rank.ops = [op for op in rank.ops if op.end <= end_ns]
    return job
