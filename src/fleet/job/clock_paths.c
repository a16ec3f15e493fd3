/* What do all collectives say together about by how much each clock may be wrong? */
#include "fleet/job/clock_paths.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	PASSES = 16,   /* over all collectives; a path is as many long at most */
	SAMPLED = 1024 /* collectives of a class that are asked */
};

static const double enough_ns = 1; /* narrower in a pass: it goes on */

/* What may have to be added to a part's times, in the middle of its capture. */
struct doubt {
	double least_ns, most_ns;
};

struct paths {
	struct job *job;
	const struct instances *x;
	uint32_t reference;
	struct doubt *doubts; /* by part */
	double narrowed_ns;   /* in this pass, the most of any */
	bool contradicts;     /* nothing is allowed any more */
};

/* A kernel of an instance on the job's clock, as it is so far. */
struct stay {
	uint32_t part;
	double enter_ns, leave_ns, turn_ns;
};

static bool get_stay(const struct paths *p, const struct instance *i, size_t n, struct stay *ret)
{
	const struct part_collective *k = instance_kernel(p->job, p->x, i, n);
	const struct instance_queue *q = instance_queue_of(p->x, i, n);
	const uint32_t part = p->job->members[q->member].part;

	/* What is matched by guess may be of another step. */
	if (!p->job->parts[part].clock.known || q->doubt_ns > 0)
		return false;
	*ret = (struct stay){part, (double)job_time(p->job, part, k->start_ns),
			     (double)job_time(p->job, part, k->end_ns),
			     p->job->parts[part].clock.turn_ns};
	return true;
}

static void narrow(struct paths *p, const struct stay *s, double entered_ns, double left_ns)
{
	struct doubt *d = &p->doubts[s->part];
	const double most_ns = left_ns - s->enter_ns + s->turn_ns;
	const double least_ns = entered_ns - s->leave_ns - s->turn_ns;

	if (s->part == p->reference)
		return;
	p->narrowed_ns = fmax(p->narrowed_ns, d->most_ns - most_ns);
	p->narrowed_ns = fmax(p->narrowed_ns, least_ns - d->least_ns);
	d->most_ns = fmin(d->most_ns, most_ns);
	d->least_ns = fmax(d->least_ns, least_ns);
	p->contradicts |= d->least_ns > d->most_ns;
}

/* The last has entered when it did at the earliest; the first leaves when it does at the latest. */
static void ask(struct paths *p, const struct instance *i, double apart_ns)
{
	double entered_ns = -INFINITY, left_ns = INFINITY;
	struct stay s;

	for (size_t n = 0; n < i->present; n++) {
		if (!get_stay(p, i, n, &s))
			continue;
		entered_ns = fmax(entered_ns, s.enter_ns + p->doubts[s.part].least_ns - s.turn_ns);
		left_ns = fmin(left_ns, s.leave_ns + p->doubts[s.part].most_ns + s.turn_ns);
	}
	entered_ns -= apart_ns;
	left_ns += apart_ns;
	/* Wrong whatever the clocks are: no two kernels of one collective. */
	if (entered_ns > left_ns)
		return;
	for (size_t n = 0; n < i->present; n++) {
		if (get_stay(p, i, n, &s))
			narrow(p, &s, entered_ns, left_ns);
	}
}

static void pass(struct paths *p)
{
	p->narrowed_ns = 0;
	for (size_t i = 0; i < p->x->class_count; i++) {
		const struct instance_class *c = &p->x->classes[i];
		const size_t step = c->count / SAMPLED + 1;

		for (size_t k = 0; k < c->count && !c->leaves_early; k += step)
			ask(p, &p->x->all[c->first + k], c->apart_ns);
	}
}

static void apply(struct job *j, const struct doubt *doubts)
{
	for (size_t i = 0; i < j->part_count; i++) {
		struct job_clock *c = &j->parts[i].clock;
		const double moved_ns = fmax(doubts[i].least_ns, fmin(0, doubts[i].most_ns));
		const double far_ns =
			fmax(doubts[i].most_ns - moved_ns, moved_ns - doubts[i].least_ns);

		if (!c->known)
			continue;
		c->fit.at_zero_ns += moved_ns;
		c->uncertainty_ns = fmin(c->uncertainty_ns + fabs(moved_ns), far_ns + c->turn_ns);
	}
}

void clocks_tighten(struct job *j, const struct instances *x, uint32_t reference)
{
	struct paths p = {.job = j, .x = x, .reference = reference};

	p.doubts = mem_alloc(j->part_count, sizeof(*p.doubts));
	for (size_t i = 0; i < j->part_count; i++) {
		const double ns = j->parts[i].clock.uncertainty_ns;

		p.doubts[i] = (struct doubt){-ns, ns};
	}
	for (int i = 0; i < PASSES && !p.contradicts; i++) {
		pass(&p);
		if (p.narrowed_ns < enough_ns)
			break;
	}
	if (!p.contradicts)
		apply(j, p.doubts);
	free(p.doubts);
}
