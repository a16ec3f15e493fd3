/*
 * Which kernels of a trace are those that Nsight Compute measured? The most exact form of a name
 * that both have decides; where it fits several, grids and blocks do; where those do, too, nobody
 * knows.
 */
#ifndef ANALYSIS_NCU_JOIN_H
#define ANALYSIS_NCU_JOIN_H

#include "analysis/analysis.h"
#include "analysis/counters/ncu_groups.h"
#include "analysis/counters/ncu_name.h"

/* A kernel of the trace, in the window. */
struct ncu_traced {
	struct str name;
	uint64_t count;
	int64_t total_ns;
};

enum ncu_fit {
	NCU_FIT_NONE,
	NCU_FIT_ONE,
	NCU_FIT_SEVERAL, /* names and shapes fit several kernels of the trace, or of the profile */
};

struct ncu_match {
	enum ncu_fit fit;
	enum ncu_form form;  /* in which names agree */
	uint32_t traced;     /* of NCU_FIT_ONE */
	int64_t measured_ns; /* of its time in the trace: with a grid and block that ncu saw */
};

/* As measured_ns: the trace or the profile does not say the grids. */
enum { NCU_UNSAID = -1 };

struct ncu_join {
	struct ncu_match *of_group; /* groups by name */
	size_t group_count;
	struct ncu_traced *traced;
	size_t traced_count;
	int64_t total_ns, joined_ns; /* of all kernels, and of those that were joined */
};

/* `by_name` are groups by name; grids and blocks are those of r's launches. */
int ncu_join_make(struct ncu_join *j, const struct ncu_report *r, const struct ncu_groups *by_name,
		  struct trace *t, const struct scope *p, struct err *e);
void ncu_join_free(struct ncu_join *j);

/* The kernel of the trace that a group is; NULL: unknown. */
static inline const struct ncu_traced *ncu_join_traced(const struct ncu_join *j, size_t group)
{
	const struct ncu_match *m = &j->of_group[group];

	return m->fit == NCU_FIT_ONE ? &j->traced[m->traced] : NULL;
}

#endif
