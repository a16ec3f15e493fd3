/* Which threads and streams are called so? */
#include "analysis/events/search_lanes.h"

#include "analysis/cell_values.h"
#include "analysis/events/search_types.h"
#include "analysis/gpu/gpu_work.h"
#include "analysis/gpu/process_gpus.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"type", "Type", UNIT_NAME, 0, "", SHOW},
	{"name", "Name", UNIT_NAME, 0, "", SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"stream", "Stream", UNIT_ID, 0, "stream:", SHOW},
	{"events", "Ops or calls", UNIT_COUNT, 0, NULL, SHOW},
	{"start_ns", "Start", UNIT_TIME_NS, 0, NULL, SHOW},
	{"duration_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
};

/* The key of a thread says whose it is. */
enum { NO_PROCESS = 0 };

static void add_events(struct lane_sums *x, uint64_t key, uint32_t process, const struct span *span,
		       uint64_t events)
{
	/* Two processes may both have a stream 7. */
	uint32_t home = pairs_number(&x->homes, process, (uint32_t)(key >> 32));
	uint32_t at = pairs_number(&x->index, home, (uint32_t)key);
	struct lane_sum *s;

	if (at == x->count) {
		MEM_GROW(x->all, x->cap, x->count + 1);
		x->all[x->count++] = (struct lane_sum){key, process, 0, *span};
	}
	s = &x->all[at];
	s->events += events;
	span_widen(&s->span, *span);
}

/* NULL: nothing happened there. */
static const struct lane_sum *find_lane(const struct lane_sums *x, uint64_t key, uint32_t process)
{
	uint32_t home = pairs_find(&x->homes, process, (uint32_t)(key >> 32));
	uint32_t at = home == IDMAP_NONE ? home : pairs_find(&x->index, home, (uint32_t)key);

	return at == IDMAP_NONE ? NULL : &x->all[at];
}

void lane_sums_free(struct lane_sums *x)
{
	pairs_free(&x->homes);
	pairs_free(&x->index);
	free(x->all);
	*x = (struct lane_sums){0};
}

/* Many cores look at the ops of a kind, each sums up what it meets. */
struct looking {
	const struct gpu_work *work;
	enum trace_kind kind;
	struct lane_sums *sums; /* one per worker */
};

static void look_at_ops(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct looking *x = ctx;
	const struct events *ev = &x->work->trace->events[x->kind];
	struct span span;

	for (size_t i = begin; i < end; i++) {
		uint64_t device;

		if (ev->stream[i] == ID_NONE || !gpu_work_part(x->work, x->kind, i, &span))
			continue;
		device = device_map_of(&x->work->devices, ev, i);
		add_events(&x->sums[worker], device << 32 | ev->stream[i], event_process(ev, i),
			   &span, 1);
	}
}

