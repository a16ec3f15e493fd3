/* Which lines of code do launching threads run while the GPU is idle? */
#include "analysis/findings/code_functions.h"

#include "base/mem.h"
#include "trace/code/call_lines.h"

#include <stdlib.h>

/* Of the idle time: a function that has as much is the place, or worth a word. */
static const double nearly_all = 0.95, most = 0.5, noticeable = 0.25, worth_a_word = 0.1;

int explain_code_read(struct explain *x, struct err *e)
{
	bool has_lines = false;

	if (!x->has_samples && call_lines_expected(x->trace, &has_lines, e) < 0)
		return -1;
	if (!x->has_samples && !has_lines)
		return 0;
	if (code_read(x->trace, &x->code, e) < 0)
		return -1;
	places_make(&x->places, x->trace, &x->code.stacks, CODE_BY_FUNCTION);
	if (x->judge.joined)
		long_calls_find(&x->judge.threads, &x->long_calls);
	return 0;
}

void explain_code_free(struct explain *x)
{
	places_free(&x->places);
	code_free(&x->code);
	long_calls_free(&x->long_calls);
	code_sums_free(&x->code_sums);
	code_sums_free(&x->call_sums);
	code_sums_free(&x->slow_call_sums);
}

static uint32_t number_time(struct code_sums *s, uint32_t group, uint32_t stack)
{
	const size_t known = s->pairs.count;
	const uint32_t number = idmap_number_pair(&s->pairs, group, stack);

	if (number == known) {
		MEM_GROW(s->times, s->cap, known + 1);
		s->times[number] = (struct code_time){group, stack, 0};
	}
	return number;
}

static uint32_t group_of(struct code_sums *s, uint32_t cause, uint32_t range)
{
	const size_t known = s->groups.count;
	const uint32_t number = idmap_number_pair(&s->groups, cause, range);

	if (number == known) {
		MEM_GROW(s->keys, s->key_cap, known + 1);
		s->keys[number] = (struct code_group){cause, range};
	}
	return number;
}

void code_sums_add(struct code_sums *s, uint32_t cause, uint32_t range, uint32_t stack, int64_t ns)
{
	const size_t slot = (stack + 7 * range + 31 * cause) % CODE_RECENT;
	struct code_time *t;

	if (!s->recent[slot].number || s->recent[slot].stack != stack ||
	    s->recent[slot].range != range || s->recent[slot].cause != cause) {
		s->recent[slot].stack = stack;
		s->recent[slot].range = range;
		s->recent[slot].cause = cause;
		s->recent[slot].number = number_time(s, group_of(s, cause, range), stack) + 1;
	}
	t = &s->times[s->recent[slot].number - 1];
	t->ns = sat_add(t->ns, ns);
}

void code_sums_add_all(struct code_sums *to, const struct code_sums *from)
{
	for (size_t i = 0; i < from->pairs.count; i++) {
		const struct code_time *t = &from->times[i];
		const struct code_group *g = &from->keys[t->group];

		code_sums_add(to, g->cause, g->range, t->stack, t->ns);
	}
}

void code_sums_free(struct code_sums *s)
{
	idmap_free(&s->groups);
	idmap_free(&s->pairs);
	free(s->keys);
	free(s->times);
	*s = (struct code_sums){0};
}

static struct function_times sum_functions(const struct explain *x, const struct time_total *t)
{
	return code_functions(x, &(struct code_choice){.sums = &x->code_sums, .rows = t});
}

const char *explain_code_where(struct explain *x, const struct time_total *t)
{
	struct function_times found = sum_functions(x, t);
	const char *where = NULL;

	if (found.count && is_share(found.all[0].ns, t->total_ns, most) &&
	    code_frame_says(x, found.all[0].frame))
		where = arena_printf(&x->report->arena, " in %s",
				     explain_frame_code(x, found.all[0].frame));
	code_functions_free(&found);
	return where;
}

/* The innermost frame, where that is another than the one that is yours. */
static void add_leaf(struct explain *x, struct finding *f, const struct function_time *t)
{
	const uint32_t leaf = x->code.stacks.frame[t->stack];

	if (leaf != t->frame && is_share(t->stack_ns, t->ns, most))
		find_evidence(f, "there mostly in", UNIT_NAME,
			      cell_text(explain_frame_code(x, leaf)));
}

bool explain_code_add(struct explain *x, struct finding *f, const struct time_total *t)
{
	struct function_times found = sum_functions(x, t);
	const int64_t whole_ns = found.ns > t->total_ns ? found.ns : t->total_ns;
	size_t shown = 0;

	for (size_t i = 0; i < found.count && shown < CODE_PLACES_SHOWN; i++) {
		const struct function_time *one = &found.all[i];

		if (!one->ns || !is_share(one->ns, t->total_ns, worth_a_word))
			break;
		if (!code_frame_says(x, one->frame))
			continue;
		shown++;
		code_place_add(x, f, false, one, whole_ns);
		find_time(f,
			  arena_printf(&x->report->arena, "idle while the host is in %s%s",
				       explain_frame_code(x, one->frame),
				       x->code.stacks.frames[one->frame].line == LINE_NATIVE ||
						       is_share(one->frame_ns, one->ns, nearly_all)
					       ? ""
					       : " and other lines of it"),
			  one->ns);
		if (i == 0)
			add_leaf(x, f, one);
	}
	code_functions_free(&found);
	return shown > 0;
}

/* Which sort of work has the most time of a function, in whatever gaps. */
static size_t find_kind(const struct explain *x, const struct function_time *function)
{
	int64_t ns[CODE_KINDS + 1] = {0}, all_ns = 0;
	size_t best = 0;

	for (size_t i = 0; i < x->code_sums.pairs.count; i++) {
		const struct code_time *t = &x->code_sums.times[i];
		const uint32_t yours = places_yours(&x->places, t->stack);
		size_t kind;

		if (x->places.of_frame[yours] != function->place)
			continue;
		kind = code_kind_of(x, t->stack);
		ns[kind] = sat_add(ns[kind], t->ns);
		all_ns = sat_add(all_ns, t->ns);
	}
	for (size_t kind = 1; kind < CODE_KINDS; kind++)
		best = ns[kind] > ns[best] ? kind : best;
	return is_share(ns[best], all_ns, noticeable) ? best : CODE_KINDS;
}

bool explain_code_help(struct explain *x, struct finding *f, const struct time_total *t)
{
	struct function_times found = sum_functions(x, t);
	const bool known = found.count && is_share(found.all[0].ns, t->total_ns, most);
	const size_t kind = known ? find_kind(x, &found.all[0]) : CODE_KINDS;

	code_functions_free(&found);
	return known && code_kind_advise(x, f, kind);
}

const char *explain_call_code(struct explain *x, uint32_t thread, struct span call)
{
	uint32_t stack, frame;

	if (!code_has_calls(&x->code))
		return NULL;
	stack = code_of_call(&x->code, x->trace->thread_keys.keys[thread], call);
	if (stack == STACK_NONE)
		return NULL;
	frame = places_yours(&x->places, stack);
	return code_frame_says(x, frame) ? explain_frame_code(x, frame) : NULL;
}

bool explain_lacks_python(const struct explain *x)
{
	const struct samples *python = &x->code.python[PAYLOAD_SAMPLE];

	if (python->count)
		return false;
	for (size_t i = 0; x->code.native.count && i < x->code.stacks.frame_count; i++) {
		if (frame_is_interpreter(x->trace, &x->code.stacks.frames[i]))
			return true;
	}
	return python->without_stack > 0;
}
