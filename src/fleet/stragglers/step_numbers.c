/*
 * Which step of the job is a member's own? Each counts those of its capture from 0, and captures
 * need not begin at the same step: members that meet in a collective are in one step of the job.
 */
#include "fleet/stragglers/search.h"

#include "base/mem.h"
#include "base/sort.h"
#include "fleet/job/kernel_step.h"

#include <stdlib.h>

enum { CELLS_EACH = 16 }; /* members by steps, for each step and collective that parts have */

/* A replay whose members' steps are looked at. */
struct numbering {
	const struct job *job;
	const struct replay *replay;
	uint32_t *own;	/* by stop, as its member counts; NOBODY: lost, or in no step */
	int64_t *shift; /* by member: what it counts more than the job */
};

static struct numbering numbering_of(const struct job *j, const struct replay *r, int64_t *shift)
{
	struct numbering n = {j, r, mem_alloc(r->stop_count, sizeof(*n.own)), shift};

	for (size_t i = 0; i < r->stop_count; i++) {
		const struct replay_entry *k = &r->stops[i].is;
		const struct part_member *m = j->members[k->member].is;

		n.own[i] = k->kernel == REPLAY_NONE ? NOBODY
						    : kernel_step(m, &m->collectives[k->kernel]);
	}
	return n;
}

/* What most say of something, as Boyer and Moore count. */
struct votes {
	int64_t is;
	size_t lead;
};

static void vote(struct votes *v, int64_t is)
{
	if (!v->lead)
		v->is = is;
	if (v->is == is)
		v->lead++;
	else
		v->lead--;
}

/* Members whose number is known say those of the others that they meet. */
static void ask_visit(const struct numbering *n, const bool *known, const struct replay_visit *v,
		      struct votes *votes)
{
	const struct replay_stop *stops = n->replay->stops;
	const uint32_t end = v->first + v->count;
	uint32_t i = v->first;
	int64_t step;

	while (i < end && (n->own[i] == NOBODY || !known[stops[i].is.member]))
		i++;
	if (i == end)
		return;
	step = n->own[i] - n->shift[stops[i].is.member];
	for (i = v->first; i < end; i++) {
		if (n->own[i] != NOBODY && !known[stops[i].is.member])
			vote(&votes[stops[i].is.member], n->own[i] - step);
	}
}

/* Sends of many count together what is sent to one and to another: who meets whom is not known. */
static bool is_meeting(const struct replay_class *c, bool sends)
{
	return sends ? c->type == COLL_SEND_RECV && c->member_count == 2
		     : c->type != COLL_SEND_RECV;
}

/* Those that meet some member whose number is known; false: nobody else does. */
static bool spread(const struct numbering *n, bool sends, bool *known)
{
	const struct replay *r = n->replay;
	const size_t members = n->job->member_count;
	SCOPED struct votes *votes = mem_zalloc(members, sizeof(*votes));
	bool any = false;

	for (size_t i = 0; i < r->count; i++) {
		if (is_meeting(&r->classes[r->visits[i].class], sends))
			ask_visit(n, known, &r->visits[i], votes);
	}
	for (size_t i = 0; i < members; i++) {
		if (!votes[i].lead)
			continue;
		n->shift[i] = votes[i].is;
		known[i] = any = true;
	}
	return any;
}

/* Steps are called as most captures count them. */
static void count_as_most(int64_t *shift, size_t n)
{
	SCOPED int64_t *sorted = mem_copy(shift, n, sizeof(*sorted)),
		       *scratch = mem_alloc(n, sizeof(*scratch));
	int64_t usual = 0;
	size_t most = 0;

	sort_i64(sorted, scratch, n);
	for (size_t i = 0, first = 0; i < n; i++) {
		first = sorted[i] == sorted[first] ? first : i;
		if (i + 1 - first > most) {
			most = i + 1 - first;
			usual = sorted[i];
		}
	}
	for (size_t i = 0; i < n; i++)
		shift[i] -= usual;
}

static void find_shifts(const struct numbering *n)
{
	const size_t members = n->job->member_count;
	SCOPED bool *known = mem_zalloc(members, sizeof(*known));

	for (size_t i = 0; i < members; i++) {
		if (known[i])
			continue;
		known[i] = true;
		/* What all do together says more than sends. */
		do {
			while (spread(n, false, known))
				;
		} while (spread(n, true, known));
	}
	count_as_most(n->shift, members);
}

/* As the first of its members has it whose kernel is not lost; below 0: none has. */
static int64_t step_of_visit(const struct numbering *n, const struct replay_visit *v)
{
	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		if (n->own[i] != NOBODY)
			return n->own[i] - n->shift[n->replay->stops[i].is.member];
	}
	return INT64_MIN;
}

/* Where a class has its first whole step, and how many of its collectives each has. */
struct class_steps {
	int64_t step, first;	   /* as far as one has come: the step, its first collective */
	int64_t whole, whole_step; /* the first collective of the first whole step */
	struct votes each;
};

