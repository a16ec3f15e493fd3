/*
 * One CSV of ncu's: which column is what. A raw page has a row for a launch and a column for a
 * metric; a details page has a row for each metric, or finding, of a launch.
 */
#ifndef NCU_PAGE_H
#define NCU_PAGE_H

#include "ncu/csv.h"
#include "ncu/metrics.h"

enum page_column {
	COL_ID,
	COL_PROCESS,
	COL_PROCESS_NAME,
	COL_NVTX,
	COL_KERNEL,
	COL_STREAM,
	COL_BLOCK,
	COL_GRID,
	COL_DEVICE,
	COL_CC,
	COL_DEVICE_NAME,
	COL_SECTION,
	COL_METRIC,
	COL_UNIT,
	COL_VALUE,
	COL_RULE,
	COL_RULE_TYPE,
	COL_RULE_TEXT,
	COL_SPEEDUP_TYPE,
	COL_SPEEDUP,
	PAGE_COLUMNS,
};

struct page {
	struct csv csv;
	size_t at[PAGE_COLUMNS]; /* SIZE_MAX: the file has no such column */
	bool details;
	size_t width;		/* columns of the heading */
	char mark;		/* of decimals */
	struct str *header;	/* raw: titles by column */
	size_t *first;		/* raw: by column, the one that has the same first: it counts */
	struct metric *metrics; /* raw: by column, once its unit is known; details: by number */
	size_t header_cap, first_cap, metric_count, metric_cap;
	struct strtab names; /* of metrics, with places or units; bytes in the arena */
	size_t *columns;     /* raw: by name, the first that has it */
	size_t column_cap;
	int additive; /* metrics that add up, so far */
	struct arena arena;
	bool ready; /* raw: the columns are known */
};

/* Whether a line of fields is the heading: it names a column of kernels. */
bool page_is_header(const struct csv *c);
/* Looks for the heading, skips what is before it, and leaves the rows to come. False: none. */
bool page_open(struct page *p, struct str text);
/* Takes the record for a heading. */
void page_take_header(struct page *p);
/* Raw: whether the record is the row of units, which comes first and names no kernel. */
bool page_is_units(const struct page *p);
/* Raw: what the columns are, from the row of units or, where there is none, in base units. */
void page_take_units(struct page *p, bool has_units);
/* Details: the metric of this name and unit. */
const struct metric *page_metric(struct page *p, struct str name, struct str unit);
void page_free(struct page *p);

/* A field of the record, trimmed; empty where there is none. */
struct str page_field(const struct page *p, enum page_column c);
/* Whether a column holds what tells a launch, not a measured value. */
bool page_is_identity(const struct page *p, size_t column);

#endif
