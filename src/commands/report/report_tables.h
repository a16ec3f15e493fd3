/*
 * The CSV tables of `gpuwhy report`, and the columns that report.json shares with them: our tables
 * under the names that scripts know, columns renamed and converted.
 */
#ifndef COMMANDS_REPORT_TABLES_H
#define COMMANDS_REPORT_TABLES_H

#include "base/buf.h"
#include "commands/report/report_parts.h"

enum convert { AS_IS, NS_TO_MS, NS_TO_US, NS_TO_PCT /* of whole_ns */, PERCENTILE /* in µs */ };

struct mapped_column {
	const char *to;	  /* their name */
	const char *from; /* ours; NULL: the extra value of that position */
	enum convert convert;
};

/* Values that are the same in every row, for columns without `from`, in their order. */
struct mapped {
	const struct mapped_column *columns;
	size_t count;
	const struct cell *extra;
	double whole_ns;
	bool no_percentiles; /* their columns are empty */
};

/* clang-format off */
#define SAME(key)	{key, key, AS_IS}
#define NAMED(to, from) {to, from, AS_IS}
#define MS(to, from)	{to, from, NS_TO_MS}
#define US(to, from)	{to, from, NS_TO_US}
/* clang-format on */
#define MAPPED(list) ((struct mapped){.columns = (list), .count = ARRAY_LEN(list)})

/* The rows as a JSON array; at most `limit` of them (0: all). */
void mapped_add_json(struct buf *b, const struct mapped *m, const struct table *t, uint64_t limit);

enum { REPORT_TABLES = 8 };

/* One file of the folder "tables". */
struct report_table_file {
	const char *name; /* "tables/kernels.csv" */
	void (*add)(struct buf *b, const struct parts *p);
	enum part_id only_with; /* written where that part is made; PARTS: always */
};

/* i < REPORT_TABLES */
const struct report_table_file *report_table_file_at(size_t i);
/* Whether there is one in this report. */
bool report_table_is_written(const struct report_table_file *file, const struct parts *p);

extern const struct mapped mapped_gaps, mapped_ranges, mapped_code;
/* Kernels, by device or over all, percentiles left out where they are not wanted. */
struct mapped mapped_kernels(const struct parts *p, bool by_device);

struct mapped mapped_sync_calls(void);

#endif
