/* Which stretch of time speaks for each rank? */
#include "analysis/rank_window.h"

#include "analysis/iterations.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/units.h"
#include "trace/ranges.h"
#include "trace/shared_joins.h"

#include <stdlib.h>

struct finder {
	struct ops *ops;
	struct trace *trace;
	const struct params *p;
	const struct rank_map *map;
	struct rank_windows *out;
};

/* Ranges that match the anchor, of ranks that are asked for. */
struct instances {
	int64_t *start_ns;
	uint32_t *row, *rank;
	size_t count, cap;
};

enum matched { NOT_ASKED, MATCHES, MATCHES_NOT };

static int name_matches(const struct trace *t, struct pattern *pattern, uint8_t *of_name,
			uint32_t name, struct err *e)
{
	if (of_name[name] == NOT_ASKED) {
		int found = pattern_match(pattern, trace_name(t, name), e);

		if (found < 0)
			return -1;
		of_name[name] = found ? MATCHES : MATCHES_NOT;
	}
	return of_name[name] == MATCHES;
}

/* The rank whose window the range may be, or ID_NONE. */
static uint32_t rank_of_range(const struct finder *f, uint64_t row)
{
	const struct events *ev = &f->trace->events[TRACE_NVTX];
	const struct params *p = f->p;
	const struct rank *rank;

	if (ev->thread[row] == ID_NONE || ev->start_ns[row] < 0 ||
	    (!nvtx_is_push_pop(ev->event_type[row]) && !nvtx_is_start_end(ev->event_type[row])) ||
	    (p->has_trim && (ev->start_ns[row] < p->from_ns || ev->start_ns[row] >= p->to_ns)) ||
	    (p->has_start && ev->start_ns[row] < p->start_ns) ||
	    (p->has_end && ev->start_ns[row] >= p->end_ns))
		return ID_NONE;
	rank = rank_of_process(f->map, trace_thread_process(f->trace, ev->thread[row]));
	return rank && rank_is_asked(f->trace, p, rank) ? (uint32_t)(rank - f->map->all) : ID_NONE;
}

static void add_instance(struct instances *in, int64_t start_ns, uint64_t row, uint32_t rank)
{
	if (in->count == in->cap) {
		in->cap = mem_next_cap(in->cap, in->count + 1);
		in->start_ns = mem_resize(in->start_ns, in->cap, sizeof(*in->start_ns));
		in->row = mem_resize(in->row, in->cap, sizeof(*in->row));
		in->rank = mem_resize(in->rank, in->cap, sizeof(*in->rank));
	}
	in->start_ns[in->count] = start_ns;
	in->row[in->count] = (uint32_t)row;
	in->rank[in->count++] = rank;
}

static int list_instances(const struct finder *f, struct pattern *pattern, struct instances *in,
			  struct err *e)
{
	const struct events *ev = &f->trace->events[TRACE_NVTX];
	uint8_t *of_name = mem_zalloc(f->trace->names.count, sizeof(*of_name));
	int found = 0;

	for (uint64_t i = 0; found >= 0 && i < ev->count; i++) {
		uint32_t rank;

		if (ev->name[i] == NAME_NONE)
			continue;
		found = name_matches(f->trace, pattern, of_name, ev->name[i], e);
		rank = found > 0 ? rank_of_range(f, i) : ID_NONE;
		if (rank != ID_NONE)
			add_instance(in, ev->start_ns[i], i, rank);
	}
	free(of_name);
	return found < 0 ? -1 : 0;
}

static void take_medians(const struct finder *f, const struct instances *in)
{
	const struct events *ev = &f->trace->events[TRACE_NVTX];
	uint32_t *order = sort_new_order(in->start_ns, in->count);
	size_t *met = mem_zalloc(f->map->count, sizeof(*met));

	for (size_t i = 0; i < in->count; i++)
		f->out->of_rank[in->rank[i]].instances++;
	for (size_t i = 0; i < in->count; i++) {
		uint32_t rank = in->rank[order[i]], row = in->row[order[i]];
		struct rank_window *w = &f->out->of_rank[rank];

		if (met[rank]++ != w->instances / 2)
			continue;
		w->found = true;
		w->index = w->instances / 2;
		w->anchor = trace_name(f->trace, ev->name[row]);
		w->cpu_from_ns = ev->start_ns[row];
		w->cpu_to_ns = sat_add(ev->start_ns[row],
				       ev->duration_ns[row] < 0 ? 0 : ev->duration_ns[row]);
	}
	free(met);
	free(order);
}

