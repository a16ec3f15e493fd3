/* A scan's two halves: decoding leaf pages here, or asking libsqlite3. */
#ifndef SQLITEFILE_SCAN_H
#define SQLITEFILE_SCAN_H

#include "sqlitefile/record.h"

struct worker;

#define OUT_ROWID SIZE_MAX

struct sqlite_scan {
	struct plan plan; /* empty but for file and table when by_library */
	bool by_library;
	int *columns; /* as asked, `count` of them */
	size_t count;
	size_t *out_of; /* which want of the plan each of them is, or OUT_ROWID */
	bool guess;	/* rows counted from the keys above them will do */
	uint64_t rows;
	size_t batch_rows;
	struct worker *workers;
	unsigned worker_count;
	sqlite_batch_fn *fn;
	void *ctx;
};

/* plan.c: what to take out of the records of p->t for these columns. */
void plan_make(struct plan *p, const int *columns, size_t count);
bool plan_has_default(const struct plan *p);
void plan_free(struct plan *p);

#endif
