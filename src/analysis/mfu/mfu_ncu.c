/* How many FLOPs did the kernels of the window do, as far as ncu counted them? */
#include "analysis/mfu/mfu_rows.h"

#include "base/buf.h"
#include "base/saturate.h"

#include <math.h>

double mfu_ncu_each(const struct mfu_ncu *n, size_t group)
{
	const struct ncu_group *g = &n->study.groups.all[group];

	return ncu_grids_speak(&n->study, group) ? g->flops / (double)g->launches : NAN;
}

static void add_group(struct mfu_ncu *n, size_t group)
{
	const struct ncu_traced *t = ncu_join_traced(&n->study.join, group);
	const double each = mfu_ncu_each(n, group);

	if (!t || !t->count || !isfinite(n->study.groups.all[group].flops))
		return;
	ncu_grids_add(&n->grids, &n->study, group);
	if (isnan(each))
		return;
	n->flops += each * (double)t->count;
	n->counted_ns = sat_add(n->counted_ns, t->total_ns);
	n->kernels++;
}

static int nothing_counted(const struct mfu_ncu *n, const struct mfu_question *q,
			   const struct trace *t, struct err *e)
{
	struct buf all = {0}, words = {0};

	for (size_t i = 0; i < q->ncu.count; i++) {
		buf_addf(&all, "%s'%s'", i ? " and " : "", q->ncu.all[i]);
		buf_addf(&words, "%s ", q->ncu.all[i]);
	}
	err_set(e, ERR_INPUT, "%s %s no FLOPs for any kernel in the window of '%s'%s", all.s,
		q->ncu.count == 1 ? "has" : "have", t->path,
		n->grids.unseen ? " at a grid that ncu measured" : "");
	err_hint(e,
		 "ncu must measure the same program at the same sizes, with --set roofline; gpuwhy "
		 "ncu %s%s shows what it measured",
		 words.s, t->path);
	buf_free(&all);
	buf_free(&words);
	return -1;
}

int mfu_ncu_count(struct mfu_ncu *ret, struct trace *t, const struct scope *p,
		  const struct mfu_question *q, struct err *e)
{
	*ret = (struct mfu_ncu){0};
	if (ncu_read_all(&ret->report, q->ncu.all, q->ncu.count, e) < 0 ||
	    ncu_study_make(&ret->study, &ret->report, t, p, e) < 0)
		return -1;
	for (size_t i = 0; i < ret->study.groups.count; i++)
		add_group(ret, i);
	ret->total_ns = ret->study.join.total_ns;
	return ret->flops > 0 ? 0 : nothing_counted(ret, q, t, e);
}

void mfu_ncu_free(struct mfu_ncu *n)
{
	ncu_study_free(&n->study);
	ncu_free(&n->report);
	*n = (struct mfu_ncu){0};
}

void mfu_ncu_note(struct report *r, const struct mfu_ncu *n)
{
	const double known = n->total_ns > 0 ? (double)n->counted_ns / (double)n->total_ns : 0;

	report_note(r,
		    "FLOPs as counted by ncu: a kernel's mean per launch times its launches in the "
		    "window, for %zu kernel%s with %.1f%% of the kernel time; other kernels count "
		    "as zero.",
		    n->kernels, n->kernels == 1 ? "" : "s", 100 * known);
	ncu_grids_warn(&n->grids, r,
		       "other grids are assumed to do the same work, which may be wrong, and "
		       "kernels without any matching grid count as zero");
	r->has_coverage = n->total_ns > 0;
	r->coverage = known;
}
