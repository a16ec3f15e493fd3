/* How much of the GPUs' time did each category of work take? */
#include "analysis/categories/category_times.h"

#include "analysis/gpu/timeline.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "trace/system/labels.h"

#include <stdlib.h>

enum { COPY_KINDS = 14 }; /* that have a label of their own */

/* Lines are numbered: copies by kind, sets, graphs, kernels without a name, and then names. */
enum { LINE_SET = COPY_KINDS, LINE_GRAPH, LINE_NAMELESS, LINE_NAMES };

struct line_sum {
	uint64_t instances;
	int64_t ns, merged_ns;
};

struct device_state {
	uint32_t device;
	int64_t until_ns; /* no op so far has ended later */
	int64_t busy_ns;
};

/* Some ops that follow each other, before and after which nothing runs. */
struct piece {
	struct line_sum *lines;
	struct device_state *devices;
	size_t device_count, device_cap;
	struct idmap device_index;
	size_t last; /* the index of the last op's device */
	int64_t until_ns;
};

struct walk {
	const struct scope *p;
	struct ops ops;
	uint32_t *line_of_name; /* by number of trace->names */
	uint32_t *names;	/* by line − LINE_NAMES */
	size_t line_count;
	struct ops_cut *cuts;
	struct piece *pieces;
	size_t piece_count;
};

static void number_names(struct walk *w)
{
	const struct trace *t = w->ops.trace;
	const struct events *ev = &t->events[TRACE_KERNELS];
	size_t cap = 0;

	w->line_count = LINE_NAMES;
	w->line_of_name = mem_zalloc(t->names.count, sizeof(*w->line_of_name));
	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t name = ev->name[i];

		if (name == NAME_NONE || w->line_of_name[name])
			continue;
		MEM_GROW(w->names, cap, w->line_count - LINE_NAMES + 1);
		w->names[w->line_count - LINE_NAMES] = name;
		w->line_of_name[name] = (uint32_t)w->line_count++;
	}
}

static size_t line_of(const struct walk *w, const struct op *op)
{
	const struct events *ev = &w->ops.trace->events[op->kind];

	if (op->kind == TRACE_KERNELS)
		return ev->name[op->row] == NAME_NONE ? LINE_NAMELESS
						      : w->line_of_name[ev->name[op->row]];
	if (op->kind == TRACE_GRAPHS)
		return LINE_GRAPH;
	if (op->kind == TRACE_MEMSETS)
		return LINE_SET;
	return ev->copy_kind && ev->copy_kind[op->row] < COPY_KINDS ? ev->copy_kind[op->row] : 0;
}

static struct device_state *device_of(struct piece *x, uint32_t device)
{
	if (x->device_count && x->devices[x->last].device == device)
		return &x->devices[x->last];
	x->last = idmap_add(&x->device_index, device, (uint32_t)x->device_count);
	if (x->last == x->device_count) {
		MEM_GROW(x->devices, x->device_cap, x->device_count + 1);
		x->devices[x->device_count++] = (struct device_state){device, INT64_MIN, 0};
	}
	return &x->devices[x->last];
}

static void add_op(const struct walk *w, struct piece *x, const struct op *op)
{
	struct device_state *d;
	struct line_sum *line;
	struct span part;
	int64_t ns;

	if (!scope_has_place(w->p, w->ops.trace, op->process, op->device))
		return;
	/* A GPU that rests in the window counts, too. */
	d = device_of(x, op->device);
	if (!window_part(w->p, op->start_ns, sat_sub(op->end_ns, op->start_ns), &part))
		return;
	line = &x->lines[line_of(w, op)];
	ns = span_beyond(part, &d->until_ns);
	d->busy_ns = sat_add(d->busy_ns, ns);
	line->ns = sat_add(line->ns, ns);
	line->merged_ns = sat_add(line->merged_ns, span_beyond(part, &x->until_ns));
	line->instances++;
}

