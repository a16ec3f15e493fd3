/* Which tracks does a capture have? */
#include "timeline/track_set.h"

#include "analysis/steps/iterations.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/calls/launch.h"
#include "trace/system/labels.h"

#include <stdlib.h>
#include <string.h>

size_t track_part_begin(const struct track_part *r)
{
	size_t at = 0;

	while (at < r->set->count && r->set->all[at].part != r)
		at++;
	return at;
}

size_t track_part_end(const struct track_part *r)
{
	size_t at = r->set->count;

	while (at && r->set->all[at - 1].part != r)
		at--;
	return at ? at : r->set->count;
}

void track_part_insert(struct track_part *r, size_t at, struct track track)
{
	struct track_set *s = r->set;

	MEM_GROW(s->all, s->cap, s->count + 1);
	memmove(&s->all[at + 1], &s->all[at], (s->count - at) * sizeof(*s->all));
	track.part = r;
	track.depth += r->depth;
	track.number = s->count++;
	s->all[at] = track;
}

static void add_track(struct track_part *r, struct track track)
{
	track_part_insert(r, track_part_end(r), track);
}

bool track_part_find_gpu(const struct track_part *r, uint32_t device, size_t *ret)
{
	for (size_t at = track_part_begin(r); at < track_part_end(r); at++) {
		if (r->set->all[at].kind == TRACK_GPU && r->set->all[at].device == device) {
			*ret = at;
			return true;
		}
	}
	return false;
}

/* Whether streams of a device need more than their number to be told apart. */
static bool is_alone(const struct streams *s, size_t i)
{
	for (size_t k = 0; k < s->count; k++) {
		if (k != i && s->all[k].device == s->all[i].device &&
		    s->all[k].number == s->all[i].number)
			return false;
	}
	return true;
}

static const char *label_stream(struct track_part *r, size_t i)
{
	const struct stream *s = &r->streams.all[i];
	const struct trace *t = r->trace;

	if (s->number == ID_NONE)
		return "ops";
	if (is_alone(&r->streams, i) || s->process >= t->process_keys.count)
		return arena_printf(&r->arena, "stream %u", s->number);
	return arena_printf(&r->arena, "stream %u, pid %u", s->number,
			    process_pid(t->process_keys.keys[s->process]));
}

static void add_gpu(struct track_part *r, size_t number)
{
	const uint32_t device = r->partitions.all[number].device;

	add_track(r, (struct track){.kind = TRACK_GPU,
				    .label = device == ID_NONE
						     ? "GPU"
						     : arena_printf(&r->arena, "GPU %u", device),
				    .process = ID_NONE,
				    .device = device,
				    .thread = ID_NONE,
				    .derived = &r->partitions.all[number].spans,
				    .source = number});
	for (size_t i = 0; i < r->streams.count; i++) {
		const struct stream *s = &r->streams.all[i];

		if (s->device == device)
			add_track(r, (struct track){.kind = TRACK_STREAM,
						    .label = label_stream(r, i),
						    .process = s->process,
						    .device = device,
						    .thread = ID_NONE,
						    .stream = s->number,
						    .depth = 1,
						    .source = i});
	}
}

/* Others who are done with a column must leave it: lanes read it as long as they are there. */
static int load_ops(struct trace *t, struct err *e)
{
	const uint32_t columns =
		COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_NAME) | COL_BIT(COL_COPY_KIND);
	/* Who launched what is asked next: each table is read in one pass. */
	const uint32_t more = t->events[TRACE_API].table ? launches_columns(t) : 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		t->keeps_columns[kind] |= columns;
		if (trace_load(t, (enum trace_kind)kind, columns | COLS_STREAM | more, e) < 0)
			return -1;
	}
	return 0;
}

void track_part_see_ops(struct track_part *r)
{
	if (r->ops.times.any)
		span_widen(&r->set->limits,
			   span_shift((struct span){r->ops.times.first_ns, r->ops.times.last_ns},
				      r->shift_ns));
}

