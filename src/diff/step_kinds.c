/* Which steps are of one kind? */
#include "diff/step_kinds.h"

#include "analysis/numbers/summary.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum {
	SKETCH = 64,	/* kernels by their names in so many counters: enough to tell steps apart */
	KIND_STEPS = 3, /* fewer are odd ones */
	SPLIT_STEPS = 8, /* fewer say nothing of modes */
};

static const double alike = 0.8;      /* of what two steps launch, in steps of one kind */
static const double least_part = 0.1; /* of the steps, in the smaller mode */
static const double far = 0.1;	      /* of the time, between modes … */
static const double wider = 3;	      /* … and times as wide as a mode is */

struct sketch {
	uint32_t calls[SKETCH];
};

/* A sort of steps by what they launch. */
struct sort {
	struct sketch usual; /* of the first such step */
	size_t steps;
	uint32_t leads_to; /* where odd steps go; itself otherwise */
};

struct sorting {
	struct compared_steps *steps;
	struct sketch *of_step;
	struct sort all[STEP_KINDS_MAX];
	size_t count;
};

/* By the text, so that it is the same in every capture; FNV-1a. */
static uint32_t *number_groups(const struct op_groups *g)
{
	uint32_t *of_group = mem_alloc(g->count, sizeof(*of_group));

	for (size_t i = 0; i < g->count; i++) {
		uint32_t hash = UINT32_C(2166136261);

		for (const char *c = g->all[i].name; *c; c++)
			hash = (hash ^ (uint8_t)*c) * UINT32_C(16777619);
		of_group[i] = (hash ^ hash >> 16) % SKETCH;
	}
	return of_group;
}

static void sketch_ops(struct sketch *all, const struct compared_steps *c, const struct ops *o,
		       enum trace_kind kind, const uint32_t *of_op, const uint32_t *of_group)
{
	const struct events *ev = o->lanes[kind].ev;
	size_t at = 0;

	for (uint64_t i = 0; of_op && ev->start_ns && i < ev->count; i++) {
		uint32_t process, device;

		if (ev->start_ns[i] < c->place.from_ns || ev->start_ns[i] >= c->place.to_ns)
			continue;
		ops_place(o, kind, i, &process, &device);
		if (!scope_has_place(&c->place, o->trace, process, device))
			continue;
		at = compared_steps_at(c, ev->start_ns[i], at);
		if (at < c->count && ev->start_ns[i] >= c->all[at].from_ns)
			all[at].calls[of_group[of_op[i]]]++;
	}
}

/* Kernels, and graphs that hide theirs: copies come and go with what is logged. */
static struct sketch *sketch_steps(const struct compared_steps *c, const struct ops *o,
				   const struct op_groups *g)
{
	struct sketch *all = mem_zalloc(c->count, sizeof(*all));
	uint32_t *of_group = number_groups(g);

	sketch_ops(all, c, o, TRACE_KERNELS, g->of_op[TRACE_KERNELS], of_group);
	sketch_ops(all, c, o, TRACE_GRAPHS, g->of_op[TRACE_GRAPHS], of_group);
	free(of_group);
	return all;
}

/* How much of what two steps launch is in both: 0 to 1. */
static double likeness(const struct sketch *a, const struct sketch *b)
{
	uint64_t common = 0, all = 0;

	for (int i = 0; i < SKETCH; i++) {
		common += a->calls[i] < b->calls[i] ? a->calls[i] : b->calls[i];
		all += a->calls[i] < b->calls[i] ? b->calls[i] : a->calls[i];
	}
	return all ? (double)common / (double)all : 1;
}

/* The sort that a step is most like; `among` says which may be. */
static uint32_t nearest(const struct sorting *s, const struct sketch *step, bool frequent)
{
	double best = -1;
	uint32_t found = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const double like = likeness(&s->all[i].usual, step);

		if ((!frequent || s->all[i].steps >= KIND_STEPS) && like > best) {
			best = like;
			found = i;
		}
	}
	return found;
}

static uint32_t sort_step(struct sorting *s, const struct sketch *step)
{
	uint32_t found = s->count ? nearest(s, step, false) : 0;

	if (s->count < STEP_KINDS_MAX &&
	    (!s->count || likeness(&s->all[found].usual, step) < alike)) {
		found = (uint32_t)s->count++;
		s->all[found] = (struct sort){.usual = *step};
	}
	s->all[found].steps++;
	return found;
}

/* Odd steps go where they fit best; where all are odd, to the first. */
static void join_odd(struct sorting *s)
{
	bool any = false;

	for (size_t i = 0; i < s->count; i++)
		any |= s->all[i].steps >= KIND_STEPS;
	for (uint32_t i = 0; i < s->count; i++) {
		if (!any)
			s->all[i].leads_to = 0;
		else if (s->all[i].steps >= KIND_STEPS)
			s->all[i].leads_to = i;
		else
			s->all[i].leads_to = nearest(s, &s->all[i].usual, true);
	}
}

static int64_t step_ns(const struct compared_step *s)
{
	return sat_sub(s->to_ns, s->from_ns);
}

/* The middle eight tenths of a mode: one step that stands out makes it no wider. */
static double width(const int64_t *ascending, size_t count)
{
	return quantile(ascending, count, 0.9) - quantile(ascending, count, 0.1);
}

