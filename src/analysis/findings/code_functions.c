/* Which functions or lines of your code have the time that a finding is about? */
#include "analysis/findings/code_functions.h"

#include "base/mem.h"

#include <stdlib.h>

static void add_time(struct function_time *f, uint32_t frame, const struct code_time *t,
		     int64_t *frame_ns)
{
	f->ns = sat_add(f->ns, t->ns);
	frame_ns[frame] = sat_add(frame_ns[frame], t->ns);
	if (frame_ns[frame] > f->frame_ns) {
		f->frame = frame;
		f->frame_ns = frame_ns[frame];
	}
	if (t->ns > f->stack_ns) {
		f->stack = t->stack;
		f->stack_ns = t->ns;
	}
}

static int compare_functions(const void *a, const void *b)
{
	const struct function_time *f = a, *g = b;

	if (f->ns != g->ns)
		return f->ns > g->ns ? -1 : 1;
	return (f->place > g->place) - (f->place < g->place);
}

/* By place of a range, see explain_place(): whether a total has it. */
static bool *find_ranges(const struct explain *x, const struct time_total *t)
{
	bool *asked = mem_zalloc(x->folded_names.count + 1, sizeof(*asked));

	for (size_t i = 0; i < t->sums->count; i++)
		asked[explain_place(x, t->sums->rows[i].name)] |= t->has[i];
	return asked;
}

/* By group of the sums: whether it is asked about. All rows of a total are of one cause. */
static bool *find_asked(const struct explain *x, const struct code_choice *c)
{
	const size_t groups = c->sums->groups.count;
	bool *asked = mem_zalloc(groups, sizeof(*asked));
	bool *ranges = c->rows ? find_ranges(x, c->rows) : NULL;
	const uint32_t cause = c->rows ? c->rows->sums->rows[c->rows->top[0]].group : 0;

	for (size_t i = 0; i < groups; i++) {
		const struct code_group *g = &c->sums->keys[i];

		asked[i] = ranges ? g->cause == cause && ranges[explain_place(x, g->range)]
				  : (g->cause >= c->first && g->cause <= c->last) ||
					    g->cause == c->also;
	}
	free(ranges);
	return asked;
}

static void sum_times(const struct explain *x, const struct code_choice *c,
		      struct function_times *to)
{
	const struct places *p = &x->places;
	int64_t *frame_ns = mem_zalloc(p->stacks->frame_count, sizeof(*frame_ns));
	bool *asked = find_asked(x, c);

	for (size_t i = 0; i < c->sums->pairs.count; i++) {
		const struct code_time *time = &c->sums->times[i];
		uint32_t frame;

		if (!asked[time->group])
			continue;
		to->ns = sat_add(to->ns, time->ns);
		if (time->stack == STACK_NONE)
			continue;
		frame = places_yours(p, time->stack);
		add_time(&to->all[c->by_line ? frame : p->of_frame[frame]], frame, time, frame_ns);
	}
	free(frame_ns);
	free(asked);
}

struct function_times code_functions(const struct explain *x, const struct code_choice *c)
{
	const struct places *p = &x->places;
	struct function_times found = {0};

	if (!c->sums->pairs.count || (c->rows && !c->rows->rows))
		return found;
	found.count = c->by_line ? p->stacks->frame_count : p->count;
	found.all = mem_zalloc(found.count, sizeof(*found.all));
	for (uint32_t i = 0; i < found.count; i++)
		found.all[i].place = i;
	sum_times(x, c, &found);
	qsort(found.all, found.count, sizeof(*found.all), compare_functions);
	return found;
}

void code_functions_free(struct function_times *f)
{
	free(f->all);
	*f = (struct function_times){0};
}

const char *explain_frame_code(struct explain *x, uint32_t frame)
{
	const struct frame *f = &x->code.stacks.frames[frame];
	const struct str file = place_base_name(frame_file(&x->places, f));
	const char *name = find_code(
		x, f->function == NAME_NONE ? file
					    : function_shown(trace_name(x->trace, f->function)));

	if (f->line == LINE_NATIVE || !f->line)
		return name;
	return arena_printf(&x->report->arena, "%s (%.*s:%u)", name, STR_FMT(file), f->line);
}

/* A library without names says nothing, and that a CUDA call is one the finding says. */
bool code_frame_says(const struct explain *x, uint32_t frame)
{
	const struct frame *f = &x->code.stacks.frames[frame];

	if (f->function == NAME_NONE && f->file == NAME_NONE)
		return false;
	return f->line != LINE_NATIVE || x->places.owner[frame] == CODE_YOURS ||
	       (f->function != NAME_NONE && !str_starts(trace_name(x->trace, f->function), "cu"));
}

void code_place_add(struct explain *x, struct finding *f, bool calls,
		    const struct function_time *one, int64_t whole_ns)
{
	const struct frame *frame = &x->code.stacks.frames[one->frame];
	struct finding_code *p = &f->code[f->code_count];

	if (f->code_count == FINDING_CODE)
		return;
	f->code_count++;
	*p = (struct finding_code){
		.calls = calls,
		.file = frame_file(&x->places, frame),
		.line = frame->line == LINE_NATIVE ? 0 : frame->line,
		.ns = one->ns,
		.pct = whole_ns > 0 ? 100.0 * (double)one->ns / (double)whole_ns : 0,
	};
	if (frame->function != NAME_NONE)
		p->function = function_shown(trace_name(x->trace, frame->function));
}