static int compare_lanes(const void *a, const void *b, void *ctx)
{
	const struct lane_sum *x = a, *y = b;

	(void)ctx;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

/* In an order that does not depend on who met what. */
static void merge_lanes(struct lane_sums *ret, struct lane_sums *sums)
{
	for (unsigned w = 0; w < parallel_workers(); w++) {
		for (size_t i = 0; i < sums[w].count; i++) {
			const struct lane_sum *s = &sums[w].all[i];

			add_events(ret, s->key, s->process, &s->span, s->events);
		}
		lane_sums_free(&sums[w]);
	}
	sort_stable(ret->all, ret->count, sizeof(*ret->all), compare_lanes, NULL);
}

int search_find_streams(struct trace *t, const struct scope *p, struct lane_sums *ret,
			struct err *e)
{
	struct lane_sums *sums = mem_zalloc(parallel_workers(), sizeof(*sums));
	struct gpu_work work;
	int result = gpu_work_open(&work, t, ALL_GPU_KINDS, p, e);

	for (int kind = 0; kind < TRACE_GPU_KINDS && result == 0; kind++) {
		struct looking x = {&work, (enum trace_kind)kind, sums};

		result = trace_load(t, x.kind, COL_BIT(COL_STREAM) | COLS_PROCESS_DEVICE, e);
		if (result == 0 && t->events[kind].stream)
			parallel_each(t->events[kind].count, PARALLEL_ROWS, look_at_ops, &x);
	}
	merge_lanes(ret, sums);
	gpu_work_close(&work);
	free(sums);
	return result;
}

/* The table, once there is something to put into it. */
struct listing {
	struct report *report;
	struct rows *rows;
};

static struct rows *rows_of(struct listing *l)
{
	if (!l->rows) {
		l->rows = report_new_rows(l->report, "places", "Threads and streams", columns,
					  ARRAY_LEN(columns));
		l->rows->table.drops_empty = true;
	}
	return l->rows;
}

static void add_span(struct rows *rows, const struct lane_sum *s)
{
	rows_add(rows, cell_int((int64_t)s->events));
	rows_add(rows, cell_int(s->span.start_ns));
	rows_add(rows, cell_int(sat_sub(s->span.end_ns, s->span.start_ns)));
}

static int add_streams(struct listing *l, const struct trace *t, const struct lane_sums *x,
		       struct pattern *pattern, struct err *e)
{
	int found = 0;

	for (size_t i = 0; i < x->count && found >= 0; i++) {
		const struct lane_sum *s = &x->all[i];
		char *name = arena_printf(&l->report->arena, "stream %u", (uint32_t)s->key);
		struct rows *rows;

		found = pattern_match(pattern, str_of(name), e);
		if (found <= 0)
			continue;
		rows = rows_of(l);
		rows_add(rows, cell_text("stream"));
		rows_add(rows, cell_text(name));
		rows_add(rows, process_pid_cell(t, s->process));
		rows_add(rows, cell_null());
		rows_add(rows, id_cell((uint32_t)(s->key >> 32)));
		rows_add(rows, cell_int((uint32_t)s->key));
		add_span(rows, s);
	}
	return found < 0 ? -1 : 0;
}

/* Read only once a thread is wanted: the calls are many. */
static int find_threads(struct trace *t, const struct scope *p, struct lane_sums *x, struct err *e)
{
	const struct events *ev = &t->events[TRACE_API];
	struct span span;

	if (trace_load(t, TRACE_API, COLS_TIMES | COL_BIT(COL_THREAD), e) < 0)
		return -1;
	for (uint64_t i = 0; ev->start_ns && ev->duration_ns && ev->thread && i < ev->count; i++) {
		if (ev->thread[i] != ID_NONE && ev->duration_ns[i] != DURATION_NONE &&
		    window_part(p, ev->start_ns[i], ev->duration_ns[i], &span))
			add_events(x, t->thread_keys.keys[ev->thread[i]], NO_PROCESS, &span, 1);
	}
	return 0;
}

static void add_thread(struct rows *rows, const struct thread_name *thread,
		       const struct lane_sums *x)
{
	const struct lane_sum *sum = find_lane(x, thread->key, NO_PROCESS);

	rows_add(rows, cell_text("thread"));
	rows_add(rows, cell_str(arena_str(rows->arena, thread->name)));
	rows_add(rows, cell_int(process_pid(thread->key >> 24)));
	rows_add(rows, cell_int(thread_tid(thread->key)));
	rows_add(rows, cell_null());
	rows_add(rows, cell_null());
	if (sum) {
		add_span(rows, sum);
		return;
	}
	rows_add(rows, cell_int(0));
	rows_add(rows, cell_null());
	rows_add(rows, cell_null());
}

static int add_threads(struct listing *l, struct trace *t, const struct scope *p,
		       struct pattern *pattern, const struct host_names *host_names, struct err *e)
{
	struct lane_sums x = {0};
	bool read = false;
	int found = 0;

	for (size_t i = 0; i < host_names->thread_count && found >= 0; i++) {
		const struct thread_name *thread = &host_names->threads[i];

		if (!scope_has_thread_key(p, thread->key))
			continue;
		found = pattern_match(pattern, thread->name, e);
		if (found > 0 && !read)
			found = find_threads(t, p, &x, e) < 0 ? -1 : 1;
		read |= found > 0;
		if (found > 0)
			add_thread(rows_of(l), thread, &x);
	}
	lane_sums_free(&x);
	return found < 0 ? -1 : 0;
}

int search_lanes_report(struct report *r, struct trace *t, const struct scope *p, uint64_t limit,
			unsigned types, struct pattern *pattern,
			const struct host_names *host_names, const struct lane_sums *streams,
			struct err *e)
{
	/* --sort speaks of the events. */
	const struct row_choice by_events = {.limit = limit};
	struct listing l = {.report = r};

	if ((types & 1u << SEARCH_THREAD && add_threads(&l, t, p, pattern, host_names, e) < 0) ||
	    (types & 1u << SEARCH_STREAM && add_streams(&l, t, streams, pattern, e) < 0))
		return -1;
	return l.rows ? rows_arrange(l.rows, &by_events, "events", e) : 0;
}
