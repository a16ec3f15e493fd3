"""Captures of whole jobs: real ones of several processes split into a file per process, and planted ones whose truth is known.

split.py splits; plant.py plants: template.py takes a step of a real rank, layout.py says who talks to whom, plants.py what is wrong,
job.py runs it, files.py writes what each rank's nsys would have written, names.py what the files are called. told.py reads answers.
"""

from .layout import LAYOUTS
from .names import STYLES
from .plant import KINDS, Truth, plant
from .split import Unsplittable, split
from .told import stragglers_differ

__all__ = ["KINDS", "LAYOUTS", "STYLES", "Truth", "Unsplittable", "plant", "split", "stragglers_differ"]
