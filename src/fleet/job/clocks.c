/* What time is it on each part's clock when it is a given time on that of the reference? */
#include "fleet/job/clocks.h"

#include "fleet/job/clock_islands.h"
#include "fleet/job/clock_paths.h"
#include "fleet/job/misfits.h"

#include "base/mem.h"
#include "base/sets.h"

#include <stdlib.h>

/* That UTC of captures of one machine is taken to be wrong by at most, where nothing tells. */
static const double machine_ns = 1e6;

/* The bounds of a part against the one that sets its clock. */
struct bounds {
	struct clock_bound *all;
	size_t count, cap;
	const struct instance_class *guess; /* all are of that one, which is matched by guess, … */
	double guess_ns;		    /* … and may be so far off by whole steps */
};

struct setter {
	struct job *job;
	const struct instances *x;
	bool *set;	       /* by part */
	struct bounds *bounds; /* by part */
	uint32_t *islands;     /* see clock_islands.h; of those that stand for an island: */
	bool *begun;	       /* some clock of it is set */
	bool guesses;	       /* what is matched by guess is asked, and not what is sure */
	double *doubt_ns; /* by part: of the class at hand, how far off by whole steps it may be */
	/* Of the instance at hand, by part: the last that entered, the first that left. */
	int64_t *entered, *left;
	uint32_t *present; /* parts */
	size_t *seen_in;   /* by part: the number of the instance that has it, from 1 on */
};

/* Collectives that each part shares with others; nobody has more than the reference. */
static uint32_t find_reference(const struct job *j, const struct instances *x)
{
	uint64_t *shared = mem_zalloc(j->part_count, sizeof(*shared));
	uint32_t best = 0;

	for (size_t i = 0; i < x->queue_count; i++) {
		const struct instance_class *c = &x->classes[x->queues[i].class];

		if (!c->leaves_early && x->queues[i].matched && c->queue_count > 1)
			shared[j->members[x->queues[i].member].part] +=
				x->queues[i].count * c->queue_count;
	}
	for (uint32_t i = 0; i < j->part_count; i++) {
		if (shared[i] > shared[best])
			best = i;
	}
	free(shared);
	return best;
}

/* Which parts an instance has, and when they entered and left it, each on its own clock. */
static size_t gather(struct setter *s, size_t number)
{
	const struct instance *i = &s->x->all[number];
	size_t count = 0;

	for (size_t n = 0; n < i->present; n++) {
		const struct part_collective *k = instance_kernel(s->job, s->x, i, n);
		const uint32_t p = s->job->members[instance_member(s->x, i, n)].part;

		if (s->seen_in[p] != number + 1) {
			s->seen_in[p] = number + 1;
			s->present[count++] = p;
			s->entered[p] = k->start_ns;
			s->left[p] = k->end_ns;
		}
		s->entered[p] = k->start_ns > s->entered[p] ? k->start_ns : s->entered[p];
		s->left[p] = k->end_ns < s->left[p] ? k->end_ns : s->left[p];
	}
	return count;
}

/* Before the first bound: what is nearly right is added as a whole number. */
static void begin_clock(const struct setter *s, uint32_t hub, uint32_t part)
{
	struct job_clock *c = &s->job->parts[part].clock;
	const int64_t utc_hub = s->job->parts[hub].part->utc_ns;
	const int64_t utc = s->job->parts[part].part->utc_ns;
	const int64_t at_ns = job_time(s->job, hub, s->entered[hub]);

	c->origin_ns = s->entered[part];
	if (utc != PART_UNKNOWN && utc_hub != PART_UNKNOWN)
		c->shift_ns = sat_add(s->job->parts[hub].clock.shift_ns, sat_sub(utc, utc_hub));
	else
		c->shift_ns = sat_sub(at_ns, s->entered[part]);
}

