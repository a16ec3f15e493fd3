/* The CSV tables of `gpuwhy report`, and the columns that report.json shares with them. */
#ifndef CLI_REPORT_TABLES_H
#define CLI_REPORT_TABLES_H

#include "commands/report/mapped.h"
#include "commands/report/report_parts.h"

enum { REPORT_TABLES = 6 };

/* One file of the folder "tables". */
struct report_table_file {
	const char *name; /* "tables/kernels.csv" */
	void (*add)(struct buf *b, const struct parts *p);
};

/* i < REPORT_TABLES */
const struct report_table_file *report_table_file_at(size_t i);

/* Kernels by device, percentiles left out where they are not wanted. */
struct mapped mapped_kernels(const struct parts *p);
struct mapped mapped_kernels_all_devices(const struct parts *p);
struct mapped mapped_gaps(void);
struct mapped mapped_ranges(void);
struct mapped mapped_sync_calls(void);

/* Total of a column of nanoseconds over all rows. */
double table_total(const struct table *t, const char *key);

#endif
