/* What did each rank do in its window, and what for? */
#include "analysis/ranks/rank_study.h"

#include "analysis/gpu/gpu_work.h"
#include "analysis/gpu/timeline.h"
#include "base/mem.h"
#include "base/pairs.h"
#include "trace/calls/picked_calls.h"

#include <stdlib.h>

/* What do the ranges around a moment say? */

enum { NOT_ASKED = UINT32_MAX - 1 };

struct labelling {
	struct markers *markers;
	const struct preset_rules *rules;
};

/* Whether the preset knows the name; it is asked once. */
static int has_label(void *ctx, uint32_t name, struct err *e)
{
	const struct labelling *x = ctx;
	struct markers *m = x->markers;
	uint32_t *label = &m->label_of_name[name];
	struct str text;
	bool found;

	if (*label == NOT_ASKED) {
		if (preset_label(x->rules, trace_name(m->trace, name), &found, &text, e) < 0)
			return -1;
		*label = found ? strtab_add(&m->labels, text) : LABEL_NONE;
	}
	return *label != LABEL_NONE;
}

/* Of the push/pop ranges that touch the time between. A trace without ranges has no labels. */
static int markers_make(struct trace *t, const struct preset_rules *rules, int64_t from_ns,
			int64_t to_ns, struct markers *ret, struct err *e)
{
	struct labelling x = {ret, rules};
	const struct range_choice choice = {from_ns, to_ns, has_label, &x};

	*ret = (struct markers){.trace = t};
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0)
		return -1;
	ret->label_of_name = mem_alloc(t->names.count, sizeof(*ret->label_of_name));
	for (size_t i = 0; i < t->names.count; i++)
		ret->label_of_name[i] = NOT_ASKED;
	return picked_ranges_find(t, &choice, &ret->ranges, e);
}

static void markers_free(struct markers *m)
{
	picked_ranges_free(&m->ranges);
	strtab_free(&m->labels);
	free(m->label_of_name);
	*m = (struct markers){0};
}

/* Number of the label, or LABEL_NONE. */
static uint32_t markers_find(const struct markers *m, uint32_t thread, int64_t at_ns)
{
	uint32_t range = picked_ranges_at(&m->ranges, thread, at_ns);

	if (range == RANGE_NONE)
		return LABEL_NONE;
	return m->label_of_name[m->trace->events[TRACE_NVTX]
					.name[m->ranges.forest.ranges[range].row]];
}

/* What did the GPUs do for each rank in its window? */

struct walk {
	struct rank_activity *out;
	const struct scope *p;
	const struct rank_map *map;
	struct scope *clips; /* the window of each rank */
	bool *has_window;
	int64_t first_ns, last_ns; /* when the first window begins, and the last one ends */
	struct pairs gpus, streams;
};

static void set_windows(struct walk *x, const struct rank_windows *w)
{
	x->clips = mem_zalloc(w->count, sizeof(*x->clips));
	x->has_window = mem_zalloc(w->count, sizeof(*x->has_window));
	x->first_ns = w->source == WINDOW_WHOLE ? INT64_MIN : INT64_MAX;
	x->last_ns = INT64_MIN;
	for (size_t i = 0; i < w->count; i++) {
		struct span s;

		x->has_window[i] = rank_window_bounds(w, i, &s);
		x->clips[i].has_trim = w->source != WINDOW_WHOLE;
		x->clips[i].from_ns = s.start_ns;
		x->clips[i].to_ns = s.end_ns;
		if (x->has_window[i] && s.end_ns > x->last_ns)
			x->last_ns = s.end_ns;
		if (x->has_window[i] && s.start_ns < x->first_ns)
			x->first_ns = s.start_ns;
	}
}

static uint32_t gpu_of(struct walk *x, uint32_t rank, uint32_t device)
{
	struct rank_activity *a = x->out;
	uint32_t number = pairs_number(&x->gpus, rank, device);

	if (number == a->gpu_count) {
		MEM_GROW(a->gpus, a->gpu_cap, a->gpu_count + 1);
		a->gpus[a->gpu_count++] = (struct rank_gpu){.rank = rank, .device = device};
	}
	return number;
}

static uint32_t stream_of(struct walk *x, uint32_t gpu, uint32_t stream)
{
	struct rank_activity *a = x->out;
	uint32_t number = pairs_number(&x->streams, gpu, stream);

	if (number == a->stream_count) {
		MEM_GROW(a->streams, a->stream_cap, a->stream_count + 1);
		a->streams[a->stream_count++] = (struct rank_stream){.gpu = gpu, .stream = stream};
	}
	return number;
}

static void add_comm(struct rank_activity *a, uint32_t stream, uint32_t row, const struct span *s)
{
	struct rank_stream *of = &a->streams[stream];

	of->comm++;
	of->comm_ns = sat_add(of->comm_ns, sat_sub(s->end_ns, s->start_ns));
	MEM_GROW(a->comm, a->comm_cap, a->comm_count + 1);
	a->comm[a->comm_count++] = (struct rank_comm){s->start_ns, s->end_ns, row, stream};
}

