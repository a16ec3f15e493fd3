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
	struct strtab keys; /* details: rows of one launch have one key */
	uint32_t *by_key;
	size_t by_key_cap;
	uint64_t strange_lines, short_rows, long_rows;
};

/* Reads all rows that are left. */
int profiled_read(struct profiled *l, struct page *p, const char *path, struct err *e);
/* Puts them into the report: new ones, or what they add to those of another page. */
int profiled_join(struct profiled *l, const char *path, struct err *e);
void profiled_free(struct profiled *l);

/* The text once, in the report. */
struct str profiled_keep(struct ncu_report *r, struct str text);
/* What tells a launch from others; `b` is cleared first. */
void profiled_key(struct buf *b, const struct ncu_kernel *k);
/* "step/attn" of what ncu writes about the ranges around a launch. */
void profiled_add_nvtx(struct buf *b, struct str text);
/*
 * The name of a kernel. ncu leaves out namespaces that all kernels of a report are in; of
 * "at::native::<unnamed>::f" it leaves out a bracket too much, "unnamed>::f", which is put back.
 */
void profiled_add_name(struct buf *b, struct str name);

#endif
