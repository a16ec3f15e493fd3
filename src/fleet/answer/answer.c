/* What is known of a job before anything is said about it? */
#include "fleet/answer/answer.h"
#include "fleet/answer/rank_words.h"

#include "base/mem.h"
#include "fleet/job/misfits.h"
#include "fleet/job/mixture.h"

#include <stdlib.h>

static int tell_losses(const struct fleet_args *a, struct report *r, struct err *e)
{
	for (size_t i = 0; i < a->loss_count; i++)
		report_warning(r, "%s is left out: %s", a->losses[i].file, a->losses[i].reason);
	if (a->strict && a->loss_count)
		return err_set(e, ERR_INPUT,
			       "%zu of the captures could not be read, and --strict asks "
			       "for all: %s: %s",
			       a->loss_count, a->losses[0].file, a->losses[0].reason);
	return 0;
}

static int check_missing(const struct job *j, const struct fleet_args *a, struct err *e)
{
	SCOPED_BUF b = {0};

	if (!a->strict || !j->missing)
		return 0;
	ranks_add_missing(&b, j);
	return err_set(e, ERR_INPUT,
		       "%zu of the job's %u ranks %s missing (%s), and --strict asks for all",
		       j->missing, j->world, j->missing == 1 ? "is" : "are", b.s);
}

/* What the report refers to is there as long as it is. */
static void free_answer(void *what)
{
	struct fleet_answer *a = what;

	stragglers_free(&a->stragglers);
	instances_free(&a->x);
	job_free(&a->job);
	free(a);
}

static int study(struct fleet_answer *a, struct err *e)
{
	clocks_and_instances(&a->job, &a->x);
	if (mixture_check(&a->job, &a->x, e) < 0)
		return -1;
	a->lost = arena_zalloc(&a->report->arena, a->job.member_count, sizeof(*a->lost));
	a->misfit = misfits_find(&a->x, a->lost);
	stragglers_find(&a->job, &a->x, &a->stragglers);
	return 0;
}

int fleet_answer_make(const struct part *const *parts, size_t count, const struct fleet_args *args,
		      struct report *r, struct fleet_answer **ret, struct err *e)
{
	struct fleet_answer *a = mem_zalloc(1, sizeof(*a));

	*a = (struct fleet_answer){.parts = parts,
				   .part_count = count,
				   .report = r,
				   .has_pages = args->has_pages,
				   .link_bytes_per_s = args->link_bytes_per_s,
				   .left_out = args->loss_count ? args->losses[0].file : NULL};
	*ret = a;
	report_on_free(r, free_answer, a);
	if (tell_losses(args, r, e) < 0 || job_make(parts, count, &a->job, e) < 0 ||
	    check_missing(&a->job, args, e) < 0)
		return -1;
	return study(a, e);
}
