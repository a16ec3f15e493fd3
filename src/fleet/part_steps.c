/* Which steps does a member have, which of them is its window, and where did their time go? */
#include "fleet/part_making.h"

#include "analysis/steps/steady.h"
#include "analysis/window.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

enum { STEPS_IN_ALL = 1 << 18 };       /* of all lanes: the walk keeps two moments of each */
static const double whole_share = 0.9; /* of a step's kernels */

static void make_marks(struct part_making *x)
{
	const struct iterations *it = &x->steps;

	x->marks = mem_zalloc(it->lane_count, sizeof(*x->marks));
	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration_lane *lane = &it->lanes[i];
		const size_t first = lane->count > x->steps_each ? lane->count - x->steps_each : 0;
		struct comm_marks *marks = &x->marks[i];

		*marks = (struct comm_marks){lane->process, 2 * (lane->count - first), NULL};
		marks->at_ns = mem_alloc(marks->count, sizeof(*marks->at_ns));
		for (size_t k = first; k < lane->count; k++) {
			const struct iteration *s = &lane_steps(it, lane)[k];

			marks->at_ns[2 * (k - first)] = s->from_ns;
			marks->at_ns[2 * (k - first) + 1] = s->to_ns;
		}
	}
}

/* Steps that do not follow one another, of a damaged trace, tell nothing. */
static bool are_in_order(const struct iterations *it)
{
	for (size_t i = 0; i < it->lane_count; i++) {
		int64_t now = -PART_TIME_MAX;

		for (size_t k = 0; k < it->lanes[i].count; k++) {
			const struct iteration *s = &lane_steps(it, &it->lanes[i])[k];

			if (s->from_ns < now || s->to_ns < s->from_ns || s->to_ns > PART_TIME_MAX)
				return false;
			now = s->to_ns;
		}
	}
	return true;
}

/* Messages name the trace by its path; a part holds none, and captures that lack the same say so
 * in the same words. */
static void note_no_steps(struct part_making *x, const char *why)
{
	static const char said[] = " has no steps: ";
	SCOPED_BUF name = {0};
	const char *at, *rest;

	buf_addf(&name, "'%s'", x->trace->path);
	at = strstr(why, name.s);
	rest = at ? at + name.len : why;
	if (at == why && str_starts(str_of(rest), said))
		part_note(x, "no steps: %s", rest + strlen(said));
	else
		part_note(x, "no steps: %.*s%s%s", (int)(at ? at - why : 0), why,
			  at ? "the capture" : "", rest);
}

int part_find_steps(struct part_making *x, struct err *e)
{
	const struct scope asked = {.marker = x->q->scope.marker};
	/* Who asks for steps by name is not answered about something else. */
	const bool must = asked.marker || x->q->scope.span == SPAN_WARM;

	if (iterations_read(x->trace, &asked, &x->steps, e) < 0) {
		if (!e->absent || must)
			return -1;
		note_no_steps(x, e->message);
		return err_forgive_absent(e);
	}
	x->has_steps = x->steps.lane_count && are_in_order(&x->steps);
	if (!x->has_steps)
		return 0;
	x->cold = steady_cold_steps(&x->steps);
	x->steps_each = STEPS_IN_ALL / x->steps.lane_count;
	if (x->steps_each > PART_STEPS_MAX)
		x->steps_each = PART_STEPS_MAX;
	make_marks(x);
	return 0;
}

/* Compute, with communication beside it or not; what is left is idle. */
static void take_parts(const int64_t parts[COMM_PARTS], int64_t total_ns, int64_t ret[MEMBER_TIMES])
{
	ret[MEMBER_COMPUTE] = parts[PART_COMPUTE] + parts[PART_BOTH];
	ret[MEMBER_COMM] = parts[PART_COMM];
	ret[MEMBER_COPY] = parts[PART_COPY];
	ret[MEMBER_IDLE] = total_ns - ret[MEMBER_COMPUTE] - ret[MEMBER_COMM] - ret[MEMBER_COPY];
}

static void take_between(const int64_t from[COMM_PARTS], const int64_t to[COMM_PARTS],
			 int64_t total_ns, int64_t ret[MEMBER_TIMES])
{
	int64_t parts[COMM_PARTS];

	for (int i = 0; i < COMM_PARTS; i++)
		parts[i] = to[i] - from[i];
	take_parts(parts, total_ns, ret);
}

static struct part_step step_of(const struct iteration *s, const int64_t (*kept)[COMM_PARTS])
{
	struct part_step out = {
		.number = s->number,
		.from_ns = s->from_ns,
		.to_ns = s->to_ns,
		.start_ns = part_time(s->start_ns),
		.end_ns = part_time(s->end_ns),
		.gpu_start_ns = s->ops ? part_time(s->gpu_start_ns) : PART_UNKNOWN,
		.gpu_end_ns = s->ops ? part_time(s->gpu_end_ns) : PART_UNKNOWN,
		.kernels = s->kernels,
	};

	take_between(kept[0], kept[1], out.to_ns - out.from_ns, out.ns);
	return out;
}

/* The window of warm steps: their parts are known at its ends. */
static void take_warm_window(struct part_making *x, size_t member, const struct comm_gpu *gpu)
{
	struct part_member *m = &x->part->members[member];
	const size_t first = m->first_warm, last = first + m->warm_count - 1;

	m->window_kind = PART_WARM_STEPS;
	m->window = (struct span){m->steps[first].from_ns, m->steps[last].to_ns};
	m->window_words =
		arena_printf(&x->part->arena, "%zu of %" PRIu64 " steps %s%s%s", m->warm_count,
			     m->step_count + m->steps_left_out, m->steps_name[0] ? "'" : "",
			     m->steps_name, m->steps_name[0] ? "'" : "told by kernels");
	take_between(gpu->kept[2 * first], gpu->kept[2 * last + 1], span_ns(m->window),
		     m->window_ns);
}

