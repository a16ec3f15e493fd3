/*
 * What an analysis found: an ordered list of blocks, free of any format. Cells carry meaning
 * (count, nanoseconds, bytes, a name), never text; presenters decide how they look.
 * A report owns an arena; everything it points to lives in it, in the trace, or is constant.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a column's numbers mean. Machine formats print raw values, people's formats the unit. */
enum unit {
	UNIT_NAME,    /* text */
	UNIT_KERNEL,  /* text: a C++ kernel name, which people's formats may shorten */
	UNIT_COMMAND, /* text: a command line to copy, which nothing may break or shorten */
	UNIT_PAGE,  /* text: another page of the folder that this one is in, "ranks/rank_3.html" */
	UNIT_COUNT, /* how many: 1,234,567 for people */
	UNIT_ID,    /* an identifier: printed as it is */
	UNIT_NS,    /* a duration in nanoseconds, integer or real */
	UNIT_US,    /* a duration in microseconds, to the nanosecond */
	UNIT_TIME_NS, /* a point in time, nanoseconds since the capture's zero */
	UNIT_BYTES,   /* a size in bytes, integer or real */
	UNIT_BYTES_PER_S,
	UNIT_FLOPS, /* operations, a multiply-add being two: 1.03 TFLOP for people */
	UNIT_FLOPS_PER_S,
	UNIT_PERCENT,	  /* 0 to 100 */
	UNIT_UTILISATION, /* the same of what a device can do: people see 0.03% of it, too */
	UNIT_CHANGE,	  /* percent more or less than something else */
	UNIT_CHANGE_NS,	  /* nanoseconds more or less */
	UNIT_RATIO,	  /* a plain real number */
	UNIT_BOOL,
};

/* More than so many percent of a device is as wrong as any more: people see >100,000%. */
#define UTILISATION_ABSURD 1e5

/* Who sees a column. Machine formats have them all. */
enum column_show {
	SHOW,
	SHOW_IF_ALL,	/* the first to go, all of them at once: part of them would mislead */
	SHOW_IF_ROOM,	/* dropped on a terminal where names would get too short */
	SHOW_PREFERRED, /* dropped after those, where a line would not fit at all */
	MACHINE_ONLY,	/* too much for people */
};

struct column {
	const char *key; /* stable snake_case name in machine formats, unit included: "total_ns" */
	const char *title; /* for people; for nsys tables also the CSV header */
	enum unit unit;
	int decimals;	/* nsys tables: digits after the point of a real cell */
	const char *id; /* non-NULL: part of the row's key, prefixed so: "dev:" */
	enum column_show show;
};

enum cell_kind { CELL_NULL, CELL_INT, CELL_REAL, CELL_TEXT };

struct cell {
	enum cell_kind kind;
	unsigned char depth; /* of text in a tree: people's formats indent it */
	bool more;	     /* of text in a tree: siblings that are not shown come after it */
	bool literal;	     /* in a column of kernels: it is none, and not to be shortened */
	union {
		int64_t i;
		double r;
		struct str s;
	};
};

static inline struct cell cell_null(void)
{
	return (struct cell){.kind = CELL_NULL};
}

static inline struct cell cell_int(int64_t i)
{
	return (struct cell){.kind = CELL_INT, .i = i};
}

static inline struct cell cell_real(double r)
{
	return (struct cell){.kind = CELL_REAL, .r = r};
}

/* Nothing where it is no number. */
static inline struct cell cell_finite(double r)
{
	return isfinite(r) ? cell_real(r) : cell_null();
}

static inline struct cell cell_str(struct str s)
{
	return (struct cell){.kind = CELL_TEXT, .s = s};
}

static inline struct cell cell_literal(struct str s)
{
	return (struct cell){.kind = CELL_TEXT, .literal = true, .s = s};
}

static inline struct cell cell_text(const char *s)
{
	return cell_str(str_of(s));
}

/* Deeper than a screen is wide is all the same. */
static inline struct cell cell_str_in_tree(struct str s, size_t depth)
{
	return (struct cell){.kind = CELL_TEXT, .depth = depth < 30 ? (uint8_t)depth : 30, .s = s};
}

/*
 * Rows are made when they are asked for, so that a table of fifteen million rows costs no memory.
 * `row` fills column_count cells for row i < rows; it may be called for any row, in any order,
 * any number of times, from one thread; text it hands out lives until the next call at least.
 */
