/* Which step of a run is the usual one, and which of its ops are worth drawing? */
#include "diff/usual_step.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void step_ops_add(struct step_ops *to, uint32_t leaf, uint32_t stream, int64_t start_ns, int64_t ns)
{
	MEM_GROW(to->all, to->cap, to->count + 1);
	to->all[to->count++] = (struct step_op){leaf, stream, start_ns, ns};
}

void step_ops_free(struct step_ops *o)
{
	free(o->all);
	*o = (struct step_ops){0};
}

struct timed_step {
	int64_t ns;
	size_t step;
};

static int by_time(const void *p, const void *q, void *ctx)
{
	const int64_t a = ((const struct timed_step *)p)->ns,
		      b = ((const struct timed_step *)q)->ns;

	(void)ctx;
	return (a > b) - (a < b);
}

size_t usual_step_choose(const struct account *a, uint32_t kind)
{
	struct timed_step *of = mem_alloc(a->step_count, sizeof(*of));
	size_t count = 0, found;

	for (size_t i = 0; i < a->step_count; i++) {
		if (a->steps[i].kind == kind)
			of[count++] = (struct timed_step){a->steps[i].ns, i};
	}
	sort_stable(of, count, sizeof(*of), by_time, NULL);
	found = count ? of[(count - 1) / 2].step : 0;
	free(of);
	return found;
}

struct stream_time {
	uint32_t stream;
	int64_t ns;
};

static int by_busy(const void *p, const void *q, void *ctx)
{
	const struct stream_time *a = p, *b = q;

	(void)ctx;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

static size_t find_stream(const struct stream_time *all, size_t count, uint32_t stream)
{
	size_t i = 0;

	while (i < count && all[i].stream != stream)
		i++;
	return i;
}

/* Streams become lanes, the busiest first; those beyond the last share it. */
static uint32_t place_lanes(struct step_op *ops, size_t count)
{
	struct stream_time *all = NULL;
	size_t streams = 0, cap = 0;

	for (size_t i = 0; i < count; i++) {
		const size_t at = find_stream(all, streams, ops[i].lane);

		if (at == streams) {
			MEM_GROW(all, cap, streams + 1);
			all[streams++] = (struct stream_time){ops[i].lane, 0};
		}
		all[at].ns = sat_add(all[at].ns, ops[i].ns);
	}
	sort_stable(all, streams, sizeof(*all), by_busy, NULL);
	for (size_t i = 0; i < count; i++) {
		const size_t at = find_stream(all, streams, ops[i].lane);

		ops[i].lane = (uint32_t)(at < USUAL_LANES ? at : USUAL_LANES - 1);
	}
	free(all);
	return (uint32_t)(streams < USUAL_LANES ? streams : USUAL_LANES);
}

static int by_length(const void *p, const void *q, void *ctx)
{
	const struct step_op *a = p, *b = q;

	(void)ctx;
	return (a->ns < b->ns) - (a->ns > b->ns);
}

static int by_start(const void *p, const void *q, void *ctx)
{
	const struct step_op *a = p, *b = q;

	(void)ctx;
	if (a->start_ns != b->start_ns)
		return a->start_ns > b->start_ns ? 1 : -1;
	return (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

const struct usual_step *usual_step_make(struct step_ops *ops, size_t step, struct arena *arena)
{
	struct usual_step *u = arena_zalloc(arena, 1, sizeof(*u));

	*u = (struct usual_step){.step = step, .all_ops = ops->count, .op_count = ops->count};
	if (u->op_count > USUAL_OPS) {
		sort_stable(ops->all, ops->count, sizeof(*ops->all), by_length, NULL);
		u->op_count = USUAL_OPS;
	}
	sort_stable(ops->all, u->op_count, sizeof(*ops->all), by_start, NULL);
	u->lanes = place_lanes(ops->all, u->op_count);
	u->ops = arena_alloc(arena, u->op_count, sizeof(*u->ops));
	if (u->op_count)
		memcpy(u->ops, ops->all, u->op_count * sizeof(*u->ops));
	return u;
}
