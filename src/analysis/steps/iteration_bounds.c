/* When does each step begin and end? */
#include "analysis/steps/iterations.h"

static bool is_launched(const struct launches *l, enum trace_kind kind, uint32_t row)
{
	return l->kinds & 1u << kind && launches_has_call(l, l->begin[kind] + row);
}

/*
 * Kernels may have been launched before the capture began: the first repetition is then no whole
 * step, nor is the last where launches are lost. Where all are, nobody can tell. The time of the
 * second begins after the first all the same.
 */
static void leave_out_cut(struct iterations *it, struct iteration_lane *lane,
			  const struct launches *l)
{
	const struct iteration *steps = lane_steps(it, lane), *last = &steps[lane->count - 1];
	size_t before = lane->count;

	if (lane->count > 1 && is_launched(l, it->kind, last->first_row) &&
	    !is_launched(l, it->kind, last->last_row))
		lane->count--;
	if (lane->count > 1 && !is_launched(l, it->kind, steps[0].first_row) &&
	    is_launched(l, it->kind, steps[1].first_row)) {
		lane->begin++;
		lane->count--;
	}
	it->cut_steps += before - lane->count;
}

static int64_t call_start(const struct launches *l, enum trace_kind kind, uint32_t row,
			  int64_t otherwise_ns)
{
	struct api_call call;

	if (row == ID_NONE || !(l->kinds & 1u << kind) ||
	    !launches_call(l, l->begin[kind] + row, &call))
		return otherwise_ns;
	return call.start_ns;
}

/*
 * What the host does after a step is the step's until the next one begins. Where other work
 * follows, or none, nobody knows whose that time is: the step ends with its last kernel on the GPU,
 * unless the other work is launched before. No step ends before it has launched all it has.
 */
static int64_t host_end(const struct iterations *it, const struct iteration *s, bool goes_on,
			const struct launches *l)
{
	const int64_t next_ns = call_start(l, it->kind, s->next_row, s->end_ns);
	const int64_t last_ns = sat_add(call_start(l, it->kind, s->last_row, s->start_ns), 1);

	if (goes_on || next_ns <= s->end_ns)
		return next_ns;
	return s->end_ns > last_ns ? s->end_ns : last_ns;
}

void iterations_move_to_host(struct iterations *it, const struct iteration_lane *lane,
			     const struct launches *l)
{
	struct iteration *steps = lane_steps(it, lane);
	int64_t before_ns = INT64_MIN;

	for (size_t i = 0; it->source == ITER_KERNELS && i < lane->count; i++) {
		struct iteration *s = &steps[i];
		const bool goes_on = i + 1 < lane->count && steps[i + 1].first_row == s->next_row;

		s->start_ns = call_start(l, it->kind, s->first_row, s->start_ns);
		s->end_ns = host_end(it, s, goes_on, l);
		if (s->start_ns < before_ns)
			s->start_ns = before_ns;
		if (s->end_ns < s->start_ns)
			s->end_ns = s->start_ns;
		before_ns = s->end_ns;
	}
}

void iterations_find_own_time(struct iterations *it, struct iteration_lane *lane,
			      const struct launches *l)
{
	struct iteration *steps = lane_steps(it, lane);
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < lane->count; i++) {
		struct iteration *s = &steps[i];

		s->from_ns = s->start_ns > until_ns ? s->start_ns : until_ns;
		s->to_ns = s->end_ns > s->from_ns ? s->end_ns : s->from_ns;
		if (s->ops && s->gpu_end_ns > s->to_ns)
			s->to_ns = s->gpu_end_ns;
		until_ns = s->to_ns;
	}
	if (it->source == ITER_KERNELS && l)
		leave_out_cut(it, lane, l);
}
