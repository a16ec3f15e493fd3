/* What is odd about two jobs that are compared, and how far is the answer to be believed? */
#include "fleet/scaling/scaling.h"

#include <stdlib.h>

enum { FEW_STEPS = 3 };

static const double much = 0.1;	       /* of the communication, for nobody to know who waited */
static const double few_kernels = 0.5; /* of the kernel time in common: much of it differs */
static const double small_loss = 0.05; /* of a step: runs of one program differ by some of that */

struct doubting {
	struct report *report;
	enum confidence confidence; /* what is left of it */
};

static void lower(struct doubting *d, enum confidence to)
{
	d->confidence = d->confidence < to ? d->confidence : to;
}

#define DOUBT(d, to, ...)                                 \
	do {                                              \
		report_warning((d)->report, __VA_ARGS__); \
		lower(d, to);                             \
	} while (0)

/* One of a larger job's ranks does not run as one alone does. */
static bool is_rank_of_more(const struct scaling_job *j)
{
	return j->is->job.member_count == 1 && j->waits[0].unknown_ns > 0;
}

static void doubt_side(struct doubting *d, const struct scaling_job *j, const char *name)
{
	const struct job *job = &j->is->job;

	if (job->missing)
		DOUBT(d, CONFIDENCE_LOW,
		      job->missing == 1
			      ? "%zu of %u ranks %s is missing: waits for it are not seen"
			      : "%zu of %u ranks %s are missing: waits for them are not seen",
		      job->missing, job->world, name);
	else if (is_rank_of_more(j))
		DOUBT(d, CONFIDENCE_LOW,
		      "the one rank %s communicates with ranks that are not here: it is no run on "
		      "one rank",
		      name);
	else if (j->account.unknown > much)
		report_warning(d->report,
			       "of %.0f %% of the exposed communication %s nobody knows who "
			       "waited: all of "
			       "that counts as communication",
			       100 * j->account.unknown, name);
	if (j->is->stragglers.in_doubt)
		DOUBT(d, CONFIDENCE_LOW,
		      "the clocks of some captures %s are known to whole steps only: nobody is "
		      "named, and waiting between them counts as communication",
		      name);
	if (j->steps < FEW_STEPS)
		DOUBT(d, CONFIDENCE_LOW, "a rank %s has %llu warm step%s alone", name,
		      (unsigned long long)j->steps, j->steps == 1 ? "" : "s");
}

static const char *steps_name(const struct scaling_job *j)
{
	return j->is->job.members[0].is->steps_name;
}

static void doubt_program(struct doubting *d, const struct scaling *s)
{
	const char *a = steps_name(&s->of[ONE]), *b = steps_name(&s->of[MANY]);

	if (s->gpus[ONE])
		DOUBT(d, CONFIDENCE_LOW, "the GPUs before '--' are %s, after it %s", s->gpus[ONE],
		      s->gpus[MANY]);
	if (s->common < few_kernels)
		DOUBT(d, CONFIDENCE_LOW,
		      "kernels that both sides have take %.0f %% of the kernel time alone: is it "
		      "the same program?",
		      100 * s->common);
	if (strcmp(a, b) != 0)
		DOUBT(d, CONFIDENCE_LOW,
		      "steps before '--' are %s%s%s, after it %s%s%s: are they the same work?",
		      *a ? "'" : "", *a ? a : "told by kernels", *a ? "'" : "", *b ? "'" : "",
		      *b ? b : "told by kernels", *b ? "'" : "");
}

static void tell_kind(struct doubting *d, const struct scaling *s, const struct scaling_args *a)
{
	const uint32_t one = s->of[ONE].ranks, many = s->of[MANY].ranks;

	if (one == many) {
		report_note(d->report,
			    "Both sides have %u rank%s: two jobs of one size are compared.", one,
			    one == 1 ? "" : "s");
		return;
	}
	if (many < one)
		report_warning(d->report,
			       "there are fewer ranks after '--' (%u) than before it (%u): the "
			       "smaller job "
			       "comes first",
			       many, one);
	if (s->in_doubt)
		DOUBT(d, CONFIDENCE_LOW,
		      "a rank's kernels take %.2f times as long as on %u rank%s, which is neither "
		      "as long (the same work a rank) nor %.2f times (the same work in all): the "
		      "same work a rank is assumed; --strong or --weak says which it is",
		      s->work, one, one == 1 ? "" : "s", (double)one / (double)many);
	else
		report_note(d->report,
			    "%s scaling%s: a rank's kernels take %.2f times as long as on %u "
			    "rank%s.",
			    s->strong ? "Strong" : "Weak",
			    a->strong || a->weak ? ", as you say"
			    : s->strong		 ? ", the same work in all"
						 : ", the same work a rank",
			    s->work, one, one == 1 ? "" : "s");
}

enum confidence scaling_tell_doubts(struct report *r, const struct scaling *s,
				    const struct scaling_args *a)
{
	/* By how much runs of one program differ, one run a side does not tell. */
	struct doubting d = {r, CONFIDENCE_MEDIUM};

	tell_kind(&d, s, a);
	for (int i = 0; i < SCALING_SIDES; i++)
		doubt_side(&d, &s->of[i], scaling_side_names[i]);
	doubt_program(&d, s);
	/* More than ideal, and a little less, is more than one run a side can tell. */
	if (s->efficiency > 1 - small_loss)
		lower(&d, CONFIDENCE_LOW);
	return d.confidence;
}