static int open_gpus(struct track_part *r, struct err *e)
{
	if (load_ops(r->trace, e) < 0 || ops_open(&r->ops, r->trace, e) < 0 ||
	    op_source_begin(&r->op_source, &r->ops, e) < 0)
		return -1;
	streams_list(&r->ops, &r->scope, &r->streams);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		trace_unload(r->trace, (enum trace_kind)kind, COLS_STREAM);
	partitions_make(&r->ops, &r->scope, &r->partitions);
	for (size_t i = 0; i < r->partitions.count; i++)
		add_gpu(r, i);
	track_part_see_ops(r);
	return 0;
}

static void add_span(struct named_spans *n, struct span when, uint8_t class, const char *name)
{
	span_source_add(&n->spans, (struct derived_span){when.start_ns, when.end_ns,
							 (uint32_t)n->name_count, class});
	MEM_GROW(n->names, n->name_cap, n->name_count + 1);
	n->names[n->name_count++] = name;
}

/* Before those that are there. */
static void add_first(struct track_part *r, enum track_kind kind, const char *label,
		      const struct named_spans *spans)
{
	track_part_insert(r, track_part_begin(r) + r->depth,
			  (struct track){.kind = kind,
					 .label = label,
					 .process = ID_NONE,
					 .device = ID_NONE,
					 .thread = ID_NONE,
					 .derived = &spans->spans,
					 .names = spans->names});
}

/* Where it lies among the others, and what it is called. */
static void add_capture(struct track_part *r, const struct capture *c)
{
	const struct span none = {0, 0};

	span_source_begin(&r->capture.spans);
	add_span(&r->capture, c->span.start_ns <= c->span.end_ns ? c->span : none, 0,
		 arena_printf(&r->arena, "%s", str_last_part(c->trace->path)));
	add_first(r, TRACK_CAPTURE, arena_printf(&r->arena, "%s", c->name), &r->capture);
	r->depth = 1;
}

int track_set_add_capture(struct track_set *set, const struct capture *c, size_t number,
			  struct err *e)
{
	struct track_part *r = &set->parts[set->part_count++];

	*r = (struct track_part){.set = set,
				 .number = number,
				 .trace = c->trace,
				 .scope = c->scope,
				 .shift_ns = c->shift_ns};
	if (c->name)
		add_capture(r, c);
	return open_gpus(r, e) < 0 ? err_forgive_absent(e) : 0;
}

static void add_of_thread(struct track_part *r, uint32_t thread, enum track_kind kind,
			  const char *label, size_t source)
{
	add_track(r, (struct track){.kind = kind,
				    .label = label,
				    .process = ID_NONE,
				    .device = ID_NONE,
				    .thread = thread,
				    .depth = 1,
				    .source = source});
}

/* By thread its first range in the forest, SIZE_MAX: it has none. Those of a thread lie together.
 */
static size_t *first_ranges(const struct range_source *s, size_t threads)
{
	size_t *first = mem_alloc(threads + 1, sizeof(*first));

	for (size_t i = 0; i <= threads; i++)
		first[i] = SIZE_MAX;
	for (size_t i = 0, end; i < s->forest.count; i = end) {
		const uint32_t thread = s->forest.ranges[i].thread;

		end = range_source_thread_end(s, i);
		if (thread < threads && first[thread] == SIZE_MAX)
			first[thread] = i;
	}
	return first;
}

/* Calls of a thread, of one kind. */
static void add_calls(struct track_part *r, uint32_t thread, const struct rows_by_thread *rows,
		      enum track_kind kind, const char *label)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->all[i].thread == thread)
			add_of_thread(r, thread, kind, label, i);
	}
}

const char *track_part_thread_label(struct track_part *r, const struct host_names *names,
				    uint32_t thread)
{
	return thread_label(&r->arena, r->trace, names, thread);
}

/* Where threads do nothing else that was captured. */
static bool shows_os_alone(const struct track_part *r)
{
	return !r->calls.threads.count && !r->ranges.forest.count && !r->spans.forest.count;
}

