/* Samples of all threads, in order. */
#include "trace/code/samples.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/calls/cpu_events.h"
#include "trace/code/stubs.h"
#include "trace/intern.h"
#include "trace/strings.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

enum { NEAR_NS = 1000000 };

static int compare_found(const struct found_sample *f, const struct found_sample *g)
{
	if (f->thread != g->thread)
		return f->thread < g->thread ? -1 : 1;
	if (f->at_ns != g->at_ns)
		return f->at_ns < g->at_ns ? -1 : 1;
	return (f->row > g->row) - (f->row < g->row);
}

static int64_t row_key(const struct found_sample *f)
{
	return (int64_t)f->row;
}

static int64_t time_key(const struct found_sample *f)
{
	return f->at_ns;
}

/* A number that sorts as the key does, which has no sign. */
static int64_t thread_key(const struct found_sample *f)
{
	return (int64_t)(f->thread ^ UINT64_C(1) << 63);
}

/*
 * By thread, then time, then row: the last first, each time keeping what is equal in order. As a
 * rule they are in order of their rows and times.
 */
static void sort_found(struct found_sample *found, size_t count)
{
	static int64_t (*const keys[])(const struct found_sample *f) = {row_key, time_key,
									thread_key};
	struct found_sample *other = mem_alloc(count, sizeof(*other));
	int64_t *key = mem_alloc(count, sizeof(*key));

	for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
		bool in_order = true;
		uint32_t *order;

		for (size_t i = 0; i < count; i++) {
			key[i] = keys[k](&found[i]);
			in_order &= !i || key[i] >= key[i - 1];
		}
		if (in_order)
			continue;
		order = sort_new_order(key, count);
		for (size_t i = 0; i < count; i++)
			other[i] = found[order[i]];
		if (count)
			memcpy(found, other, count * sizeof(*found));
		free(order);
	}
	free(other);
	free(key);
}

/* Of one thread as the profiler writes them they are. */
static bool is_sorted(const struct found_sample *found, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (compare_found(&found[i - 1], &found[i]) > 0)
			return false;
	}
	return true;
}

static void list_threads(struct samples *s, const struct found_sample *found)
{
	size_t cap = 0;

	for (size_t i = 0, end; i < s->count; i = end) {
		for (end = i; end < s->count && found[end].thread == found[i].thread;)
			end++;
		MEM_GROW(s->threads, cap, s->thread_count + 1);
		s->threads[s->thread_count++] = (struct sampled_thread){
			found[i].thread, i, end, sort_usual_step(s->at_ns + i, end - i)};
	}
}

void samples_settle(struct samples *ret, struct stacks *stacks, struct found_sample *found,
		    size_t count, const struct stacks *sets, size_t set_count)
{
	struct stack_copy *copies = mem_alloc(set_count, sizeof(*copies));

	for (size_t i = 0; i < set_count; i++)
		stack_copy_begin(&copies[i], &sets[i], stacks);
	if (!is_sorted(found, count))
		sort_found(found, count);
	ret->count = count;
	ret->at_ns = mem_alloc(count, sizeof(*ret->at_ns));
	ret->stack = mem_alloc(count, sizeof(*ret->stack));
	for (size_t i = 0; i < count; i++) {
		ret->at_ns[i] = found[i].at_ns;
		ret->stack[i] = stack_copy_one(&copies[found[i].from], found[i].stack);
	}
	list_threads(ret, found);
	for (size_t i = 0; i < set_count; i++)
		stack_copy_end(&copies[i]);
	free(copies);
}

struct thread_samples samples_of_thread(const struct samples *s, uint64_t key)
{
	const size_t i = BISECT(0, s->thread_count, at, s->threads[at].key < key);

	if (i == s->thread_count || s->threads[i].key != key)
		return (struct thread_samples){0};
	return (struct thread_samples){
		.list = s,
		.of = &s->threads[i],
		.near = s->threads[i].begin,
		.near_in_call = s->threads[i].begin,
	};
}

struct thread_samples code_of_thread(const struct code *c, uint64_t key)
{
	const struct thread_samples python = samples_of_thread(&c->python[PAYLOAD_SAMPLE], key);

	return python.list ? python : samples_of_thread(&c->native, key);
}

/* Half of the way, or a period. */
static int64_t reach(const struct sampled_thread *t, int64_t from_ns, int64_t to_ns)
{
	const int64_t half = sat_sub(to_ns, from_ns) / 2;

	return half < t->period_ns ? half : t->period_ns;
}

static const struct span always = {INT64_MIN, INT64_MAX};

