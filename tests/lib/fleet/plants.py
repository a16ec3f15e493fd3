"""What can be wrong with a job, each as a change of how long something takes on some ranks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plant:
    """Nothing is wrong."""
    ranks: frozenset = frozenset()

    def slowness(self, rank, step, phase):
        """What a compute kernel of a phase takes, in times."""
        return 1

    def stall_ns(self, rank, step, phase):
        """What the host works in a phase, more than otherwise."""
        return 0

    def transfer(self, rank, kind):
        """What a transfer takes that this rank is part of, in times."""
        return 1

    def stops(self, rank, step, kind):
        """Whether it never gets to a collective."""
        return False

    def swaps(self, rank, step, kind):
        """The kind of the collective that it gets to in place of another one; None: to that itself."""
        return None


NEVER = 1 << 30  # step


@dataclass(frozen=True)
class SlowGpu(Plant):
    percent: float = 3
    since: int = 0  # step
    until: int = NEVER

    def slowness(self, rank, step, phase):
        return 1 + self.percent / 100 if rank in self.ranks and self.since <= step <= self.until else 1


@dataclass(frozen=True)
class MoreWork(Plant):
    """Kernels of a phase have more to do, and are called as they are elsewhere."""
    percent: float = 15
    phase: str = "backward"

    def slowness(self, rank, step, phase):
        return 1 + self.percent / 100 if rank in self.ranks and phase == self.phase else 1


@dataclass(frozen=True)
class HostStall(Plant):
    ns: int = 3_000_000
    every: int = 4
    phase: str = "data"

    def stall_ns(self, rank, step, phase):
        return self.ns if rank in self.ranks and phase == self.phase and step and step % self.every == 0 else 0


@dataclass(frozen=True)
class RareStall(Plant):
    ns: int = 5_000_000
    step: int = 5
    phase: str = "data"

    def stall_ns(self, rank, step, phase):
        return self.ns if rank in self.ranks and phase == self.phase and step == self.step else 0


@dataclass(frozen=True)
class Both(Plant):
    """Two things are wrong, each with compute or with hosts."""
    one: Plant = Plant()
    other: Plant = Plant()

    def slowness(self, rank, step, phase):
        return self.one.slowness(rank, step, phase) * self.other.slowness(rank, step, phase)

    def stall_ns(self, rank, step, phase):
        return self.one.stall_ns(rank, step, phase) + self.other.stall_ns(rank, step, phase)


@dataclass(frozen=True)
class BadRail(Plant):
    times: float = 4

    def transfer(self, rank, kind):
        return self.times if rank in self.ranks and kind == "dp" else 1


@dataclass(frozen=True)
class Stop(Plant):
    step: int = 6
    kind: str = "dp"

    def stops(self, rank, step, kind):
        return rank in self.ranks and step == self.step and kind == self.kind


@dataclass(frozen=True)
class Swap(Plant):
    """Gets to the last collective of a step before all others."""
    step: int = 6
    kind: str = "dp"

    def swaps(self, rank, step, kind):
        return "world" if rank in self.ranks and step == self.step and kind == self.kind else None
