"""When what is queued on streams runs: after what is before it there, after what it waits for, and with whom it meets."""

GAP_NS = 1200  # from the end of an op to the start of one that waits for it


class Op:
    """Something on a stream: a kernel, or one rank's part of a collective. It has a start and an end once both are known."""
    __slots__ = ("kernel", "name", "stream", "correlation", "earliest_ns", "ns", "exit_ns", "meeting", "after", "unmet", "dependents",
                 "start", "end")

    def __init__(self, kernel, stream, correlation, earliest_ns, ns, after, meeting=None, exit_ns=0):
        """earliest_ns: not before it has been launched; `exit_ns`: it leaves its collective so long after the first could."""
        self.kernel, self.name, self.stream, self.correlation = kernel, kernel.name, stream, correlation
        self.earliest_ns, self.ns, self.exit_ns, self.meeting = earliest_ns, ns, exit_ns, meeting
        self.after, self.dependents, self.start, self.end = after, [], None, None
        self.unmet = sum(op.end is None for op in after)
        for op in after:
            if op.end is None:
                op.dependents.append(self)

    def begin(self):
        """Starts; returns what has an end by that."""
        self.start = max([self.earliest_ns, *(op.end + GAP_NS for op in self.after)])
        if self.meeting:
            return self.meeting.enter(self)
        self.end = self.start + self.ns
        return [self]


class Meeting:
    """One collective: it ends for all when the last has come and the transfer is done."""

    def __init__(self, size, ns):
        self.size, self.ns, self.entered = size, ns, []

    def enter(self, op):
        self.entered.append(op)
        if len(self.entered) < self.size:
            return []
        over_ns = max(op.start for op in self.entered) + self.ns
        for op in self.entered:
            op.end = over_ns + op.exit_ns
        return self.entered


def settle(ops):
    """Gives all of them their start and end; whom they meet is among them."""
    ready = [op for op in ops if not op.unmet]
    while ready:
        for done in ready.pop().begin():
            for later in done.dependents:
                later.unmet -= 1
                if not later.unmet:
                    ready.append(later)
    assert all(op.end is not None for op in ops), "somebody waits for ever"