static void add_bound(struct setter *s, uint32_t hub, uint32_t part, double apart_ns)
{
	const struct job_clock *c = &s->job->parts[part].clock;
	struct bounds *b = &s->bounds[part];
	int64_t end_ns, hub_end_ns;

	if (!b->count)
		begin_clock(s, hub, part);
	end_ns = sat_add(s->left[part], c->shift_ns);
	hub_end_ns = job_time(s->job, hub, s->left[hub]);
	MEM_GROW(b->all, b->cap, b->count + 1);
	b->all[b->count++] = (struct clock_bound){
		.at_ns = (double)sat_sub(s->entered[part], c->origin_ns),
		.least_ns =
			(double)sat_sub(job_time(s->job, hub, s->entered[hub]), end_ns) - apart_ns,
		.most_ns = (double)sat_sub(hub_end_ns, sat_add(s->entered[part], c->shift_ns)) +
			   apart_ns,
		.even_ns = (double)sat_sub(hub_end_ns, end_ns),
	};
}

static bool has_unset(const struct setter *s, const struct instance_class *c, uint32_t hub)
{
	bool unset = false, has_hub = false;

	for (size_t q = 0; q < c->queue_count; q++) {
		const uint32_t part = s->job->members[s->x->queues[c->first_queue + q].member].part;

		unset |= !s->set[part];
		has_hub |= part == hub;
	}
	return unset && has_hub && !c->leaves_early;
}

static void list_doubts(const struct setter *s, const struct instance_class *c)
{
	for (size_t i = c->first_queue; i < c->first_queue + c->queue_count; i++)
		s->doubt_ns[s->job->members[s->x->queues[i].member].part] = 0;
	for (size_t i = c->first_queue; i < c->first_queue + c->queue_count; i++) {
		double *ns = &s->doubt_ns[s->job->members[s->x->queues[i].member].part];

		*ns = fmax(*ns, s->x->queues[i].doubt_ns);
	}
}

/*
 * Whether the class at hand is to set a part's clock now. Of guesses one a part is asked: they need
 * not agree.
 */
static bool is_asked(const struct setter *s, const struct instance_class *c, uint32_t hub,
		     uint32_t part)
{
	struct bounds *b = &s->bounds[part];

	if (s->set[part] || s->guesses != (s->doubt_ns[hub] + s->doubt_ns[part] > 0))
		return false;
	if (!s->guesses)
		return true;
	if (s->begun[sets_first(s->islands, part)] || (b->count && b->guess != c))
		return false;
	b->guess = c;
	b->guess_ns = s->doubt_ns[hub] + s->doubt_ns[part];
	return true;
}

static void add_class(struct setter *s, const struct instance_class *c, uint32_t hub)
{
	list_doubts(s, c);
	for (size_t i = 0; i < c->count; i++) {
		const size_t n = gather(s, c->first + i);

		for (size_t k = 0; k < n && s->seen_in[hub] == c->first + i + 1; k++) {
			if (is_asked(s, c, hub, s->present[k]))
				add_bound(s, hub, s->present[k], c->apart_ns);
		}
	}
}

/* A rate that no clock should have widens the doubt of those alone that need it. */
static void fit(const struct setter *s, const struct bounds *b, double expected_ns,
		struct clock_fit *ret)
{
	struct clock_bound *copy = mem_copy(b->all, b->count, sizeof(*copy));

	clock_fit(copy, b->count, expected_ns, CLOCK_DRIFT_MAX, ret);
	free(copy);
	if (ret->known ? clock_rate_is_odd(b->all, b->count) : s->job->drift_max > CLOCK_DRIFT_MAX)
		clock_fit(b->all, b->count, expected_ns, CLOCK_DRIFT_FAR, ret);
}

/* Whether any two of their ranks take turns on a GPU: then they leave nothing together. */
static bool share_gpu(const struct part *a, const struct part *b)
{
	for (size_t i = 0; i < a->member_count; i++) {
		for (size_t k = 0; k < b->member_count; k++) {
			if (a->members[i].gpu_id && a->members[i].gpu_id == b->members[k].gpu_id)
				return true;
		}
	}
	return false;
}

/*
 * Captures of one machine have one clock: where nothing contradicts that, it is right. What each
 * takes for the time of its beginning may be wrong, however.
 */
