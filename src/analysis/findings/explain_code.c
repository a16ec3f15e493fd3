/* Which lines of code do launching threads run while the GPU is idle? */
#include "analysis/findings/explain.h"

#include "base/mem.h"
#include "trace/code/call_lines.h"

#include <stdlib.h>

enum { PLACES_SHOWN = 3 };

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
	return 0;
}

void explain_code_free(struct explain *x)
{
	places_free(&x->places);
	code_free(&x->code);
	code_sums_free(&x->code_sums);
}

static struct code_time *time_of(struct code_sums *s, uint32_t group, uint32_t stack)
{
	const size_t known = s->pairs.count;
	const uint32_t number = idmap_number_pair(&s->pairs, group, stack);

	if (number == known) {
		MEM_GROW(s->times, s->cap, known + 1);
		s->times[number] = (struct code_time){group, stack, 0};
	}
	return &s->times[number];
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
	struct code_time *t = s->pairs.count ? &s->times[s->last] : NULL;

	if (!t || t->stack != stack || s->keys[t->group].cause != cause ||
	    s->keys[t->group].range != range) {
		t = time_of(s, group_of(s, cause, range), stack);
		s->last = (uint32_t)(t - s->times);
	}
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

/* A function, what it has of the time, and which stack of it has most. */
struct function_time {
	uint32_t place, frame; /* frame: the line of it that has most */
	uint32_t stack;
	int64_t ns, frame_ns, stack_ns;
};

/* The functions of your code in some gaps, the one with the most time first. */
struct function_times {
	struct function_time *all;
	size_t count;
	int64_t ns;
};

/* Whether the gaps of a total are those of a group: of one range, or all of the cause. */
static bool is_asked(const struct time_total *t, const struct code_group *g, bool whole)
{
	const struct time_sum *top = &t->sums->rows[t->top[0]];

	return g->cause == top->group && (whole || g->range == top->name);
}

/* A total of some ranges, but not all: samples are not kept apart that way. */
static bool is_some(const struct time_total *t, bool *ret_whole)
{
	const uint32_t group = t->sums->rows[t->top[0]].group;
	size_t rows = 0;

	for (size_t i = 0; i < t->sums->count; i++)
		rows += t->sums->rows[i].group == group;
	*ret_whole = t->rows == rows;
	return t->rows > 1 && !*ret_whole;
}

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

/* The caller frees `all`. */
static struct function_times sum_functions(const struct explain *x, const struct time_total *t)
{
	const struct places *p = &x->places;
	struct function_times found = {0};
	struct function_time *all;
	int64_t *frame_ns;
	bool whole;

	if (!x->code_sums.pairs.count || !t->rows || is_some(t, &whole))
		return found;
	all = mem_zalloc(p->count, sizeof(*all));
	frame_ns = mem_zalloc(p->stacks->frame_count, sizeof(*frame_ns));
	for (size_t i = 0; i < x->code_sums.pairs.count; i++) {
		const struct code_time *time = &x->code_sums.times[i];
		const uint32_t frame = places_yours(p, time->stack);

		if (!is_asked(t, &x->code_sums.keys[time->group], whole))
			continue;
		add_time(&all[p->of_frame[frame]], frame, time, frame_ns);
		found.ns = sat_add(found.ns, time->ns);
	}
	for (uint32_t i = 0; i < p->count; i++)
		all[i].place = i;
	qsort(all, p->count, sizeof(*all), compare_functions);
	free(frame_ns);
	found.all = all;
	found.count = p->count;
	return found;
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
static bool says_something(const struct explain *x, uint32_t frame)
{
	const struct frame *f = &x->code.stacks.frames[frame];

	if (f->function == NAME_NONE && f->file == NAME_NONE)
		return false;
	return f->line != LINE_NATIVE || x->places.owner[frame] == CODE_YOURS ||
	       (f->function != NAME_NONE && !str_starts(trace_name(x->trace, f->function), "cu"));
}

const char *explain_code_where(struct explain *x, const struct time_total *t)
{
	const struct function_times found = sum_functions(x, t);
	const char *where = NULL;

	if (found.count && is_share(found.all[0].ns, t->total_ns, most) &&
	    says_something(x, found.all[0].frame))
		where = arena_printf(&x->report->arena, " in %s",
				     explain_frame_code(x, found.all[0].frame));
	free(found.all);
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
	const struct function_times found = sum_functions(x, t);
	size_t shown = 0;

	for (size_t i = 0; i < found.count && shown < PLACES_SHOWN; i++) {
		const struct function_time *one = &found.all[i];

		if (!one->ns || !is_share(one->ns, t->total_ns, worth_a_word))
			break;
		if (!says_something(x, one->frame))
			continue;
		shown++;
		find_time(f,
			  arena_printf(&x->report->arena, "idle while the host is in %s%s",
				       explain_frame_code(x, one->frame),
				       is_share(one->frame_ns, one->ns, nearly_all)
					       ? ""
					       : " and other lines of it"),
			  one->ns);
		if (i == 0)
			add_leaf(x, f, one);
	}
	free(found.all);
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
	const struct function_times found = sum_functions(x, t);
	const bool known = found.count && is_share(found.all[0].ns, t->total_ns, most);
	const size_t kind = known ? find_kind(x, &found.all[0]) : CODE_KINDS;

	free(found.all);
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
	return says_something(x, frame) ? explain_frame_code(x, frame) : NULL;
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