static void add_op(struct walk *x, const struct op *op, const struct events *kernels)
{
	const struct rank *rank = rank_of_process(x->map, op->process);
	struct rank_activity *a = x->out;
	uint32_t gpu, stream;
	struct span part;
	size_t index;

	if (!rank || op->class == OP_COPY || (x->p->has_device && op->device != x->p->device))
		return;
	index = (size_t)(rank - x->map->all);
	if (!x->has_window[index] ||
	    !window_part(&x->clips[index], op->start_ns, sat_sub(op->end_ns, op->start_ns), &part))
		return;
	gpu = gpu_of(x, (uint32_t)index, op->device);
	if (op->class == OP_COMPUTE)
		cover_add(&a->gpus[gpu].compute, part.start_ns, part.end_ns);
	if (op->kind != TRACE_KERNELS)
		return;
	stream = stream_of(x, gpu, kernels->stream ? kernels->stream[op->row] : ID_NONE);
	if (op->class == OP_COMM) {
		add_comm(a, stream, op->row, &part);
		return;
	}
	a->streams[stream].compute++;
	a->streams[stream].compute_ns =
		sat_add(a->streams[stream].compute_ns, sat_sub(part.end_ns, part.start_ns));
}

static int compare_streams(const void *x, const void *y, void *ctx)
{
	const struct rank_activity *a = ctx;
	const struct rank_stream *s = &a->streams[*(const uint32_t *)x];
	const struct rank_stream *t = &a->streams[*(const uint32_t *)y];
	const struct rank_gpu *p = &a->gpus[s->gpu], *q = &a->gpus[t->gpu];

	if (p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	if (p->device != q->device)
		return p->device < q->device ? -1 : 1;
	return (s->stream > t->stream) - (s->stream < t->stream);
}

/* They were met in order of time. */
static void order_streams(struct rank_activity *a)
{
	uint32_t *order = mem_alloc(a->stream_count, sizeof(*order));
	uint32_t *number = mem_alloc(a->stream_count, sizeof(*number));
	struct rank_stream *sorted = mem_alloc(a->stream_count, sizeof(*sorted));

	for (size_t i = 0; i < a->stream_count; i++)
		order[i] = (uint32_t)i;
	if (a->stream_count)
		qsort_r(order, a->stream_count, sizeof(*order), compare_streams, a);
	for (size_t i = 0; i < a->stream_count; i++) {
		sorted[i] = a->streams[order[i]];
		number[order[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < a->comm_count; i++)
		a->comm[i].stream = number[a->comm[i].stream];
	free(a->streams);
	a->streams = sorted;
	a->stream_cap = a->stream_count;
	free(order);
	free(number);
}

static int rank_activity_read(struct ops *o, const struct scope *p, const struct rank_map *m,
			      const struct rank_windows *w, struct rank_activity *ret,
			      struct err *e)
{
	struct walk x = {.out = ret, .p = p, .map = m};
	struct op op;

	*ret = (struct rank_activity){0};
	if (trace_load(o->trace, TRACE_KERNELS, COL_BIT(COL_STREAM), e) < 0)
		return -1;
	set_windows(&x, w);
	ops_seek(o, x.first_ns);
	while (ops_next(o, &op) && op.start_ns <= x.last_ns)
		add_op(&x, &op, &o->trace->events[TRACE_KERNELS]);
	order_streams(ret);
	pairs_free(&x.gpus);
	pairs_free(&x.streams);
	free(x.clips);
	free(x.has_window);
	return 0;
}

static void rank_activity_free(struct rank_activity *a)
{
	for (size_t i = 0; i < a->gpu_count; i++)
		cover_free(&a->gpus[i].compute);
	free(a->gpus);
	free(a->streams);
	free(a->comm);
	*a = (struct rank_activity){0};
}

static int read_activity(struct rank_study *s, const struct rank_window_args *a, struct err *e)
{
	const struct scope *p = &a->table.scope;

	if (rank_map_read(s->trace, p, &s->map, e) < 0 ||
	    rank_windows_find(&s->ops, a, &s->preset, &s->map, false, &s->windows, e) < 0)
		return -1;
	return rank_activity_read(&s->ops, p, &s->map, &s->windows, &s->activity, e);
}

/* Only ranges around these calls matter. */
static struct span span_of_calls(const struct rank_activity *a, const struct picked_calls *calls)
{
	struct launch_cursor cursor = {0};
	struct span s = SPAN_NONE;
	struct picked_call c;

	for (size_t i = 0; i < a->comm_count; i++) {
		if (picked_call_of(calls, a->comm[i].row, &cursor, &c))
			span_widen(&s, (struct span){c.start_ns, c.start_ns});
	}
	return s;
}

static int label_calls(struct rank_study *s, const struct preset_rules *rules,
		       const struct picked_calls *calls, struct err *e)
{
	const struct rank_activity *a = &s->activity;
	struct span span = span_of_calls(a, calls);
	struct launch_cursor cursor = {0};

	if (markers_make(s->trace, rules, span.start_ns, span.end_ns, &s->markers, e) < 0)
		return -1;
	s->label = mem_alloc(a->comm_count, sizeof(*s->label));
	for (size_t i = 0; i < a->comm_count; i++) {
		struct picked_call c;
		const bool known = picked_call_of(calls, a->comm[i].row, &cursor, &c);

		s->label[i] = known ? markers_find(&s->markers, c.thread, c.start_ns) : LABEL_NONE;
		s->unlaunched += !known;
	}
	return 0;
}

static int label_comm(struct rank_study *s, const struct preset_rules *rules, struct err *e)
{
	size_t count = s->activity.comm_count;
	uint32_t *rows = mem_alloc(count, sizeof(*rows));
	struct picked_calls calls;
	int result;

	for (size_t i = 0; i < count; i++)
		rows[i] = s->activity.comm[i].row;
	result = picked_calls_find(s->trace, TRACE_KERNELS, rows, count, &calls, e);
	if (result == 0)
		result = label_calls(s, rules, &calls, e);
	free(rows);
	picked_calls_free(&calls);
	return result;
}

static void warn_of_no_stream(const struct rank_study *s, struct report *r)
{
	uint64_t kernels = 0, comm = 0;

	for (size_t i = 0; i < s->activity.stream_count; i++) {
		const struct rank_stream *st = &s->activity.streams[i];

		if (st->stream != ID_NONE)
			continue;
		kernels += st->comm + st->compute;
		comm += st->comm;
	}
	if (kernels)
		report_warning(r,
			       "%llu kernels in the window have no stream, %llu of them "
			       "communication: whether those are barriers is unknown",
			       (unsigned long long)kernels, (unsigned long long)comm);
}

static void tell(const struct rank_study *s, const struct scope *p, struct report *r)
{
	rank_map_tell(&s->map, r);
	time_window_warn(r, &s->ops.times.faults);
	warn_of_no_stream(s, r);
	if (!s->activity.comm_count)
		report_note(r, "no communication kernels ran in the window");
	if (s->unlaunched)
		report_warning(r,
			       "%llu communication kernels have no launch call in the trace: their "
			       "range is unknown",
			       (unsigned long long)s->unlaunched);
	if (!s->activity.stream_count && (p->has_device || p->has_pid))
		report_warning(r, "no kernels in the window match the filters");
	else if (!s->activity.gpu_count)
		report_warning(r, "no kernels ran in the window");
}

/* Without these every answer would be a guess. */
static int require_columns(struct trace *t, struct err *e)
{
	static const enum trace_column required[] = {COL_PROCESS, COL_STREAM, COL_NAME};

	for (size_t i = 0; i < ARRAY_LEN(required); i++) {
		if (trace_require_column(t, TRACE_KERNELS, required[i], e) < 0)
			return -1;
	}
	return 0;
}

/* What was made until an error is freed by rank_study_free() alike. */
static int rank_study_make(const struct analysis *self, struct trace *t,
			   const struct rank_window_args *a, enum study_rules rules,
			   struct report *r, struct rank_study *ret, struct err *e)
{
	const uint32_t of_kernels = COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_STREAM) |
				    COL_BIT(COL_NAME) | COL_BIT(COL_CORRELATION);
	const uint32_t of_ranges =
		COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME) | COL_BIT(COL_EVENT_TYPE);

	*ret = (struct rank_study){.trace = t};
	/* One pass over each table for all that is asked of it from here on. */
	if (preset_read(&ret->preset, a->preset, e) < 0 ||
	    trace_load(t, TRACE_KERNELS, of_kernels, e) < 0 || require_columns(t, e) < 0 ||
	    trace_load(t, TRACE_NVTX, of_ranges, e) < 0 || ops_open(&ret->ops, t, e) < 0 ||
	    read_activity(ret, a, e) < 0 ||
	    label_comm(ret, rules == STUDY_STAGES ? &ret->preset.stages : &ret->preset.purposes,
		       e) < 0 ||
	    rank_windows_report(&ret->windows, &ret->map, r, self, t, &a->table, e) < 0)
		return -1;
	tell(ret, &a->table.scope, r);
	return warn_of_hidden_graphs(t, r, e);
}

static void rank_study_free(struct rank_study *s)
{
	free(s->label);
	markers_free(&s->markers);
	rank_activity_free(&s->activity);
	rank_windows_free(&s->windows);
	rank_map_free(&s->map);
	ops_close(&s->ops);
	preset_free(&s->preset);
}

int rank_study_answer(const struct analysis *self, struct trace *t,
		      const struct rank_window_args *a, enum study_rules rules, struct report *r,
		      int (*answer)(const struct rank_study *s, const struct row_choice *c,
				    struct report *r, struct err *e),
		      struct err *e)
{
	struct rank_study s;
	int result = rank_study_make(self, t, a, rules, r, &s, e);

	if (result == 0)
		result = answer(&s, &a->table.rows, r, e);
	rank_study_free(&s);
	return result;
}

struct str rank_study_label(const struct rank_study *s, uint32_t label, const char *otherwise)
{
	return label == LABEL_NONE ? str_of(otherwise) : s->markers.labels.items[label];
}
