/* What do many ranks have in common: which of their findings cost the job most? */
#include "fleet/answer/answer.h"

#include "analysis/findings/explain.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum { SHOWN = 12 };

/* Findings of one kind and place. */
struct common {
	const struct part_finding *is; /* the one that costs most */
	const char *file;	       /* its capture's */
	uint32_t parts;		       /* that have it … */
	uint32_t of_stragglers;	       /* … of these, such as are late for just that */
	double sum_pct;
};

static int compare_kinds(const struct part_finding *a, const struct part_finding *b)
{
	const int order = strcmp(a->id, b->id);

	return order ? order : strcmp(a->place, b->place);
}

static int by_kind(const void *a, const void *b, void *ctx)
{
	const struct common *x = a, *y = b;
	const int order = compare_kinds(x->is, y->is);

	(void)ctx;
	if (order)
		return order;
	return (x->is->recoverable_pct < y->is->recoverable_pct) -
	       (x->is->recoverable_pct > y->is->recoverable_pct);
}

/* What a file alone says about its ranks, the job says better. */
static bool is_said_better(const char *id)
{
	return strcmp(id, "straggler") == 0 || strcmp(id, "rank_skew") == 0 ||
	       strcmp(id, "stage_imbalance") == 0 || strcmp(id, "hang") == 0;
}

/* "data" of "forward / data" */
static bool ends_in(const char *path, const char *place)
{
	const size_t n = strlen(path), own = strlen(place);

	return own && n >= own && strcmp(path + n - own, place) == 0 &&
	       (n == own || (n >= own + 3 && strncmp(path + n - own - 3, " / ", 3) == 0));
}

/* Whether a capture's finding is why its rank is a straggler, which is told already. */
static bool is_its_reason(const struct fleet_answer *a, uint32_t part, const struct straggler *g,
			  const struct part_finding *f)
{
	for (uint32_t i = 0; i < g->members; i++) {
		const struct straggler *one = g->each ? &g->each[i] : g;

		if (a->job.members[g->who[i]].part == part &&
		    (one->cause == SLOW_BY_HOST || one->cause == SLOW_BY_DATA) &&
		    ends_in(one->path, f->place))
			return true;
	}
	return false;
}

static bool is_told(const struct fleet_answer *a, uint32_t part, const struct part_finding *f)
{
	if (strcmp(f->id, "host_stall") != 0 || a->job.parts[part].part->member_count != 1)
		return false;
	for (size_t i = 0; i < a->stragglers.count; i++) {
		if (is_its_reason(a, part, &a->stragglers.all[i], f))
			return true;
	}
	return false;
}

static struct common *list_findings(const struct fleet_answer *a, size_t *ret_count)
{
	struct common *all = NULL;
	size_t count = 0, cap = 0;

	for (uint32_t i = 0; i < a->job.part_count; i++) {
		const struct part *p = a->job.parts[i].part;

		for (size_t k = 0; k < p->finding_count; k++) {
			if (is_said_better(p->findings[k].id))
				continue;
			MEM_GROW(all, cap, count + 1);
			all[count++] = (struct common){&p->findings[k], p->file, 1,
						       is_told(a, i, &p->findings[k]),
						       p->findings[k].recoverable_pct};
		}
	}
	sort_stable(all, count, sizeof(*all), by_kind, NULL);
	*ret_count = count;
	return all;
}

static size_t merge(struct common *all, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && compare_kinds(all[kept - 1].is, all[i].is) == 0) {
			all[kept - 1].parts++;
			all[kept - 1].of_stragglers += all[i].of_stragglers;
			all[kept - 1].sum_pct += all[i].sum_pct;
		} else {
			all[kept++] = all[i];
		}
	}
	return kept;
}

/* What stragglers alone have, and are late for, is theirs. */
static size_t drop_told(struct common *all, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (all[i].of_stragglers < all[i].parts)
			all[kept++] = all[i];
	}
	return kept;
}

/* The job has all of it only if all ranks do: a rank alone that is not late costs nobody. */
static double weight(const struct common *c, const struct fleet_answer *a)
{
	return c->sum_pct / (double)a->job.part_count;
}

static int by_weight(const void *a, const void *b, void *ctx)
{
	const struct common *x = a, *y = b;
	const double p = weight(x, ctx), q = weight(y, ctx);

	if (x->is->severity != y->is->severity)
		return (int)y->is->severity - (int)x->is->severity;
	return (p < q) - (p > q);
}

static void say_where(struct fleet_answer *a, const struct common *c, struct finding *f)
{
	finding_add_evidence(f, "captures that have it", UNIT_NAME,
			     cell_text(arena_printf(&a->report->arena, "%u of %zu", c->parts,
						    a->job.part_count)));
	finding_add_evidence(f, "most in", UNIT_NAME, cell_text(c->file));
}

/* Each rank has one of its own. */
static double mean_window_ns(const struct job *j)
{
	double sum_ns = 0;

	for (size_t i = 0; i < j->member_count; i++)
		sum_ns += (double)span_ns(j->members[i].is->window);
	return sum_ns / (double)j->member_count;
}

static void tell(struct fleet_answer *a, const struct common *c)
{
	struct finding *f = arena_zalloc(&a->report->arena, 1, sizeof(*f));
	const double share = weight(c, a);

	f->id = c->is->id;
	f->title = c->is->title;
	f->severity = c->is->severity;
	f->owner = c->is->owner;
	f->confidence = c->is->confidence;
	f->recoverable_pct = share;
	f->recoverable_ns = sat_of_double(share / 100 * mean_window_ns(&a->job));
	f->how = "the mean over all captures of what each would gain alone";
	f->capture = c->file;
	if (a->job.part_count > 1)
		say_where(a, c, f);
	if (*c->is->advice)
		f->advice[f->advice_count++] = c->is->advice;
	report_finding(a->report, f);
}

static void set_verdict(struct fleet_answer *a, const struct common *c)
{
	const char *word = c ? verdict_word(c->is->id) : NULL;

	if (a->report->verdict || !word)
		return;
	a->report->verdict = word;
	a->report->verdict_text =
		a->stragglers.replay.count || a->misfit || a->stragglers.in_doubt
			? arena_printf(&a->report->arena, "%s What all have in common: %s",
				       fleet_nobody_is_slow(a), c->is->title)
			: c->is->title;
}

void fleet_tell_findings(struct fleet_answer *a)
{
	size_t count;
	struct common *all = list_findings(a, &count);

	count = drop_told(all, merge(all, count));
	sort_stable(all, count, sizeof(*all), by_weight, a);
	set_verdict(a, count ? &all[0] : NULL);
	for (size_t i = 0; i < count && i < SHOWN; i++)
		tell(a, &all[i]);
	free(all);
}
