/* What do samples of the host say of the time in which the GPU waits for it? */
#include "analysis/findings/explain.h"

#include "base/idmap.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/span.h"

#include <stdlib.h>

/* Parts of the names of libraries and programs that compile for GPUs. */
static const char *const compilers[] = {
	"libnvrtc",  "libnvJitLink", "nvptxcompiler", "ptxjitcompiler", "libnvvm", "libLLVM",
	"libtriton", "llvmlite",     "libtvm",	      "ptxas",		"cicc",	   "cc1plus"};

/* Of the samples: a function that has as many is evidence. */
static const double worth_a_word = 0.1, noticeable = 0.25;

static bool is_compiler(struct str module)
{
	for (size_t i = 0; i < ARRAY_LEN(compilers); i++) {
		if (str_holds(module, compilers[i]))
			return true;
	}
	return false;
}

/* Whether a frame is a compiler's; by frame, to be freed. */
static bool *find_compilers(const struct explain *x)
{
	const struct stacks *s = &x->code.stacks;
	bool *found = mem_zalloc(s->frame_count, sizeof(*found));

	for (size_t i = 0; i < s->frame_count; i++)
		found[i] = s->frames[i].file != NAME_NONE &&
			   is_compiler(trace_name(x->trace, s->frames[i].file));
	return found;
}

/* What a stack says of its thread. */
struct stack_facts {
	bool compiles;	   /* a frame of it is a compiler's */
	bool faults;	   /* a frame of it is what a kernel runs at a page fault */
	uint32_t function; /* of its innermost frame that has a name: in trace->names; NAME_NONE */
};

/* By frame: what it says of the stacks that it is in. */
struct frame_facts {
	bool *compiles, *faults;
};

static struct stack_facts stack_facts(const struct stacks *s, uint32_t stack,
				      const struct frame_facts *frames)
{
	struct stack_facts facts = {.function = NAME_NONE};

	for (; stack != STACK_NONE; stack = s->caller[stack]) {
		facts.compiles |= frames->compiles[s->frame[stack]];
		facts.faults |= frames->faults[s->frame[stack]];
		if (facts.function == NAME_NONE)
			facts.function = stacks_top(s, stack)->function;
	}
	return facts;
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

size_t explain_place(const struct explain *x, uint32_t folded)
{
	return folded == NAME_NONE ? x->folded_names.count : folded;
}

/* A sample is of the range that its thread is in at that moment, as its stall's time is. */
static void count_sample(struct explain *x, struct sample_counts *c, uint32_t folded,
			 struct stack_facts facts)
{
	struct place_samples *p = &x->waits.places[explain_place(x, folded)];
	size_t count;

	x->waits.samples++;
	p->all++;
	x->waits.compiling += facts.compiles;
	p->faulting += facts.faults;
	if (facts.function == NAME_NONE)
		return;
	x->waits.collecting += code_is_collector(trace_name(x->trace, facts.function));
	count = count_pair(c, folded, facts.function);
	if (count > p->in_function) {
		p->in_function = count;
		p->function = facts.function;
	}
}

static void count_thread(struct explain *x, struct sample_counts *c,
			 const struct frame_facts *frames, const struct sampled_thread *t)
{
	const uint32_t thread = idmap_get(&x->trace->thread_keys.map, t->key);
	struct range_cursor at = {0};

	for (size_t i = t->begin; thread != IDMAP_NONE && i < t->end; i++) {
		const int64_t at_ns = x->code.native.at_ns[i];
		uint32_t range;

		if (!explain_in_stalls(x, thread, (struct span){at_ns, sat_add(at_ns, 1)}, NULL))
			continue;
		range = gap_range_at(&x->judge, thread, at_ns, &at);
		count_sample(x, c, explain_folded_range(x, range),
			     stack_facts(&x->code.stacks, x->code.native.stack[i], frames));
	}
}

void explain_samples(struct explain *x)
{
	struct sample_counts counts = {0};
	struct frame_facts frames;

	if (!x->code.native.count || !x->judge.joined)
		return;
	frames = (struct frame_facts){find_compilers(x), explain_find_faulting(x)};
	x->waits.places = mem_zalloc(x->folded_names.count + 1, sizeof(*x->waits.places));
	for (size_t i = 0; i < x->code.native.thread_count; i++)
		count_thread(x, &counts, &frames, &x->code.native.threads[i]);
	idmap_free(&counts.pairs);
	free(counts.counts);
	free(frames.compiles);
	free(frames.faults);
}

static bool has_share(const struct place_samples *p, double share)
{
	return p->all >= EXPLAIN_SAMPLES_MIN && (double)p->in_function >= share * (double)p->all;
}

/* Of machine code; a few percent of an interpreter say nothing beside the lines of its program. */
static void add_function(struct explain *x, struct finding *f, const struct time_total *stalls)
{
	const uint32_t range = stalls->sums->rows[stalls->top[0]].name;
	const struct place_samples *p = &x->waits.places[explain_place(x, range)];
	const bool has_lines = x->code.python[PAYLOAD_SAMPLE].count > 0;

	if (!has_share(p, has_lines ? noticeable : worth_a_word))
		return;
	find_evidence(f,
		      arena_printf(&x->report->arena, "CPU samples of the host %s that are in %s",
				   stalls->rows == 1 ? "there" : "in the largest of them",
				   find_code(x, function_shown(trace_name(x->trace, p->function)))),
		      UNIT_PERCENT, cell_real(100.0 * (double)p->in_function / (double)p->all));
}

void explain_add_function(struct explain *x, struct finding *f, const struct time_total *stalls)
{
	const bool has_code = explain_code_add(x, f, stalls);

	explain_add_on_cpu(x, f, stalls);
	if (x->waits.places && (!has_code || x->code.python[PAYLOAD_SAMPLE].count))
		add_function(x, f, stalls);
}