static void take_visit(struct class_steps *c, int64_t step, uint32_t number)
{
	if (step == INT64_MIN || step == c->step)
		return;
	if (c->step != INT64_MIN && c->whole < 0) {
		c->whole = number;
		c->whole_step = step;
	} else if (c->step != INT64_MIN && step == c->step + 1) {
		vote(&c->each, number - c->first);
	}
	c->step = step;
	c->first = number;
}

static bool is_known(const struct class_steps *c)
{
	return c->whole >= 0 && c->each.lead;
}

/* Before visits are put in order: they come by class, and then by number. */
static struct class_steps *list_class_steps(const struct numbering *n)
{
	const struct replay *r = n->replay;
	struct class_steps *all = mem_alloc(r->class_count, sizeof(*all));

	for (size_t i = 0; i < r->class_count; i++)
		all[i] = (struct class_steps){.step = INT64_MIN, .whole = -1};
	for (size_t i = 0; i < r->count; i++)
		take_visit(&all[r->visits[i].class], step_of_visit(n, &r->visits[i]),
			   r->visits[i].number);
	return all;
}

/* How much is done in a communicator is what is done in a step, however many its captures have. */
static void count_by_step(const struct class_steps *all, struct replay_class *classes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_known(&all[i]))
			classes[i].count = (size_t)all[i].each.is;
	}
}

/* What ranks of two communicators do alike has one number, whichever capture of these begins first.
 */
static void number_visits(const struct class_steps *all, struct replay *r)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < r->class_count; i++) {
		if (is_known(&all[i]) && all[i].whole_step - 1 < least)
			least = all[i].whole_step - 1;
	}
	for (size_t i = 0; i < r->count; i++) {
		struct replay_visit *v = &r->visits[i];
		const struct class_steps *c = &all[v->class];
		const int64_t number =
			is_known(c) ? v->number - c->whole + c->each.is * (c->whole_step - least)
				    : v->number;

		if (number >= 0 && number < UINT32_MAX)
			v->number = (uint32_t)number;
	}
}

/* Whether all captures have the same steps: then numbers and counts are alike as they are. */
static bool are_whole(const struct numbering *n)
{
	const struct job_member *m = n->job->members;
	bool are = true;

	for (size_t i = 0; i < n->job->member_count; i++)
		are &= n->shift[i] == 0 && m[i].is->step_count == m[0].is->step_count;
	return are;
}

int64_t *steps_align(const struct job *j, struct replay *r, struct replay_class *classes)
{
	int64_t *shift = mem_zalloc(j->member_count, sizeof(*shift));
	const struct numbering n = numbering_of(j, r, shift);

	find_shifts(&n);
	if (!are_whole(&n)) {
		SCOPED struct class_steps *all = list_class_steps(&n);

		count_by_step(all, classes, r->class_count);
		number_visits(all, r);
	}
	free(n.own);
	return shift;
}

/*
 * Numbers of a bad part may be anything, and there is a cell for each member and step: memory is
 * bounded by what the parts hold.
 */
static size_t most_steps(const struct stragglers *s)
{
	const struct job *j = s->job;
	size_t known = s->replay.stop_count;

	for (size_t i = 0; i < j->member_count; i++)
		known += j->members[i].is->step_count;
	return CELLS_EACH * (known / (j->member_count + 1) + 1);
}

static void count_from_first(struct stragglers *s)
{
	uint32_t first = NOBODY, last = 0;

	for (size_t i = 0; i < s->replay.count; i++) {
		if (s->step_of[i] == NOBODY)
			continue;
		first = s->step_of[i] < first ? s->step_of[i] : first;
		last = s->step_of[i] > last ? s->step_of[i] : last;
	}
	s->first_step = first == NOBODY ? 0 : first;
	s->steps = first == NOBODY ? 1 : (size_t)(last - first) + 1;
	if (s->steps > most_steps(s))
		s->steps = most_steps(s);
	for (size_t i = 0; i < s->replay.count; i++) {
		if (first == NOBODY)
			s->step_of[i] = 0;
		else if (s->step_of[i] != NOBODY)
			s->step_of[i] =
				s->step_of[i] - first < s->steps ? s->step_of[i] - first : NOBODY;
	}
}

void steps_number(struct stragglers *s)
{
	const struct numbering n = numbering_of(s->job, &s->replay, s->step_shift);

	s->step_of = mem_alloc(s->replay.count, sizeof(*s->step_of));
	for (size_t i = 0; i < s->replay.count; i++) {
		const int64_t step = step_of_visit(&n, &s->replay.visits[i]);

		s->step_of[i] = step >= 0 && step < NOBODY ? (uint32_t)step : NOBODY;
	}
	free(n.own);
	count_from_first(s);
}

uint32_t steps_at(const struct stragglers *s, uint32_t member, const struct part_step *own)
{
	const int64_t at = own->number - s->step_shift[member] - s->first_step;

	return at >= 0 && at < (int64_t)s->steps ? (uint32_t)at : NOBODY;
}
