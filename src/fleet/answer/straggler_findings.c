/* Which rank is slow, since when, why, and what would the job gain? */
#include "fleet/answer/answer.h"
#include "fleet/job/clock_islands.h"
#include "fleet/late/straggler_finding.h"
#include "fleet/late/straggler_words.h"

#include "base/mem.h"
#include "text/units.h"

#include <stdlib.h>

static const double mostly =
	0.5; /* of the communication, which then tells of nobody's being late */

static const double least_told = 0.01; /* of a step */

static struct finding *new_finding(struct fleet_answer *a, const struct straggler *g)
{
	struct finding *f = arena_zalloc(&a->report->arena, 1, sizeof(*f));

	f->recoverable_ns = sat_of_double(g->saved_ns * (double)a->stragglers.steps);
	f->recoverable_pct = 100 * g->saved_ns / g->step_ns;
	f->severity = straggler_severity(g);
	return f;
}

static void tell(struct fleet_answer *a, const struct straggler *g)
{
	struct finding *f = new_finding(a, g);

	f->id = "straggler";
	f->title = straggler_title(&a->stragglers, g, &a->report->arena);
	straggler_fill_finding(&a->stragglers, g, &a->report->arena, f);
	report_finding(a->report, f);
}

static void tell_imbalance(struct fleet_answer *a, const struct straggler *g)
{
	struct finding *f = new_finding(a, g);

	f->id = "stage_imbalance";
	f->title = imbalance_title(&a->stragglers, g, &a->report->arena);
	imbalance_fill_finding(&a->stragglers, g, &a->report->arena, f);
	report_finding(a->report, f);
}

/* Empties the buffer. */
static const char *sentence_of(const struct fleet_answer *a, struct buf *b)
{
	const char *text = straggler_sentence(b->s, &a->report->arena);

	buf_free(b);
	return text;
}

static void set_verdict(struct fleet_answer *a, const struct straggler *g)
{
	a->report->verdict = "straggler";
	a->report->verdict_text = straggler_verdict(&a->stragglers, g, &a->report->arena);
}

static void set_imbalance_verdict(struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	buf_adds(&b, imbalance_title(&a->stragglers, g, &a->report->arena));
	buf_adds(&b, ". Had all stages as much to do, a step would take ");
	units_add_ns(&b, g->step_ns - g->saved_ns);
	buf_adds(&b, " instead of ");
	units_add_ns(&b, g->step_ns);
	buf_addf(&b, " (%.1f %%).", 100 * g->saved_ns / g->step_ns);
	a->report->verdict = "unbalanced";
	a->report->verdict_text = sentence_of(a, &b);
}

void fleet_tell_stragglers(struct fleet_answer *a)
{
	const struct straggler *unbalanced = &a->stragglers.unbalanced;

	if (a->stragglers.count && !a->report->verdict)
		set_verdict(a, &a->stragglers.all[0]);
	else if (unbalanced->members && !a->report->verdict)
		set_imbalance_verdict(a, unbalanced);
	for (size_t i = 0; i < a->stragglers.count; i++)
		tell(a, &a->stragglers.all[i]);
	if (unbalanced->members)
		tell_imbalance(a, unbalanced);
}

/* "rank 3 was late in 1 of 12 steps, by 40.0 ms" */
static void add_lateness(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	buf_adds(b, straggler_name(&a->stragglers, g, &a->report->arena));
	buf_addf(b, "%s late in %zu of %zu steps, by ",
		 g->kind == STRAGGLER_SET || g->stages > 1 ? " were" : " was", g->late_steps,
		 a->stragglers.steps);
	units_add_ns(b, g->late_step_ns);
}

/* "…, which cost 3.1 % of the time" */
static void add_doubt(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	add_lateness(b, a, g);
	buf_addf(b, ", which cost %.1f %% of the time", 100 * g->saved_ns / g->step_ns);
}

/* Why nobody can tell whether it is slow. */
static void add_why(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	const unsigned long long later = g->of - g->last, of = g->of;

	if (a->stragglers.doubt == DOUBT_IN_TURN) {
		buf_adds(b, "ranks are late in turn");
		/* Ranks that happen to be the latest together say nothing then. */
		if (g->kind != STRAGGLER_RANK)
			return;
		buf_adds(b, "; ");
	}
	add_doubt(b, a, g);
	if (a->stragglers.doubt == DOUBT_CHANCE)
		buf_adds(b, "; that may be chance: capture more steps to tell");
	else if (a->stragglers.doubt == DOUBT_OTHERS)
		buf_addf(b,
			 "; but in %llu of the %llu steps with the longest delays another rank was "
			 "later, so that nobody can tell which of them it is",
			 later, of);
	else if (a->stragglers.doubt == DOUBT_NO_CAUSE)
		buf_adds(b, "; but nothing in its account takes so much longer than on others");
}

