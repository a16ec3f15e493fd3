/* Which ranges are anchors, and which one of them speaks for its rank? */
#include "analysis/ranks/rank_anchors.h"

#include "base/mem.h"
#include "base/sort.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>

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

/* Whether the range may be a window, whoever's. */
static bool may_be_anchor(const struct events *ev, const struct rank_window_args *a, uint64_t row)
{
	const struct scope *p = &a->table.scope;
	return ev->thread[row] != ID_NONE && ev->start_ns[row] >= 0 &&
	       (nvtx_is_push_pop(ev->event_type[row]) || nvtx_is_start_end(ev->event_type[row])) &&
	       (!p->has_trim ||
		(ev->start_ns[row] >= p->from_ns && ev->start_ns[row] < p->to_ns)) &&
	       (!a->has_start || ev->start_ns[row] >= a->start_ns) &&
	       (!a->has_end || ev->start_ns[row] < a->end_ns);
}

static void add_anchor(struct rank_anchors *a, int64_t start_ns, uint64_t row, uint32_t rank)
{
	if (a->count == a->cap) {
		a->cap = mem_next_cap(a->cap, a->count + 1);
		a->start_ns = mem_resize(a->start_ns, a->cap, sizeof(*a->start_ns));
		a->row = mem_resize(a->row, a->cap, sizeof(*a->row));
		a->rank = mem_resize(a->rank, a->cap, sizeof(*a->rank));
	}
	a->start_ns[a->count] = start_ns;
	a->row[a->count] = (uint32_t)row;
	a->rank[a->count++] = rank;
}

static void take_range(struct rank_anchors *a, const struct trace *t,
		       const struct rank_window_args *q, const struct rank_map *m, uint64_t row)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	const struct rank *rank;

	if (!may_be_anchor(ev, q, row))
		return;
	rank = rank_of_process(m, trace_thread_process(t, ev->thread[row]));
	if (!rank)
		return;
	if (!rank_is_asked(t, &q->table.scope, rank))
		a->of_other_ranks++;
	else if (ev->duration_ns[row] == DURATION_NONE)
		a->open++;
	else
		add_anchor(a, ev->start_ns[row], row, (uint32_t)(rank - m->all));
}

static int list_matching(struct rank_anchors *a, const struct trace *t,
			 const struct rank_window_args *q, const struct rank_map *m,
			 struct pattern *pattern, struct err *e)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	uint8_t *of_name = mem_zalloc(t->names.count, sizeof(*of_name));
	int found = 0;

	for (uint64_t i = 0; found >= 0 && i < ev->count; i++) {
		if (ev->name[i] == NAME_NONE)
			continue;
		found = name_matches(t, pattern, of_name, ev->name[i], e);
		if (found > 0)
			take_range(a, t, q, m, i);
	}
	free(of_name);
	return found < 0 ? -1 : 0;
}

int rank_anchors_list(struct rank_anchors *ret, const struct trace *t,
		      const struct rank_window_args *q, const struct rank_map *m,
		      const char *pattern, struct err *e)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	struct pattern *compiled;
	int result = 0;

	*ret = (struct rank_anchors){0};
	if (pattern_compile(&compiled, str_of(pattern), 0, e) < 0)
		return -1;
	if (ev->name && ev->thread && ev->event_type && ev->start_ns && ev->duration_ns)
		result = list_matching(ret, t, q, m, compiled, e);
	pattern_free(compiled);
	return result;
}

void rank_anchors_keep_inside(struct rank_anchors *a, struct rank_windows *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->count; i++) {
		const struct rank_window *w = &out->of_rank[a->rank[i]];

		if (!w->found || a->start_ns[i] < w->cpu_from_ns || a->start_ns[i] >= w->cpu_to_ns)
			continue;
		a->start_ns[kept] = a->start_ns[i];
		a->row[kept] = a->row[i];
		a->rank[kept++] = a->rank[i];
	}
	a->count = kept;
	memset(out->of_rank, 0, out->count * sizeof(*out->of_rank));
}

static void set_window(struct rank_window *w, const struct trace *t, uint32_t row)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	w->found = true;
	w->index = w->instances / 2;
	w->anchor = trace_name(t, ev->name[row]);
	w->cpu_from_ns = ev->start_ns[row];
	w->cpu_to_ns =
		sat_add(ev->start_ns[row], ev->duration_ns[row] < 0 ? 0 : ev->duration_ns[row]);
}

void rank_anchors_take_medians(const struct rank_anchors *a, const struct trace *t,
			       struct rank_windows *out)
{
	uint32_t *order = sort_new_order(a->start_ns, a->count);
	size_t *met = mem_zalloc(out->count, sizeof(*met));

	for (size_t i = 0; i < a->count; i++)
		out->of_rank[a->rank[i]].instances++;
	for (size_t i = 0; i < a->count; i++) {
		uint32_t rank = a->rank[order[i]];
		struct rank_window *w = &out->of_rank[rank];

		if (met[rank]++ == w->instances / 2)
			set_window(w, t, a->row[order[i]]);
	}
	free(met);
	free(order);
}

void rank_anchors_free(struct rank_anchors *a)
{
	free(a->start_ns);
	free(a->row);
	free(a->rank);
	*a = (struct rank_anchors){0};
}
