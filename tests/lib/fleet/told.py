"""What two answers tell about a job's stragglers: `fleet` of its captures, and `findings` of the same files read as one trace."""

IDS = ("straggler", "stage_imbalance")


def evidence(finding, label):
    return next((e["value"] for e in finding["evidence"] if e["label"] == label), None)


def stragglers_told(answer):
    """[(id, ranks, cause, ns of a step to save)], the one that costs most first."""
    found = [(f["id"], tuple(f["ranks"]), evidence(f, "cause"), evidence(f, "saved of a step"))
             for f in answer["findings"] if f["id"] in IDS]
    return sorted(found, key=lambda told: -told[3])


def stragglers_differ(one, other, within):
    """None where both have the same, what is saved within a share of it; else both."""
    a, b = stragglers_told(one), stragglers_told(other)
    same = len(a) == len(b) and all(x[:3] == y[:3] and abs(x[3] - y[3]) <= within * y[3] for x, y in zip(a, b))
    return None if same else f"{a}, not {b}"