static int find_anchors(const struct finder *f, bool *ret_found, struct err *e)
{
	const struct events *ev = &f->trace->events[TRACE_NVTX];
	struct instances in = {0};
	struct pattern *pattern;
	int result;

	*ret_found = false;
	if (pattern_compile(&pattern, str_of(f->out->pattern), 0, e) < 0)
		return -1;
	result = ev->name && ev->thread && ev->event_type && ev->start_ns && ev->duration_ns
			 ? list_instances(f, pattern, &in, e)
			 : 0;
	pattern_free(pattern);
	*ret_found = result == 0 && in.count;
	if (*ret_found)
		take_medians(f, &in);
	free(in.start_ns);
	free(in.row);
	free(in.rank);
	return result;
}

static void set_all(const struct finder *f, int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0; i < f->map->count; i++) {
		struct rank_window *w = &f->out->of_rank[i];

		w->found = rank_is_asked(f->trace, f->p, &f->map->all[i]);
		w->cpu_from_ns = from_ns;
		w->cpu_to_ns = to_ns;
	}
}

/* From the first event to the last, as far as is known: nothing that was captured lies outside. */
static struct span whole_capture(const struct finder *f)
{
	const struct trace_meta *meta = &f->trace->meta;
	struct span s = {0, meta->has_span ? meta->span_ns : 0};

	if (f->ops->has_span && f->ops->first_ns < s.start_ns)
		s.start_ns = f->ops->first_ns;
	if (f->ops->has_span && f->ops->last_ns > s.end_ns)
		s.end_ns = f->ops->last_ns;
	return s;
}

static int set_given(const struct finder *f, struct err *e)
{
	const struct params *p = f->p;
	struct span s = whole_capture(f);

	if (p->has_start && !p->has_end && p->start_ns >= s.end_ns)
		return err_set(e, ERR_USAGE,
			       "--start %lld is no time of the capture, which ends at %lld",
			       (long long)p->start_ns, (long long)s.end_ns);
	if (p->has_end && !p->has_start && p->end_ns <= s.start_ns)
		return err_set(e, ERR_USAGE,
			       "--end %lld is no time of the capture, which begins at %lld",
			       (long long)p->end_ns, (long long)s.start_ns);
	f->out->source = WINDOW_GIVEN;
	set_all(f,
		p->has_trim    ? p->from_ns
		: p->has_start ? p->start_ns
			       : s.start_ns,
		p->has_trim  ? p->to_ns
		: p->has_end ? p->end_ns
			     : s.end_ns);
	return 0;
}

static void set_step(const struct finder *f, const struct iterations *it,
		     const struct iteration_lane *lane, struct rank_window *w)
{
	const struct iteration *steps = lane_steps(it, lane), *median;
	size_t first = 0;

	while (first < lane->count && steps[first].start_ns < 0)
		first++;
	if (first == lane->count || lane->count - first < w->instances)
		return;
	w->found = true;
	w->instances = lane->count - first;
	w->index = w->instances / 2;
	median = &steps[first + w->index];
	w->cpu_from_ns = median->start_ns;
	w->cpu_to_ns = median->end_ns;
	w->anchor = it->name ? arena_str(&f->out->arena, str_of(it->name)) : STR_LIT("");
}

/* The one place that knows how steps are found where no range is named. */
static int set_steps(const struct finder *f, struct err *e)
{
	struct span whole = whole_capture(f);
	struct iterations it;

	if (iterations_find(f->trace, f->p, &it, e) < 0) {
		if (!e->absent)
			return -1;
		f->out->source = WINDOW_WHOLE;
		set_all(f, whole.start_ns, whole.end_ns);
		return 0;
	}
	f->out->source = WINDOW_STEP;
	f->out->steps = arena_strdup(&f->out->arena, it.how);
	for (size_t i = 0; i < it.lane_count; i++) {
		const struct rank *rank = rank_of_process(f->map, it.lanes[i].process);

		if (rank && rank_is_asked(f->trace, f->p, rank))
			set_step(f, &it, &it.lanes[i], &f->out->of_rank[rank - f->map->all]);
	}
	iterations_free(&it);
	return 0;
}