static void walk_pieces(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct walk *w = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct ops o = ops_piece(&w->ops, &w->cuts[i], &w->cuts[i + 1]);
		struct piece *x = &w->pieces[i];
		struct op op;

		x->until_ns = INT64_MIN;
		x->lines = mem_zalloc(w->line_count, sizeof(*x->lines));
		while (ops_next(&o, &op))
			add_op(w, x, &op);
	}
}

/* A piece has a sum for each name: names that hardly repeat are not worth many pieces. */
static size_t wanted_pieces(const struct walk *w)
{
	size_t pieces = timeline_pieces(&w->ops);
	size_t most = 1 + w->ops.trace->events[TRACE_KERNELS].count / w->line_count / 4;

	return pieces < most ? pieces : most;
}

static void walk_all(struct walk *w)
{
	size_t pieces = wanted_pieces(w);

	w->cuts = mem_alloc(pieces + 1, sizeof(*w->cuts));
	w->piece_count = ops_cut(&w->ops, pieces, w->cuts);
	w->pieces = mem_zalloc(w->piece_count, sizeof(*w->pieces));
	parallel_each(w->piece_count, 1, walk_pieces, w);
}

/* All pieces together are the first one. */
static void join_pieces(struct walk *w)
{
	struct piece *all = &w->pieces[0];

	for (size_t i = 1; i < w->piece_count; i++) {
		const struct piece *x = &w->pieces[i];

		for (size_t k = 0; k < w->line_count; k++) {
			all->lines[k].instances += x->lines[k].instances;
			all->lines[k].ns = sat_add(all->lines[k].ns, x->lines[k].ns);
			all->lines[k].merged_ns =
				sat_add(all->lines[k].merged_ns, x->lines[k].merged_ns);
		}
		for (size_t k = 0; k < x->device_count; k++) {
			struct device_state *d = device_of(all, x->devices[k].device);

			d->busy_ns = sat_add(d->busy_ns, x->devices[k].busy_ns);
		}
	}
}

static void free_walk(struct walk *w)
{
	for (size_t i = 0; i < w->piece_count; i++) {
		free(w->pieces[i].lines);
		free(w->pieces[i].devices);
		idmap_free(&w->pieces[i].device_index);
	}
	free(w->pieces);
	free(w->cuts);
	free(w->line_of_name);
	free(w->names);
	ops_close(&w->ops);
}

static struct str line_name(const struct walk *w, size_t line)
{
	if (line < LINE_SET)
		return label_memcpy((uint32_t)line);
	if (line == LINE_SET)
		return LABEL_MEMSET;
	if (line == LINE_GRAPH)
		return STR_LIT("[CUDA graph]");
	return trace_name(w->ops.trace,
			  line == LINE_NAMELESS ? NAME_NONE : w->names[line - LINE_NAMES]);
}

static int line_category(const struct categories *c, size_t line, struct str name, struct str *ret,
			 struct err *e)
{
	if (line == LINE_GRAPH) {
		*ret = CATEGORY_GRAPHS;
		return 0;
	}
	return categories_find(c, name, line <= LINE_SET, ret, e);
}

static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct category_line *x = a, *y = b;
	int names = str_cmp(x->name, y->name);

	(void)ctx;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->instances != y->instances ? (x->instances > y->instances ? -1 : 1) : names;
}

static int compare_devices(const void *a, const void *b, void *ctx)
{
	const struct category_device *x = a, *y = b;

	(void)ctx;
	return x->device < y->device ? -1 : x->device > y->device;
}

static int name_lines(const struct walk *w, const struct categories *c, struct category_times *ret,
		      struct err *e)
{
	const struct line_sum *sums = w->pieces[0].lines;