/* The first of its tracks says whose they are. */
static void add_thread(struct track_part *r, const struct host_names *names, uint32_t thread,
		       const size_t *ranges, const size_t *spans)
{
	const size_t first = track_part_end(r);

	if (!scope_has_thread(&r->scope, r->trace, thread))
		return;
	if (ranges[thread] != SIZE_MAX)
		add_of_thread(r, thread, TRACK_RANGES, "NVTX", ranges[thread]);
	if (spans[thread] != SIZE_MAX)
		add_of_thread(r, thread, TRACK_SPANS, "start/end", spans[thread]);
	add_calls(r, thread, &r->calls.threads, TRACK_CALLS, "CUDA calls");
	/* Threads of libraries, which wait all the time, are many. */
	if (track_part_end(r) > first || shows_os_alone(r))
		add_calls(r, thread, &r->os.threads, TRACK_OS, "OS calls");
	if (track_part_end(r) > first) {
		r->set->all[first].label = track_part_thread_label(r, names, thread);
		r->set->all[first].depth = r->depth;
	}
}

uint32_t *track_part_threads(const struct track_part *r)
{
	const struct intern *threads = &r->trace->thread_keys;

	return sort_new_order((const int64_t *)threads->keys, threads->count);
}

int track_part_add_threads(struct track_part *r, struct err *e)
{
	struct host_names names;
	size_t *ranges, *spans;
	uint32_t *order;

	if (range_source_begin(&r->ranges, r->trace, FOREST_PUSH_POP, e) < 0 ||
	    range_source_begin(&r->spans, r->trace, FOREST_START_END, e) < 0 ||
	    call_source_begin(&r->calls, r->trace, e) < 0 ||
	    os_source_begin(&r->os, r->trace, e) < 0 || host_names_read(r->trace, &names, e) < 0)
		return -1;
	ranges = first_ranges(&r->ranges, r->trace->thread_keys.count);
	spans = first_ranges(&r->spans, r->trace->thread_keys.count);
	order = track_part_threads(r);
	for (size_t i = 0; i < r->trace->thread_keys.count; i++)
		add_thread(r, &names, order[i], ranges, spans);
	free(order);
	free(ranges);
	free(spans);
	add_calls(r, ID_NONE, &r->calls.threads, TRACK_CALLS, "CUDA calls");
	add_calls(r, ID_NONE, &r->os.threads, TRACK_OS, "OS calls");
	host_names_free(&names);
	return 0;
}

int track_part_add_steps(struct track_part *r, struct err *e)
{
	struct iterations it;

	if (!r->partitions.count)
		return 0;
	if (iterations_read(r->trace, &r->scope, &it, e) < 0)
		return err_forgive_absent(e);
	span_source_begin(&r->steps.spans);
	for (size_t i = 0; it.lane_count && i < it.lanes[it.main_lane].count; i++) {
		const struct iteration *s = &lane_steps(&it, &it.lanes[it.main_lane])[i];

		add_span(&r->steps, (struct span){s->from_ns, s->to_ns}, i % 2,
			 arena_printf(&r->arena, "step %u", s->number));
	}
	r->steps_are = arena_printf(&r->arena, "%s", it.how ? it.how : "steps");
	iterations_free(&it);
	add_first(r, TRACK_STEPS, "steps", &r->steps);
	return 0;
}

static void named_spans_free(struct named_spans *n)
{
	span_source_free(&n->spans);
	free(n->names);
}

void track_part_free(struct track_part *r)
{
	streams_free(&r->streams);
	for (size_t i = 0; r->projected && i < r->partitions.count; i++)
		span_source_free(&r->projected[i]);
	free(r->projected);
	sampled_code_free(r->sampled);
	counters_free(&r->counters);
	memory_lines_free(&r->memory);
	collective_spans_free(&r->collectives);
	partitions_free(&r->partitions);
	range_source_free(&r->ranges);
	range_source_free(&r->spans);
	call_source_free(&r->calls);
	os_source_free(&r->os);
	named_spans_free(&r->capture);
	named_spans_free(&r->steps);
	named_spans_free(&r->findings);
	op_source_free(&r->op_source);
	ops_close(&r->ops);
	arena_free(&r->arena);
}