/* The steps that lie inside. */
static void choose_steps(struct part_member *m, struct span inside)
{
	m->first_warm = 0;
	m->warm_count = 0;
	while (m->first_warm < m->step_count && m->steps[m->first_warm].from_ns < inside.start_ns)
		m->first_warm++;
	while (m->first_warm + m->warm_count < m->step_count &&
	       m->steps[m->first_warm + m->warm_count].to_ns <= inside.end_ns)
		m->warm_count++;
}

/* The whole steps of a time that somebody asked for; without any there is no window. */
static void take_trimmed_window(struct part_making *x, size_t member, const struct comm_gpu *gpu)
{
	const struct scope *asked = &x->q->scope;
	struct part_member *m = &x->part->members[member];

	choose_steps(m, (struct span){asked->from_ns, asked->to_ns});
	if (m->warm_count)
		take_warm_window(x, member, gpu);
	else
		m->window = (struct span){part_time(asked->from_ns), part_time(asked->from_ns)};
}

/* All that the GPUs of the capture did, or all that was captured. */
static void take_wide_window(struct part_making *x, size_t member, const struct comm_gpu *gpu)
{
	const struct timeline *l = &x->comm.walk.window;
	struct part_member *m = &x->part->members[member];
	const bool whole = x->q->scope.span == SPAN_ALL;

	m->window_kind = whole ? PART_WHOLE : PART_GPU_WORK;
	m->window = (struct span){l->from_ns, l->to_ns};
	if (whole && x->part->captured.start_ns <= x->part->captured.end_ns)
		span_widen(&m->window, x->part->captured);
	m->window_words = whole ? "the whole capture" : "first to last GPU work";
	choose_steps(m, m->window);
	take_parts(gpu->ns, span_ns(m->window), m->window_ns);
}

/* Ranges of a run whose launches nobody knows may lie where no GPU works. */
static bool has_warm_work(const struct part_making *x, const struct part_member *m)
{
	const struct timeline *l = &x->comm.walk.window;

	return m->first_warm < m->step_count && m->steps[m->first_warm].from_ns < l->to_ns &&
	       m->steps[m->step_count - 1].to_ns > l->from_ns;
}

/* PART_NO_NUMBER: nothing, or some are missing in between. */
static uint32_t said_of(const struct iteration *steps, size_t count)
{
	const uint32_t first = count ? steps[0].said : ID_NONE;

	if (first == ID_NONE || steps[count - 1].said != first + (count - 1))
		return PART_NO_NUMBER;
	return first;
}

/* Where steps launch as many kernels each, a last one that launches far fewer was cut by the end of
 * the capture. */
static bool is_cut(const struct part_member *m)
{
	const struct part_step *last = &m->steps[m->step_count - 1];

	return m->warm_count >= 4 && last[-1].kernels == last[-2].kernels &&
	       last[-2].kernels == last[-3].kernels &&
	       (double)last->kernels < whole_share * (double)last[-1].kernels;
}

static void list_steps(struct part_making *x, size_t member, const struct comm_gpu *gpu)
{
	const struct making_member *of = &x->members[member];
	struct part_member *m = &x->part->members[member];
	const struct iteration *steps = lane_steps(&x->steps, of->lane);

	m->step_count = of->lane->count - of->first_step;
	m->steps_left_out = of->first_step;
	m->steps_name = x->steps.name ? part_text(&x->part->arena, str_of(x->steps.name)) : "";
	m->steps = arena_alloc(&x->part->arena, m->step_count, sizeof(*m->steps));
	for (size_t i = 0; i < m->step_count; i++)
		m->steps[i] = step_of(&steps[of->first_step + i],
				      (const int64_t(*)[COMM_PARTS]) & gpu->kept[2 * i]);
	m->steps_said = said_of(&steps[of->first_step], m->step_count);
	m->first_warm = x->cold > of->first_step ? x->cold - of->first_step : 0;
	if (m->first_warm > m->step_count)
		m->first_warm = m->step_count;
	m->warm_count = m->step_count - m->first_warm;
	m->warm_count -= is_cut(m);
}

void part_take_steps(struct part_making *x, size_t member)
{
	struct making_member *of = &x->members[member];
	struct part_member *m = &x->part->members[member];
	const struct comm_gpu *gpu = &x->comm.walk.at[of->pair];
	const enum span_choice span = x->q->scope.span;

	m->steps_name = "";
	m->steps_said = PART_NO_NUMBER;
	if (of->lane && gpu->kept_count)
		list_steps(x, member, gpu);
	if (x->q->scope.has_trim)
		take_trimmed_window(x, member, gpu);
	else if ((span == SPAN_DEFAULT || span == SPAN_WARM) && has_warm_work(x, m))
		take_warm_window(x, member, gpu);
	else
		take_wide_window(x, member, gpu);
	of->place = (struct scope){
		.has_trim = true,
		.from_ns = m->window.start_ns,
		.to_ns = m->window.end_ns,
		.has_device = of->device != ID_NONE,
		.device = of->device,
		.has_process = of->process != ID_NONE,
		.process = of->process,
	};
}
