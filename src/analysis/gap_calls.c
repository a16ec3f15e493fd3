/* In which calls was the launching thread during each gap? */
#include "analysis/gaps.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/saturate.h"
#include "trace/call_class.h"
#include "trace/strings.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { WANT_START, WANT_END, WANT_TID, WANT_NAME, WANTED };

enum { LOOKS_EACH = 64 };

static const uint8_t blame_of_class[CALL_CLASSES] = {
	[CALL_OTHER] = BLAME_CUDA,	[CALL_LAUNCH] = BLAME_LAUNCH, [CALL_COPY_SYNC] = BLAME_COPY,
	[CALL_COPY_ASYNC] = BLAME_COPY, [CALL_SYNC] = BLAME_SYNC,     [CALL_WAIT_FREE] = BLAME_CUDA,
	[CALL_ALLOC] = BLAME_ALLOC,	[CALL_MODULE] = BLAME_ALLOC,
};

struct call {
	int64_t start_ns, end_ns;
	enum blame blame;
};

/* Lanes of one thread lie together: [first, last). */
struct thread_lanes {
	uint32_t first, last;
};

struct reading {
	struct gaps *gaps;
	struct gap_lanes lanes;
	struct thread_lanes *of_thread; /* by number in thread_keys */
	size_t threads;
	struct call_classes classes;
	int64_t *thread_ns; /* of each worker, one after another; see struct gaps */
	/* Where each worker is: calls come nearly in order of time. By worker, then by lane. */
	size_t *next_gap;
	struct known_thread *known;
	bool begun;
	atomic_ullong looks; /* at gaps and lanes, of all workers */
	uint64_t looks_allowed;
};

/* The thread of a worker's last call: most calls are of the same one as the call before. */
struct known_thread {
	uint64_t key;
	uint32_t thread;
	bool known;
};

