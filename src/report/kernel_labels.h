/*
 * Short names of the kernels of one answer. Different kernels look different: those whose short
 * names are the same get the words that tell them apart, "fill_kernel [float]" and "fill_kernel
 * [BFloat16]", or a number where no word does. All others are as short as before.
 */
#ifndef REPORT_KERNEL_LABELS_H
#define REPORT_KERNEL_LABELS_H

#include "base/arena.h"
#include "base/buf.h"
#include "text/strtab.h"

struct report;

struct kernel_labels {
	struct arena arena;
	struct strtab names, shorts;
	struct kernel_label *labels; /* by name */
	size_t label_cap;
	uint32_t *alike; /* by short name: how many kernels have it */
	size_t alike_cap;
};

/* Names of the report's tables, findings and charts; of a long table those of its first rows. */
void kernel_labels_make(struct kernel_labels *l, const struct report *r);
/* The short name, and what tells it from others. A name that is new here gets a number if need be.
 */
void kernel_labels_add_short(struct kernel_labels *l, struct buf *b, struct str name);
void kernel_labels_free(struct kernel_labels *l);

#endif
