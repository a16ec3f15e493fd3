/* Which tracks does a timeline have, and what is in them? */
#include "timeline/track_set.h"

#include "analysis/steps/iterations.h"
#include "base/mem.h"
#include "report/finding.h"
#include "report/report.h"
#include "trace/calls/launch.h"
#include "trace/system/labels.h"

#include <stdlib.h>
#include <string.h>

static void see(struct track_set *r, int64_t start_ns, int64_t end_ns)
{
	span_widen(&r->limits, (struct span){start_ns, end_ns});
}

static void see_lanes(struct track_set *r, const struct lanes *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct lane *lane = &l->all[i];

		if (lane->count)
			see(r, lane_event(lane, 0).start_ns,
			    lane_event(lane, lane->count - 1).end_ns);
	}
}

void track_set_insert(struct track_set *r, size_t at, struct track track)
{
	MEM_GROW(r->all, r->cap, r->count + 1);
	memmove(&r->all[at + 1], &r->all[at], (r->count - at) * sizeof(*r->all));
	track.number = r->count++;
	r->all[at] = track;
}

static void add_track(struct track_set *r, struct track track)
{
	track_set_insert(r, r->count, track);
}

size_t track_set_find_gpu(const struct track_set *r, uint32_t device)
{
	size_t at = 0;

	while (at < r->count && (r->all[at].kind != TRACK_GPU || r->all[at].device != device))
		at++;
	return at;
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

static const char *label_stream(struct track_set *r, size_t i)
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

static void add_gpu(struct track_set *r, size_t number)
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

static int open_gpus(struct track_set *r, struct err *e)
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
	if (r->ops.times.any)
		see(r, r->ops.times.first_ns, r->ops.times.last_ns);
	return 0;
}

int track_set_open(struct track_set **ret, struct trace *t, const struct scope *p, struct err *e)
{
	struct track_set *r = mem_zalloc(1, sizeof(*r));

	*r = (struct track_set){.trace = t, .scope = *p, .limits = SPAN_NONE};
	if (open_gpus(r, e) < 0 && !e->absent) {
		track_set_close(r);
		return -1;
	}
	*e = (struct err){0};
	*ret = r;
	return 0;
}

/* Ranges of a thread lie together. */
static size_t end_of_thread(const struct range_forest *f, size_t begin)
{
	size_t end = begin;

	while (end < f->count && f->ranges[end].thread == f->ranges[begin].thread)
		end++;
	return end;
}

static void add_ranges(struct track_set *r, uint32_t thread, const char *label,
		       enum track_kind kind)
{
	const struct range_source *s = kind == TRACK_RANGES ? &r->ranges : &r->spans;

	for (size_t i = 0, end; i < s->forest.count; i = end) {
		end = end_of_thread(&s->forest, i);
		if (s->forest.ranges[i].thread == thread)
			add_track(r, (struct track){.kind = kind,
						    .label = label,
						    .process = ID_NONE,
						    .device = ID_NONE,
						    .thread = thread,
						    .depth = 1,
						    .source = i});
	}
}

static void add_calls(struct track_set *r, uint32_t thread)
{
	for (size_t i = 0; i < r->calls.thread_count; i++) {
		if (r->calls.threads[i].thread == thread)
			add_track(r, (struct track){.kind = TRACK_CALLS,
						    .label = "CUDA calls",
						    .process = ID_NONE,
						    .device = ID_NONE,
						    .thread = thread,
						    .depth = 1,
						    .source = i});
	}
}

const char *track_set_thread_label(struct track_set *r, const struct host_names *names,
				   uint32_t thread)
{
	const uint64_t key =
		thread < r->trace->thread_keys.count ? r->trace->thread_keys.keys[thread] : 0;
	const struct thread_name *name = host_names_thread(names, key);

	if (!key)
		return "thread";
	if (!name || !name->name.len)
		return arena_printf(&r->arena, "thread %u", thread_tid(key));
	return arena_printf(&r->arena, "%.*s %u", (int)name->name.len, name->name.s,
			    thread_tid(key));
}

/* The first of its tracks says whose they are. */
static void add_thread(struct track_set *r, const struct host_names *names, uint32_t thread)
{
	const size_t first = r->count;

	if (!scope_has_thread(&r->scope, r->trace, thread))
		return;
	add_ranges(r, thread, "NVTX", TRACK_RANGES);
	add_ranges(r, thread, "start/end", TRACK_SPANS);
	add_calls(r, thread);
	if (r->count > first) {
		r->all[first].label = track_set_thread_label(r, names, thread);
		r->all[first].depth = 0;
	}
}

