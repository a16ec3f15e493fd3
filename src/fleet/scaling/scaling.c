/* What would the ideal step of many ranks be, and what is lost on the way? */
#include "fleet/scaling/scaling.h"

#include "base/mem.h"
#include "text/strtab.h"

#include <stdlib.h>

/* Of the way from the same work a rank (0) to the same work in all (1), in logarithms. */
static const double clearly_weak = 0.25, clearly_strong = 0.75;
static const double hardly_any = 0.1; /* of the kernel time in common: another program */

const char *const scaling_side_names[SCALING_SIDES] = {"before '--'", "after '--'"};

static void fill_job(struct scaling_job *j, const struct fleet_answer *a)
{
	const struct job *job = &a->job;

	*j = (struct scaling_job){.is = a, .ranks = job->world, .steps = UINT64_MAX};
	if (j->ranks < job->member_count)
		j->ranks = (uint32_t)job->member_count;
	for (size_t i = 0; i < job->member_count; i++) {
		if (job->members[i].is->warm_count < j->steps)
			j->steps = job->members[i].is->warm_count;
	}
	j->waits = waits_sum(job, &a->x);
	named_times_of_kernels(&j->kernels, job);
	named_times_of_idle(&j->idle, job);
	step_account_make(&a->stragglers, j->waits, &j->account);
}

static int check_steps(const struct scaling_job *j, enum scaling_side side, struct err *e)
{
	const struct job *job = &j->is->job;

	for (size_t i = 0; i < job->member_count; i++) {
		const struct job_member *m = &job->members[i];

		if (m->is->warm_count)
			continue;
		err_set(e, ERR_INPUT,
			"these cannot be compared: rank %u %s ('%s') has no steps, so what a step "
			"takes is not known",
			m->is->rank, scaling_side_names[side], job->parts[m->part].part->file);
		return err_hint(e, "--marker REGEX names the ranges that are steps");
	}
	return 0;
}

/* The GPU that is on one side and not on the other; NULL: both have the same, or may have. */
static const char *other_gpu(const struct job *of, const struct job *than)
{
	struct strtab models = {0};
	const char *other = NULL;
	bool all_known = true;

	for (size_t i = 0; i < than->member_count; i++) {
		all_known &= than->members[i].is->gpu[0] != '\0';
		strtab_add(&models, str_of(than->members[i].is->gpu));
	}
	for (size_t i = 0; i < of->member_count && all_known && !other; i++) {
		const char *model = of->members[i].is->gpu;

		if (model[0] && strtab_find(&models, str_of(model)) == STRTAB_NONE)
			other = model;
	}
	strtab_free(&models);
	return other;
}

static void find_other_gpus(struct scaling *s)
{
	const struct job *one = &s->of[ONE].is->job, *many = &s->of[MANY].is->job;
	const char *before = other_gpu(one, many), *after = other_gpu(many, one);

	if (!before && !after)
		return;
	s->gpus[ONE] = before ? before : one->members[0].is->gpu;
	s->gpus[MANY] = after ? after : many->members[0].is->gpu;
}

static int check_alike(const struct scaling *s, const struct scaling_args *a, struct err *e)
{
	if (a->anyway || (!s->gpus[ONE] && s->common >= hardly_any))
		return 0;
	if (s->gpus[ONE])
		err_set(e, ERR_INPUT,
			"these cannot be compared: the GPUs before '--' are %s, after it %s",
			s->gpus[ONE], s->gpus[MANY]);
	else
		err_set(e, ERR_INPUT,
			"these cannot be compared: kernels that both sides have take %.1f %% of "
			"the kernel time; this looks like two programs",
			100 * s->common);
	return err_hint(e, "--anyway compares them nevertheless");
}

/*
 * Whether the kernels of a rank take as long as before, or less by as much as there are more ranks:
 * where these are as many, both are the same.
 */
static void choose_kind(struct scaling *s, const struct scaling_args *a)
{
	const double one_ns = named_times_sum(&s->of[ONE].kernels);
	const double many_ns = named_times_sum(&s->of[MANY].kernels);
	const double fewer = (double)s->of[ONE].ranks / (double)s->of[MANY].ranks;
	double way = 0;

	s->work = one_ns > 0 && many_ns > 0 ? many_ns / one_ns : 1;
	if (fewer != 1)
		way = log(s->work) / log(fewer);
	s->strong = a->strong || (!a->weak && way > clearly_strong);
	s->in_doubt = !a->strong && !a->weak && way > clearly_weak && way <= clearly_strong;
	s->scale = s->strong ? fewer : 1;
}

static void find_ideal(struct scaling *s)
{
	const struct step_account *one = &s->of[ONE].account, *many = &s->of[MANY].account;
	double shares[STEP_SHARES];

	s->ideal_ns = sat_of_double(round((double)one->step_ns * s->scale));
	for (int i = 0; i < STEP_SHARES; i++)
		shares[i] = (double)one->ns[i];
	shares_fit(shares, s->ideal_ns, s->ideal);
	s->efficiency = (double)s->ideal_ns / (double)many->step_ns;
}

int scaling_make(struct scaling *ret, const struct fleet_answer *one,
		 const struct fleet_answer *many, const struct scaling_args *a, struct err *e)
{
	double common[SCALING_SIDES];

	*ret = (struct scaling){0};
	fill_job(&ret->of[ONE], one);
	fill_job(&ret->of[MANY], many);
	common[ONE] = named_times_common(&ret->of[ONE].kernels, &ret->of[MANY].kernels);
	common[MANY] = named_times_common(&ret->of[MANY].kernels, &ret->of[ONE].kernels);
	ret->common = fmin(common[ONE], common[MANY]);
	find_other_gpus(ret);
	choose_kind(ret, a);
	find_ideal(ret);
	if (check_steps(&ret->of[ONE], ONE, e) < 0 || check_steps(&ret->of[MANY], MANY, e) < 0)
		return -1;
	return check_alike(ret, a, e);
}

void scaling_free(struct scaling *s)
{
	for (int i = 0; i < SCALING_SIDES; i++) {
		free(s->of[i].waits);
		named_times_free(&s->of[i].kernels);
		named_times_free(&s->of[i].idle);
	}
}
