"""What was planted, in whole nanoseconds: what a comparison of the two traces has to find."""

from dataclasses import dataclass

CLASSES = ("compute", "exposed_comm", "exposed_copy", "idle")


class Unplantable(Exception):
    """The trace has no place for what was to be planted."""


@dataclass(frozen=True)
class Leaf:
    """One leaf of the account of a step, and by how much it changed in each step of the trace."""
    kind: str  # one of CLASSES
    path: tuple  # range names from the outermost, counters folded ("step N"); () is outside any; None: in several
    name: str  # of the kernel or copy, as `gpuwhy tree` has it; what `gpuwhy idle` blames idle time on; None: of several, or unknown
    ns: tuple  # by step

    @property
    def total_ns(self):
        return sum(self.ns)


@dataclass(frozen=True)
class Truth:
    """What one change did to a trace. All that is not named here is as it was."""
    what: str
    step_ns: tuple  # by how much each step that both traces have is longer; the leaves sum up to it, step by step
    leaves: tuple = ()
    renames: tuple = ()  # (old name, new name, how many calls in all steps)
    replaced: tuple = ()  # (old names, new names, how often in all steps): n kernels became m
    new: tuple = ()  # (name, how many calls in all steps) of work that was added
    gone: tuple = ()  # (name, how many calls in all steps) of work that was taken out
    moved: tuple = ()  # (name, old stream, new stream, how many calls in all steps)
    cold: int = 0  # steps at the start that became a warm-up

    @property
    def steps(self):
        return len(self.step_ns)

    @property
    def total_ns(self):
        return sum(self.step_ns)

    def over(self, first, last=None):
        """(ns, steps): how much longer the steps [first, last) became together, and how many they are."""
        chosen = self.step_ns[first:last]
        return sum(chosen), len(chosen)

    def total_of(self, kind):
        """How much longer one of CLASSES became, all steps together."""
        return sum(leaf.total_ns for leaf in self.leaves if leaf.kind == kind)

    def by_class(self, step):
        """{class: ns} of one step."""
        return {kind: sum(leaf.ns[step] for leaf in self.leaves if leaf.kind == kind) for kind in CLASSES}

    @property
    def first(self):
        """The leaf that changed most: what a comparison has to rank first. None: nothing changed."""
        return max(self.leaves, key=lambda leaf: abs(leaf.total_ns), default=None)
