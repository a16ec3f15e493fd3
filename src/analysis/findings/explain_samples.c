/* What do samples of the host say of the time in which the GPU waits for it? */
#include "analysis/findings/explain.h"

#include "base/idmap.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/span.h"
#include "trace/calls/cpu_events.h"
#include "trace/strings.h"

#include <stdlib.h>

/* Parts of the names of libraries and programs that compile for GPUs. */
static const char *const compilers[] = {
	"libnvrtc",  "libnvJitLink", "nvptxcompiler", "ptxjitcompiler", "libnvvm", "libLLVM",
	"libtriton", "llvmlite",     "libtvm",	      "ptxas",		"cicc",	   "cc1plus"};

/* By number of a sample, from 0 on as they are met. */
struct stack {
	bool compiles;	   /* a frame of it is a compiler's */
	uint32_t function; /* of its innermost frame that has a name: in trace->names; NAME_NONE */
	int64_t depth;
};

struct stacks {
	struct idmap numbers;
	struct stack *all;
	size_t count, cap;
};

static struct stack *stack_of(struct stacks *s, int64_t sample)
{
	const uint32_t number =
		idmap_add(&s->numbers, (uint64_t)sample, (uint32_t)s->numbers.count);

	if (number == s->count) {
		MEM_GROW(s->all, s->cap, s->count + 1);
		s->all[s->count++] = (struct stack){false, NAME_NONE, INT64_MAX};
	}
	return &s->all[number];
}

static bool is_compiler(struct str module)
{
	for (size_t i = 0; i < ARRAY_LEN(compilers); i++) {
		if (str_holds(module, compilers[i]))
			return true;
	}
	return false;
}

/* An address is no name, nor is what the profiler writes where it knows none. */
static bool is_name(struct str symbol)
{
	return symbol.len && !str_starts(symbol, "0x") && !str_starts(symbol, "[") &&
	       !str_starts(symbol, "(");
}

static void add_modules(struct trace *t, const struct cpu_frames *frames, struct stacks *s)
{
	for (size_t i = 0; i < frames->count; i++) {
		const uint32_t name = strings_number(t, (int64_t)frames->name[i]);

		if (name != NAME_NONE && is_compiler(t->names.items[name]))
			stack_of(s, frames->sample[i])->compiles = true;
	}
}

static void add_functions(struct trace *t, const struct cpu_frames *frames, struct stacks *s)
{
	for (size_t i = 0; i < frames->count; i++) {
		const uint32_t name = strings_number(t, (int64_t)frames->name[i]);
		struct stack *stack;

		if (name == NAME_NONE || !is_name(t->names.items[name]))
			continue;
		stack = stack_of(s, frames->sample[i]);
		if (frames->depth[i] < stack->depth) {
			stack->depth = frames->depth[i];
			stack->function = name;
		}
	}
}

static int read_stacks(struct trace *t, struct stacks *ret, struct err *e)
{
	struct cpu_frames frames;

	if (strings_load(t, e) < 0 || cpu_modules_read(t, &frames, e) < 0)
		return -1;
	add_modules(t, &frames, ret);
	cpu_frames_free(&frames);
	if (cpu_functions_read(t, &frames, e) < 0)
		return -1;
	add_functions(t, &frames, ret);
	cpu_frames_free(&frames);
	return 0;
}

/* How many samples of each place are in each function. */
struct sample_counts {
	struct idmap pairs; /* place and function → index into counts */
	size_t *counts, cap;
};

static size_t count_pair(struct sample_counts *c, uint32_t place, uint32_t function)
{
	const size_t known = c->pairs.count, number = idmap_number_pair(&c->pairs, place, function);

	if (number == known) {
		MEM_GROW(c->counts, c->cap, number + 1);
		c->counts[number] = 0;
	}
	return ++c->counts[number];
}

static size_t place_index(const struct explain *x, uint32_t folded)
{
	return folded == NAME_NONE ? x->folded_names.count : folded;
}

/* A sample is of the range that its thread is in at that moment, as its stall's time is. */
static void count_sample(struct explain *x, struct sample_counts *c, uint32_t folded,
			 const struct stack *s)
{
	struct place_samples *p = &x->waits.places[place_index(x, folded)];
	size_t count;

	x->waits.samples++;
	p->all++;
	if (!s)
		return;
	x->waits.compiling += s->compiles;
	if (s->function == NAME_NONE)
		return;
	count = count_pair(c, folded, s->function);
	if (count > p->in_function) {
		p->in_function = count;
		p->function = s->function;
	}
}

static void count_samples(struct explain *x, const struct cpu_events *samples,
			  const struct stacks *stacks)
{
	struct sample_counts counts = {0};
	struct innermost_cursor at = {0};

	x->waits.places = mem_zalloc(x->folded_names.count + 1, sizeof(*x->waits.places));
	for (size_t i = 0; i < samples->count; i++) {
		const uint32_t thread = idmap_get(&x->trace->thread_keys.map, samples->thread[i]);
		const int64_t at_ns = samples->start_ns[i];
		const uint32_t number = idmap_get(&stacks->numbers, (uint64_t)samples->number[i]);
		uint32_t range;

		if (thread == IDMAP_NONE ||
		    !explain_in_stalls(x, thread, (struct span){at_ns, sat_add(at_ns, 1)}))
			continue;
		range = innermost_follow(&x->judge.innermost, thread, at_ns, &at);
		count_sample(x, &counts, explain_folded_range(x, range),
			     number == IDMAP_NONE ? NULL : &stacks->all[number]);
	}
	idmap_free(&counts.pairs);
	free(counts.counts);
}

int explain_samples(struct explain *x, struct err *e)
{
	struct stacks stacks = {0};
	struct cpu_events samples;
	int result;

	if (cpu_samples_read_numbered(x->trace, &samples, e) < 0)
		return -1;
	result = samples.count ? read_stacks(x->trace, &stacks, e) : 0;
	if (result == 0 && x->judge.joined)
		count_samples(x, &samples, &stacks);
	idmap_free(&stacks.numbers);
	free(stacks.all);
	cpu_events_free(&samples);
	return result;
}

/* "`qsort`" of "void np::qsort<double>(double *, long)": what comes before the arguments. */
static const char *function_code(struct explain *x, struct str symbol)
{
	size_t end = 0, begin = 0;

	while (end < symbol.len && symbol.s[end] != '<' && symbol.s[end] != '(')
		end++;
	for (size_t i = 0; i < end; i++)
		begin = symbol.s[i] == ' ' && i + 1 < end ? i + 1 : begin;
	return find_code(x, (struct str){symbol.s + begin, end - begin});
}

void explain_add_function(struct explain *x, struct finding *f, const struct time_total *stalls)
{
	const struct place_samples *p;

	if (!x->waits.places)
		return;
	p = &x->waits.places[place_index(x, stalls->sums->rows[stalls->top[0]].name)];
	if (p->all < EXPLAIN_SAMPLES_MIN || (double)p->in_function < 0.1 * (double)p->all)
		return;
	find_evidence(f,
		      arena_printf(&x->report->arena, "samples of the host %s in %s",
				   stalls->rows == 1 ? "there" : "in the largest of them",
				   function_code(x, trace_name(x->trace, p->function))),
		      UNIT_PERCENT, cell_real(100.0 * (double)p->in_function / (double)p->all));
}