int track_set_add_threads(struct track_set *r, struct err *e)
{
	struct host_names names;

	if (range_source_begin(&r->ranges, r->trace, FOREST_PUSH_POP, e) < 0 ||
	    range_source_begin(&r->spans, r->trace, FOREST_START_END, e) < 0 ||
	    call_source_begin(&r->calls, r->trace, e) < 0 ||
	    host_names_read(r->trace, &names, e) < 0)
		return -1;
	for (uint32_t thread = 0; thread < r->trace->thread_keys.count; thread++)
		add_thread(r, &names, thread);
	add_calls(r, ID_NONE);
	host_names_free(&names);
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
static void add_first(struct track_set *r, enum track_kind kind, const char *label,
		      const struct named_spans *spans)
{
	track_set_insert(r, 0,
			 (struct track){.kind = kind,
					.label = label,
					.process = ID_NONE,
					.device = ID_NONE,
					.thread = ID_NONE,
					.derived = &spans->spans,
					.names = spans->names});
}

int track_set_add_steps(struct track_set *r, struct err *e)
{
	struct iterations it;

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

/* Of the evidence of a finding that says when it is: the most exact, which is shorter than all. */
static struct span when_of(const struct finding *f)
{
	struct span found = SPAN_NONE;

	for (size_t i = 0; i < f->evidence_count; i++) {
		const struct evidence *v = &f->evidence[i];

		if (v->has_when &&
		    (found.end_ns < found.start_ns ||
		     sat_sub(v->end_ns, v->start_ns) < sat_sub(found.end_ns, found.start_ns)))
			found = (struct span){v->start_ns, v->end_ns};
	}
	return found;
}

void track_set_add_findings(struct track_set *r, const struct report *answer)
{
	span_source_begin(&r->findings.spans);
	for (size_t i = 0; i < answer->block_count; i++) {
		const struct finding *f = answer->blocks[i].finding;
		struct span when;

		if (answer->blocks[i].kind != BLOCK_FINDING)
			continue;
		when = when_of(f);
		if (when.end_ns >= when.start_ns)
			add_span(&r->findings, when, (uint8_t)f->severity,
				 arena_printf(&r->arena, "%s", f->title));
	}
	if (r->findings.spans.count)
		add_first(r, TRACK_FINDINGS, "findings", &r->findings);
}

static void pack_ranges(const struct range_source *s, struct track *track)
{
	lanes_pack(&track->lanes, &s->base, NULL, (uint32_t)track->source,
		   end_of_thread(&s->forest, track->source) - track->source);
}

static void pack_rows(struct track_set *r, struct track *track)
{
	struct stream *stream;
	struct thread_rows *thread;
	struct counter *counter;
	const struct memory_line *memory;

	switch (track->kind) {
	case TRACK_STREAM:
		stream = &r->streams.all[track->source];
		lanes_pack(&track->lanes, &r->op_source.base, stream->ids, 0, stream->count);
		stream->ids = NULL;
		break;
	case TRACK_RANGES:
		pack_ranges(&r->ranges, track);
		break;
	case TRACK_SPANS:
		pack_ranges(&r->spans, track);
		break;
	case TRACK_CALLS:
		thread = &r->calls.threads[track->source];
		lanes_pack(&track->lanes, &r->calls.base, thread->ids, 0, thread->count);
		thread->ids = NULL;
		break;
	case TRACK_COUNTER:
		counter = &r->counters.all[track->source];
		lanes_pack(&track->lanes, &counter->base.base, counter->ids, 0, counter->count);
		counter->ids = NULL;
		break;
	case TRACK_MEMORY:
		memory = &r->memory.all[track->source];
		lanes_pack(&track->lanes, &memory->base.base, NULL, 0, memory->of->count);
		break;
	default: /* what was derived has no rows */
		break;
	}
}

const struct lanes *track_set_lanes(struct track_set *r, size_t number)
{
	struct track *track = &r->all[number];

	if (track->is_made)
		return &track->lanes;
	track->is_made = true;
	if (track->derived)
		lanes_pack(&track->lanes, &track->derived->base, NULL, 0, track->derived->count);
	else
		pack_rows(r, track);
	if (track->values)
		values_sum_up(track->values, &track->lanes.all[0]);
	see_lanes(r, &track->lanes);
	return &track->lanes;
}

void track_set_close(struct track_set *r)
{
	for (size_t i = 0; i < r->count; i++)
		lanes_free(&r->all[i].lanes);
	free(r->all);
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
	span_source_free(&r->steps.spans);
	span_source_free(&r->findings.spans);
	free(r->steps.names);
	free(r->findings.names);
	op_source_free(&r->op_source);
	ops_close(&r->ops);
	arena_free(&r->arena);
	free(r);
}
