"""Changes that are planted into copies of real traces, with their truth to the nanosecond.

    from mutate import PLANTINGS, slower_kernel

    truth = slower_kernel("base.sqlite", "slower.sqlite", r"^step \\d+$")   # what was changed: see truth.py
    truth.total_ns, truth.steps           # all steps together are so much longer, and how many they are
    truth.first.path, truth.first.name    # the leaf that a comparison has to rank first
    for name, plant in PLANTINGS.items():
        plant(source, target, marker)     # Unplantable where the trace has no place for it

A trace needs ranges that are steps, of one process, and CUDA calls. planting.py says how a change is planted, clock.py how time is put
in, scene.py what a trace looks like to it; kernels.py, waits.py, overlap.py, names.py and length.py have the changes.
"""

from .kernels import clock_drift, extra_call, fuse, move_stream, reorder, slower_kernel, split
from .length import fewer_steps
from .names import change_tiles, rename_all, with_other_tiles, with_suffix
from .overlap import lost_overlap
from .planting import PLANTINGS
from .scene import Scene
from .truth import CLASSES, Leaf, Truth, Unplantable
from .waits import idle_in_range, longer_warm_up, new_sync, pageable_copy

__all__ = ["CLASSES", "PLANTINGS", "Leaf", "Scene", "Truth", "Unplantable", "change_tiles", "clock_drift", "extra_call", "fewer_steps",
           "fuse", "idle_in_range", "longer_warm_up", "lost_overlap", "move_stream", "new_sync", "pageable_copy", "rename_all", "reorder",
           "slower_kernel", "split", "with_other_tiles", "with_suffix"]