void samples_bound(struct thread_samples *t, const struct long_calls *calls, uint32_t thread)
{
	t->calls = thread < calls->threads ? calls : NULL;
	t->thread = thread;
}

/* What a sample says nothing beyond. */
static struct span limits_of(struct thread_samples *t, size_t i)
{
	struct span limits = t->list->on_cpu ? t->list->on_cpu[i] : always;

	if (t->calls) {
		const struct span call =
			long_calls_around(t->calls, t->thread, t->list->at_ns[i], &t->near_call);

		if (call.start_ns > limits.start_ns)
			limits.start_ns = call.start_ns;
		if (call.end_ns < limits.end_ns)
			limits.end_ns = call.end_ns;
	}
	return limits;
}

/* How far it reaches to one side: half of the way to a sample within the limit, or up to it. */
static int64_t reach_within(const struct sampled_thread *t, int64_t gap_ns, int64_t limit_ns,
			    bool has_other)
{
	if (has_other && gap_ns <= limit_ns)
		return reach(t, 0, gap_ns);
	if (limit_ns == INT64_MAX)
		return t->period_ns / 2;
	return limit_ns < t->period_ns ? limit_ns : t->period_ns;
}

static struct span time_of_sample(struct thread_samples *t, size_t i)
{
	const int64_t *at_ns = t->list->at_ns, at = at_ns[i];
	const struct span limits = limits_of(t, i);
	const bool first = i == t->of->begin, last = i + 1 == t->of->end;
	const int64_t before = reach_within(
		t->of, first ? 0 : sat_sub(at, at_ns[i - 1]),
		limits.start_ns == INT64_MIN ? INT64_MAX : sat_sub(at, limits.start_ns), !first);
	const int64_t after = reach_within(
		t->of, last ? 0 : sat_sub(at_ns[i + 1], at),
		limits.end_ns == INT64_MAX ? INT64_MAX : sat_sub(limits.end_ns, at), !last);

	return (struct span){sat_sub(at, before), sat_add(at, after)};
}

/* The first sample that may reach into a time: the one before the first that is in it. */
static size_t first_sample(const struct thread_samples *t, int64_t from_ns, size_t *near)
{
	enum { STEPS = 4 };
	const int64_t *at_ns = t->list->at_ns;
	const size_t begin = t->of->begin, end = t->of->end;
	size_t i = *near, steps = 0;

	while (i < end && at_ns[i] < from_ns && steps < STEPS) {
		i++;
		steps++;
	}
	if (steps == STEPS || (i > begin && at_ns[i - 1] >= from_ns))
		i = BISECT(begin, end, at, at_ns[at] < from_ns);
	*near = i > begin ? i - 1 : i;
	return *near;
}

/*
 * What is this sample's alone needs no search when it is asked for again. The sample before may
 * reach into it, though not beyond the moment of this one.
 */
static void remember(struct thread_samples *t, size_t i, struct span part, int64_t before_ns)
{
	t->last.start_ns = part.start_ns > before_ns ? part.start_ns : before_ns;
	t->last.end_ns = part.end_ns;
	t->last_stack = t->list->stack[i];
}

int64_t samples_share(struct thread_samples *t, struct span time, sample_fn *fn, void *ctx)
{
	int64_t covered_ns = 0, reached_ns = INT64_MIN, before_ns;
	size_t i;

	if (!t->list)
		return 0;
	if (time.start_ns >= t->last.start_ns && time.end_ns <= t->last.end_ns) {
		if (time.end_ns > time.start_ns)
			fn(ctx, t->last_stack, time);
		return sat_sub(time.end_ns, time.start_ns);
	}
	i = first_sample(t, time.start_ns, &t->near);
	for (before_ns = t->list->at_ns[i]; i < t->of->end; i++) {
		struct span part = time_of_sample(t, i);

		if (part.start_ns >= time.end_ns)
			break;
		remember(t, i, part, before_ns);
		before_ns = part.end_ns;
		/* One that knows of no limit may reach into what another has: no time is two
		 * samples'. */
		part.start_ns = part.start_ns > reached_ns ? part.start_ns : reached_ns;
		part.start_ns = part.start_ns > time.start_ns ? part.start_ns : time.start_ns;
		part.end_ns = part.end_ns < time.end_ns ? part.end_ns : time.end_ns;
		if (part.end_ns <= part.start_ns)
			continue;
		reached_ns = part.end_ns;
		fn(ctx, t->last_stack, part);
		covered_ns = sat_add(covered_ns, sat_sub(part.end_ns, part.start_ns));
	}
	return covered_ns;
}

