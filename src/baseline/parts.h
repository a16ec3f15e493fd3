/* For baseline/baseline_read.c: the parts of the document, in the order in which they are read. */
#ifndef BASELINE_PARTS_H
#define BASELINE_PARTS_H

#include "baseline/baseline.h"
#include "baseline/fields.h"
#include "diff/step_kinds.h"

enum {
	TEXT_BYTES = 1 << 16,
	KINDS_MAX = 2 * STEP_KINDS_MAX, /* two modes of each sort */
};

/* Of a run, months: no sum over as many runs as there may be overflows. */
#define LONGEST_NS (INT64_MAX / (4 * BASELINE_RUNS_MAX))

int parts_read_runs(const struct fields *f, const struct json *document, struct kept_baseline *k);
int parts_read_leaves(const struct fields *f, const struct json *document, struct kept_baseline *k);
int parts_read_host(const struct fields *f, const struct json *document, struct kept_baseline *k);
/* Every nanosecond of a step belongs to one leaf: a file that was edited or cut says otherwise. */
int parts_check_sums(const struct fields *f, struct account *a, size_t run);

#endif