struct table {
	const char *name;  /* machine name: "kernels", "cuda_gpu_kern_sum" */
	const char *title; /* for people; NULL: none */
	const char *kind;  /* head of each row's key: "kernel"; NULL: same as name */
	const struct column *columns;
	size_t column_count;
	uint64_t rows;	       /* shown */
	uint64_t first;	       /* of these, how many JSON leaves out: they were on a page before */
	uint64_t total_rows;   /* before a limit cut them */
	bool total_is_least;   /* nobody counted on from there */
	const char *sorted_by; /* the key of the column that rows are in the order of; NULL: none */
	const char *rest;      /* where the others are; NULL: an option shows them */
	void (*row)(const void *ctx, uint64_t i, struct cell *cells);
	const void *ctx;
	bool nsys;	  /* CSV is NVIDIA's text: titles as header, fixed decimals; text prints raw
			     numbers */
	bool tree;	  /* a row is a node, after its parent: the first cell's depth tells */
	size_t weight;	  /* of a tree: the column that a node shares with its children */
	bool drops_empty; /* people do not see columns in which no row has anything */
	bool facts;	  /* few rows, each shown to people as a list of "title: value" */
	bool folds;	  /* rows beyond the first ones may be one, with their sum: report/fold.h */
	uint64_t most;	  /* of such: so many of the first rows are worth a line at all, */
	uint64_t closing; /* and the last ones are sums, which stay */
};

enum block_kind {
	BLOCK_HEADING,
	BLOCK_LEAD, /* the sentence that a document is about */
	BLOCK_NOTE,
	BLOCK_WARNING,
	BLOCK_TABLE,
	BLOCK_FINDING,
	BLOCK_ACTION, /* what to do about a finding, who, and what it could gain */
	BLOCK_CHART,
};

struct report_answer; /* report/answer.h */
struct finding;	      /* report/finding.h */
struct chart;	      /* report/chart.h */
struct strip;	      /* report/strip.h */

struct block {
	enum block_kind kind;
	const char *text;	   /* heading, lead, note, warning, action */
	const struct table *table; /* table */
	const struct finding *finding;
	const struct chart *chart;
	const struct strip *strip; /* finding: the timeline of its longest place; NULL: none */
	size_t number;		   /* finding, action: counts from 1 */
	bool detail;		   /* heading: what follows is too long for paper */
	bool has_strikes;	   /* what stands between ~~ and ~~ in its text is struck out */
	/* Of a report that fits a screen: the larger, the sooner it goes where all is too long; 0:
	 * never. */
	unsigned char yields;
};

/* What the answer is about: the head of every machine-readable answer. */
struct report_trace {
	const char *path;
	const char *tool;   /* "NVIDIA Nsight Systems 2025.3.2", or NULL */
	const char *schema; /* "3.20.4", or NULL */
	bool has_span;
	int64_t span_ns;  /* the capture's length */
	const char *side; /* of a comparison: "before" or "after"; NULL: it is none */
	/* Of one of several: what of it the answer is about, on its own clock. */
	bool has_window;
	int64_t window_start_ns, window_end_ns;
};

/* What sort of program was traced, in a sentence and in figures of its trade. */
struct report_workload {
	const char *kind; /* a stable word: "training", "serving" */
	bool likely;	  /* the evidence is thin */
	const char *text;
	const char *const *frameworks; /* the more special ones first */
	size_t framework_count;
	const struct column *columns; /* of the figures; their keys are stable */
	const struct cell *figures;   /* null: unknown */
	size_t figure_count;
};

/* What lost time costs. Time is summed over the GPUs used. */
struct report_cost {
	double usd_per_gpu_hour;
	uint64_t gpus;
	int64_t window_ns;     /* once, not by GPU */
	double recoverable_ns; /* of the finding that could bring back most */
	double idle_ns;
	const char *text; /* for people */
};

static inline double cost_usd(const struct report_cost *c, double gpu_ns)
{
	return gpu_ns / 3.6e12 * c->usd_per_gpu_hour;
}

/* Of an hour that is like the window. */
static inline double cost_usd_per_hour(const struct report_cost *c, double gpu_ns)
{
	return gpu_ns / (double)c->window_ns * c->usd_per_gpu_hour;
}

struct buf;
struct cleanup;

