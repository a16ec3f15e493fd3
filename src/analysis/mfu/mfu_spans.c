/* What did the GPUs do while a step, or the window, went on? */
#include "analysis/gpu/timeline.h"
#include "analysis/mfu/mfu_part.h"
#include "analysis/numbers/cover.h"
#include "analysis/steps/iterations.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/ops/ops.h"

#include <stdlib.h>

/* Instances of one process after another, and whose they are; those of a process do not overlap. */
struct spans {
	struct mfu_part *part;
	const struct trace *trace;
	const struct scope *p;
	size_t *begin, *end;	 /* of each lane's instances */
	size_t *lane_of_process; /* lane_count: it has none; NULL: all are in the only lane */
	size_t lane_count;
	struct mfu_gpu_times gpu_times; /* owners are lanes */
	struct mfu_gpu_times devices;
	struct cover cover; /* when at least one instance goes on */
};

static size_t lane_of(const struct spans *s, uint32_t process)
{
	if (!s->lane_of_process)
		return 0;
	if (process == ID_NONE)
		return s->lane_count == 1 ? 0 : s->lane_count;
	return s->lane_of_process[process];
}

/* Adds what [from, to) has in common with the lane's instances; each is passed once. */
static void add_piece(struct spans *s, struct mfu_gpu_time *gpu_time, size_t lane, int64_t from_ns,
		      int64_t to_ns)
{
	for (size_t i = s->begin[lane] + gpu_time->at; i < s->end[lane]; i++) {
		struct mfu_instance *x = &s->part->instances[i];
		int64_t a = from_ns > x->from_ns ? from_ns : x->from_ns;
		int64_t b = to_ns < x->to_ns ? to_ns : x->to_ns;

		if (x->from_ns >= to_ns)
			break;
		if (b > a) {
			x->busy_ns = sat_add(x->busy_ns, sat_sub(b, a));
			x->devices += gpu_time->last != i;
			gpu_time->last = i;
		}
		if (x->to_ns > to_ns)
			break;
		gpu_time->at++;
	}
}

static void add_op(struct spans *s, const struct op *op)
{
	size_t lane = lane_of(s, op->process);
	struct mfu_gpu_time *gpu_time;
	int64_t from_ns;

	if (lane == s->lane_count || !scope_has_place(s->p, s->trace, op->process, op->device) ||
	    cover_between(&s->cover, op->start_ns, op->end_ns) <= 0)
		return;
	gpu_time = mfu_gpu_time_of(&s->gpu_times, (uint32_t)lane, op->device);
	if (mfu_gpu_time_take(gpu_time, op->start_ns, op->end_ns, &from_ns))
		add_piece(s, gpu_time, lane, from_ns, op->end_ns);
	gpu_time = mfu_gpu_time_of(&s->devices, 0, op->device);
	if (mfu_gpu_time_take(gpu_time, op->start_ns, op->end_ns, &from_ns))
		gpu_time->busy_ns =
			sat_add(gpu_time->busy_ns, cover_between(&s->cover, from_ns, op->end_ns));
}

static void cover_instances(struct spans *s)
{
	const struct mfu_part *part = s->part;
	int64_t *from = mem_alloc(part->count, sizeof(*from));
	uint32_t *order;

	for (size_t i = 0; i < part->count; i++)
		from[i] = part->instances[i].from_ns;
	order = sort_new_order(from, part->count);
	for (size_t i = 0; i < part->count; i++) {
		const struct mfu_instance *x = &part->instances[order[i]];

		if (x->to_ns > x->from_ns)
			cover_add(&s->cover, x->from_ns, x->to_ns);
	}
	free(order);
	free(from);
}

static void measure(struct spans *s, struct ops *ops)
{
	struct op op;

	cover_instances(s);
	ops_rewind(ops);
	while (ops_next(ops, &op))
		add_op(s, &op);
	mfu_part_sum(s->part, &s->devices);
	mfu_gpu_times_free(&s->gpu_times);
	mfu_gpu_times_free(&s->devices);
	cover_free(&s->cover);
}

