/* Which lines of your code make the CUDA calls that a finding's cost lies in? */
#include "analysis/findings/code_functions.h"

/* Of the cost: a line that has as much is the place, or worth a word. */
static const double most = 0.5, worth_a_word = 0.1;

struct code_choice calls_of_total(const struct explain *x, const struct time_total *t)
{
	return (struct code_choice){.sums = &x->call_sums, .rows = t, .by_line = true};
}

struct code_choice calls_of_causes(const struct explain *x, uint32_t first, uint32_t last)
{
	return (struct code_choice){
		.sums = &x->call_sums, .first = first, .last = last, .also = last, .by_line = true};
}

/* Machine code of a library is nobody's to change. */
static bool is_named(const struct explain *x, uint32_t frame)
{
	const struct frame *f = &x->code.stacks.frames[frame];

	return x->places.owner[frame] == CODE_YOURS || (f->line && f->line != LINE_NATIVE);
}

/* Whether one line has most, and is the place that a title names. */
static bool has_place(const struct explain *x, const struct function_times *f)
{
	return f->count && f->all[0].ns && is_share(f->all[0].ns, f->ns, most) &&
	       is_named(x, f->all[0].frame);
}

const char *explain_calls_where(struct explain *x, const struct code_choice *c)
{
	struct function_times found = code_functions(x, c);
	const char *where = NULL;

	if (has_place(x, &found))
		where = arena_printf(&x->report->arena, " in %s",
				     explain_frame_code(x, found.all[0].frame));
	code_functions_free(&found);
	return where;
}

const char *explain_calls_place(struct explain *x, const struct code_choice *c,
				const struct time_total *t)
{
	const char *where = explain_calls_where(x, c);

	return where ? arena_printf(&x->report->arena, ", mostly%s", where) : find_place(x, t);
}

/* The range that has most, which the title would name were it not for the line. */
static void add_range(const struct explain *x, struct finding *f, const struct time_total *t)
{
	const struct time_sum *top = t && t->rows ? &t->sums->rows[t->top[0]] : NULL;

	if (top && top->name != NAME_NONE && is_share(top->total_ns, t->total_ns, most))
		find_evidence(f, "NVTX range, mostly", UNIT_NAME,
			      cell_str(x->folded_names.items[top->name]));
}

void explain_calls_add(struct explain *x, struct finding *f, const struct code_choice *c,
		       const char *calls, const struct time_total *ranges)
{
	struct function_times found = code_functions(x, c);

	for (size_t i = 0, shown = 0; i < found.count && shown < CODE_PLACES_SHOWN; i++) {
		const struct function_time *one = &found.all[i];

		if (!one->ns || !is_share(one->ns, found.ns, worth_a_word))
			break;
		if (!is_named(x, one->frame))
			continue;
		shown++;
		code_place_add(x, f, true, one, found.ns);
		find_share(f,
			   arena_printf(&x->report->arena, "share of the cost by %s in %s", calls,
					explain_frame_code(x, one->frame)),
			   one->ns, found.ns);
	}
	if (has_place(x, &found))
		add_range(x, f, ranges);
	code_functions_free(&found);
}

void explain_sort_slow_calls(struct explain *x, const bool *loads)
{
	for (size_t i = 0; i < x->slow_call_sums.pairs.count; i++) {
		const struct code_time *t = &x->slow_call_sums.times[i];
		const struct code_group *g = &x->slow_call_sums.keys[t->group];
		const size_t kernel = g->range == NAME_NONE ? x->trace->names.count : g->range;

		code_sums_add(&x->call_sums, loads[kernel] ? CAUSE_ALLOC : CAUSE_SLOW_LAUNCH,
			      g->cause, t->stack, t->ns);
	}
}
