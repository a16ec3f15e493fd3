/* Does a call that reads wait for a disk, or for a person or a peer? */
#include "analysis/findings/file_reads.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

enum { ALIKE_MIN = 3, BULK_NS = 1000000 /* a read of that length moves data, or waits */ };

static const double worth = 0.05;     /* of the window: less is not looked into */
static const double most = 0.5;	      /* of the time: then that is the place */
static const double nearly_all = 0.9; /* of the time, in calls of one length */
static const double one_length = 2.0; /* at most that much longer than the usual one */

static bool is_one_of(struct str function, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (str_eq(function, str_of(names[i])))
			return true;
	}
	return false;
}

/* An offset is that of a file. */
static bool reads_at_offset(struct str function)
{
	static const char *const names[] = {"pread", "pread64", "preadv"};

	return is_one_of(function, names, ARRAY_LEN(names));
}

/* Of no matter what: who types does not fill buffers. */
static bool reads_blocks(struct str function)
{
	static const char *const names[] = {"read", "readv", "fread", "fread_unlocked"};

	return is_one_of(function, names, ARRAY_LEN(names));
}

bool may_read_file(struct str function)
{
	static const char *const by_line[] = {"fgets",	 "fgetc",    "getc",
					      "getline", "getdelim", "fscanf"};

	return reads_at_offset(function) || reads_blocks(function) ||
	       is_one_of(function, by_line, ARRAY_LEN(by_line));
}

enum source { SOURCE_UNKNOWN, SOURCE_FILE, SOURCE_INPUT };

/* What a function on the way to the call reads from. */
static enum source source_of(struct str function)
{
	/* The C++ library reads the terminal as C does, files with buffers of its own. */
	static const char *const input[] = {"stdio_sync_filebuf", "getchar", "readline", "recv",
					    "SSL_read"};
	static const char *const files[] = {"basic_filebuf<", "__basic_file<", "basic_ifstream<"};

	for (size_t i = 0; i < ARRAY_LEN(input); i++) {
		if (str_holds(function, input[i]))
			return SOURCE_INPUT;
	}
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (str_holds(function, files[i]))
			return SOURCE_FILE;
	}
	return SOURCE_UNKNOWN;
}

/* Backtraces of the calls, and what each of their frames has of the time that files take. */
struct backtraces {
	struct stacks stacks;
	struct samples calls;
	struct places places;
	int64_t *frame_ns;
	uint32_t best; /* a frame of the program's own */
	int64_t known_ns;
};

static uint32_t stack_of(const struct explain *x, const struct backtraces *b,
			 const struct read_call *call)
{
	const struct thread_samples t =
		samples_of_thread(&b->calls, x->trace->thread_keys.keys[call->thread]);
	size_t at;

	if (!t.of)
		return STACK_NONE;
	at = BISECT(t.of->begin, t.of->end, i, b->calls.at_ns[i] < call->time.start_ns);
	return at < t.of->end && b->calls.at_ns[at] == call->time.start_ns ? b->calls.stack[at]
									   : STACK_NONE;
}

static enum source source_of_stack(const struct explain *x, const struct stacks *s, uint32_t stack)
{
	for (uint32_t at = stack; at != STACK_NONE; at = s->caller[at]) {
		const struct frame *f = stacks_top(s, at);
		const enum source source = f->function == NAME_NONE
						   ? SOURCE_UNKNOWN
						   : source_of(trace_name(x->trace, f->function));

		if (source != SOURCE_UNKNOWN)
			return source;
	}
	return SOURCE_UNKNOWN;
}

static void count_place(struct backtraces *b, const struct read_call *call, uint32_t stack)
{
	const uint32_t frame = places_yours(&b->places, stack);

	b->known_ns = sat_add(b->known_ns, call->ns);
	if (b->places.owner[frame] != CODE_YOURS)
		return;
	b->frame_ns[frame] = sat_add(b->frame_ns[frame], call->ns);
	if (b->best == STACK_NONE || b->frame_ns[frame] > b->frame_ns[b->best])
		b->best = frame;
}

static void look_at_stacks(struct explain *x, struct backtraces *b, struct read_calls *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct read_call *call = &r->all[i];
		const uint32_t stack = stack_of(x, b, call);

		call->is_file = reads_at_offset(trace_name(x->trace, call->name)) ||
				source_of_stack(x, &b->stacks, stack) == SOURCE_FILE;
		if (call->is_file && stack != STACK_NONE)
			count_place(b, call, stack);
	}
	if (b->best != STACK_NONE && is_share(b->frame_ns[b->best], b->known_ns, most))
		x->waits.files.where = arena_printf(
			&x->report->arena, " in %s",
			find_code(x, function_shown(trace_name(
					     x->trace, b->stacks.frames[b->best].function))));
}

static int compare_times(const void *a, const void *b)
{
	const struct read_call *s = *(const struct read_call *const *)a;
	const struct read_call *t = *(const struct read_call *const *)b;
	const int64_t l = span_ns(s->time), m = span_ns(t->time);

	return (l > m) - (l < m);
}

/* Blocks of one size take about as long each; nobody types, and few peers send, like that. */
static void look_at_lengths(struct explain *x, struct read_calls *r)
{
	struct read_call **long_ones = mem_alloc(r->count, sizeof(struct read_call *));
	int64_t all_ns = 0, alike_ns = 0;
	size_t count = 0, alike = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct read_call *call = &r->all[i];

		call->is_file = reads_at_offset(trace_name(x->trace, call->name));
		if (!call->is_file && reads_blocks(trace_name(x->trace, call->name)) &&
		    span_ns(call->time) >= BULK_NS)
			long_ones[count++] = call;
	}
	if (count)
		qsort(long_ones, count, sizeof(*long_ones), compare_times);
	for (size_t i = 0; i < count; i++) {
		const double usual = (double)span_ns(long_ones[count / 2]->time);
		const double ns = (double)span_ns(long_ones[i]->time);
		const bool is_alike = ns <= usual * one_length && ns * one_length >= usual;

		all_ns = sat_add(all_ns, long_ones[i]->ns);
		alike_ns = sat_add(alike_ns, is_alike ? long_ones[i]->ns : 0);
		alike += is_alike;
	}
	x->waits.files.by_length = alike >= ALIKE_MIN && is_share(alike_ns, all_ns, nearly_all);
	for (size_t i = 0; i < count && x->waits.files.by_length; i++)
		long_ones[i]->is_file = true;
	free(long_ones);
}

int file_reads_find(struct explain *x, struct read_calls *r, struct err *e)
{
	static const struct native_tables tables = {"OSRT_API", "callchainId", "OSRT_CALLCHAINS"};
	struct backtraces b = {.best = STACK_NONE};
	int64_t ns = 0;

	for (size_t i = 0; i < r->count; i++)
		ns = sat_add(ns, r->all[i].ns);
	if (!ns || !is_share(ns, x->window_ns, worth))
		return 0;
	if (native_samples_read(x->trace, &tables, &b.stacks, &b.calls, e) < 0)
		return -1;
	if (b.calls.count) {
		places_make(&b.places, x->trace, &b.stacks, CODE_BY_FUNCTION);
		b.frame_ns = mem_zalloc(b.stacks.frame_count, sizeof(*b.frame_ns));
		look_at_stacks(x, &b, r);
		places_free(&b.places);
	} else {
		look_at_lengths(x, r);
	}
	free(b.frame_ns);
	samples_free(&b.calls);
	stacks_free(&b.stacks);
	return 0;
}