static int no_anchor(const struct finder *f, struct err *e)
{
	bool bounded = f->p->has_trim || f->p->has_start || f->p->has_end;

	err_set(e, ERR_INPUT, "'%s' has no range that matches --anchor '%s'%s%s", f->trace->path,
		f->p->anchor, f->p->has_rank || f->p->has_pid ? ", of what was asked for" : "",
		bounded ? ", inside the bounds that were given" : "");
	return err_hint(e, "gpuwhy ranges lists the ranges there are");
}

static int set_cpu(const struct finder *f, const struct preset *preset, struct err *e)
{
	const struct params *p = f->p;
	bool bounded = p->has_trim || p->has_start || p->has_end, found = false;

	f->out->pattern = p->anchor ? p->anchor : bounded ? NULL : preset->anchor;
	if (f->out->pattern && find_anchors(f, &found, e) < 0)
		return -1;
	if (found) {
		f->out->source = WINDOW_ANCHOR;
		return 0;
	}
	if (p->anchor)
		return no_anchor(f, e);
	return bounded ? set_given(f, e) : set_steps(f, e);
}

static void stretch(struct rank_window *w, int64_t from_ns, int64_t to_ns)
{
	if (!w->has_gpu || from_ns < w->gpu_from_ns)
		w->gpu_from_ns = from_ns;
	if (!w->has_gpu || to_ns > w->gpu_to_ns)
		w->gpu_to_ns = to_ns;
	w->has_gpu = true;
}

/* --device: bounds are those of work there. */
static bool is_there(const struct finder *f, enum trace_kind kind, uint64_t row)
{
	uint32_t process, device;

	if (!f->p->has_device)
		return true;
	ops_place(f->ops, kind, row, &process, &device);
	return device == f->p->device;
}

static void set_gpu_of_kind(const struct finder *f, enum trace_kind kind, const struct launches *l)
{
	const struct events *ev = &f->trace->events[kind];

	for (uint64_t i = 0; ev->process && i < ev->count; i++) {
		const struct rank *rank = rank_of_process(f->map, ev->process[i]);
		struct rank_window *w = rank ? &f->out->of_rank[rank - f->map->all] : NULL;
		struct api_call c;

		if (!w || !w->found || ev->duration_ns[i] == DURATION_NONE || !is_there(f, kind, i))
			continue;
		if (l && (!launches_call(l, l->begin[kind] + i, &c) ||
			  c.start_ns < w->cpu_from_ns || c.start_ns > w->cpu_to_ns))
			continue;
		stretch(w, ev->start_ns[i], op_end_ns(ev, i));
	}
}

/* All of a capture's work was launched in it, whether or not its calls were recorded. */
static int set_gpu(const struct finder *f, struct err *e)
{
	bool whole = f->out->source == WINDOW_WHOLE;
	unsigned kinds = joinable_kinds(f->trace);
	struct launches l = {0};

	if (!whole && (trace_require(f->trace, TRACE_API, e) < 0 ||
		       launches_join_kinds(f->trace, kinds, &l, e) < 0))
		return f->p->gpu_window || !e->absent ? -1 : 0;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (whole || kinds & 1u << kind)
			set_gpu_of_kind(f, (enum trace_kind)kind, whole ? NULL : &l);
	}
	if (!whole)
		launches_free(&l);
	return 0;
}

int rank_windows_find(struct ops *o, const struct params *p, const struct preset *preset,
		      const struct rank_map *m, bool gpu, struct rank_windows *ret, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_THREAD) |
				 COL_BIT(COL_NAME) | COL_BIT(COL_EVENT_TYPE);
	struct finder f = {o, o->trace, p, m, ret};

	*ret = (struct rank_windows){.count = m->count, .gpu = p->gpu_window};
	ret->of_rank = mem_zalloc(m->count, sizeof(*ret->of_rank));
	if (trace_load(o->trace, TRACE_NVTX, columns, e) < 0)
		return -1;
	ranges_close_open(o->trace);
	if (set_cpu(&f, preset, e) < 0 || ((gpu || p->gpu_window) && set_gpu(&f, e) < 0))
		return -1;
	return 0;
}