static void believe_utc(struct setter *s, uint32_t hub, uint32_t part)
{
	struct job_clock *c = &s->job->parts[part].clock;
	const struct part *a = s->job->parts[hub].part, *b = s->job->parts[part].part;

	c->likely_ns = c->fit.even_spread_ns;
	if (!c->fit.as_expected || !b->node || b->node != a->node)
		return;
	c->beyond_utc = clock_fit_is_apart(&c->fit, 0) && !share_gpu(a, b);
	if (c->beyond_utc)
		return;
	c->likely_ns = fabs(c->fit.at_zero_ns);
	c->fit.uncertainty_ns += c->likely_ns;
	c->fit.at_zero_ns = 0;
}

static void set_clock(struct setter *s, uint32_t hub, uint32_t part)
{
	struct job_clock *c = &s->job->parts[part].clock;
	struct bounds *b = &s->bounds[part];
	const bool has_utc = s->job->parts[part].part->utc_ns != PART_UNKNOWN &&
			     s->job->parts[hub].part->utc_ns != PART_UNKNOWN;

	fit(s, b, has_utc ? 0 : NAN, &c->fit);
	believe_utc(s, hub, part);
	c->known = s->set[part] = c->fit.known;
	if (c->known) {
		c->uncertainty_ns = c->fit.uncertainty_ns + s->job->parts[hub].clock.uncertainty_ns;
		c->turn_ns = fmin(c->fit.turn_ns, c->fit.uncertainty_ns) +
			     s->job->parts[hub].clock.turn_ns;
		c->island = s->guesses ? part : s->job->parts[hub].clock.island;
		c->steps_ns = s->job->parts[hub].clock.steps_ns + (s->guesses ? b->guess_ns : 0);
		s->begun[sets_first(s->islands, part)] = true;
	} else {
		c->fit = (struct clock_fit){0};
	}
	b->count = 0;
}

/* Sets the clocks of all that share collectives with one whose clock is set. */
static void set_around(struct setter *s, uint32_t hub)
{
	memset(s->seen_in, 0, s->job->part_count * sizeof(*s->seen_in));
	for (size_t i = 0; i < s->x->class_count; i++) {
		if (has_unset(s, &s->x->classes[i], hub))
			add_class(s, &s->x->classes[i], hub);
	}
	for (uint32_t i = 0; i < s->job->part_count; i++) {
		if (s->set[i] || !s->bounds[i].count)
			continue;
		/* Of an island the first is guessed: that sets the others. */
		if (s->guesses && s->begun[sets_first(s->islands, i)])
			s->bounds[i].count = 0;
		else
			set_clock(s, hub, i);
	}
}

/* Nothing sets it: UTC may be right, or not. */
static void leave_clock(struct job *j, uint32_t reference, uint32_t part)
{
	const int64_t utc = j->parts[part].part->utc_ns, of = j->parts[reference].part->utc_ns;

	j->parts[part].clock = (struct job_clock){.uncertainty_ns = INFINITY};
	if (utc != PART_UNKNOWN && of != PART_UNKNOWN)
		j->parts[part].clock.shift_ns = sat_sub(utc, of);
}

/* Those that are set, as they come. */
struct hubs {
	uint32_t *all;
	bool *listed;
	size_t count, asked;
};

static void list_set(const struct setter *s, struct hubs *h)
{
	for (uint32_t i = 0; i < s->job->part_count; i++) {
		if (s->set[i] && !h->listed[i]) {
			h->listed[i] = true;
			h->all[h->count++] = i;
		}
	}
}

/* Who was set sets others, by what is sure. */
static void set_islands(struct setter *s, struct hubs *h)
{
	s->guesses = false;
	list_set(s, h);
	while (h->asked < h->count) {
		set_around(s, h->all[h->asked++]);
		list_set(s, h);
	}
}

