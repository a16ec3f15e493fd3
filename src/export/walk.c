/* What of a trace is told, and in which order? */
#include "export/walk.h"

#include "base/mem.h"
#include "trace/ranges/attribution.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t walk_text(struct walk *w, uint32_t name)
{
	uint32_t at = name == NAME_NONE ? (uint32_t)w->trace->names.count : name;

	if (!w->text_of_name[at])
		w->text_of_name[at] = texts_add(&w->texts, trace_name(w->trace, name)) + 1;
	return w->text_of_name[at] - 1;
}

int walk_slice(struct walk *w, struct timeline_slice *s, struct span part, struct err *e)
{
	s->start_ns = sat_add(part.start_ns, w->shift_ns);
	s->end_ns = sat_add(part.end_ns, w->shift_ns);
	w->counts->slices++;
	w->counts->arrows += s->arrow_in != 0;
	return w->tracks.how->slice(w->tracks.writer, s, e);
}

/* What a trace lacks is left out, and why is said; anything else is an error. */
static int forgive(const struct err *why, char *said, size_t size, struct err *e)
{
	if (!why->absent) {
		*e = *why;
		return -1;
	}
	snprintf(said, size, "%s", why->message);
	return 0;
}

static int number_streams(struct walk *w, enum trace_kind kind, struct err *e)
{
	const uint32_t lines = COL_BIT(COL_CONTEXT) | COL_BIT(COL_STREAM);
	const struct events *ev = &w->trace->events[kind];

	if (trace_load(w->trace, kind, lines, e) < 0)
		return -1;
	w->stream_of_op[kind] = mem_zalloc(ev->count, sizeof(*w->stream_of_op[kind]));
	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t stream = tracks_number_stream(&w->tracks, ev, i);

		/* What is never written to takes no memory. */
		if (stream)
			w->stream_of_op[kind][i] = stream;
	}
	trace_unload(w->trace, kind, lines);
	return 0;
}

/* Which GPU a device is can be told once all processes are known. */
static int read_streams(struct walk *w, struct err *e)
{
	const uint32_t homes = COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE);

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (trace_load(w->trace, (enum trace_kind)kind, homes, e) < 0)
			return -1;
	}
	if (device_map_read(w->trace, &w->tracks.devices, e) < 0)
		return -1;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (number_streams(w, (enum trace_kind)kind, e) < 0)
			return -1;
	}
	return 0;
}

/* A launch has one correlation id, whichever op says it; the ops' columns go. */
static void keep_correlations(struct walk *w)
{
	const struct launches *l = &w->joined.launches;

	w->correlation_of_launch = mem_alloc(l->launch_count, sizeof(*w->correlation_of_launch));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &w->trace->events[kind];

		if (!(l->kinds & 1u << kind) || !ev->correlation)
			continue;
		for (uint64_t i = 0; i < ev->count; i++) {
			uint32_t launch = l->launch_of_op[l->begin[kind] + i];

			if (launch != LAUNCH_NONE)
				w->correlation_of_launch[launch] = ev->correlation[i];
		}
		trace_unload(w->trace, (enum trace_kind)kind, COL_BIT(COL_CORRELATION));
	}
}

static int join_calls(struct walk *w, struct err *e)
{
	struct launches *l = &w->joined.launches;
	struct err why = {0};

	if (launches_join_anew(w->trace, joinable_kinds(w->trace), !w->o->no_api, l, &why) == 0) {
		keep_correlations(w);
		return 0;
	}
	if (forgive(&why, w->counts->no_arrows, sizeof(w->counts->no_arrows), e) < 0)
		return -1;
	*l = (struct launches){.has_all_calls = true};
	return w->o->no_api ? 0 : calls_read(w->trace, &l->calls, e);
}

static uint32_t path_name(const void *ctx, const struct range *r)
{
	const struct range_names *n = ctx;

	return n->of_row[r->row];
}

/* Paths take the place of the ranges that launches lie in. */
static void find_paths(struct walk *w)
{
	range_paths_make(&w->joined.forest, path_name, &w->range_names, &w->paths);
	w->text_of_path = mem_zalloc(w->paths.count + 1, sizeof(*w->text_of_path));
	w->texts.paths = &w->paths;
	w->texts.path_names = &w->range_names.names;
	for (size_t i = 0; i < w->joined.launches.launch_count; i++) {
		uint32_t *at = &w->joined.range_of_launch[i];

		*at = *at == RANGE_NONE ? RANGE_NONE : w->paths.of_range[*at];
	}
}

static int read_ranges(struct walk *w, struct err *e)
{
	struct err why = {0};

	if (w->o->no_nvtx && w->o->no_args)
		return 0;
	if (range_names_read(w->trace, &w->range_names, &why) < 0 ||
	    attribution_find_ranges(w->trace, &w->joined, &why) < 0 ||
	    sample_marks_find(&w->sample_marks, w->trace, &why) < 0)
		return forgive(&why, w->counts->no_ranges, sizeof(w->counts->no_ranges), e);
	w->has_ranges = true;
	find_paths(w);
	return 0;
}

static int open_ops(struct walk *w, struct err *e)
{
	const uint32_t copies = COL_BIT(COL_BYTES) | COL_BIT(COL_COPY_KIND) |
				COL_BIT(COL_SRC_KIND) | COL_BIT(COL_DST_KIND) | COL_BIT(COL_GRAPH);
	struct err why = {0};

	if (trace_load(w->trace, TRACE_KERNELS, COL_BIT(COL_GRAPH), e) < 0 ||
	    trace_load(w->trace, TRACE_MEMCPYS, copies, e) < 0 ||
	    trace_load(w->trace, TRACE_MEMSETS, copies, e) < 0 ||
	    trace_load(w->trace, TRACE_GRAPHS, COL_BIT(COL_GRAPH), e) < 0)
		return -1;
	if (ops_open(&w->ops, w->trace, &why) < 0)
		return forgive(&why, w->counts->no_ops, sizeof(w->counts->no_ops), e);
	w->has_ops = true;
	w->counts->ops_without_times = w->ops.times.faults.without_times;
	return 0;
}