void rank_windows_free(struct rank_windows *w)
{
	free(w->of_rank);
	arena_free(&w->arena);
	*w = (struct rank_windows){0};
}

bool rank_window_bounds(const struct rank_windows *w, size_t rank, struct span *ret)
{
	const struct rank_window *of = &w->of_rank[rank];

	*ret = w->gpu ? (struct span){of->gpu_from_ns, of->gpu_to_ns}
		      : (struct span){of->cpu_from_ns, of->cpu_to_ns};
	return of->found && (!w->gpu || of->has_gpu);
}

/* What windows are like together. */
struct hull {
	struct span all;
	int64_t shortest_ns, longest_ns;
	size_t count;
};

static struct hull hull_of(const struct rank_windows *w)
{
	struct hull h = {0};
	struct span s;

	for (size_t i = 0; i < w->count; i++) {
		int64_t ns;

		if (!rank_window_bounds(w, i, &s))
			continue;
		ns = sat_sub(s.end_ns, s.start_ns);
		if (!h.count++)
			h = (struct hull){s, ns, ns, 1};
		h.all.start_ns = s.start_ns < h.all.start_ns ? s.start_ns : h.all.start_ns;
		h.all.end_ns = s.end_ns > h.all.end_ns ? s.end_ns : h.all.end_ns;
		h.shortest_ns = ns < h.shortest_ns ? ns : h.shortest_ns;
		h.longest_ns = ns > h.longest_ns ? ns : h.longest_ns;
	}
	return h;
}

static void tell_lengths(struct buf *b, const struct hull *h)
{
	if (!h->count)
		return;
	buf_adds(b, h->count > 1 ? ", each of " : ", of ");
	units_add_ns(b, (double)h->shortest_ns);
	if (h->longest_ns > h->shortest_ns) {
		buf_adds(b, " to ");
		units_add_ns(b, (double)h->longest_ns);
	}
}

static void tell_source(const struct rank_windows *w, const struct hull *h, struct report *r)
{
	struct buf b = {0};

	if (w->source == WINDOW_ANCHOR) {
		buf_addf(&b, "the window of a rank is its median range '%s'", w->pattern);
		tell_lengths(&b, h);
		if (w->gpu)
			buf_adds(&b, " on the GPU, from the first to the last that it launched");
	} else if (w->source == WINDOW_STEP) {
		buf_addf(&b, "the window of a rank is its median step of %s", w->steps);
		tell_lengths(&b, h);
	} else if (w->source == WINDOW_WHOLE) {
		buf_adds(&b, "the window is the whole capture: it shows no steps");
	}
	if (w->source == WINDOW_STEP || w->source == WINDOW_WHOLE)
		buf_adds(&b, "; --anchor REGEX asks about one range instead");
	if (b.len)
		report_note(r, "%s", b.s);
	buf_free(&b);
}

static void warn_without(const struct rank_windows *w, const struct rank_map *m, struct report *r,
			 const struct trace *t, const struct params *p)
{
	size_t ranges = 0, gpu = 0;

	for (size_t i = 0; i < w->count; i++) {
		ranges += rank_is_asked(t, p, &m->all[i]) && !w->of_rank[i].found;
		gpu += w->gpu && w->of_rank[i].found && !w->of_rank[i].has_gpu;
	}
	if (ranges && w->source == WINDOW_STEP)
		report_warning(r, "%zu ranks have no such steps and are left out", ranges);
	else if (ranges)
		report_warning(r, "%zu ranks have no range that matches '%s' and are left out",
			       ranges, w->pattern);
	if (gpu)
		report_warning(r, "%zu ranks launched nothing in their window and are left out",
			       gpu);
}

int rank_windows_report(const struct rank_windows *w, const struct rank_map *m, struct report *r,
			const struct analysis *a, struct trace *t, const struct params *p,
			struct err *e)
{
	struct hull h = hull_of(w);
	struct params shown = *p;

	shown.has_trim = h.count && (w->source != WINDOW_WHOLE || w->gpu);
	shown.from_ns = h.all.start_ns;
	shown.to_ns = h.all.end_ns;
	if (window_report(r, a, t, &shown, e) < 0)
		return -1;
	tell_source(w, &h, r);
	warn_without(w, m, r, t, p);
	return 0;
}
