"""How a change is planted: into a copy of a trace, whole or not at all, and its truth is held against the steps of that copy."""

import shutil
import sqlite3
from collections import defaultdict
from contextlib import closing
from functools import wraps
from pathlib import Path

from .rows import Rows
from .scene import Scene
from .truth import Leaf, Truth

PLANTINGS = {}


class Account:
    """Leaves, and what they changed by in each step."""

    def __init__(self, scene):
        self.leaves = defaultdict(lambda: [0] * len(scene.steps))

    def add(self, kind, path, name, step, ns):
        if step is not None and ns:
            self.leaves[kind, path, name][step] += ns

    def close(self):
        return tuple(Leaf(*leaf, tuple(ns)) for leaf, ns in self.leaves.items())


def planting(function):
    """Makes plant(source, target, marker, **how) of a function of a scene and the rows of the copy, which returns the
    fields of its truth; and lists it in PLANTINGS."""
    @wraps(function)
    def plant(source, target, marker, **how):
        before = Scene(source, marker)
        shutil.copyfile(source, target)
        try:
            with closing(sqlite3.connect(target)) as db, db:
                facts = function(before, Rows(db), **how)
            truth = Truth(function.__name__, step_changes(before, Scene(target, marker)), **facts)
            check(truth)
        except BaseException:
            Path(target).unlink()
            raise
        return truth

    PLANTINGS[function.__name__] = plant
    return plant


def step_changes(before, after):
    return tuple(b.ns - a.ns for a, b in zip(before.steps, after.steps))


def check(truth):
    for step, ns in enumerate(truth.step_ns):
        planned = sum(leaf.ns[step] for leaf in truth.leaves)
        assert planned == ns, f"{truth.what}: step {step} is {ns} ns longer, not {planned}"
