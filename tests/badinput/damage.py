"""Makes broken files out of a good trace: what each is, its bytes, and what must be said of it."""

import gzip
import random
import sqlite3
import struct

KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
CONTROLS = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x08\r\x7f \u009b2J"


def edited(trace, path, *statements):
    """A copy of a trace after some SQL; a statement is text or (text, parameters)."""
    path.write_bytes(trace.read_bytes())
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(*([statement] if isinstance(statement, str) else statement))
    db.commit()
    db.close()
    return path


def renamed(trace, path, name):
    """A copy whose kernel with the most time has another name: text, or bytes taken for text."""
    return edited(trace, path, (
        "UPDATE StringIds SET value = CAST(? AS TEXT) WHERE id = (SELECT demangledName "
        f"FROM {KERNEL} GROUP BY 1 ORDER BY sum(end - start) DESC LIMIT 1)",
        (name.encode() if isinstance(name, str) else name,)))


class Pages:
    """The pages of a SQLite file, to be overwritten."""

    def __init__(self, trace):
        self.bytes = bytearray(trace.read_bytes())
        self.size = struct.unpack(">H", self.bytes[16:18])[0]
        self.size = 65536 if self.size == 1 else self.size
        db = sqlite3.connect(f"file:{trace}?immutable=1", uri=True)
        self.roots = dict(db.execute("SELECT name, rootpage FROM sqlite_master"))
        db.close()

    def __len__(self):
        return len(self.bytes) // self.size

    def at(self, page, offset=0):
        return (page - 1) * self.size + offset

    def put(self, page, offset, data):
        begin = self.at(page, offset)
        self.bytes[begin:begin + len(data)] = data

    def kind(self, page):
        return self.bytes[self.at(page)]

    def right_child(self, page):
        return struct.unpack_from(">I", self.bytes, self.at(page, 8))[0]

    def first_leaf(self, page):
        while self.kind(page) == 5:
            cell = struct.unpack_from(">H", self.bytes, self.at(page, 12))[0]
            page = struct.unpack_from(">I", self.bytes, self.at(page, cell))[0]
        return page


def root_page(trace, table):
    db = sqlite3.connect(f"file:{trace}?immutable=1", uri=True)
    root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    db.close()
    return root


def structural(trace):
    """(what it is, bytes, is it sure to be noticed) of files that lie about themselves."""
    def damaged(what, sure, change):
        pages = Pages(trace)
        change(pages, pages.roots[KERNEL])
        return what, bytes(pages.bytes), sure

    def first_cell(p, root):
        leaf = p.first_leaf(root)
        return leaf, struct.unpack_from(">H", p.bytes, p.at(leaf, 8))[0]

    yield damaged("cyclic b-tree, right child is the root", True,
                  lambda p, root: p.put(root, 8, struct.pack(">I", root)))

    def cycle_left(p, root):
        cell = struct.unpack_from(">H", p.bytes, p.at(root, 12))[0]
        p.put(root, cell, struct.pack(">I", root))
    yield damaged("cyclic b-tree, left child is the root", True, cycle_left)
    yield damaged("child page 0", True, lambda p, root: p.put(root, 8, bytes(4)))
    yield damaged("child page beyond the end", True,
                  lambda p, root: p.put(root, 8, b"\x7f\xff\xff\xff"))
    yield damaged("root is no table page", True, lambda p, root: p.put(root, 0, b"\x0d\x00\xff"))
    yield damaged("absurd count of cells in a leaf", True,
                  lambda p, root: p.put(p.first_leaf(root), 3, b"\xff\xff"))
    yield damaged("absurd count of children", True, lambda p, root: p.put(root, 3, b"\xff\xff"))
    yield damaged("absurd length of a record", True,
                  lambda p, root: p.put(*first_cell(p, root), b"\xff" * 8 + b"\x7f"))
    yield damaged("absurd length of a record's header", False,
                  lambda p, root: p.put(first_cell(p, root)[0], first_cell(p, root)[1] + 3,
                                        b"\xff" * 8))
    yield damaged("cell outside its page", True,
                  lambda p, root: p.put(p.first_leaf(root), 8, b"\xff\xff"))
    yield damaged("absurd count of pages in the header", False,
                  lambda p, root: p.put(1, 28, b"\xff\xff\xff\xff"))
    yield damaged("page size 0", True, lambda p, root: p.put(1, 16, b"\x00\x00"))
    yield damaged("page size 3", True, lambda p, root: p.put(1, 16, b"\x00\x03"))
    yield damaged("zeroed schema", True, lambda p, root: p.put(1, 100, bytes(p.size - 100)))


def cuts(trace):
    """Lengths to cut a file at: every page boundary, and somewhere inside every page."""
    size = trace.stat().st_size
    page = Pages(trace).size
    inside = random.Random(1)
    for begin in range(0, size, page):
        yield begin
        yield begin + inside.randrange(1, page)
    yield from (1, 15, 16, 99, 100, 101, size - 1)


def flipped(trace, count):
    """Copies with a few bytes changed, the same ones every time."""
    whole, rng = trace.read_bytes(), random.Random(2)
    for _ in range(count):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 3, 30))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        yield bytes(data)


def cyclic_overflow(path):
    """Makes the overflow chain of the longest string in a file point back at itself."""
    pages = Pages(path)
    needle = b"longname" * 100
    for page in range(2, len(pages) + 1):
        at = pages.at(page)
        body = bytes(pages.bytes[at + 4:at + pages.size])
        following = struct.unpack_from(">I", pages.bytes, at)[0]
        if needle in body and following and pages.kind(page) == 0:
            pages.put(page, 0, struct.pack(">I", page))
            path.write_bytes(pages.bytes)
            return path
    raise ValueError("no overflow page found")


def not_nsight(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE shopping(item TEXT, price REAL)")
    db.execute("INSERT INTO shopping VALUES ('bread', 2.5)")
    db.commit()
    db.close()
    return path


def cut_gzip(trace):
    return gzip.compress(trace.read_bytes(), 1)[:-5000]