/* From the reference outwards; by guess only where nothing else leads. */
static void set_all(struct setter *s)
{
	const size_t n = s->job->part_count;
	struct hubs h = {mem_alloc(n, sizeof(*h.all)), mem_zalloc(n, sizeof(*h.listed)), 0, 0};

	set_islands(s, &h);
	for (size_t i = 0; i < h.count && h.count < n; i++) {
		s->guesses = true;
		set_around(s, h.all[i]);
		set_islands(s, &h);
	}
	free(h.listed);
	free(h.all);
}

/* What is said of a clock is as wide as what is not known of it. */
static void widen(struct job *j)
{
	for (size_t i = 0; i < j->part_count; i++) {
		struct job_clock *c = &j->parts[i].clock;

		c->uncertainty_ns += c->steps_ns;
		c->likely_ns += c->steps_ns;
	}
}

void clocks_set(struct job *j, const struct instances *x)
{
	const size_t n = j->part_count;
	struct setter s = {.job = j, .x = x};
	const uint32_t reference = find_reference(j, x);

	s.set = mem_zalloc(n, sizeof(*s.set));
	s.bounds = mem_zalloc(n, sizeof(*s.bounds));
	s.entered = mem_alloc(n, sizeof(*s.entered));
	s.left = mem_alloc(n, sizeof(*s.left));
	s.present = mem_alloc(n, sizeof(*s.present));
	s.seen_in = mem_alloc(n, sizeof(*s.seen_in));
	s.doubt_ns = mem_alloc(n, sizeof(*s.doubt_ns));
	s.begun = mem_zalloc(n, sizeof(*s.begun));
	s.islands = islands_find(j, x);
	j->parts[reference].clock = (struct job_clock){.known = true, .island = reference};
	s.set[reference] = s.begun[sets_first(s.islands, reference)] = true;
	set_all(&s);
	for (uint32_t i = 0; i < n; i++) {
		if (!s.set[i])
			leave_clock(j, reference, i);
		free(s.bounds[i].all);
	}
	clocks_tighten(j, x, reference);
	widen(j);
	free(s.islands);
	free(s.begun);
	free(s.doubt_ns);
	free(s.seen_in);
	free(s.present);
	free(s.left);
	free(s.entered);
	free(s.bounds);
	free(s.set);
}

/* Kernels of queues that agree with no others, though those have such kernels. */
static uint64_t count_lonely(const struct instances *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->queue_count; i++) {
		const struct instance_class *c = &x->classes[x->queues[i].class];

		if (!c->leaves_early && (!x->queues[i].matched || c->is_group))
			n += x->queues[i].count;
	}
	return n;
}

static void find_both(struct job *j, struct instances *ret)
{
	uint64_t lonely, before = UINT64_MAX;

	instances_make(j, true, ret);
	clocks_set(j, ret);
	while ((lonely = count_lonely(ret)) && lonely < before) {
		before = lonely;
		instances_free(ret);
		instances_make(j, false, ret);
		clocks_set(j, ret);
	}
}

/* What each part shares with others. */
struct shared {
	bool *any;
	bool *tried; /* collectives with one whose clock is known: they agree with none */
};

static void add_shared(const struct job *j, const struct instances *x,
		       const struct instance_class *c, struct shared *ret)
{
	bool known = false;

	for (size_t q = c->first_queue; q < c->first_queue + c->queue_count; q++)
		known |= j->parts[j->members[x->queues[q].member].part].clock.known;
	for (size_t q = c->first_queue; q < c->first_queue + c->queue_count; q++) {
		const uint32_t part = j->members[x->queues[q].member].part;

		ret->any[part] |= c->queue_count > 1;
		ret->tried[part] |= known && !c->leaves_early;
	}
}

static bool run_together(const struct part *a, const struct part *b)
{
	const struct span x = span_shift(a->captured, a->utc_ns);
	const struct span y = span_shift(b->captured, b->utc_ns);

	return x.start_ns < y.end_ns && y.start_ns < x.end_ns;
}