static void lower(int64_t *earliest_ns, const int64_t *starts_ns, uint64_t count)
{
	for (uint64_t i = 0; starts_ns && i < count; i++) {
		if (starts_ns[i] < *earliest_ns && starts_ns[i] != INT_NONE)
			*earliest_ns = starts_ns[i];
	}
}

/* Domains and threads have names since before the capture began: these are not told. */
static void lower_to_ranges(int64_t *earliest_ns, struct walk *w)
{
	const struct events *ev = &w->trace->events[TRACE_NVTX];

	for (uint64_t i = 0; ev->start_ns && ev->event_type && i < ev->count; i++) {
		if (nvtx_is_event(ev->event_type[i]) && !is_sample_mark(&w->sample_marks, i))
			lower(earliest_ns, &ev->start_ns[i], 1);
	}
}

/* Viewers know no time before zero. The same for all exports of a trace, whatever is left out. */
static void find_shift(struct walk *w)
{
	const struct calls *c = &w->joined.launches.calls;
	int64_t earliest_ns = w->has_ops && w->ops.times.any ? w->ops.times.first_ns : 0;

	if (w->joined.launches.has_all_calls)
		lower(&earliest_ns, c->start_ns, c->count);
	lower_to_ranges(&earliest_ns, w);
	if (w->p->has_trim && earliest_ns < w->p->from_ns)
		earliest_ns = w->p->from_ns;
	w->shift_ns = earliest_ns < 0 ? sat_sub(0, earliest_ns) : 0;
	w->counts->shift_ns = w->shift_ns;
}

static int prepare(struct walk *w, struct err *e)
{
	if (tracks_open(&w->tracks, w->trace, w->p, e) < 0 ||
	    (!w->o->no_args && shapes_read(&w->shapes, w->trace, e) < 0) ||
	    read_streams(w, e) < 0 || join_calls(w, e) < 0 || read_ranges(w, e) < 0 ||
	    open_ops(w, e) < 0 || samples_prepare(w, e) < 0)
		return -1;
	w->text_of_name = mem_zalloc(w->trace->names.count + 1, sizeof(*w->text_of_name));
	tracks_settle(&w->tracks);
	arrows_make(w);
	find_shift(w);
	return 0;
}

/* Calls take more room than ranges, of which only the paths are needed from here on. */
static void forget_ranges(struct walk *w)
{
	range_forest_free(&w->joined.forest);
	free(w->paths.of_range);
	w->paths.of_range = NULL;
	trace_unload(w->trace, TRACE_NVTX, COLS_ALL);
}

static int tell_all_parts(struct walk *w, struct err *e)
{
	const struct timeline_writer *how = w->tracks.how;

	if (how->begin(w->tracks.writer, e) < 0 || tracks_tell_devices(&w->tracks, e) < 0)
		return -1;
	if (!w->o->no_nvtx && w->has_ranges && walk_ranges(w, e) < 0)
		return -1;
	forget_ranges(w);
	if (!w->o->no_api && walk_calls(w, e) < 0)
		return -1;
	if (!w->o->no_samples && walk_samples(w, e) < 0)
		return -1;
	if (w->has_ops && walk_ops(w, e) < 0)
		return -1;
	if (!w->o->no_counters && walk_memory(w, e) < 0)
		return -1;
	if (w->o->gpu_metrics && walk_gpu_metrics(w, e) < 0)
		return -1;
	return how->end(w->tracks.writer, e);
}

static int tell_to(struct walk *w, const struct timeline_writer *how, struct sink *out,
		   struct err *e)
{
	const struct timeline_head head = {
		.texts = &w->texts,
		.block = shapes_block,
		.block_ctx = &w->shapes,
		.tool = w->trace->meta.tool,
		.shift_ns = w->shift_ns,
	};
	int result;

	w->tracks.how = how;
	w->tracks.writer = how->open(&head, out);
	result = tell_all_parts(w, e);
	how->close(w->tracks.writer);
	w->counts->tracks = w->tracks.track_count;
	return result;
}

static void free_walk(struct walk *w)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		free(w->stream_of_op[kind]);
	if (w->has_ops)
		ops_close(&w->ops);
	attribution_free(&w->joined);
	range_names_free(&w->range_names);
	range_paths_free(&w->paths);
	sample_marks_free(&w->sample_marks);
	free(w->text_of_path);
	call_lines_free(&w->lines);
	free(w->text_of_frame);
	free(w->correlation_of_launch);
	free(w->text_of_name);
	free(w->thread_wanted);
	arrows_free(&w->arrows);
	shapes_free(&w->shapes);
	texts_free(&w->texts);
	tracks_close(&w->tracks);
}

int export_timeline(struct trace *t, const struct scope *p, const struct export_options *o,
		    const struct timeline_writer *how, struct sink *out, struct export_counts *ret,
		    struct err *e)
{
	struct walk w = {.trace = t, .p = p, .o = o, .counts = ret};
	int result;

	*ret = (struct export_counts){0};
	result = prepare(&w, e);
	if (result == 0)
		result = tell_to(&w, how, out, e);
	free_walk(&w);
	return result;
}
