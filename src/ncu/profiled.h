/* The launches of one file on their way into a report. */
#ifndef NCU_PROFILED_H
#define NCU_PROFILED_H

#include "ncu/page.h"

struct launch {
	struct ncu_kernel kernel;
	bool added[METRICS_ADDING]; /* metrics that add up and were there */
};

struct profiled {
	struct ncu_report *report; /* whose arena texts and values are in */
	struct launch *all;
	size_t count, cap;
	struct launch_keys keys; /* details: rows of one launch have one key */
	uint64_t strange_lines, short_rows, long_rows;
};

/* Reads all rows that are left. */
int profiled_read(struct profiled *l, struct page *p, const char *path, struct err *e);
/* Puts them into the report: new ones, or what they add to those of another page. */
int profiled_join(struct profiled *l, const char *path, struct err *e);
void profiled_free(struct profiled *l);

/* The place of the last launch that has all in common with this one that tells launches apart. */
uint32_t *launch_keys_find(struct launch_keys *keys, struct arena *a, const struct ncu_kernel *k);
void launch_keys_free(struct launch_keys *keys);

#endif