/* Of the parts of the same machine whose clocks are known the one that is known best. */
static const struct job_part *find_neighbour(const struct job *j, const struct part *p)
{
	const struct job_part *best = NULL;

	for (size_t i = 0; i < j->part_count && p->node && p->utc_ns != PART_UNKNOWN; i++) {
		const struct job_part *x = &j->parts[i];

		if (x->clock.known && !x->clock.by_utc && x->part->node == p->node &&
		    x->part->utc_ns != PART_UNKNOWN && run_together(x->part, p) &&
		    (!best || x->clock.uncertainty_ns < best->clock.uncertainty_ns))
			best = x;
	}
	return best;
}

/* Two captures of one machine have one clock, which began at another time in each. */
static void follow(const struct job_part *of, struct job_part *p)
{
	const int64_t later_ns = sat_sub(p->part->utc_ns, of->part->utc_ns);

	p->clock = of->clock;
	p->clock.shift_ns = sat_add(of->clock.shift_ns, later_ns);
	p->clock.origin_ns = sat_sub(of->clock.origin_ns, later_ns);
	p->clock.fit.used = p->clock.fit.left_out = 0;
	p->clock.by_utc = true;
	p->clock.beyond_utc = false;
	p->clock.uncertainty_ns += machine_ns;
	p->clock.likely_ns += machine_ns;
}

/* What may be left early contradicts no clock: UTC of one machine is right then. */
static void believe_machines(struct job *j, const struct instances *x)
{
	struct shared s = {mem_zalloc(j->part_count, sizeof(bool)),
			   mem_zalloc(j->part_count, sizeof(bool))};

	for (size_t i = 0; i < x->class_count; i++)
		add_shared(j, x, &x->classes[i], &s);
	for (size_t i = 0; i < j->part_count; i++) {
		struct job_part *p = &j->parts[i];
		const struct job_part *of = find_neighbour(j, p->part);

		if (p->clock.known || s.tried[i] || !s.any[i])
			continue;
		p->clock.early = true;
		if (of)
			follow(of, p);
	}
	free(s.any);
	free(s.tried);
}

/* Captures without collectives have none that a rate could explain. */
static size_t count_unknown(const struct job *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->part_count; i++)
		n += !j->parts[i].clock.known && part_communicates(j->parts[i].part);
	return n;
}

/*
 * Where ranks cannot be those of any mesh by the groups that were made of them, kernels of several
 * are taken for one: nothing that names alone say of clocks is right then.
 */
static void forget_guesses(struct job *j, const struct instances *x)
{
	bool *left;
	uint32_t reference;

	if (!misfits_any(x))
		return;
	left = mem_zalloc(j->part_count, sizeof(*left));
	reference = find_reference(j, x);
	for (uint32_t i = 0; i < j->part_count; i++) {
		left[i] = i != reference && j->parts[i].clock.known &&
			  !part_names_communicators(j->parts[i].part);
		if (left[i])
			leave_clock(j, reference, i);
	}
	for (uint32_t i = 0; i < j->part_count; i++) {
		const struct job_part *of = left[i] ? find_neighbour(j, j->parts[i].part) : NULL;

		if (!j->parts[i].clock.known && of)
			follow(of, &j->parts[i]);
	}
	free(left);
}

static void find_again(struct job *j, const struct job_part *from, double drift_max,
		       struct instances *ret)
{
	j->drift_max = drift_max;
	memcpy(j->parts, from, j->part_count * sizeof(*from));
	instances_free(ret);
	find_both(j, ret);
}

/* Rates that no clock should have are believed where they explain what nothing else does. */
void clocks_and_instances(struct job *j, struct instances *ret)
{
	struct job_part *from = mem_copy(j->parts, j->part_count, sizeof(*from));
	size_t unknown;

	j->drift_max = CLOCK_DRIFT_MAX;
	find_both(j, ret);
	unknown = count_unknown(j);
	if (unknown)
		find_again(j, from, CLOCK_DRIFT_FAR, ret);
	if (unknown && count_unknown(j) >= unknown)
		find_again(j, from, CLOCK_DRIFT_MAX, ret);
	forget_guesses(j, ret);
	believe_machines(j, ret);
	islands_part_machines(j);
	free(from);
}