int mfu_part_of_window(struct mfu_part *ret, struct trace *t, const struct scope *p, struct err *e)
{
	size_t begin = 0, end = 1;
	struct spans s = {.part = ret, .trace = t, .p = p, .begin = &begin, .end = &end};
	struct timeline l;
	struct ops ops;
	int result = 0;

	*ret = (struct mfu_part){0};
	if (ops_open(&ops, t, e) < 0)
		return -1;
	timeline_begin(&ops, p, &l);
	ret->instances = mem_zalloc(1, sizeof(*ret->instances));
	ret->count = 1;
	ret->instances[0] = (struct mfu_instance){.process = ID_NONE,
						  .thread = ID_NONE,
						  .start_ns = l.from_ns,
						  .end_ns = l.to_ns,
						  .from_ns = l.from_ns,
						  .to_ns = l.to_ns};
	s.lane_count = 1;
	measure(&s, &ops);
	/* Nobody walked the timeline: it has no work, and says where there is some. */
	if (!ret->device_count) {
		result = timeline_require(&l, t, p, e);
		e->absent = true;
	}
	timeline_free(&l);
	ops_close(&ops);
	return result;
}

/* A step that the window cuts is none. */
static void take_steps(struct spans *s, const struct iterations *it)
{
	struct mfu_part *out = s->part;

	out->instances = mem_zalloc(it->count, sizeof(*out->instances));
	for (size_t lane = 0; lane < it->lane_count; lane++) {
		const struct iteration_lane *l = &it->lanes[lane];

		s->begin[lane] = out->count;
		for (size_t i = 0; i < l->count; i++) {
			const struct iteration *x = &lane_steps(it, l)[i];

			if (s->p->has_trim &&
			    (x->from_ns < s->p->from_ns || x->to_ns > s->p->to_ns)) {
				out->cut += x->to_ns > s->p->from_ns && x->from_ns < s->p->to_ns;
				continue;
			}
			out->instances[out->count++] =
				(struct mfu_instance){.process = l->process,
						      .thread = ID_NONE,
						      .number = x->number,
						      .start_ns = x->start_ns,
						      .end_ns = x->end_ns,
						      .from_ns = x->from_ns,
						      .to_ns = x->to_ns};
		}
		s->end[lane] = out->count;
		if (l->process != ID_NONE)
			s->lane_of_process[l->process] = lane;
	}
}

static int measure_steps(struct mfu_part *ret, struct trace *t, const struct scope *p,
			 const struct iterations *it, struct err *e)
{
	struct spans s = {.part = ret, .trace = t, .p = p, .lane_count = it->lane_count};
	struct ops ops;

	if (ops_open(&ops, t, e) < 0)
		return -1;
	s.begin = mem_zalloc(it->lane_count, sizeof(*s.begin));
	s.end = mem_zalloc(it->lane_count, sizeof(*s.end));
	s.lane_of_process = mem_alloc(t->process_keys.count, sizeof(*s.lane_of_process));
	for (size_t i = 0; i < t->process_keys.count; i++)
		s.lane_of_process[i] = it->lane_count;
	take_steps(&s, it);
	measure(&s, &ops);
	ops_close(&ops);
	free(s.begin);
	free(s.end);
	free(s.lane_of_process);
	if (ret->count)
		return 0;
	err_set(e, ERR_INPUT, "none of the steps of '%s' is inside that window", t->path);
	e->absent = true;
	return err_hint(e, "gpuwhy iters without --trim lists them all");
}

int mfu_part_of_steps(struct mfu_part *ret, struct trace *t, const struct scope *p,
		      const char **ret_how, struct err *e)
{
	struct iterations it;
	int result;

	*ret = (struct mfu_part){0};
	if (iterations_read(t, p, &it, e) < 0)
		return -1;
	*ret_how = arena_strdup(&ret->arena, it.how);
	result = measure_steps(ret, t, p, &it, e);
	iterations_free(&it);
	return result;
}
