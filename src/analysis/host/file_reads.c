/* Does a call that reads wait for a disk, or for a person or a peer? */
#include "analysis/host/file_reads.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/code/places.h"
#include "trace/code/samples.h"

#include <stdlib.h>

enum { ALIKE_MIN = 3, BULK_NS = 1000000 /* a read of that length moves data, or waits */ };

static const double most = 0.5;	      /* of the time: then that is the place */
static const double nearly_all = 0.9; /* of the time, in calls of one length */
static const double one_length = 2.0; /* at most that much longer than the usual one */

static bool is_share(int64_t part, int64_t whole, double share)
{
	return (double)part >= share * (double)whole;
}

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

static uint32_t stack_of(const struct trace *t, const struct backtraces *b,
			 const struct read_call *call)
{
	const struct thread_samples s =
		samples_of_thread(&b->calls, t->thread_keys.keys[call->thread]);
	size_t at;

	if (!s.of)
		return STACK_NONE;
	at = BISECT(s.of->begin, s.of->end, i, b->calls.at_ns[i] < call->time.start_ns);
	return at < s.of->end && b->calls.at_ns[at] == call->time.start_ns ? b->calls.stack[at]
									   : STACK_NONE;
}

static enum source source_of_stack(const struct trace *t, const struct stacks *s, uint32_t stack)
{
	for (uint32_t at = stack; at != STACK_NONE; at = s->caller[at]) {
		const struct frame *f = stacks_top(s, at);
		const enum source source = f->function == NAME_NONE
						   ? SOURCE_UNKNOWN
						   : source_of(trace_name(t, f->function));

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

static void look_at_stacks(const struct trace *t, struct backtraces *b, struct read_calls *r,
			   struct file_reads *ret)
{
	for (size_t i = 0; i < r->count; i++) {
		struct read_call *call = &r->all[i];
		const uint32_t stack = stack_of(t, b, call);

		call->is_file = reads_at_offset(trace_name(t, call->name)) ||
				source_of_stack(t, &b->stacks, stack) == SOURCE_FILE;
		if (call->is_file && stack != STACK_NONE)
			count_place(b, call, stack);
	}
	if (b->best != STACK_NONE && is_share(b->frame_ns[b->best], b->known_ns, most))
		ret->function = function_shown(trace_name(t, b->stacks.frames[b->best].function));
}

static int compare_times(const void *a, const void *b)
{
	const struct read_call *s = *(const struct read_call *const *)a;
	const struct read_call *t = *(const struct read_call *const *)b;
	const int64_t l = span_ns(s->time), m = span_ns(t->time);

	return (l > m) - (l < m);
}

/* Blocks of one size take about as long each; nobody types, and few peers send, like that. */
static void look_at_lengths(const struct trace *t, struct read_calls *r, struct file_reads *ret)
{
	struct read_call **long_ones = mem_alloc(r->count, sizeof(void *));
	int64_t all_ns = 0, alike_ns = 0;
	size_t count = 0, alike = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct read_call *call = &r->all[i];

		call->is_file = reads_at_offset(trace_name(t, call->name));
		if (!call->is_file && reads_blocks(trace_name(t, call->name)) &&
		    span_ns(call->time) >= BULK_NS)
			long_ones[count++] = call;
	}
	if (count)
		qsort(long_ones, count, sizeof(void *), compare_times);
	for (size_t i = 0; i < count; i++) {
		const double usual = (double)span_ns(long_ones[count / 2]->time);
		const double ns = (double)span_ns(long_ones[i]->time);
		const bool is_alike = ns <= usual * one_length && ns * one_length >= usual;

		all_ns = sat_add(all_ns, long_ones[i]->ns);
		alike_ns = sat_add(alike_ns, is_alike ? long_ones[i]->ns : 0);
		alike += is_alike;
	}
	ret->by_length = alike >= ALIKE_MIN && is_share(alike_ns, all_ns, nearly_all);
	for (size_t i = 0; i < count && ret->by_length; i++)
		long_ones[i]->is_file = true;
	free(long_ones);
}

int file_reads_find(struct trace *t, struct read_calls *r, struct file_reads *ret, struct err *e)
{
	static const struct native_tables tables = {"OSRT_API", "callchainId", "OSRT_CALLCHAINS"};
	struct backtraces b = {.best = STACK_NONE};

	*ret = (struct file_reads){0};
	if (native_samples_read(t, &tables, &b.stacks, &b.calls, e) < 0)
		return -1;
	if (b.calls.count) {
		places_make(&b.places, t, &b.stacks, CODE_BY_FUNCTION);
		b.frame_ns = mem_zalloc(b.stacks.frame_count, sizeof(*b.frame_ns));
		look_at_stacks(t, &b, r, ret);
		places_free(&b.places);
	} else {
		look_at_lengths(t, r, ret);
	}
	free(b.frame_ns);
	samples_free(&b.calls);
	stacks_free(&b.stacks);
	return 0;
}
