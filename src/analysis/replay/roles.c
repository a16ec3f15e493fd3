/* Which ranks do the same? Those that exchange gradients or parts of a layer. */
#include "analysis/replay/roles.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Members in sets, each of which is named by its first one. */
static uint32_t first_of(uint32_t *set, uint32_t member)
{
	while (set[member] != member)
		member = set[member] = set[set[member]];
	return member;
}

static void join(uint32_t *set, uint32_t a, uint32_t b)
{
	a = first_of(set, a);
	b = first_of(set, b);
	set[a > b ? a : b] = a > b ? b : a;
}

static uint32_t *new_sets(size_t count)
{
	uint32_t *set = mem_alloc(count, sizeof(*set));

	for (uint32_t i = 0; i < count; i++)
		set[i] = i;
	return set;
}

struct finding_roles {
	const struct replay_class *classes;
	const enum replay_flow *flow; /* by class */
	size_t class_count, member_count;
	uint32_t *chain; /* sets: members that pairs connect, one with the next */
	uint32_t *group; /* sets: members with one role */
	uint32_t *seen;	 /* by chain: the last class that had a member of it */
};

static bool is_pair(const struct finding_roles *f, size_t class)
{
	return replay_class_is_pair(&f->classes[class]) && f->flow[class] != FLOW_AT_ONCE;
}

static void find_chains(struct finding_roles *f)
{
	for (size_t i = 0; i < f->class_count; i++) {
		if (is_pair(f, i))
			join(f->chain, f->classes[i].members[0], f->classes[i].members[1]);
	}
}

/* Ranks that pass work on to each other are stages, whatever else they have in common. */
static bool has_two_of_a_chain(struct finding_roles *f, size_t class)
{
	const struct replay_class *c = &f->classes[class];

	for (uint32_t i = 0; i < c->member_count; i++) {
		uint32_t *seen = &f->seen[first_of(f->chain, c->members[i])];

		if (*seen == class)
			return true;
		*seen = (uint32_t) class;
	}
	return false;
}

static void find_groups(struct finding_roles *f)
{
	for (size_t i = 0; i < f->class_count; i++) {
		const struct replay_class *c = &f->classes[i];

		if (c->member_count < 2 || c->type == COLL_SEND_RECV || c->has_all ||
		    has_two_of_a_chain(f, i))
			continue;
		for (uint32_t k = 1; k < c->member_count; k++)
			join(f->group, c->members[0], c->members[k]);
	}
}

/* Ranks that none connects to another have one role: that of the others. */
static void number_groups(struct finding_roles *f, struct roles *ret)
{
	uint32_t *size = mem_zalloc(f->member_count, sizeof(*size)), others = ROLES_NONE;

	for (uint32_t i = 0; i < f->member_count; i++)
		size[first_of(f->group, i)]++;
	for (uint32_t i = 0; i < f->member_count; i++) {
		const uint32_t first = first_of(f->group, i);

		if (size[first] == 1 && others != ROLES_NONE)
			ret->of[i] = others;
		else
			ret->of[i] = first < i ? ret->of[first] : ret->count++;
		if (size[first] == 1)
			others = ret->of[i];
	}
	free(size);
}

/* A group's neighbours in a pipeline: two at most. */
struct link {
	uint32_t next[2];
	uint32_t count;
};

/* False: it has more neighbours than a stage has. */
static bool add_link(struct link *of, uint32_t to)
{
	for (uint32_t i = 0; i < of->count; i++) {
		if (of->next[i] == to)
			return true;
	}
	if (of->count == 2)
		return false;
	of->next[of->count++] = to;
	return true;
}

static bool add_links(struct finding_roles *f, struct link *links)
{
	for (size_t i = 0; i < f->class_count; i++) {
		const struct replay_class *c = &f->classes[i];
		uint32_t a, b;

		if (!is_pair(f, i))
			continue;
		a = first_of(f->group, c->members[0]);
		b = first_of(f->group, c->members[1]);
		if (a == b || !add_link(&links[a], b) || !add_link(&links[b], a))
			return false;
	}
	return true;
}

/*
 * Groups in the order in which work passes through them, as far as pairs tell: `place` by group. 0:
 * they are no pipeline. A ring of ranks is none: they may as well do the same. Captures of some
 * ranks of a stage may be missing.
 */
static uint32_t walk_pipeline(struct finding_roles *f, const struct link *links, uint32_t *place)
{
	uint32_t groups = 0, walked = 0, at = ROLES_NONE, from = ROLES_NONE;

	for (uint32_t i = 0; i < f->member_count; i++) {
		if (first_of(f->group, i) != i)
			continue;
		groups++;
		if (!links[i].count)
			return 0;
		at = links[i].count == 1 && at == ROLES_NONE ? i : at;
	}
	while (at != ROLES_NONE) {
		const struct link *l = &links[at];
		uint32_t next = l->next[0] == from ? ROLES_NONE : l->next[0];

		if (next == ROLES_NONE && l->count == 2)
			next = l->next[1];
		place[at] = walked++;
		from = at;
		at = next;
	}
	return walked == groups && groups > 1 ? groups : 0;
}

