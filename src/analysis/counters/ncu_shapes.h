/* Grids and blocks of kernels, in a trace and in a profile: what tells kernels of one name apart.
 */
#ifndef ANALYSIS_NCU_SHAPES_H
#define ANALYSIS_NCU_SHAPES_H

#include "analysis/counters/ncu_join.h"
#include "base/pairs.h"

struct ncu_shapes {
	struct pairs numbers[5]; /* six numbers, joined pair by pair, are a number */
	struct pairs traced;	 /* (kernel of the trace, shape) */
	int64_t *traced_ns;	 /* by number of such a pair */
	size_t traced_cap;
	uint32_t **of_group; /* by group: its different shapes, ID_NONE after the last */
	size_t group_count;
	struct arena arena;
};

/* Reads the kernels of the trace, sums them up into j->traced, and notes their shapes. */
int ncu_shapes_read(struct ncu_shapes *s, struct trace *t, const struct scope *p,
		    struct ncu_join *j, struct err *e);
void ncu_shapes_add_groups(struct ncu_shapes *s, const struct ncu_report *r,
			   const struct ncu_groups *g);
void ncu_shapes_free(struct ncu_shapes *s);

/* Whether the trace has launches of that kernel with every shape of the group, which has some. */
bool ncu_shapes_agree(const struct ncu_shapes *s, size_t group, uint32_t traced);
/* The time of that kernel in launches of the group's shapes; or NCU_UNSAID. */
int64_t ncu_shapes_time(const struct ncu_shapes *s, size_t group, uint32_t traced);

#endif
