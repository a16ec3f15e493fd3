/* Tables over all members of a job that need no clock in common. */
#ifndef FLEET_FLEET_TABLES_H
#define FLEET_FLEET_TABLES_H

#include "analysis/scope.h"
#include "fleet/part.h"
#include "report/report.h"

/* Who is who: "ranks". Rows are by rank, then by file, process and GPU. */
void fleet_ranks_table(struct report *r, const struct part *const *parts, size_t count,
		       bool has_pages);
/* Where the page about one capture lies beside that about the job: "ranks/rank_3.html". */
#define FLEET_PAGES "ranks"
#define FLEET_PAGE  "rank_"
const char *fleet_page_of(struct arena *a, const struct part *p);
/* Kernels of all ranks together, as `kernels` has those of one file: "kernels". */
int fleet_kernels_table(struct report *r, const struct part *const *parts, size_t count,
			const struct row_choice *rows, struct err *e);

/* Stable words: "given", "label", "nccl", "range", "variable", "file_name", "assumed". */
extern const char *const part_rank_source_keys[PART_RANK_SOURCES];
/* "warm", "gpu", "all". */
extern const char *const part_window_keys[PART_WINDOW_KINDS];

#endif
