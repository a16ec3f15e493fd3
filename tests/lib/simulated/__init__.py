"""Captures of whole jobs as frameworks write them, simulated event by event: streams that wait for each other, and sends that nobody waits for.

lib/fleet has every rank do one thing after another; here compute goes on beside what communicates, as in Megatron's 1F1B, sharded
parameters that are gathered ahead, and gradients in buckets. queues.py is what GPUs do, rank.py what a host does, job.py both together;
pipeline.py, tensor.py, sharded.py and replicated.py are programs. What is wrong is one of lib/fleet/plants.py, which writes the files, too.
"""

from .cut import cut, end_within
from .grouped import write_grouped
from .job import Job
from .pipeline import pipeline
from .replicated import replicated
from .sharded import sharded
from .tensor import experts, staged, staged_label, tensor
from .write import forget_communicators, forget_numbers, forget_utc, write

__all__ = ["Job", "cut", "end_within", "experts", "forget_communicators", "forget_numbers", "forget_utc", "pipeline", "replicated", "sharded", "staged", "staged_label", "tensor", "write", "write_grouped"]
