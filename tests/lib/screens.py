"""The terminal program without a terminal: keys from a script, screens as files."""

import re
import tempfile
from pathlib import Path

from harness import ROOT, gpuwhy

TABLE = ROOT / "src" / "tui" / "keymap.def"
VIEWS = ["timeline", "tree", "kernels", "findings", "steps"]
WORDS = {"LISTS": {"kernels", "findings", "steps"}, "EVERY_VIEW": set(VIEWS)} | {v.upper(): {v} for v in VIEWS}
SHOWS = {"timeline": "F2", "tree": "F3", "kernels": "F4", "findings": "F5", "steps": "F6"}
KEY = re.compile(r'^KEY(?:_ALSO)?\(\s*(\w+)\s*,\s*(?:"[^"]*"\s*,)?\s*([A-Z_| ]+?)\s*,\s*"([^"]*)"', re.MULTILINE)


def bindings():
    """(request, view, key) of all of the table."""
    for request, views, keys in KEY.findall(TABLE.read_text()):
        for view in sorted(set().union(*(WORDS[w.strip()] for w in views.split("|")))):
            for key in keys.split():
                yield request, view, key


class Screen:
    """A screen that :write-looks has saved."""

    def __init__(self, text):
        blocks = re.split(r"^--- (\w+).*\n", text, flags=re.MULTILINE)
        self.text = blocks[0]
        self.lines = blocks[0].removesuffix("\n").split("\n")
        looks = dict(zip(blocks[1::2], (b.split("\n") for b in blocks[2::2])))
        self.ink, self.marks = looks.get("ink", []), looks.get("marks", [])

    @property
    def view(self):
        """The tab that is not reversed."""
        bold = [i for i, mark in enumerate(self.marks[0]) if mark == "b"]
        return self.lines[0][bold[0]:bold[-1] + 1].split()[-1] if bold else None

    @property
    def status(self):
        return self.lines[-1]

    @property
    def chosen(self):
        """The lines in the look of the cursor."""
        return [self.lines[i] for i, ink in enumerate(self.ink[:-1]) if ink.startswith("ccc")]

    @property
    def window(self):
        found = re.search(r"([\d.]+) s \+ (.*)$", self.status)
        return found[0].strip() if found else None


def press(trace, keys, view="timeline", size="100x30", options=(), **more):
    """Presses keys; each WRITE among them saves the screen. The result, and the screens."""
    with tempfile.TemporaryDirectory() as folder:
        count = keys.count("WRITE")
        for i in range(count):
            keys = keys.replace("WRITE", f"\nsave-looks {folder}/{i}\n", 1)
        script = Path(folder, "script")
        script.write_text(keys)
        command = "tui" if view == "tree" else "timeline"
        if view not in ("tree", "timeline"):
            script.write_text(f"{SHOWS[view]}\n{keys}")
        # What keys write without being told where, they write here.
        result = gpuwhy(command, trace, "--script", script, "--size", size, *options, **{"cwd": folder, **more})
        saved = [Path(folder, str(i)) for i in range(count)]
        return result, [Screen(p.read_text()) if p.exists() else None for p in saved]
