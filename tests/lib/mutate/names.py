"""Kernels with other names that do the same: a compiler, a library or a version has changed."""

import re
from collections import Counter

from .planting import planting
from .scene import TABLE
from .truth import Unplantable

COLUMNS = ("demangledName", "shortName", "mangledName")


def with_suffix(name):
    """Another base name: at::native::foo<int>(…) is at::native::foo_v2<int>(…)."""
    at = re.match(r"([\w:~ ]|<unnamed>|\(anonymous namespace\)|\{anonymous\})*", name).end()
    return name[:at] + "_v2" + name[at:]


def with_other_tiles(name, shift=10):
    """Tiles twice as large, the next architecture, other template arguments, generated numbers shifted."""
    name = re.sub(r"\d+(x\d+)+", lambda m: re.sub(r"\d+", lambda n: str(2 * int(n[0])), m[0]), name)
    name = re.sub(r"(?<=sm)(\d+)", lambda m: {"80": "90", "90": "100"}.get(m[0], m[0]), name)
    name = re.sub(r"\((unsigned )?(int|long)\)(\d+)", lambda m: f"({m[1] or ''}{m[2]}){2 * int(m[3]) + 1}", name)
    return re.sub(r"(?<=_)\d+$", lambda m: str(int(m[0]) + shift), name) if name.startswith("triton_") else name


def rename(scene, rows, rule):
    """Gives each kernel the name that a rule makes of its name; no two may become one."""
    names = dict(rows.db.execute("SELECT id, value FROM StringIds"))
    used = {c: {n for n, in rows.db.execute(f"SELECT DISTINCT {c} FROM {TABLE}KERNEL WHERE {c} IS NOT NULL")} for c in COLUMNS}
    for column, ids in used.items():
        renamed = {n: rule(names[n]) for n in ids if n in names}
        if column == "demangledName" and len(set(renamed.values())) < len(set(names[n] for n in renamed)):
            raise Unplantable("two kernels would get one name")
        new = {old: rows.string(value) for old, value in renamed.items() if value != names[old]}
        # At once, for a new name may be another one's old name.
        rows.db.create_function("renamed", 1, lambda old, new=new: new.get(old, old), deterministic=True)
        rows.db.execute(f"UPDATE {TABLE}KERNEL SET {column} = renamed({column})")
    calls = Counter(op.name for op in scene.kernels())
    renames = tuple((name, rule(name), count) for name, count in calls.most_common() if rule(name) != name)
    if not renames:
        raise Unplantable("the rule renames nothing")
    return {"renames": renames}


@planting
def rename_all(scene, rows, rule=with_suffix):
    """Every kernel has another name."""
    return rename(scene, rows, rule)


@planting
def change_tiles(scene, rows, rule=with_other_tiles):
    """Kernels with tile sizes, architectures, template arguments or generated numbers in their names have others there."""
    return rename(scene, rows, rule)
