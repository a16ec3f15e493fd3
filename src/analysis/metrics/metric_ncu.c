/* Do ncu and the counters agree on what bounds a kernel? */
#include "analysis/metrics/metric_ncu.h"

#include "base/mem.h"

int metric_ncu_read(struct metric_ncu *ret, const struct string_list *files, struct trace *t,
		    const struct scope *p, struct err *e)
{
	*ret = (struct metric_ncu){0};
	if (ncu_read_all(&ret->report, files->all, files->count, e) == 0 &&
	    ncu_study_make(&ret->study, &ret->report, t, p, e) == 0)
		return 0;
	metric_ncu_free(ret);
	return -1;
}

void metric_ncu_free(struct metric_ncu *n)
{
	ncu_study_free(&n->study);
	ncu_free(&n->report);
	*n = (struct metric_ncu){0};
}

enum agreement { AGREE_UNKNOWN, AGREE_NO, AGREE_YES };

/* What counters cannot see is no disagreement: they have none of the caches. */
static enum agreement compare(enum metric_bound counters, enum ncu_bound ncu)
{
	switch (ncu) {
	case NCU_BOUND_COMPUTE:
		return counters == BOUND_TENSOR || counters == BOUND_ISSUE ? AGREE_YES : AGREE_NO;
	case NCU_BOUND_DRAM:
		return counters == BOUND_DRAM ? AGREE_YES : AGREE_NO;
	case NCU_BOUND_MEMORY:
		return counters == BOUND_DRAM ? AGREE_YES : AGREE_UNKNOWN;
	case NCU_BOUND_LATENCY:
		return counters == BOUND_TENSOR || counters == BOUND_ISSUE || counters == BOUND_DRAM
			       ? AGREE_NO
			       : AGREE_YES;
	default:
		return AGREE_UNKNOWN;
	}
}

static double share_of(const struct ncu_group *g)
{
	const struct ncu_shares *s = &g->pct;

	switch (g->bound) {
	case NCU_BOUND_COMPUTE:
		return s->sm;
	case NCU_BOUND_DRAM:
		return s->dram;
	case NCU_BOUND_L2:
		return s->l2;
	case NCU_BOUND_L1:
		return s->l1;
	case NCU_BOUND_MEMORY:
		return s->memory;
	default:
		return s->sm > s->memory ? s->sm : s->memory;
	}
}

void metric_ncu_add(struct metric_ncu *n, struct rows *rows, struct str kernel,
		    enum metric_bound bound)
{
	static const char *const words[] = {NULL, "no", "yes"};
	const struct ncu_group *g = ncu_study_find(&n->study, kernel);
	const enum agreement agree =
		!g || bound == BOUND_UNKNOWN ? AGREE_UNKNOWN : compare(bound, g->bound);

	n->joined += g != NULL;
	n->differ += agree == AGREE_NO;
	n->cached += g && (g->bound == NCU_BOUND_L1 || g->bound == NCU_BOUND_L2);
	rows_add(rows, g ? cell_text(ncu_bound_name(g->bound)) : cell_null());
	rows_add(rows, g ? known_cell(share_of(g)) : cell_null());
	rows_add(rows, words[agree] ? cell_text(words[agree]) : cell_null());
}

void metric_ncu_tell(const struct metric_ncu *n, struct report *r)
{
	if (n->cached)
		report_note(
			r,
			"ncu sees %zu kernel%s bound by a cache (L1, which shared memory is part "
			"of, or L2): the counters have none of these, so nobody can tell whether "
			"both agree.",
			n->cached, n->cached == 1 ? "" : "s");
	if (!n->joined)
		report_warning(r,
			       "no kernel of this window is in the profile of Nsight Compute at a "
			       "grid and block that it measured");
	else if (n->differ)
		report_warning(
			r,
			"of %zu kernel%s that ncu measured, too, it sees %zu bound by something "
			"else: it runs each alone, with cold caches, at fixed clocks; the "
			"counters saw the run",
			n->joined, n->joined == 1 ? "" : "s", n->differ);
}
