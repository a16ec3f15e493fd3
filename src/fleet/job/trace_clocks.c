/* Where do the clocks of captures lie whose ranks met in collectives, and which ranks are they? */
#include "fleet/job/trace_clocks.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "fleet/file_ranks.h"
#include "fleet/job/clock_islands.h"
#include "fleet/job/clocks.h"
#include "fleet/job/mixture.h"
#include "fleet/part_make.h"
#include "fleet/peers.h"
#include "fleet/process_ranks.h"

#include <stdlib.h>

struct making {
	const struct traces *t;
	struct part *parts;
	bool *made; /* by capture */
};

/* A capture without GPU work, or that cannot say, has no part. */
static int make_some(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct making *m = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct trace *t = m->t->all[i].trace;
		const struct part_question q = {.file = str_last_part(t->path)};

		m->made[i] = part_make_collectives(&m->parts[i], t, &q, e) == 0;
		if (m->made[i])
			continue;
		if (e->code == ERR_SYSTEM)
			return -1;
		part_free(&m->parts[i]);
		*e = (struct err){0};
	}
	return 0;
}

/* What is done for one capture alone needs little of the cores: several are read at once. */
static int make_parts(const struct traces *t, struct part *parts, size_t *ret_made, struct err *e)
{
	SCOPED bool *made = mem_zalloc(t->count, sizeof(*made));
	const int result =
		parallel_for(t->count, 1, make_some, &(struct making){t, parts, made}, e);

	*ret_made = 0;
	for (size_t i = 0; i < t->count; i++)
		*ret_made += made[i];
	return result;
}

/* Those without collectives may be of one process, one after another, or of several: nothing speaks
 * against that. */
static size_t list_ranks(const struct part *parts, size_t count, const struct part **ret)
{
	size_t ranks = 0;

	for (size_t i = 0; i < count; i++) {
		if (part_communicates(&parts[i]))
			ret[ranks++] = &parts[i];
	}
	return ranks;
}

/* What one clock of the job says of a capture's, in the middle of what was captured. */
static void take_clock(struct capture *c, const struct job_clock *clock)
{
	const int64_t middle_ns = span_middle(c->span);
	const double at = (double)sat_sub(middle_ns, clock->origin_ns);

	c->shift_ns =
		sat_add(clock->shift_ns, sat_of_double(round(clock_offset_ns(&clock->fit, at))));
	c->drift = clock->fit.drift;
	c->doubt_ns = clock->uncertainty_ns;
}

/* No time is before 0: the shared clock is that of the one that began first. */
static void begin_at_zero(struct traces *t)
{
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < t->count; i++)
		first_ns = t->all[i].shift_ns < first_ns ? t->all[i].shift_ns : first_ns;
	for (size_t i = 0; i < t->count; i++)
		t->all[i].shift_ns = sat_sub(t->all[i].shift_ns, first_ns);
}

/* Captures whose ranks met are of one job: then numbers in the names of files are their ranks. */
static void take_rank(struct capture *c, const struct part *part)
{
	if (part->member_count == 1 && part->members[0].rank_source == PART_RANK_FILE_NAME) {
		c->has_rank = true;
		c->rank = part->members[0].rank;
	}
}

static void take_clocks(struct traces *t, const struct job *j, const struct part *parts)
{
	for (size_t i = 0; i < j->part_count; i++) {
		if (!j->parts[i].clock.known)
			return;
	}
	for (size_t i = 0; i < j->part_count; i++) {
		const struct part *part = j->parts[i].part;
		struct capture *c = &t->all[part - parts];

		take_clock(c, &j->parts[i].clock);
		take_rank(c, part);
	}
	begin_at_zero(t);
	t->steps_in_doubt = islands_are_apart(j);
	t->clock = CLOCK_MEETINGS;
	traces_call(t);
}

/* Those that are no job may be looked at side by side nevertheless; then UTC has to do. */
static int set_of_job(struct traces *t, const struct part *parts, const struct part *const *ranks,
		      size_t count, bool one_job, struct err *e)
{
	struct job job;
	struct instances met = {0};
	int result = job_make(ranks, count, &job, e);

	if (result == 0) {
		clocks_and_instances(&job, &met);
		result = mixture_check(&job, &met, e);
	}
	if (result == 0 && count == t->count)
		take_clocks(t, &job, parts);
	instances_free(&met);
	job_free(&job);
	if (result == 0 || !one_job || e->absent) {
		*e = (struct err){0};
		return 0;
	}
	return err_hint(e, "give the captures of one job, each once");
}

int trace_clocks_set(struct traces *t, bool one_job, struct err *e)
{
	struct part *parts = mem_zalloc(t->count, sizeof(*parts));
	const struct part **ranks = mem_zalloc(t->count, sizeof(const struct part *));
	size_t made, count;
	int result = make_parts(t, parts, &made, e);

	if (result == 0 && made == t->count)
		file_ranks_apply(parts, made);
	if (result == 0) {
		process_ranks_apply(parts, t->count);
		peers_apply(parts, t->count);
	}
	count = list_ranks(parts, t->count, ranks);
	if (result == 0 && count > 1)
		result = set_of_job(t, parts, ranks, count, one_job, e);
	if (result == 0 && one_job && t->clock == CLOCK_STARTS)
		result = traces_check_strangers(t, e);
	for (size_t i = 0; i < t->count; i++)
		part_free(&parts[i]);
	free(parts);
	free(ranks);
	return result;
}