	ret->lines = arena_alloc(&ret->arena, w->line_count, sizeof(*ret->lines));
	for (size_t i = 0; i < w->line_count; i++) {
		struct category_line *line = &ret->lines[ret->count];
		struct str name = line_name(w, i);

		if (!sums[i].instances)
			continue;
		*line = (struct category_line){
			.name = arena_str(&ret->arena, name),
			.instances = sums[i].instances,
			.ns = sums[i].ns,
			.merged_ns = sums[i].merged_ns,
		};
		if (line_category(c, i, name, &line->category, e) < 0)
			return -1;
		ret->merged_ns = sat_add(ret->merged_ns, line->merged_ns);
		ret->count++;
	}
	sort_stable(ret->lines, ret->count, sizeof(*ret->lines), compare_lines, NULL);
	ret->graphs = sums[LINE_GRAPH].instances;
	return 0;
}

static void list_devices(const struct walk *w, struct category_times *ret)
{
	const struct piece *all = &w->pieces[0];

	ret->device_count = all->device_count;
	ret->devices = arena_alloc(&ret->arena, all->device_count, sizeof(*ret->devices));
	for (size_t i = 0; i < all->device_count; i++) {
		ret->devices[i] =
			(struct category_device){all->devices[i].device, all->devices[i].busy_ns};
		ret->busy_ns = sat_add(ret->busy_ns, all->devices[i].busy_ns);
	}
	sort_stable(ret->devices, ret->device_count, sizeof(*ret->devices), compare_devices, NULL);
}

static int find_window(const struct walk *w, struct category_times *ret, struct err *e)
{
	const struct trace_meta *meta = &w->ops.trace->meta;

	ret->window = (struct span){w->ops.times.first_ns, w->ops.times.last_ns};
	ret->span_of_ops = !w->p->has_trim && !(meta->has_span && meta->span_ns > 0);
	if (w->p->has_trim)
		ret->window = (struct span){w->p->from_ns, w->p->to_ns};
	ret->faults = w->ops.times.faults;
	return w->p->has_trim || ret->span_of_ops
		       ? 0
		       : window_of_capture(w->ops.trace, &ret->window, e);
}

/* Loads what ops will ask for in one pass, and what they will not. */
static int load(struct trace *t, const struct scope *p, struct err *e)
{
	const uint32_t columns =
		COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_COPY_KIND) | COL_BIT(COL_NAME);
	bool any = false;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (trace_load(t, kind, columns, e) < 0 ||
		    (p->has_device && trace_require_column(t, kind, COL_DEVICE, e) < 0) ||
		    (p->has_pid && trace_require_column(t, kind, COL_PROCESS, e) < 0))
			return -1;
		any |= t->events[kind].count > 0;
	}
	if (!any)
		return trace_require(t, TRACE_KERNELS, e);
	if (filters_check(t, p, e) < 0)
		return -1;
	return trace_require_column(t, TRACE_KERNELS, COL_NAME, e);
}

static int nothing_left(const struct trace *t, const struct scope *p, struct err *e)
{
	if (!p->has_trim && !p->has_device && !p->has_pid)
		return err_set(e, ERR_INPUT, "'%s' has no GPU work with valid times", t->path);
	err_set(e, ERR_INPUT, "'%s' has no GPU work for this window, device and process", t->path);
	return err_hint(e, "leave out --trim, --device or --pid");
}

int category_times_measure(struct trace *t, const struct categories *c, const struct scope *p,
			   struct category_times *ret, struct err *e)
{
	struct walk w = {.p = p};
	int result;

	*ret = (struct category_times){0};
	if (load(t, p, e) < 0 || ops_open(&w.ops, t, e) < 0)
		return -1;
	number_names(&w);
	walk_all(&w);
	join_pieces(&w);
	result = find_window(&w, ret, e);
	list_devices(&w, ret);
	if (result == 0)
		result = name_lines(&w, c, ret, e);
	if (result == 0 && !ret->count)
		result = nothing_left(t, p, e);
	free_walk(&w);
	if (result < 0)
		category_times_free(ret);
	return result;
}

void category_times_free(struct category_times *t)
{
	arena_free(&t->arena);
	*t = (struct category_times){0};
}
