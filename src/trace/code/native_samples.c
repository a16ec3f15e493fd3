/* Stacks of machine code: samples of the CPU. */
#include "trace/code/samples.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "trace/calls/cpu_events.h"
#include "trace/code/places.h"
#include "trace/other_table.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { SAMPLE, SYMBOL, MODULE, DEPTH, COLUMNS };
enum { GRAIN = 1 << 12 };

/* A frame as its row has it. */
struct frame_row {
	int64_t sample, depth; /* 0: innermost */
	uint32_t function, module;
};

struct frame_rows {
	const struct trace *trace;
	bool *is_profiler;     /* by name: a module of the profiler's */
	struct frame_row *all; /* by sample, then by depth */
	size_t count;
};

/* An address is no name, nor is what the profiler writes where it knows none. */
static bool is_name(struct str symbol)
{
	return symbol.len && !str_starts(symbol, "0x") && !str_starts(symbol, "[") &&
	       !str_starts(symbol, "(");
}

static uint32_t name_of(const struct trace *t, const struct sqlite_values *v, size_t i)
{
	const uint32_t name =
		v->type[i] == SQLITE_IS_INT ? strings_number(t, v->num[i]) : NAME_NONE;

	return name == NAME_NONE || is_name(t->names.items[name]) ? name : NAME_NONE;
}

/* What the profiler does in a thread is no place of the program: its callers are. */
static bool is_profiler(struct str module)
{
	static const char *const heads[] = {"cupti", "ToolsInjection", "nvToolsExt"};
	struct str base = place_base_name(module);

	if (str_starts(base, "lib"))
		base = (struct str){base.s + 3, base.len - 3};
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		if (str_starts(base, heads[i]))
			return true;
	}
	return false;
}

static void find_profiler(struct frame_rows *r)
{
	const struct strtab *names = &r->trace->names;

	r->is_profiler = mem_alloc(names->count, sizeof(*r->is_profiler));
	for (size_t i = 0; i < names->count; i++)
		r->is_profiler[i] = is_profiler(names->items[i]);
}

static struct frame_row frame_of(const struct frame_rows *r, const struct sqlite_values *v,
				 size_t i)
{
	const bool known = v[SAMPLE].type[i] == SQLITE_IS_INT && v[DEPTH].type[i] == SQLITE_IS_INT;
	const uint32_t module = name_of(r->trace, &v[MODULE], i);
	const bool skipped = module != NAME_NONE && r->is_profiler[module];

	return (struct frame_row){known ? v[SAMPLE].num[i] : INT64_MIN, known ? v[DEPTH].num[i] : 0,
				  skipped ? NAME_NONE : name_of(r->trace, &v[SYMBOL], i),
				  skipped ? NAME_NONE : module};
}

/* What cannot be read is of a sample that is not there. */
static int take_rows(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct frame_rows *r = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++)
		r->all[b->first_row + i] = frame_of(r, b->values, i);
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct frame_row *f = a, *g = b;

	if (f->sample != g->sample)
		return f->sample < g->sample ? -1 : 1;
	return (f->depth > g->depth) - (f->depth < g->depth);
}

/* As the profiler writes them they are in order. */
static void sort_rows(struct frame_rows *r)
{
	for (size_t i = 1; i < r->count; i++) {
		if (compare_rows(&r->all[i - 1], &r->all[i]) > 0) {
			qsort(r->all, r->count, sizeof(*r->all), compare_rows);
			return;
		}
	}
}

static int make_room(void *ctx, uint64_t rows, struct err *e)
{
	struct frame_rows *r = ctx;

	(void)e;
	r->count = rows;
	r->all = mem_alloc(rows, sizeof(*r->all));
	find_profiler(r);
	return 0;
}

/* An export without stacks has none. */
static int read_rows(struct trace *t, const char *frames, struct frame_rows *ret, struct err *e)
{
	static const char *const names[COLUMNS] = {"id", "symbol", "module", "stackDepth"};
	const struct sqlite_reader reader = {make_room, take_rows, ret};
	int result;

	*ret = (struct frame_rows){.trace = t};
	result = trace_read_rows(t, frames, names, COLUMNS, &reader, e);
	free(ret->is_profiler);
	sort_rows(ret);
	return result;
}

struct building {
	const struct frame_rows *rows;
	const struct cpu_events *samples;
	struct stacks *sets;	    /* by worker */
	struct found_sample *found; /* by sample; STACK_NONE: it has no stack */
	bool *deep;		    /* by sample: it has more than one frame */
	int64_t shift;		    /* from an event's number to its stack's */
};

