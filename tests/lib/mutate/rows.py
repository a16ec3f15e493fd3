"""Rows that are added to an export, or taken out of it: copies of rows it has, with what is different."""

import sqlite3

from make_trace import create_statement

from .scene import TABLE
from .truth import Unplantable


class Rows:
    def __init__(self, db):
        self.db = db
        self.tables = {n for n, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.correlations = max(self.largest(table, "correlationId") for table in self.tables)

    def need(self, table):
        """Exports lack tables without rows."""
        if table not in self.tables:
            self.db.execute(create_statement(table, []))
            self.tables.add(table)

    def columns(self, table):
        return [c[1] for c in self.db.execute(f'PRAGMA table_info("{table}")')] if table in self.tables else []

    def largest(self, table, column):
        if column not in self.columns(table):
            return 0
        return self.db.execute(f'SELECT MAX("{column}") FROM "{table}"').fetchone()[0] or 0

    def string(self, value):
        """The id of a string, new or not."""
        known = self.db.execute("SELECT id FROM StringIds WHERE value = ?", (value,)).fetchone()
        if known:
            return known[0]
        number = self.largest("StringIds", "id") + 1
        self.db.execute("INSERT INTO StringIds (id, value) VALUES (?, ?)", (number, value))
        return number

    def correlation(self):
        """An id that nothing has."""
        self.correlations += 1
        return self.correlations

    def add(self, table, **values):
        """A row, of what the table has columns for."""
        have = [c for c in self.columns(table) if c in values]
        marks = ", ".join("?" * len(have))
        names = ", ".join(f'"{c}"' for c in have)
        try:
            added = self.db.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', [values[c] for c in have])
        except sqlite3.Error as problem:
            raise Unplantable(f"{table}: {problem}") from problem
        return added.lastrowid

    def copy(self, table, row, **changes):
        """A row like another one."""
        names = self.columns(table)
        values = self.db.execute(f'SELECT * FROM "{table}" WHERE rowid = ?', (row,)).fetchone()
        return self.add(table, **dict(zip(names, values)) | changes)

    def change(self, table, row, **changes):
        names = ", ".join(f'"{c}" = ?' for c in changes)
        self.db.execute(f'UPDATE "{table}" SET {names} WHERE rowid = ?', (*changes.values(), row))

    def remove(self, table, row):
        self.db.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))

    def remove_op(self, op):
        """An op, and the call that launched it and nothing else."""
        self.remove(op.table, op.row)
        for row in op.call.rows if op.call.ops == 1 else ():
            self.remove(f"{TABLE}RUNTIME", row)

    def launch(self, op, start, end, call, **changes):
        """Another op like one, and the call that launched it: from call[0] to call[1]."""
        correlation = self.correlation()
        self.copy(f"{TABLE}RUNTIME", op.call.rows[0], start=call[0], end=call[1], correlationId=correlation)
        return self.copy(op.table, op.row, start=start, end=end, correlationId=correlation, **changes)

    def names(self, name, short=None):
        """The columns that name a kernel."""
        full, short = self.string(name), self.string(short or name)
        return {"demangledName": full, "shortName": short, "mangledName": full}
