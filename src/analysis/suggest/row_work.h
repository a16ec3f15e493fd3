/* What the GPU work of each row of stretches is: kernels by name and category, copies by where
 * they go. */
#ifndef ANALYSIS_ROW_WORK_H
#define ANALYSIS_ROW_WORK_H

#include "analysis/suggest/stretches.h"

enum { TOP_CATEGORIES = 3 };

struct category_share {
	struct str name; /* empty: there are no more */
	int64_t ns;
};

/* Kernels that show a part of a program, and the one of them with the most time. */
struct shown_part {
	int64_t ns;
	uint32_t example; /* name; NAME_NONE: there are none */
	int64_t example_ns;
};

struct row_work {
	struct category_share top[TOP_CATEGORIES]; /* of kernels, the most time first */
	uint32_t kernel;			   /* name with the most time; NAME_NONE */
	int64_t kernel_ns;
	uint64_t kernel_count;
	struct str kernel_category;
	struct shown_part parts[OP_PARTS];		 /* by enum op_part */
	int64_t to_device_ns, to_host_ns, other_copy_ns; /* copies; memsets are other ones */
	int64_t graph_ns;				 /* of whole graphs */
};

/* By row, for free(). The window of p applies. */
int row_work_read(const struct launched *l, const struct stretches *s, const struct scope *p,
		  struct op_signs *signs, struct row_work **ret, struct err *e);

#endif