/*
 * Exports of some versions count stacks from 1, and those who refer to them from 0: then as many
 * are referred to as there are, from one less on.
 */
static int64_t number_shift(const struct frame_rows *rows, const struct cpu_events *samples)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t i = 0; i < samples->count; i++) {
		const int64_t number = samples->number[i];

		least = number != CPU_NO_NUMBER && number < least ? number : least;
		most = number > most ? number : most;
	}
	return rows->count && least == 0 && rows->all[0].sample == 1 &&
			       rows->all[rows->count - 1].sample == most + 1
		       ? 1
		       : 0;
}

/* A frame of which neither function nor module is known says nothing, nor does the profiler's. */
static uint32_t build_stack(const struct building *b, struct stacks *s, int64_t number,
			    size_t *ret_frames)
{
	const struct frame_row *rows = b->rows->all;
	const int64_t sample = number == CPU_NO_NUMBER ? number : sat_add(number, b->shift);
	const size_t begin = BISECT(0, b->rows->count, at, rows[at].sample < sample);
	size_t end = begin;
	uint32_t stack = STACK_NONE;

	while (end < b->rows->count && end - begin < STACK_DEPTH && rows[end].sample == sample)
		end++;
	*ret_frames = number == CPU_NO_NUMBER ? 0 : end - begin;
	for (size_t i = *ret_frames; i--;) {
		const struct frame_row *row = &rows[begin + i];
		const struct frame f = {row->function, row->module, LINE_NATIVE};

		if (f.function != NAME_NONE || f.file != NAME_NONE)
			stack = stacks_call(s, stack, stacks_frame(s, f));
	}
	return stack;
}

static void build(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct building *b = ctx;

	for (size_t i = begin; i < end; i++) {
		size_t frames;
		const uint32_t stack =
			build_stack(b, &b->sets[worker], b->samples->number[i], &frames);

		b->found[i] = (struct found_sample){b->samples->thread[i], i,
						    b->samples->start_ns[i], stack, worker};
		b->deep[i] = frames > 1;
	}
}

/*
 * nsys walks the stack of some samples only, one of four as a rule; of the others it has the
 * address. Where stacks are walked, those that were not say nothing of who called.
 */
static bool are_walked(const bool *deep, size_t count)
{
	size_t walked = 0;

	for (size_t i = 0; i < count; i++)
		walked += deep[i];
	return walked * 10 >= count;
}

static void build_all(const struct frame_rows *rows, const struct cpu_events *samples,
		      struct stacks *stacks, struct samples *ret)
{
	const unsigned workers = parallel_workers();
	struct building b = {rows,
			     samples,
			     mem_zalloc(workers, sizeof(*b.sets)),
			     mem_alloc(samples->count, sizeof(*b.found)),
			     mem_alloc(samples->count, sizeof(*b.deep)),
			     number_shift(rows, samples)};
	size_t kept = 0;
	bool walked;

	parallel_each(samples->count, GRAIN, build, &b);
	walked = are_walked(b.deep, samples->count);
	for (size_t i = 0; i < samples->count; i++) {
		if (b.found[i].stack != STACK_NONE && (b.deep[i] || !walked))
			b.found[kept++] = b.found[i];
	}
	free(b.deep);
	samples_settle(ret, stacks, b.found, kept, b.sets, workers);
	ret->without_stack = samples->count - kept;
	for (unsigned w = 0; w < workers; w++)
		stacks_free(&b.sets[w]);
	free(b.sets);
	free(b.found);
}

/* Without a table of frames none has a stack: calls are many, and most exports have none. */
static int count_events(struct trace *t, const char *events, struct samples *ret, struct err *e)
{
	const struct sqlite_table *table = sqlitefile_find_table(t->file, events);
	uint64_t rows = 0;
	TRACE_LOCK_SCOPE(t);

	if (table && sqlitefile_count_rows(t->file, table, &rows, e) < 0)
		return -1;
	ret->without_stack = (size_t)rows;
	return 0;
}

int native_samples_read(struct trace *t, const struct native_tables *tables, struct stacks *stacks,
			struct samples *ret, struct err *e)
{
	struct frame_rows rows = {0};
	struct cpu_events samples = {0};
	int result = 0;

	if (!sqlitefile_find_table(t->file, tables->frames))
		return count_events(t, tables->events, ret, e);
	if (strings_load(t, e) < 0 ||
	    cpu_events_read(t, tables->events, tables->number, &samples, e) < 0 ||
	    read_rows(t, tables->frames, &rows, e) < 0)
		result = -1;
	if (result == 0)
		build_all(&rows, &samples, stacks, ret);
	free(rows.all);
	cpu_events_free(&samples);
	return result;
}