static void number_threads(struct trace *t, const struct samples *s)
{
	for (size_t i = 0; i < s->thread_count; i++)
		intern_add(&t->thread_keys, s->threads[i].key);
}

void code_number_threads(struct trace *t, const struct code *c)
{
	TRACE_LOCK_SCOPE(t);

	number_threads(t, &c->python[PAYLOAD_SAMPLE]);
	number_threads(t, &c->native);
	trace_number_processes(t);
}

bool code_has_samples(const struct code *c)
{
	return c->python[PAYLOAD_SAMPLE].count || c->native.count;
}

bool code_has_calls(const struct code *c)
{
	return c->python[PAYLOAD_BACKTRACE].count || c->native_calls.count;
}

static uint32_t stack_of_call(const struct thread_samples *t, struct span call)
{
	const int64_t *at_ns;
	size_t i;

	if (!t->list)
		return STACK_NONE;
	at_ns = t->list->at_ns;
	i = BISECT(t->of->begin, t->of->end, at, at_ns[at] < call.start_ns);
	if (i < t->of->end && at_ns[i] <= call.end_ns)
		return t->list->stack[i];
	if (i == t->of->begin || sat_sub(call.start_ns, at_ns[i - 1]) >= NEAR_NS)
		return STACK_NONE;
	return t->list->stack[i - 1];
}

uint32_t code_of_call(const struct code *c, uint64_t thread, struct span call)
{
	const struct thread_samples python =
		samples_of_thread(&c->python[PAYLOAD_BACKTRACE], thread);
	const struct thread_samples native = samples_of_thread(&c->native_calls, thread);
	const uint32_t stack = stack_of_call(&python, call);

	return stack == STACK_NONE ? stack_of_call(&native, call) : stack;
}

uint32_t code_in_call(const struct code *c, struct thread_samples *t, uint64_t thread,
		      struct span call)
{
	const uint32_t stack = code_has_calls(c) ? code_of_call(c, thread, call) : STACK_NONE;
	size_t i;

	if (stack != STACK_NONE || !t->list)
		return stack;
	i = first_sample(t, call.start_ns, &t->near_in_call);
	i += i < t->of->end && t->list->at_ns[i] < call.start_ns;
	return i < t->of->end && t->list->at_ns[i] < call.end_ns ? t->list->stack[i] : STACK_NONE;
}

void samples_free(struct samples *s)
{
	free(s->at_ns);
	free(s->stack);
	free(s->threads);
	free(s->on_cpu);
	*s = (struct samples){0};
}

/* What an exporter writes for a character that means something in HTML; 0: nothing. */
static char escaped(struct str s, size_t *ret_length)
{
	static const struct {
		const char *text;
		char is;
	} all[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		*ret_length = strlen(all[i].text);
		if (str_starts(s, all[i].text))
			return all[i].is;
	}
	return 0;
}

/* "<module>" of "&lt;module&gt;". */
static uint32_t unescaped(struct trace *t, uint32_t name)
{
	const struct str from = t->names.items[name];
	char *to = arena_alloc(&t->arena, from.len + 1, 1);
	size_t length = 0;

	for (size_t i = 0, skip; i < from.len; i += skip) {
		const char is = escaped((struct str){from.s + i, from.len - i}, &skip);

		to[length++] = is ? is : from.s[i];
		skip = is ? skip : 1;
	}
	return strings_add_text(t, (struct str){to, length});
}

static void unescape_names(struct trace *t, struct stacks *s)
{
	TRACE_LOCK_SCOPE(t);

	for (size_t i = 0; i < s->frame_count; i++) {
		uint32_t *const names[] = {&s->frames[i].function, &s->frames[i].file};

		for (size_t k = 0; k < ARRAY_LEN(names); k++) {
			uint32_t *name = names[k];

			if (s->frames[i].line != LINE_NATIVE && *name != NAME_NONE &&
			    memchr(t->names.items[*name].s, '&', t->names.items[*name].len))
				*name = unescaped(t, *name);
		}
	}
}

/* Once all frames are there. */
static int finish_frames(struct trace *t, struct stacks *s, struct err *e)
{
	unescape_names(t, s);
	return stubs_find(t, s, e);
}

static const struct native_tables of_cpu = {"COMPOSITE_EVENTS", "id", "SAMPLING_CALLCHAINS"};
static const struct native_tables of_calls = {"CUPTI_ACTIVITY_KIND_RUNTIME", "callchainId",
					      "CUDA_CALLCHAINS"};

static void free_all(void *made)
{
	struct code *c = made;

	for (int kind = 0; kind < PAYLOAD_KINDS; kind++)
		samples_free(&c->python[kind]);
	samples_free(&c->native);
	samples_free(&c->native_calls);
	stacks_free(&c->stacks);
}

