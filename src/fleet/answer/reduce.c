/* What do the parts of a job say together? */
#include "fleet/answer/answer.h"
#include "fleet/fleet_tables.h"
#include "fleet/job/mixture.h"

#include "base/mem.h"

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
	if (a->strict && j->missing)
		return err_set(e, ERR_INPUT,
			       "%zu of the job's %u ranks are missing, and --strict asks for all",
			       j->missing, j->world);
	return 0;
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
	if (job_check_times(&a->job, e) < 0)
		return -1;
	stragglers_find(&a->job, &a->x, &a->stragglers);
	return 0;
}

const char *fleet_nobody_text(const struct fleet_answer *a)
{
	const struct job *j = &a->job;

	if (!j->missing)
		return "No single rank makes the others' steps longer.";
	return arena_printf(&a->report->arena,
			    "None of the %zu ranks here makes the others' steps longer.",
			    j->world - j->missing);
}

/* What people read first is known only when all is. */
static void tell_verdict(struct fleet_answer *a, size_t place)
{
	if (!a->report->verdict_text && a->stragglers.replay.count)
		a->report->verdict_text = fleet_nobody_text(a);
	if (!a->report->verdict_text)
		return;
	report_lead(a->report, "%s", a->report->verdict_text);
	report_move_last(a->report, place);
}

int fleet_reduce(const struct part *const *parts, size_t count, const struct fleet_args *args,
		 struct report *r, struct err *e)
{
	struct fleet_answer *a = mem_zalloc(1, sizeof(*a));
	const size_t place = r->block_count;

	a->parts = parts;
	a->part_count = count;
	a->report = r;
	report_on_free(r, free_answer, a);
	if (tell_losses(args, r, e) < 0 || job_make(parts, count, &a->job, e) < 0 ||
	    check_missing(&a->job, args, e) < 0 || study(a, e) < 0)
		return -1;
	fleet_tell_gaps(a);
	fleet_tell_sizes(a);
	fleet_tell_hang(a);
	fleet_tell_stragglers(a);
	fleet_tell_findings(a);
	tell_verdict(a, place);
	fleet_ranks_table(r, parts, count);
	fleet_lateness_table(a);
	fleet_heat_chart(a);
	fleet_collectives_table(a);
	fleet_clocks_table(a);
	return fleet_kernels_table(r, parts, count, &args->rows, e);
}
