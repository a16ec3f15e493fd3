/* Which steps are of one kind? */
#include "diff/step_kinds.h"

#include "analysis/numbers/summary.h"
#include "base/mem.h"
#include "base/sort.h"
#include "text/strtab.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MAX = 512,   /* that are told apart; of more some are counted together, */
	NAMES_ALWAYS = 64, /* … and of many steps, where that is much to keep, more of them */
	CELLS_MAX = 1 << 24,
	SPLIT_STEPS = 8, /* fewer say nothing of modes, */
	MODE_STEPS = 3,	 /* nor fewer of one of them */
};

static const double least_part = 0.1; /* of the steps, in the smaller mode */
static const double far = 0.1;	      /* of the time, between modes … */
static const double wider = 3;	      /* … and times as wide as a mode is */

/* Which of the counters each group of ops has: those of one name have one; returns how many. */
static size_t number_groups(const struct op_groups *g, size_t steps, uint32_t *of_group)
{
	const size_t room = CELLS_MAX / (steps + 1);
	const size_t most = room > NAMES_MAX	  ? NAMES_MAX
			    : room < NAMES_ALWAYS ? NAMES_ALWAYS
						  : room;
	struct strtab names = {0};
	size_t count;

	for (size_t i = 0; i < g->count; i++)
		of_group[i] = (uint32_t)(strtab_add(&names, str_of(g->all[i].name)) % most);
	count = names.count < most ? names.count : most;
	strtab_free(&names);
	return count;
}

static void count_launches(struct step_launches *l, const struct compared_steps *c,
			   const struct ops *o, enum trace_kind kind, const uint32_t *of_op,
			   const uint32_t *of_group)
{
	const struct events *ev = o->lanes[kind].ev;
	size_t at = 0;

	for (uint64_t i = 0; of_op && ev->start_ns && i < ev->count; i++) {
		uint32_t process, device;
		size_t cell;

		if (ev->start_ns[i] < c->place.from_ns || ev->start_ns[i] >= c->place.to_ns)
			continue;
		ops_place(o, kind, i, &process, &device);
		if (!scope_has_place(&c->place, o->trace, process, device))
			continue;
		at = compared_steps_at(c, ev->start_ns[i], at);
		if (at >= c->count || ev->start_ns[i] < c->all[at].from_ns)
			continue;
		cell = at * l->names + of_group[of_op[i]];
		l->calls[cell]++;
		if (ev->duration_ns[i] > 0)
			l->ns[cell] = sat_add(l->ns[cell], ev->duration_ns[i]);
	}
}

/* Kernels, and graphs that hide theirs: copies come and go with what is logged. */
static size_t sort_steps(struct compared_steps *c, const struct ops *o, const struct op_groups *g)
{
	uint32_t *of_group = mem_alloc(g->count, sizeof(*of_group));
	uint32_t *sorts = mem_alloc(c->count, sizeof(*sorts));
	struct step_launches l = {.steps = c->count, .names = number_groups(g, c->count, of_group)};
	size_t count;

	l.calls = mem_zalloc(l.steps * l.names, sizeof(*l.calls));
	l.ns = mem_zalloc(l.steps * l.names, sizeof(*l.ns));
	count_launches(&l, c, o, TRACE_KERNELS, g->of_op[TRACE_KERNELS], of_group);
	count_launches(&l, c, o, TRACE_GRAPHS, g->of_op[TRACE_GRAPHS], of_group);
	count = step_sorts_find(&l, sorts);
	for (size_t i = 0; i < c->count; i++)
		c->all[i].kind = sorts[i];
	free(l.calls);
	free(l.ns);
	free(sorts);
	free(of_group);
	return count;
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
	const size_t least = (size_t)((double)count * least_part) < MODE_STEPS
				     ? MODE_STEPS
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
	const size_t sorts = sort_steps(c, o, g);

	*ret = arena_zalloc(arena, (size_t)2 * STEP_KINDS_MAX, sizeof(**ret));
	split_modes(c, sorts, h, *ret, ret_count);
}
