/*
 * SQL that a user writes, on the tables of a file and on tables of the program's own
 * (sqlitefile/sql_table.h). It can read and nothing else; it ends when its time is up, when it is
 * told to stop, or when it needs more memory than it may have.
 */
#ifndef SQLITEFILE_SQL_H
#define SQLITEFILE_SQL_H

#include "sqlitefile/sqlitefile.h"

struct sql;
struct sql_query;

/* One value: of a result, or to be bound. Text and blobs live until the next step. */
struct sql_value {
	enum sqlite_type type;
	union {
		int64_t i;
		double r;
		struct str s;
	};
};

/* Without a file there are only the tables that are added: enough to tell whether it is SQL. */
int sql_open(struct sql **ret, struct sqlitefile *f, struct err *e);
void sql_close(struct sql *s); /* NULL is fine; queries first */

/*
 * From so many seconds on, counted from now, whatever is prepared or run fails with ERR_SYSTEM; 0:
 * it may take any time.
 */
void sql_set_timeout(struct sql *s, double seconds);
/* What such a failure says; always -1. */
int sql_say_late(double seconds, struct err *e);
/*
 * Asked every few microseconds while a query runs, and now and then while it is prepared or columns
 * are read: true ends it. One function of SQL is never interrupted, however long it takes.
 */
void sql_set_stop(struct sql *s, bool (*stop)(void));
/*
 * For a program that cannot end itself to end a query: functions that would take long, with nobody
 * asked meanwhile whether they are to stop, fail instead.
 */
int sql_refuse_costly(struct sql *s, struct err *e);

/*
 * A column whose values nobody is to see: they read as NULL, however a query goes about it. With a
 * `key`, those in rows whose key is among the values of another table's column.
 */
struct sql_hidden {
	const char *table, *column;
	const char *key, *of_table, *of_column;
};

/* One of a table at most. Before anything is prepared; the names must outlive the connection. */
int sql_hide(struct sql *s, const struct sql_hidden *columns, size_t count, struct err *e);

/* What is wrong with a text that cannot be run. */
enum sql_fault {
	SQL_FINE,
	SQL_BAD,       /* it is no SQL, or speaks of what is not there */
	SQL_NO_TABLE,  /* it names a table that is not there */
	SQL_NO_COLUMN, /* or a column */
	SQL_WRITES,    /* it would do more than read */
	SQL_HIDDEN,    /* it reads the table `name` past what hides values of it */
	SQL_EMPTY,     /* it has no statement */
	SQL_MORE,      /* it has more than one */
	SQL_REFUSED, /* nothing is: a table cannot be read, time or memory ran out, see `refused` */
};

struct sql_problem {
	enum sql_fault fault;
	char what[200]; /* SQLite's words, or what it would do */
	char name[200]; /* of the table or column */
	bool has_place;
	size_t line, column; /* from 1 */
	struct err refused;
};

/* Prepares the one statement of the text. -1: see *ret_problem. */
int sql_prepare(struct sql *s, struct str text, struct sql_query **ret,
		struct sql_problem *ret_problem);
/* The same for its query plan: rows of id, parent, a number and the detail. */
int sql_prepare_plan(struct sql *s, struct str text, struct sql_query **ret,
		     struct sql_problem *ret_problem);
void sql_free(struct sql_query *q); /* NULL is fine */
/*
 * Without a file: makes up the table or column that a statement could not be prepared for, so that
 * what else is wrong with it comes to light. False: that is not what it lacks.
 */
bool sql_make_up(struct sql *s, const struct sql_problem *p);

/* Whether the query reads the table; its name in any case. */
bool sql_reads(const struct sql_query *q, const char *table);
/* Whether it has come across a value that is hidden. */
bool sql_met_hidden(const struct sql_query *q);

/* Parameters, from 0; a "?" has no name: NULL. Names come without their mark. */
size_t sql_parameter_count(const struct sql_query *q);
const char *sql_parameter_name(const struct sql_query *q, size_t i);
int sql_bind(struct sql_query *q, size_t i, const struct sql_value *v, struct err *e);

size_t sql_column_count(const struct sql_query *q);
const char *sql_column_name(const struct sql_query *q, size_t i);

/* 1: there is a row; 0: there are no more; -1: an error. */
int sql_step(struct sql_query *q, struct err *e);
struct sql_value sql_column(struct sql_query *q, size_t i);
/*
 * Counts the rows that are left, for a second at most; the query is over then. 0: these are all; 1:
 * there was no time for more; -1: an error. *rows has grown by those that were found in any case.
 */
int sql_count_rest(struct sql_query *q, uint64_t *rows, struct err *e);

#endif
