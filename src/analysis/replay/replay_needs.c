/*
 * What does a rank need of what it receives, where it had not to wait for that?
 *
 * A wait is seen where a rank stands still. Were it faster, or others slower, it would have to wait
 * where it does not: what it sends after it has waited says what needs what, as programs do the
 * same for each micro-batch.
 */
#include "analysis/replay/replay.h"

#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const double nearly = 0.9; /* of what follows a wait as a rule, to be taken for the same */

/* A rank waited for what it gets from another before it came to a collective of two. */
struct seen {
	uint64_t from; /* the class and the place in it of what it waited for */
	uint64_t to;   /* the class of what it came to, and how many numbers later */
	int64_t after_ns;
};

/* Of a class and a place in it: what comes after it as a rule; `after_ns` is 0: nothing is known.
 */
struct rule {
	uint32_t class;
	uint32_t later; /* numbers; as unsigned ones overflow, it may be earlier */
	int64_t after_ns;
};

static uint64_t place_of(const struct replay *r, uint32_t stop)
{
	const struct replay_visit *v = &r->visits[r->stops[stop].visit];

	return 2 * (uint64_t)v->class + (stop - v->first);
}

static void add_seen(const struct replay *r, const struct replay_stop *s, struct seen *all,
		     size_t *count)
{
	const struct replay_visit *v = &r->visits[s->visit];
	int64_t after_ns = 0;

	for (uint32_t i = s->first_wait + s->waits; v->count == 2 && i-- > s->first_wait;) {
		const uint32_t stop = r->waits[i].stop;
		const uint32_t number = r->visits[r->stops[stop].visit].number;

		after_ns = sat_add(after_ns, r->waits[i].after_ns);
		if (r->stops[stop].is_ahead)
			all[(*count)++] = (struct seen){place_of(r, stop),
							(uint64_t)v->class << 32 |
								(uint32_t)(v->number - number),
							after_ns};
	}
}

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct seen *x = a, *y = b;

	(void)ctx;
	if (x->from != y->from)
		return x->from > y->from ? 1 : -1;
	if (x->to != y->to)
		return x->to > y->to ? 1 : -1;
	return (x->after_ns > y->after_ns) - (x->after_ns < y->after_ns);
}

/* What half of the waits of one place at least came before. */
static struct rule find_rule(const struct seen *all, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && all[end].to == all[i].to; end++)
			;
		if (2 * (end - i) >= count)
			return (struct rule){(uint32_t)(all[i].to >> 32), (uint32_t)all[i].to,
					     all[i + (end - i) / 2].after_ns};
	}
	return (struct rule){0};
}

/* By place; the caller frees them. */
static struct rule *list_rules(const struct replay *r)
{
	struct rule *rules = mem_zalloc(2 * r->class_count, sizeof(*rules));
	struct seen *all = mem_alloc(r->wait_count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < r->stop_count; i++)
		add_seen(r, &r->stops[i], all, &count);
	sort_stable(all, count, sizeof(*all), by_place, NULL);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && all[end].from == all[i].from; end++)
			;
		rules[all[i].from] = find_rule(&all[i], end - i);
	}
	free(all);
	return rules;
}

/* By class and number: visits. */
static void number_visits(const struct replay *r, struct idmap *ret)
{
	for (uint32_t i = 0; i < r->count; i++)
		idmap_add(ret, (uint64_t)r->visits[i].class << 32 | r->visits[i].number, i);
}

static void add_need(struct replay *r, const struct rule *rule, const struct idmap *visits,
		     uint32_t of)
{
	const struct replay_stop *from = &r->stops[of];
	const struct replay_visit *v = &r->visits[from->visit];
	const uint32_t at = idmap_get(visits, (uint64_t)rule->class << 32 |
						      (uint32_t)(v->number + rule->later));
	struct replay_stop *to = NULL;
	int64_t after_ns;

	for (uint32_t i = 0; at != IDMAP_NONE && i < r->visits[at].count; i++) {
		if (r->stops[r->visits[at].first + i].is.member == from->is.member)
			to = &r->stops[r->visits[at].first + i];
	}
	/* What is seen tells more; and what comes later in the order of the replay is not known. */
	if (!to || to->waits || to->before == REPLAY_NONE || v->last_ns >= to->due_ns)
		return;
	after_ns = rule->after_ns < to->lag_ns ? rule->after_ns : to->lag_ns;
	if (sat_sub(to->ready_ns, from->is.leave_ns) < after_ns)
		after_ns = sat_sub(to->ready_ns, from->is.leave_ns);
	if ((double)after_ns < nearly * (double)rule->after_ns)
		return;
	MEM_GROW(r->waits, r->wait_cap, r->wait_count + 1);
	to->first_wait = (uint32_t)r->wait_count;
	to->waits = 1;
	r->waits[r->wait_count++] = (struct replay_wait){.stop = of, .after_ns = after_ns};
}

void replay_find_needs(struct replay *r)
{
	struct rule *rules = list_rules(r);
	struct idmap visits = {0};

	number_visits(r, &visits);
	for (uint32_t i = 0; i < r->stop_count; i++) {
		const struct replay_stop *s = &r->stops[i];
		const struct rule *rule = s->is_ahead ? &rules[place_of(r, i)] : NULL;

		if (rule && rule->after_ns > 0)
			add_need(r, rule, &visits, i);
	}
	idmap_free(&visits);
	free(rules);
}