static const char *tell_unpriced(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	add_lateness(&b, a, g);
	buf_adds(&b, "; whether that makes steps longer cannot be told: it shares its GPU with "
		     "other ranks, which would compute longer if it were on time.");
	return sentence_of(a, &b);
}

/* Of what ranks communicate with nothing to do beside it: how much is not held against others'. */
static double unseen_share(const struct fleet_answer *a)
{
	const struct replay *r = &a->stragglers.replay;
	double all_ns = 0, seen_ns = 0;

	for (size_t i = 0; i < a->job.member_count; i++) {
		const struct part_member *m = a->job.members[i].is;

		for (size_t k = 0; k < m->collective_count; k++) {
			const struct part_collective *c = &m->collectives[k];

			if (c->start_ns >= m->window.start_ns && c->end_ns <= m->window.end_ns)
				all_ns += (double)c->exposed_ns;
		}
	}
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t k = v->first; k < v->first + v->count; k++)
			seen_ns += (double)r->stops[k].is.exposed_ns;
	}
	return all_ns > 0 ? 1 - seen_ns / all_ns : 0;
}

/*
 * Whether ranks wait in sends of which nobody knows whom they are with for as much of a step as is
 * told: somebody may be late by that, whoever is seen to wait for whom elsewhere.
 */
static bool has_unknown_sends(const struct fleet_answer *a)
{
	const struct stragglers *s = &a->stragglers;
	bool *seen = mem_zalloc(a->x.class_count, sizeof(*seen));
	double ns = 0;

	for (size_t i = 0; i < s->replay.count; i++)
		seen[s->replay.visits[i].class] = true;
	for (size_t i = 0; i < a->x.queue_count; i++) {
		const struct instance_queue *q = &a->x.queues[i];
		const struct part_collective_class *c = a->x.classes[q->class].is;
		const struct part_member *m = a->job.members[q->member].is;

		for (size_t k = 0; k < q->count && !seen[q->class]; k++) {
			const struct part_collective *of = &m->collectives[q->kernels[k]];

			if (c->type == COLL_SEND_RECV && !c->has_communicator &&
			    of->start_ns >= m->window.start_ns && of->end_ns <= m->window.end_ns)
				ns += (double)of->exposed_ns / member_steps(m);
		}
	}
	free(seen);
	return ns >= least_told * s->step_ns * (double)a->job.member_count;
}

static bool lacks_communicators(const struct instances *x)
{
	for (size_t i = 0; i < x->class_count; i++) {
		if (!x->classes[i].is->has_communicator)
			return true;
	}
	return false;
}

const char *fleet_nobody_is_slow(const struct fleet_answer *a)
{
	const struct straggler *g = &a->stragglers.doubtful;
	struct buf b = {0};

	if (a->stragglers.unpriced.members)
		return tell_unpriced(a, &a->stragglers.unpriced);
	if (a->misfit || a->is_uneven)
		return "Whether a rank makes the others' steps longer cannot be told: which ranks "
		       "share collectives is not known.";
	if (a->stragglers.in_doubt)
		return islands_are_apart(&a->job)
			       ? "Whether a rank makes the others' steps longer cannot be told: "
				 "the clocks of some captures are known to whole steps only."
			       : "Whether a rank makes the others' steps longer cannot be told: "
				 "ranks send to each other whose clocks cannot be held against "
				 "each other.";
	if (has_unknown_sends(a))
		return "Whether a rank makes the others' steps longer cannot be told: it is not "
		       "known which ranks send to each other (export with --include-json true, "
		       "which keeps communicators).";
	if (unseen_share(a) > mostly)
		return arena_printf(&a->report->arena,
				    "Whether a rank makes the others' steps longer cannot be told: "
				    "of most of the communication it is not known which ranks "
				    "share it%s.",
				    lacks_communicators(&a->x)
					    ? " (export with --include-json true, which keeps "
					      "communicators)"
					    : "");
	if (!g->members && (a->job.missing || a->left_out))
		return arena_printf(&a->report->arena,
				    "None of the %zu ranks here makes the others' steps longer.",
				    a->job.member_count);
	if (!g->members)
		return "No rank makes the others' steps longer.";
	buf_adds(&b, "no rank is slow for certain: ");
	add_why(&b, a, g);
	buf_addc(&b, '.');
	return sentence_of(a, &b);
}
