/* Which GPU and which thread is a place about, and how much is shown around it? */
#include "timeline/strips/strip_plan.h"

#include "report/finding.h"

enum {
	GPUS = 64,	      /* of more, the others are nobody's place */
	LOOKS = 4096,	      /* at ops, in search of one on a GPU */
	MOST_OPS = 1 << 17,   /* on either side: more would take as long to sum up as all else */
	LEAST_MARGIN = 1000,  /* ns */
	GAP_IS_MORE = 8,      /* times as long as its part: then its ends are out of sight */
	NEIGHBOUR_SHARE = 10, /* of a gap, that is seen beyond its ends */
};

/* How well GPUs fit a place: whose ops begin and end just there. */
struct scores {
	uint32_t devices[GPUS];
	unsigned score[GPUS];
	size_t count;
};

static void add_score(struct scores *s, uint32_t device, unsigned score)
{
	size_t i = 0;

	while (i < s->count && s->devices[i] != device)
		i++;
	if (i == GPUS)
		return;
	if (i == s->count) {
		s->devices[s->count] = device;
		s->score[s->count++] = 0;
	}
	s->score[i] += score;
}

/* Those that begin then or later. */
static struct ops ops_from(const struct strip_maker *m, int64_t at_ns)
{
	struct ops_cut from, to;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		from.next[kind] = op_lane_before(&m->ops.lanes[kind], at_ns);
		to.next[kind] = m->ops.lanes[kind].ev->count;
	}
	return ops_piece(&m->ops, &from, &to);
}

static uint64_t row_at(const struct op_lane *l, uint64_t place)
{
	return l->order ? l->order[place] : place;
}

/* The ops that begin and end at one end of the place. */
static void score_end(const struct strip_maker *m, int64_t at_ns, struct scores *s)
{
	struct ops from = ops_from(m, at_ns);
	struct op op;

	for (size_t i = 0; i < LOOKS && ops_next(&from, &op) && op.start_ns == at_ns; i++)
		add_score(s, op.device, 1);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct op_lane *l = &m->ops.lanes[kind];
		const uint64_t before = op_lane_before(l, at_ns);

		for (uint64_t i = 0; i < LOOKS && i < before; i++) {
			const uint64_t row = row_at(l, before - 1 - i);

			if (op_end_ns(l->ev, row) == at_ns)
				add_score(s, device_map_of(&m->ops.devices, l->ev, row), 1);
		}
	}
}

/*
 * A place is a gap, a part of one, or an op: the GPU's ops begin or end where it does. Where
 * nothing does, it is the GPU that does something next.
 */
static uint32_t find_device(const struct strip_maker *m, const struct span *place)
{
	struct ops from = ops_from(m, place->start_ns), all = ops_from(m, INT64_MIN);
	struct scores s = {0};
	size_t best = 0;
	struct op op;

	score_end(m, place->start_ns, &s);
	score_end(m, place->end_ns, &s);
	for (size_t i = 1; i < s.count; i++) {
		if (s.score[i] > s.score[best] ||
		    (s.score[i] == s.score[best] && s.devices[i] < s.devices[best]))
			best = i;
	}
	if (s.count)
		return s.devices[best];
	return ops_next(&from, &op) || ops_next(&all, &op) ? op.device : ID_NONE;
}

/* The first op of the GPU that begins in the place or after it: that which ends a gap. */
static bool find_op(const struct strip_maker *m, const struct strip_plan *p, struct op *ret)
{
	struct ops from = ops_from(m, p->place.start_ns);

	for (size_t i = 0; i < LOOKS && ops_next(&from, ret); i++) {
		if (ret->device == p->device)
			return true;
	}
	return false;
}

static uint32_t find_thread(const struct strip_maker *m, const struct op *op)
{
	struct api_call call;

	if (!m->joined || !(m->launches.kinds & 1U << op->kind) ||
	    !launches_call(&m->launches, m->launches.begin[op->kind] + op->row, &call))
		return ID_NONE;
	return launches_origin(&m->launches, &call).thread;
}

/* When the GPU's last op before the place ends, as far as it is one of the last of its kind. */
static int64_t find_end_before(const struct strip_maker *m, const struct strip_plan *p)
{
	int64_t latest_ns = INT64_MIN;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct op_lane *l = &m->ops.lanes[kind];
		const uint64_t before = op_lane_before(l, p->place.start_ns);

		for (uint64_t i = 0; i < LOOKS && i < before; i++) {
			const uint64_t row = row_at(l, before - 1 - i);

			if (device_map_of(&m->ops.devices, l->ev, row) != p->device)
				continue;
			if (op_end_ns(l->ev, row) > latest_ns)
				latest_ns = op_end_ns(l->ev, row);
			break;
		}
	}
	return latest_ns;
}

