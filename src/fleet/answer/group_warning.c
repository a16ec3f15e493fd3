/* Where communicators are not known: which ranks share collectives, as far as that is a guess? */
#include "fleet/answer/answer.h"

#include "base/mem.h"
#include "fleet/answer/rank_words.h"
#include "fleet/job/misfits.h"
#include "fleet/job/mixture.h"
#include "fleet/mesh_groups.h"

#include <stdlib.h>

/* There is a class for each group of ranks. */
static bool is_told(const struct instance_class *classes, size_t of)
{
	const struct instance_class *c = &classes[of];

	for (size_t i = 0; i < of; i++) {
		if (classes[i].axes == c->axes && classes[i].is->type == c->is->type)
			return true;
	}
	return false;
}

/* "AllGather by tp, ReduceScatter by dp" */
static void tell_axes(struct fleet_answer *a)
{
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < a->x.class_count; i++) {
		const struct instance_class *c = &a->x.classes[i];

		if (!c->axes || c->axes == MESH_BY_TIME || is_told(a->x.classes, i))
			continue;
		buf_addf(&b, "%s%s by", b.len ? ", " : "", collective_type_name(c->is->type));
		mesh_axes_add(&b, c->axes);
	}
	if (b.len)
		report_warning(a->report,
			       "communicators are not known: which ranks share collectives is "
			       "guessed from their labels (%s); export with --include-json true, "
			       "which keeps communicators",
			       b.s);
}

/* "AllGather: 4 groups of 4, ranks 0 to 3 and so on" */
static void add_groups(struct buf *b, const struct fleet_answer *a, const struct group_sizes *s)
{
	bool *chosen = mem_zalloc(a->job.member_count, sizeof(*chosen));

	for (size_t i = 0; i < s->first->queue_count; i++)
		chosen[a->x.queues[s->first->first_queue + i].member] = true;
	buf_addf(b, "%s%s: %zu groups of %zu", b->len ? "; " : "",
		 collective_type_name(s->is->type), s->groups, s->least);
	if (s->most > s->least)
		buf_addf(b, " to %zu", s->most);
	buf_adds(b, ", ");
	ranks_add(b, &a->job, chosen);
	buf_adds(b, " and so on");
	free(chosen);
}

static void tell_times(struct fleet_answer *a)
{
	SCOPED_BUF b = {0};
	size_t count;
	struct group_sizes *all = group_sizes_list(&a->x, &count);

	for (size_t i = 0; i < count; i++) {
		if (all[i].first->axes == MESH_BY_TIME)
			add_groups(&b, a, &all[i]);
	}
	free(all);
	if (b.len)
		report_warning(a->report,
			       "communicators are not known: which ranks share collectives is "
			       "guessed from which of them leave these together (%s); export with "
			       "--include-json true, which keeps communicators",
			       b.s);
}

/* A mesh has groups of one size. */
static void tell_uneven(struct fleet_answer *a)
{
	struct group_sizes s;

	a->is_uneven = misfits_uneven(&a->x, &s);
	if (a->is_uneven)
		report_warning(a->report,
			       "communicators are not known: by when they come, %s kernels are "
			       "those of groups of %zu to %zu ranks, which is hardly right, and "
			       "waits may be wrong with it; export with --include-json true, which "
			       "keeps communicators, or label ranks: \"rank=3; dp=0/4 tp=3/4\"",
			       collective_type_name(s.is->type), s.least, s.most);
}

/* Where not even the times of kernels tell: then nobody is told to lack any. */
static void tell_misfit(struct fleet_answer *a)
{
	report_warning(a->report,
		       "communicators are not known, and %s kernels do not fit together as "
		       "those of any group of ranks: who shares them cannot be told, and "
		       "waits may be wrong with it; export with --include-json "
		       "true, which keeps communicators, or label ranks: \"rank=3; dp=0/4 "
		       "tp=3/4\"",
		       collective_type_name(a->misfit->type));
}

static bool has_communicators(const struct fleet_answer *a)
{
	for (size_t i = 0; i < a->x.class_count; i++) {
		if (a->x.classes[i].is->has_communicator)
			return true;
	}
	return false;
}

/* The first two of several sets of ranks that never meet. */
static void tell_sets(struct fleet_answer *a)
{
	uint32_t *set = mem_alloc(a->job.member_count, sizeof(*set));
	bool *chosen = mem_alloc(a->job.member_count, sizeof(*chosen));
	const uint32_t sets = mixture_sets(&a->job, &a->x, set);
	SCOPED_BUF b = {0};

	for (uint32_t n = 0; n < 2 && sets > 1; n++) {
		for (size_t i = 0; i < a->job.member_count; i++)
			chosen[i] = set[i] == n;
		buf_adds(&b, n ? "; " : "");
		ranks_add(&b, &a->job, chosen);
	}
	if (sets > 1)
		report_warning(a->report,
			       "%u sets of ranks have no %s in common (%s%s): either the "
			       "captures are too short to show one, or these are several jobs; "
			       "nobody is seen to wait for ranks of another set",
			       sets,
			       has_communicators(a) ? "communicator"
						    : "collective that they leave together",
			       b.s, sets > 2 ? "; …" : "");
	else if (mixture_is_assumed(&a->job, &a->x))
		report_note(a->report, "that these are captures of one job is assumed: not all "
				       "ranks share collectives that would show it");
	free(chosen);
	free(set);
}

void fleet_tell_groups(struct fleet_answer *a)
{
	tell_sets(a);
	tell_axes(a);
	tell_times(a);
	if (a->misfit)
		tell_misfit(a);
	else
		tell_uneven(a);
}