static uint32_t saturated(int64_t ns)
{
	return ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

/* Counts up to the largest number there is, and no further. */
static void add_one(uint16_t *count)
{
	uint16_t known = __atomic_load_n(count, __ATOMIC_RELAXED);

	while (known < UINT16_MAX &&
	       !__atomic_compare_exchange_n(count, &known, (uint16_t)(known + 1), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

/*
 * A thread is in one call at a time: one wait covers the gap's beginning. Where a bad trace has
 * several the longest counts, whichever worker comes first.
 */
static void add_wait(struct gap *gap, const struct call *c)
{
	uint32_t wait =
		gap_wait(saturated(sat_sub(gap->start_ns, c->start_ns)), c->blame == BLAME_COPY);
	uint32_t known = __atomic_load_n(&gap->waited, __ATOMIC_RELAXED);

	while (wait > known && !__atomic_compare_exchange_n(&gap->waited, &known, wait, true,
							    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

/* Workers share gaps at the edges of what they read, so that they add atomically. */
static void add_to_gap(struct gaps *g, uint32_t index, const struct call *c)
{
	struct gap *gap = &g->all[index];
	int64_t to = gap_launch_ns(g, gap);
	int64_t begin = c->start_ns > gap->start_ns ? c->start_ns : gap->start_ns;
	int64_t end = c->end_ns < to ? c->end_ns : to;
	uint32_t wide;

	if ((c->blame == BLAME_SYNC || c->blame == BLAME_COPY) && c->start_ns <= gap->start_ns)
		add_wait(gap, c);
	if (end <= begin)
		return;
	wide = gap_long(g, index);
	if (wide == IDMAP_NONE)
		__atomic_fetch_add(&gap->call_ns[c->blame], (uint32_t)(end - begin),
				   __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&g->long_ns[wide * GAP_CALLS + c->blame], end - begin,
				   __ATOMIC_RELAXED);
	add_one(&gap->calls);
}

static bool ends_by(const struct reading *r, size_t i, int64_t ns)
{
	return r->gaps->all[r->lanes.order[i]].end_ns <= ns;
}

/* Bounds for first_gap(), from a guess on, in steps that double until they have passed it. */
static void narrow(const struct reading *r, size_t guess, int64_t start_ns, size_t *low,
		   size_t *high)
{
	size_t step = 1;

	if (guess > *low && !ends_by(r, guess - 1, start_ns)) {
		*high = guess - 1;
		return;
	}
	*low = guess;
	while (*low + step <= *high && ends_by(r, *low + step - 1, start_ns)) {
		*low += step;
		step *= 2;
	}
	if (*low + step <= *high)
		*high = *low + step - 1;
}

/* The first gap of the lane that ends after the call began. */
static size_t first_gap(const struct reading *r, size_t lane, int64_t start_ns, unsigned worker)
{
	size_t *guess = &r->next_gap[worker * r->lanes.count + lane];
	size_t low = r->lanes.begin[lane], high = r->lanes.begin[lane + 1];

	narrow(r, *guess, start_ns, &low, &high);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ends_by(r, mid, start_ns))
			low = mid + 1;
		else
			high = mid;
	}
	*guess = low;
	return low;
}

/* Returns how many gaps and lanes it looked at. */
static uint64_t add_call(const struct reading *r, uint32_t thread, const struct call *c,
			 unsigned worker)
{
	uint64_t looks = 0;

	for (uint32_t lane = r->of_thread[thread].first; lane < r->of_thread[thread].last; lane++) {
		size_t end = r->lanes.begin[lane + 1];

		for (size_t i = first_gap(r, lane, c->start_ns, worker); i < end; i++) {
			uint32_t gap = r->lanes.order[i];

			if (r->gaps->all[gap].start_ns >= c->end_ns)
				break;
			add_to_gap(r->gaps, gap, c);
			looks++;
		}
		looks++;
	}
	return looks;
}

/*
 * In a real trace a call overlaps a few gaps of a few GPUs. Calls that overlap each other, or GPUs
 * by the thousand, would take for ever.
 */
static int check_looks(struct reading *r, uint64_t looks, struct err *e)
{
	if (atomic_fetch_add(&r->looks, looks) + looks <= r->looks_allowed)
		return 0;
	return err_set(e, ERR_INPUT,
		       "'%s': its calls overlap each other, or its GPUs, beyond reason",
		       r->gaps->trace->path);
}

/* A launch takes microseconds; one that takes this long waits for room in the queue. */
enum { FULL_QUEUE_NS = 100000 };

/* Each worker adds to sums of its own; the sum of sums does not depend on who added what. */
static void add_to_thread(const struct reading *r, uint32_t thread, const struct call *c,
			  unsigned worker)
{
	int64_t begin = c->start_ns > r->gaps->from_ns ? c->start_ns : r->gaps->from_ns;
	int64_t end = c->end_ns < r->gaps->to_ns ? c->end_ns : r->gaps->to_ns;

	bool full_queue =
		c->blame == BLAME_LAUNCH && sat_sub(c->end_ns, c->start_ns) >= FULL_QUEUE_NS;
	int64_t *sum = &r->thread_ns[((size_t)worker * r->threads + thread) * GAP_CALLS +
				     (full_queue ? BLAME_SYNC : c->blame)];

	if (end > begin)
		*sum = sat_add(*sum, end - begin);
}

static uint32_t thread_of(const struct reading *r, uint64_t key, unsigned worker)
{
	struct known_thread *k = &r->known[worker];

	if (!k->known || k->key != key)
		*k = (struct known_thread){key, idmap_get(&r->gaps->trace->thread_keys.map, key),
					   true};
	return k->thread;
}

static bool read_call(const struct reading *r, const struct sqlite_values *v, size_t i,
		      unsigned worker, struct call *ret, uint32_t *ret_thread)
{
	for (int c = 0; c < WANTED; c++) {
		if (v[c].type[i] != SQLITE_IS_INT)
			return false;
	}
	*ret_thread = thread_of(r, (uint64_t)v[WANT_TID].num[i], worker);
	if (*ret_thread >= r->threads)
		return false;
	ret->start_ns = v[WANT_START].num[i];
	ret->end_ns = v[WANT_END].num[i];
	ret->blame = blame_of_class[call_class_of(
		&r->classes, strings_number(r->gaps->trace, v[WANT_NAME].num[i]))];
	return true;
}

/* Old exports have a call twice, one inside the other: the time is that of the outer. */
static int take_calls(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct reading *r = ctx;
	uint32_t thread, last_thread = ID_NONE;
	struct call call, last = {0};
	uint64_t looks = 0;

	for (size_t i = 0; i < b->rows; i++) {
		if (!read_call(r, b->values, i, worker, &call, &thread))
			continue;
		if (thread == last_thread && call.start_ns >= last.start_ns &&
		    call.end_ns <= last.end_ns)
			continue;
		looks += add_call(r, thread, &call, worker);
		add_to_thread(r, thread, &call, worker);
		last_thread = thread;
		last = call;
	}
	progress_add(b->rows);
	return check_looks(r, looks, e);
}

static int begin_calls(void *ctx, uint64_t rows, struct err *e)
{
	struct reading *r = ctx;
	struct gaps *g = r->gaps;

	(void)e;
	memset(r->thread_ns, 0,
	       parallel_workers() * r->threads * GAP_CALLS * sizeof(*r->thread_ns));
	for (size_t i = 0; r->begun && i < g->count; i++) {
		memset(g->all[i].call_ns, 0, sizeof(g->all[i].call_ns));
		g->all[i].calls = 0;
		g->all[i].waited = 0;
	}
	atomic_store(&r->looks, 0);
	r->looks_allowed = LOOKS_EACH * (rows + g->count) + 1000000;
	memset(g->long_ns, 0, g->long_count * GAP_CALLS * sizeof(*g->long_ns));
	r->begun = true;
	progress_begin("blaming gaps", rows);
	return 0;
}

static void find_long_gaps(struct gaps *g)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->all[i].end_ns - g->all[i].start_ns <= UINT32_MAX)
			continue;
		idmap_add(&g->long_gaps, i, (uint32_t)g->long_count);
		g->long_count++;
	}
	g->long_ns = mem_zalloc(g->long_count * GAP_CALLS, sizeof(*g->long_ns));
}

static void index_threads(struct reading *r)
{
	r->threads = r->gaps->trace->thread_keys.count;
	r->of_thread = mem_zalloc(r->threads, sizeof(*r->of_thread));
	r->thread_ns =
		mem_alloc(parallel_workers() * r->threads * GAP_CALLS, sizeof(*r->thread_ns));
	for (uint32_t lane = 0; lane < r->lanes.count; lane++) {
		struct thread_lanes *t = &r->of_thread[r->lanes.threads[lane]];

		if (t->last == 0)
			t->first = lane;
		t->last = lane + 1;
	}
}

static void place_workers(struct reading *r)
{
	r->known = mem_zalloc(parallel_workers(), sizeof(*r->known));
	r->next_gap = mem_alloc(parallel_workers() * r->lanes.count, sizeof(*r->next_gap));
	for (unsigned w = 0; w < parallel_workers(); w++)
		memcpy(r->next_gap + w * r->lanes.count, r->lanes.begin,
		       r->lanes.count * sizeof(*r->next_gap));
}

static void keep_thread_times(struct reading *r)
{
	struct gaps *g = r->gaps;
	size_t sums = r->threads * GAP_CALLS;

	g->threads = r->threads;
	g->thread_ns = mem_zalloc(sums, sizeof(*g->thread_ns));
	for (size_t i = 0; i < parallel_workers() * sums; i++)
		g->thread_ns[i % sums] = sat_add(g->thread_ns[i % sums], r->thread_ns[i]);
}

int gaps_add_calls(struct gaps *g, struct err *e)
{
	static const char *const names[WANTED] = {"start", "end", "globalTid", "nameId"};
	const struct sqlite_table *table = g->trace->events[TRACE_API].table;
	struct reading r = {.gaps = g};
	const struct sqlite_reader reader = {begin_calls, take_calls, &r};
	int columns[WANTED], result;

	/* The join has already found them all. */
	for (int i = 0; i < WANTED; i++)
		columns[i] = sqlite_table_find_column(table, names[i]);
	if (call_classes_read(g->trace, &r.classes, e) < 0)
		return -1;
	find_long_gaps(g);
	gap_lanes_make(g, &r.lanes);
	index_threads(&r);
	place_workers(&r);
	result = sqlitefile_read(g->trace->file, table, columns, WANTED, &reader, e);
	progress_end();
	if (result == 0)
		keep_thread_times(&r);
	free(r.thread_ns);
	free(r.next_gap);
	free(r.known);
	free(r.of_thread);
	gap_lanes_free(&r.lanes);
	call_classes_free(&r.classes);
	return result;
}
