/* Which ranks do the same? Those that exchange gradients or parts of a layer. */
#include "fleet/job/roles.h"

#include "base/mem.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct roles {
	const struct job *job;
	const struct instances *x;
	uint32_t *of;	/* by member: another of its role, the first of it at last */
	uint32_t *peer; /* by pair that sends to each other: its members, two and two */
	size_t pairs;
	bool *inside; /* by member, of the class at hand */
};

static uint32_t member_of(const struct roles *r, const struct instance_class *c, size_t queue)
{
	return r->x->queues[c->first_queue + queue].member;
}

static bool has_all(const struct roles *r, const struct instance_class *c)
{
	return c->queue_count == r->job->member_count ||
	       (c->is->ranks && c->is->ranks == r->job->world);
}

static void list_pairs(struct roles *r)
{
	r->peer = mem_alloc(2 * r->x->class_count, sizeof(*r->peer));
	for (size_t i = 0; i < r->x->class_count; i++) {
		const struct instance_class *c = &r->x->classes[i];

		if (c->is->type != COLL_SEND_RECV || c->queue_count != 2 || has_all(r, c))
			continue;
		r->peer[2 * r->pairs] = member_of(r, c, 0);
		r->peer[2 * r->pairs++ + 1] = member_of(r, c, 1);
	}
}

/* Ranks that pass work on to each other are stages, whatever else they have in common. */
static bool has_pair(struct roles *r, const struct instance_class *c)
{
	bool found = false;

	for (size_t i = 0; i < c->queue_count; i++)
		r->inside[member_of(r, c, i)] = true;
	for (size_t i = 0; i < r->pairs && !found; i++)
		found = r->inside[r->peer[2 * i]] && r->inside[r->peer[2 * i + 1]];
	for (size_t i = 0; i < c->queue_count; i++)
		r->inside[member_of(r, c, i)] = false;
	return found;
}

static uint32_t first_of(struct roles *r, uint32_t member)
{
	while (r->of[member] != member)
		member = r->of[member] = r->of[r->of[member]];
	return member;
}

static void connect(struct roles *r, const struct instance_class *c)
{
	if (c->queue_count < 2 || c->is->type == COLL_SEND_RECV || has_all(r, c) || has_pair(r, c))
		return;
	for (size_t i = 1; i < c->queue_count; i++) {
		const uint32_t a = first_of(r, member_of(r, c, 0)),
			       b = first_of(r, member_of(r, c, i));

		r->of[a > b ? a : b] = a > b ? b : a;
	}
}

/* Ranks that none connects to another have one role: that of the others. */
static uint32_t *number(struct roles *r, uint32_t *ret_count)
{
	const size_t n = r->job->member_count;
	uint32_t *numbers = mem_alloc(n, sizeof(*numbers)), *size = mem_zalloc(n, sizeof(*size));
	uint32_t others = NONE;

	*ret_count = 0;
	for (uint32_t i = 0; i < n; i++)
		size[first_of(r, i)]++;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t first = first_of(r, i);

		if (size[first] == 1 && others != NONE)
			numbers[i] = others;
		else
			numbers[i] = first < i ? numbers[first] : (*ret_count)++;
		if (size[first] == 1)
			others = numbers[i];
	}
	free(size);
	return numbers;
}

uint32_t *roles_make(const struct job *j, const struct instances *x, uint32_t *ret_count)
{
	struct roles r = {.job = j, .x = x};
	uint32_t *numbers;

	r.of = mem_alloc(j->member_count, sizeof(*r.of));
	r.inside = mem_zalloc(j->member_count, sizeof(*r.inside));
	for (uint32_t i = 0; i < j->member_count; i++)
		r.of[i] = i;
	list_pairs(&r);
	for (size_t i = 0; i < x->class_count; i++)
		connect(&r, &x->classes[i]);
	numbers = number(&r, ret_count);
	free(r.inside);
	free(r.peer);
	free(r.of);
	return numbers;
}
