/*
 * Presenters: one per format, each a function from a report to text. `struct style` says what the
 * outside looks like; nothing here looks at the terminal itself. Where the sink does not take the
 * text, presenters stop and return -1 with the error.
 */
#ifndef REPORT_PRESENT_H
#define REPORT_PRESENT_H

#include "base/buf.h"
#include "base/sink.h"
#include "report/report.h"

enum { LEAST_WIDTH = 20 }; /* what is narrower is not worth fitting to */

struct style {
	bool colour;
	size_t width; /* columns of the terminal; 0: do not fit to any width */
	size_t rows;  /* of the terminal, with that of the prompt; 0: not known */
	/* JSON for a program that shows it to people: titles, and short names of kernels, too. */
	bool with_words;
};

/*
 * A presenter's output on its way to the sink: text gathers in `text` and leaves in large pieces.
 * Call out_poll() now and then (after each row), out_close() once at the end, whatever happened.
 */
struct out {
	struct buf text;
	struct sink *sink;
	const struct style *style;
	const struct table *table; /* whose row was read last, and its cells */
	struct cell *cells;
	bool dense;	     /* text: tables have neither titles nor rules nor footers, … */
	bool airless;	     /* … nor empty lines before them, … */
	size_t left_columns; /* … and so many columns found no room */
};

/* Passes the text on if there is a piece of it. */
int out_poll(struct out *o, struct err *e);
/* Passes the rest on unless `status` is already -1; frees the text; returns the final status. */
int out_close(struct out *o, int status, struct err *e);
/* The cells of row i, until the next row is read. */
const struct cell *out_row(struct out *o, const struct table *t, uint64_t i);

struct presenter {
	const char *name;      /* "json" */
	const char *extension; /* ".json" */
	bool for_people;       /* with units and short names */
	bool trees_only;       /* has nothing to say of other tables */
	bool in_pieces;	       /* an answer may come as several reports, one after another */
	int (*add)(struct out *o, const struct report *r, struct err *e);
	/* An answer that failed: what a machine reads in place of the tables. NULL: nothing. */
	void (*add_error)(struct buf *b, const struct report *r, const struct err *failure);
};

/* Each ends the file of its name. Those of rows alone are no formats: a command has them. */
extern const struct presenter presenter_text, presenter_markdown, presenter_json, presenter_csv;
extern const struct presenter presenter_html, presenter_folded;
extern const struct presenter presenter_json_array, presenter_json_lines;

/* text, markdown, json, csv, html, folded; NULL when there is none of that name. */
const struct presenter *presenter_find(const char *name);
/* The one whose files end as the path does, in either case; NULL: none. */
const struct presenter *presenter_of_file(const char *path);
/* The i-th, NULL after the last: for help and completion. */
const struct presenter *presenter_at(size_t i);

int present_report(const struct presenter *how, const struct report *r, const struct style *style,
		   struct sink *sink, struct err *e);
/* Only of a presenter that has add_error. */
int present_error(const struct presenter *how, const struct report *r, const struct err *failure,
		  struct sink *sink, struct err *e);

/* One comma-separated value, made safe and quoted where needed. */
void csv_add_field(struct buf *b, struct str s);

#endif