size_t step_modes_split(const int64_t *ascending, size_t count, double least_gap)
{
	const size_t least = (size_t)((double)count * least_part) < KIND_STEPS
				     ? KIND_STEPS
				     : (size_t)((double)count * least_part);
	size_t widest = 0;
	double gap;

	if (count < SPLIT_STEPS)
		return 0;
	for (size_t i = least; i + least <= count; i++) {
		if (!widest || sat_sub(ascending[i], ascending[i - 1]) >
				       sat_sub(ascending[widest], ascending[widest - 1]))
			widest = i;
	}
	if (!widest)
		return 0;
	gap = (double)ascending[widest] - (double)ascending[widest - 1];
	return gap > least_gap && gap > wider * width(ascending, widest) &&
			       gap > wider * width(ascending + widest, count - widest)
		       ? widest
		       : 0;
}

/* What tells two modes of the steps of a sort apart. */
struct modes {
	const int64_t *of_step; /* times of a range on the host; NULL: of the step */
	int64_t slow_ns;	/* that the slower mode takes at least */
	double gap_ns;		/* between the modes; 0: there is one */
	bool slow_is_usual;
};

static int64_t mode_ns(const struct compared_steps *c, const int64_t *of_step, size_t i)
{
	return of_step ? of_step[i] : step_ns(&c->all[i]);
}

static struct modes find_modes(const struct compared_steps *c, uint32_t sort,
			       const int64_t *of_step, double least_gap)
{
	int64_t *ns = mem_alloc(c->count, sizeof(*ns)), *scratch = mem_alloc(c->count, sizeof(*ns));
	struct modes m = {.of_step = of_step};
	size_t count = 0, split;

	for (size_t i = 0; i < c->count; i++) {
		if (c->all[i].kind == sort)
			ns[count++] = mode_ns(c, of_step, i);
	}
	sort_i64(ns, scratch, count);
	split = step_modes_split(ns, count, least_gap);
	if (split) {
		m.slow_ns = ns[split];
		m.gap_ns = (double)ns[split] - (double)ns[split - 1];
		m.slow_is_usual = split < count - split;
	}
	free(scratch);
	free(ns);
	return m;
}

static double usual_ns(const struct compared_steps *c)
{
	int64_t *ns = mem_alloc(c->count, sizeof(*ns));
	double median;

	for (size_t i = 0; i < c->count; i++)
		ns[i] = step_ns(&c->all[i]);
	median = sort_median(ns, c->count);
	free(ns);
	return median;
}

/* By the step's time, else by the range of the host whose modes are farthest apart. */
static struct modes choose_modes(const struct compared_steps *c, uint32_t sort,
				 const struct host_ranges *h)
{
	const double least_gap = far * usual_ns(c);
	struct modes best = find_modes(c, sort, NULL, least_gap);

	for (size_t i = 0; i < h->count && !(best.gap_ns > 0 && !best.of_step); i++) {
		struct modes m = {0};

		if (h->all[i].of_step)
			m = find_modes(c, sort, h->all[i].of_step, least_gap);
		if (m.gap_ns > best.gap_ns)
			best = m;
	}
	return best;
}

static int by_frequency(const void *a, const void *b, void *ctx)
{
	const struct step_kind *x = a, *y = b;

	(void)ctx;
	if (x->steps != y->steps)
		return x->steps > y->steps ? -1 : 1;
	if (x->launches != y->launches)
		return x->launches < y->launches ? -1 : 1;
	return (x->mode > y->mode) - (x->mode < y->mode);
}

/* Which of the kinds is that of a sort and a mode; a new one where there is none. */
static uint32_t kind_of(struct step_kind *kinds, size_t *count, uint32_t sort, uint32_t mode)
{
	for (uint32_t i = 0; i < *count; i++) {
		if (kinds[i].launches == sort && kinds[i].mode == mode)
			return i;
	}
	kinds[*count] = (struct step_kind){.launches = sort, .mode = mode};
	return (uint32_t)(*count)++;
}

/* Steps know their sorts, and then their kinds. */
static void split_modes(struct compared_steps *c, size_t sorts, const struct host_ranges *h,
			struct step_kind *kinds, size_t *ret_count)
{
	uint32_t *mode = mem_zalloc(c->count, sizeof(*mode));
	size_t count = 0;

	for (uint32_t sort = 0; sort < sorts; sort++) {
		const struct modes m = choose_modes(c, sort, h);

		for (size_t i = 0; i < c->count; i++) {
			if (c->all[i].kind == sort && m.gap_ns > 0)
				mode[i] =
					(mode_ns(c, m.of_step, i) >= m.slow_ns) != m.slow_is_usual;
		}
	}
	for (size_t i = 0; i < c->count; i++) {
		struct step_kind *k = &kinds[kind_of(kinds, &count, c->all[i].kind, mode[i])];

		k->steps++;
		k->ns = sat_add(k->ns, step_ns(&c->all[i]));
	}
	sort_stable(kinds, count, sizeof(*kinds), by_frequency, NULL);
	for (size_t i = 0; i < c->count; i++)
		c->all[i].kind = kind_of(kinds, &count, c->all[i].kind, mode[i]);
	free(mode);
	*ret_count = count;
}

void step_kinds_find(struct compared_steps *c, const struct ops *o, const struct op_groups *g,
		     const struct host_ranges *h, struct arena *arena, struct step_kind **ret,
		     size_t *ret_count)
{
	struct sorting s = {.steps = c, .of_step = sketch_steps(c, o, g)};

	for (size_t i = 0; i < c->count; i++)
		c->all[i].kind = sort_step(&s, &s.of_step[i]);
	join_odd(&s);
	for (size_t i = 0; i < c->count; i++)
		c->all[i].kind = s.all[c->all[i].kind].leads_to;
	*ret = arena_zalloc(arena, (size_t)2 * STEP_KINDS_MAX, sizeof(**ret));
	split_modes(c, s.count, h, *ret, ret_count);
	free(s.of_step);
}