/* When a sampled thread was on a CPU, in order. */
struct stretches {
	struct span *all;
	size_t count, cap;
};

struct stretching {
	const struct samples *samples;
	struct stretches *of_thread; /* as samples->threads */
};

/*
 * Those with a short pause between them, as a page fault makes them, are one. Others that have the
 * CPU keep it for longer.
 */
static void take_stretch(void *ctx, uint64_t thread, struct span on_cpu)
{
	enum { PAUSE_NS = 1000000 };
	const struct stretching *x = ctx;
	const struct thread_samples t = samples_of_thread(x->samples, thread);
	struct stretches *s;

	if (!t.list)
		return;
	s = &x->of_thread[t.of - x->samples->threads];
	if (s->count && sat_sub(on_cpu.start_ns, s->all[s->count - 1].end_ns) < PAUSE_NS) {
		span_widen(&s->all[s->count - 1], on_cpu);
		return;
	}
	MEM_GROW(s->all, s->cap, s->count + 1);
	s->all[s->count++] = on_cpu;
}

static struct span stretch_around(const struct stretches *s, int64_t at_ns)
{
	const size_t after = BISECT(0, s->count, i, s->all[i].start_ns <= at_ns);

	return after && s->all[after - 1].end_ns >= at_ns ? s->all[after - 1] : always;
}

static void find_stretches(struct samples *s, const struct cpu_events *switches)
{
	struct stretching x = {s, mem_zalloc(s->thread_count, sizeof(*x.of_thread))};

	cpu_switches_walk(switches, take_stretch, &x);
	s->on_cpu = mem_alloc(s->count, sizeof(*s->on_cpu));
	for (size_t t = 0; t < s->thread_count; t++) {
		for (size_t i = s->threads[t].begin; i < s->threads[t].end; i++)
			s->on_cpu[i] = stretch_around(&x.of_thread[t], s->at_ns[i]);
		free(x.of_thread[t].all);
	}
	free(x.of_thread);
}

/* A sample of the CPU was taken while its thread ran: it says nothing of when it did not. */
static int find_on_cpu(struct trace *t, struct samples *s, struct err *e)
{
	struct cpu_events switches = {0};

	if (!s->count)
		return 0;
	if (cpu_switches_read(t, &switches, e) < 0)
		return -1;
	if (switches.count)
		find_stretches(s, &switches);
	cpu_events_free(&switches);
	return 0;
}

/* Calls are many, and are not even counted where none has a stack. */
static int read_native_calls(struct trace *t, struct code *ret, struct err *e)
{
	if (!sqlitefile_find_table(t->file, of_calls.frames))
		return 0;
	return native_samples_read(t, &of_calls, &ret->stacks, &ret->native_calls, e);
}

static int read_all(struct trace *t, const void *ctx, void *made, struct err *e)
{
	const uint32_t beside = ctx ? *(const uint32_t *)ctx : 0;
	struct code *ret = made;

	if (python_samples_read(t, PAYLOAD_KINDS, beside, &ret->stacks, ret->python, e) == 0 &&
	    native_samples_read(t, &of_cpu, &ret->stacks, &ret->native, e) == 0 &&
	    find_on_cpu(t, &ret->native, e) == 0 && read_native_calls(t, ret, e) == 0 &&
	    finish_frames(t, &ret->stacks, e) == 0)
		return 0;
	free_all(ret);
	return -1;
}

static const struct cached cached_code = {sizeof(struct code), read_all, free_all};

int code_read(struct trace *t, struct code *ret, struct err *e)
{
	*ret = (struct code){0};
	return trace_cache_keep(t, &cached_code, ret, &ret->shared, e);
}

int code_read_beside(struct trace *t, uint32_t columns, struct err *e)
{
	struct payload_layouts layouts;

	if (!t->uses_cache && !t->keeps_answers)
		return 0;
	if (payload_layouts_read(t, &layouts, e) < 0)
		return -1;
	return layouts.named && !trace_cache_get(t, &cached_code, &columns, e) ? -1 : 0;
}

int code_read_calls(struct trace *t, struct code *ret, struct err *e)
{
	*ret = (struct code){0};
	if (python_samples_read(t, PAYLOAD_BACKTRACE, 0, &ret->stacks, ret->python, e) == 0 &&
	    read_native_calls(t, ret, e) == 0 && finish_frames(t, &ret->stacks, e) == 0)
		return 0;
	code_free(ret);
	return -1;
}

void code_free(struct code *c)
{
	if (!c->shared)
		free_all(c);
	*c = (struct code){0};
}