struct report {
	struct arena arena;
	const char *command;
	const char *title; /* of a document made of several answers; NULL: it is one */
	bool has_trace;
	struct report_trace trace;
	struct report_trace *traces; /* what an answer about several is about, in the arena */
	size_t trace_count;
	bool has_window;
	int64_t window_start_ns, window_end_ns;
	const char *window_span;  /* what chose it: warm, gpu, all, trim or step; may be NULL */
	const char *window_words; /* the same for people; NULL: its bounds say it all */
	uint64_t window_steps;	  /* in it, where it is steps; 0: it is something else */
	const char *verdict;	  /* a stable word: "host_bound"; NULL: nobody asked why */
	const char *verdict_text; /* the same in a sentence */
	const struct report_workload *workload; /* NULL: nobody asked, or nothing shows it */
	const struct report_cost *cost;		/* NULL: nobody said what a GPU costs */
	const struct report_answer *answer;	/* NULL: nobody asked in words */
	bool has_coverage;
	double coverage;	/* share of the data the answer rests on, 0 to 1 */
	bool findings_are_told; /* in sentences: those who read do not see them again */
	bool brief;		/* people see of a finding what it costs and what to do first */
	bool has_room;	     /* a brief one whose tables are in sight on terminals of any width */
	bool fits_screen;    /* text is no longer than a screen: rows fold and blocks yield */
	bool trees_only;     /* what is asked for has nothing to say of other tables */
	const char *unasked; /* a table that nobody will look at: it may be left out; NULL: none */
	/*
	 * Markdown for a comment: no more than this, whatever the names are; what is too long is
	 * cut, and details are folded. 0: all of it.
	 */
	size_t most_bytes;
	bool continues; /* an answer given in pieces whose beginning is out already */
	struct block *blocks;
	size_t block_count, block_cap;
	struct cleanup *cleanups;
};

void report_text(struct report *r, enum block_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define report_heading(r, ...) report_text(r, BLOCK_HEADING, __VA_ARGS__)
#define report_lead(r, ...)    report_text(r, BLOCK_LEAD, __VA_ARGS__)
#define report_note(r, ...)    report_text(r, BLOCK_NOTE, __VA_ARGS__)
#define report_warning(r, ...) report_text(r, BLOCK_WARNING, __VA_ARGS__)
/* How soon what was added last goes where a screen is too small: see struct block. */
void report_last_yields(struct report *r, unsigned char yields);
/* Moves what was added last to this place among the blocks: some is known only when all is made. */
void report_move_last(struct report *r, size_t place);
/* What was added: a table by its name, or NULL. */
const struct table *report_find_table(const struct report *r, const char *name);
/* Index of a column by its key, or -1. */
int table_column(const struct table *t, const char *key);
/* The cell of a row by its column's key; null where there is no such column, or no table. */
struct cell table_cell(const struct table *t, uint64_t row, const char *key);
/* The table must live as long as the report (allocate it in r->arena). */
void report_table(struct report *r, const struct table *t);
/* What a buffer holds, which is freed, in the report's arena; null where it is empty. */
struct cell report_take_cell(struct report *r, struct buf *b);
/* The same as text; "" where it is empty. */
const char *report_take_text(struct report *r, struct buf *b);
/* What rows are made from may be too large for the arena: it is freed with the report. */
void report_on_free(struct report *r, void (*free_fn)(void *), void *what);
void report_free(struct report *r);

/*
 * The usual table: cells filled one after another. report_new_rows() makes the table and adds its
 * block; then row by row, column by column: rows_add(), or ROWS_ADD() for several. The number of
 * rows follows.
 */
struct rows {
	struct table table;
	struct arena *arena;
	struct cell *cells;
	size_t count, cap; /* in cells */
};

struct rows *report_new_rows(struct report *r, const char *name, const char *title,
			     const struct column *columns, size_t column_count);
/* The same of an array of columns. */
#define REPORT_ROWS(r, name, title, columns) \
	report_new_rows(r, name, title, columns, sizeof(columns) / sizeof(*(columns)))
void rows_add(struct rows *t, struct cell c);
void rows_add_cells(struct rows *t, const struct cell *cells, size_t count);
#define ROWS_ADD(rows, ...)                                      \
	rows_add_cells(rows, (const struct cell[]){__VA_ARGS__}, \
		       sizeof((const struct cell[]){__VA_ARGS__}) / sizeof(struct cell))

#endif