/* The gap that the place is a part of, unless that is so long that the place would be lost. */
static struct span find_gap(const struct strip_maker *m, const struct strip_plan *p,
			    const struct op *next)
{
	struct span gap = {find_end_before(m, p), next->start_ns};

	if (gap.start_ns > p->place.start_ns || gap.start_ns == INT64_MIN ||
	    gap.end_ns < p->place.end_ns || span_ns(gap) / GAP_IS_MORE > span_ns(p->place))
		return p->place;
	return gap;
}

static struct span widened(struct span s, int64_t by_ns)
{
	return (struct span){sat_sub(s.start_ns, by_ns), sat_add(s.end_ns, by_ns)};
}

static struct span limits(const struct strip_maker *m, struct span place)
{
	struct span all = place;

	if (m->trace->meta.has_span && m->trace->meta.span_ns > 0)
		span_widen(&all, (struct span){0, m->trace->meta.span_ns});
	if (m->ops.times.any)
		span_widen(&all, (struct span){m->ops.times.first_ns, m->ops.times.last_ns});
	return all;
}

static int64_t start_at(const struct op_lane *l, uint64_t place)
{
	return l->ev->start_ns[row_at(l, place)];
}

/* Around too many ops a window is shorter: a place that long looks alike all along. */
static void cut_crowded(const struct strip_maker *m, int64_t place_ns, struct span *window)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct op_lane *l = &m->ops.lanes[kind];
		const uint64_t here = op_lane_before(l, place_ns);

		if (here - op_lane_before(l, window->start_ns) > MOST_OPS)
			window->start_ns = start_at(l, here - MOST_OPS);
		if (op_lane_before(l, window->end_ns) > here + MOST_OPS)
			window->end_ns = start_at(l, here + MOST_OPS);
	}
}

/* The communication that begins just then. */
static bool find_entry(const struct strip_maker *m, int64_t at_ns, struct op *ret)
{
	struct ops from = ops_from(m, at_ns);

	for (size_t i = 0; i < LOOKS && ops_next(&from, ret) && ret->start_ns == at_ns; i++) {
		if (ret->class == OP_COMM)
			return true;
	}
	return false;
}

/* One rank enters a collective as the place begins, the one it waits for as it ends: what that one
 * does meanwhile explains the wait. */
static bool find_ranks(const struct strip_maker *m, struct strip_plan *p)
{
	struct op late, early;

	if (!p->block->finding->awaits_ranks || !find_entry(m, p->place.end_ns, &late))
		return false;
	p->device = late.device;
	p->process = late.process;
	p->thread = find_thread(m, &late);
	if (find_entry(m, p->place.start_ns, &early) && early.device != late.device)
		p->waiting = early.device;
	return true;
}

void strip_plan_find(const struct strip_maker *m, struct strip_plan *p)
{
	const int64_t ns = span_ns(p->place);
	struct span gap = p->place;
	struct op next;

	p->thread = p->process = p->waiting = ID_NONE;
	if (!find_ranks(m, p)) {
		p->device = find_device(m, &p->place);
		if (find_op(m, p, &next)) {
			p->thread = find_thread(m, &next);
			gap = find_gap(m, p, &next);
		}
	}
	p->window = widened(p->place, ns > LEAST_MARGIN ? ns : LEAST_MARGIN);
	span_widen(&p->window, widened(gap, span_ns(gap) / NEIGHBOUR_SHARE));
	p->window = span_common(p->window, limits(m, p->place));
	cut_crowded(m, p->place.start_ns, &p->window);
}

/*
 * A capture may be longer than anything that it recorded: where neither the GPUs nor the thread do
 * anything any more, or yet, nothing is to be seen.
 */
void strip_plan_trim(const struct strip_maker *m, struct strip_plan *p)
{
	struct span seen = p->place;

	if (m->ops.times.any)
		span_widen(&seen, (struct span){m->ops.times.first_ns, m->ops.times.last_ns});
	for (size_t i = 0; i < p->near[NEAR_CALLS].count; i++) {
		const struct strip_item *c = &p->near[NEAR_CALLS].all[i];

		if (c->thread == p->thread)
			span_widen(&seen, (struct span){c->start_ns, c->end_ns});
	}
	p->window = span_common(p->window, seen);
}