static bool passes_on(const struct finding_roles *f)
{
	for (size_t i = 0; i < f->class_count; i++) {
		if (is_pair(f, i) && f->flow[i] == FLOW_PASSES)
			return true;
	}
	return false;
}

static bool number_stages(struct finding_roles *f, struct roles *ret)
{
	struct link *links = mem_zalloc(f->member_count, sizeof(*links));
	uint32_t *place = mem_zalloc(f->member_count, sizeof(*place));
	uint32_t count = add_links(f, links) ? walk_pipeline(f, links, place) : 0;

	count = count > 2 && !passes_on(f) ? 0 : count;
	if (count) {
		ret->count = count;
		ret->stage = mem_alloc(count, sizeof(*ret->stage));
		for (uint32_t i = 0; i < count; i++)
			ret->stage[i] = i;
		for (uint32_t i = 0; i < f->member_count; i++)
			ret->of[i] = place[first_of(f->group, i)];
	}
	free(place);
	free(links);
	return count > 0;
}

/* Whether a communicator that several send through has one member of each group. */
static bool goes_through_all(struct finding_roles *f, const struct replay_class *c, uint32_t groups,
			     bool *met)
{
	bool once = c->member_count == groups;

	for (uint32_t i = 0; i < c->member_count && once; i++) {
		bool *of = &met[first_of(f->group, c->members[i])];

		once = !*of;
		*of = true;
	}
	for (uint32_t i = 0; i < c->member_count; i++)
		met[first_of(f->group, c->members[i])] = false;
	return once;
}

/*
 * One communicator for each pipeline, which has a rank of each stage, says who are stages where
 * others say who does the same. Their order is that of their ranks.
 */
static bool number_by_pipelines(struct finding_roles *f, struct roles *ret)
{
	bool *met = mem_zalloc(f->member_count, sizeof(*met));
	uint32_t groups = 0, pipelines = 0;
	bool all = true;

	for (uint32_t i = 0; i < f->member_count; i++)
		groups += first_of(f->group, i) == i;
	for (size_t i = 0; i < f->class_count; i++) {
		const struct replay_class *c = &f->classes[i];

		if (c->type != COLL_SEND_RECV || c->has_all || c->member_count < 2)
			continue;
		pipelines++;
		/* All send as often where experts exchange tokens, which do the same. */
		all &= c->is_uneven && goes_through_all(f, c, groups, met);
	}
	free(met);
	if (!all || !pipelines || groups < 2 || groups == f->member_count)
		return false;
	for (uint32_t i = 0; i < f->member_count; i++)
		ret->of[i] =
			first_of(f->group, i) == i ? ret->count++ : ret->of[first_of(f->group, i)];
	ret->stage = mem_alloc(ret->count, sizeof(*ret->stage));
	for (uint32_t i = 0; i < ret->count; i++)
		ret->stage[i] = i;
	return true;
}

/* False: all are of one stage. */
static bool take_labels(const uint32_t *stage, size_t member_count, struct roles *ret)
{
	int64_t *keys = mem_alloc(member_count, sizeof(*keys));
	uint32_t *order;

	for (size_t i = 0; i < member_count; i++)
		keys[i] = stage[i];
	order = sort_new_order(keys, member_count);
	ret->stage = mem_alloc(member_count, sizeof(*ret->stage));
	for (size_t i = 0; i < member_count; i++) {
		if (!i || keys[order[i]] != keys[order[i - 1]])
			ret->stage[ret->count++] = stage[order[i]];
		ret->of[order[i]] = ret->count - 1;
	}
	free(order);
	free(keys);
	if (ret->count > 1)
		return true;
	free(ret->stage);
	ret->stage = NULL;
	ret->count = 0;
	return false;
}

static void tell_by_communicators(struct finding_roles *f, struct roles *ret)
{
	f->chain = new_sets(f->member_count);
	f->group = new_sets(f->member_count);
	f->seen = mem_alloc(f->member_count, sizeof(*f->seen));
	memset(f->seen, 0xff, f->member_count * sizeof(*f->seen));
	find_chains(f);
	find_groups(f);
	if (!number_stages(f, ret) && !number_by_pipelines(f, ret))
		number_groups(f, ret);
	free(f->chain);
	free(f->group);
	free(f->seen);
}

void roles_find(const struct replay_class *classes, size_t class_count, size_t member_count,
		const uint32_t *stage, const enum replay_flow *flow, struct roles *ret)
{
	struct finding_roles f = {.classes = classes,
				  .flow = flow,
				  .class_count = class_count,
				  .member_count = member_count};

	*ret = (struct roles){.of = mem_zalloc(member_count, sizeof(*ret->of))};
	if (!stage || !take_labels(stage, member_count, ret))
		tell_by_communicators(&f, ret);
}

void roles_free(struct roles *r)
{
	free(r->of);
	free(r->stage);
	*r = (struct roles){0};
}
