"""Captures that begin after NCCL was set up, and end before the job: of each rank some steps are left, with all that its host launched in them."""


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
