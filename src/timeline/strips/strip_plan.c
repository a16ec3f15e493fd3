/* Which GPU and which thread is a place about, and how much is shown around it? */
#include "timeline/strips/strip_plan.h"

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

/* The ops that begin or end at one end of the place, which is what they are asked about. */
static void score_end(struct strip_maker *m, const struct span *place, int64_t at_ns,
		      struct scores *s)
{
	struct op op;

	ops_seek(&m->ops, at_ns);
	for (size_t i = 0; i < LOOKS && ops_next(&m->ops, &op) && op.start_ns <= at_ns; i++) {
		const bool is_place = op.start_ns == place->start_ns && op.end_ns == place->end_ns;

		add_score(s, op.device, (op.start_ns == at_ns || op.end_ns == at_ns) + is_place);
	}
}

/*
 * A place is a gap, a part of one, or an op: the GPU's ops begin or end where it does. Where
 * nothing does, any GPU is as good as another, and the first is taken.
 */
static uint32_t find_device(struct strip_maker *m, const struct span *place)
{
	struct scores s = {0};
	size_t best = 0;
	struct op op;

	score_end(m, place, place->start_ns, &s);
	score_end(m, place, place->end_ns, &s);
	for (size_t i = 1; i < s.count; i++) {
		if (s.score[i] > s.score[best] ||
		    (s.score[i] == s.score[best] && s.devices[i] < s.devices[best]))
			best = i;
	}
	if (s.count && s.score[best])
		return s.devices[best];
	ops_seek(&m->ops, place->start_ns);
	if (ops_next(&m->ops, &op))
		return op.device;
	ops_rewind(&m->ops);
	return ops_next(&m->ops, &op) ? op.device : ID_NONE;
}

/* The first op of the GPU that begins in the place or after it: that which ends a gap. */
static bool find_op(struct strip_maker *m, const struct strip_plan *p, struct op *ret)
{
	ops_seek(&m->ops, p->place.start_ns);
	for (size_t i = 0; i < LOOKS && ops_next(&m->ops, ret); i++) {
		if (ret->device == p->device && ret->start_ns >= p->place.start_ns)
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
			const uint64_t place = before - 1 - i;
			const uint64_t row = l->order ? l->order[place] : place;

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
	return l->ev->start_ns[l->order ? l->order[place] : place];
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

void strip_plan_find(struct strip_maker *m, struct strip_plan *p)
{
	const int64_t ns = span_ns(p->place);
	struct span gap = p->place;
	struct op next;

	p->device = find_device(m, &p->place);
	p->thread = ID_NONE;
	if (find_op(m, p, &next)) {
		p->thread = find_thread(m, &next);
		gap = find_gap(m, p, &next);
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
	for (size_t i = 0; i < p->calls.count; i++) {
		const struct strip_item *c = &p->calls.all[i];

		if (c->thread == p->thread)
			span_widen(&seen, (struct span){c->start_ns, c->end_ns});
	}
	p->window = span_common(p->window, seen);
}
