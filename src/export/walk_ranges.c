/* Which NVTX ranges and marks did each thread make? */
#include "base/mem.h"
#include "base/sort.h"
#include "export/walk.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANGE_ARGS = 3 };

/* The marks of a trace by thread and time. */
struct marks {
	uint32_t *rows;
	size_t count, cap;
};

struct telling {
	struct walk *walk;
	const struct events *ev;
	struct nvtx_domains domains;
	struct idmap categories; /* name of a domain → text, two of them */
	struct idmap colours;	 /* → text */
	uint32_t *colour;	 /* by row; 0: none */
};

static uint32_t event_thread(const struct events *ev, uint64_t row)
{
	return ev->thread ? ev->thread[row] : ID_NONE;
}

static int take_colours(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct telling *x = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		if (b->values[0].type[i] == SQLITE_IS_INT && b->values[0].num[i] &&
		    b->first_row + i < x->ev->count)
			x->colour[b->first_row + i] = (uint32_t)b->values[0].num[i];
	}
	return 0;
}

static int read_colours(struct telling *x, struct err *e)
{
	int column = sqlite_table_find_column(x->ev->table, "color");
	struct sqlite_scan *scan;
	uint64_t rows;
	int result;

	if (column < 0 || x->walk->o->no_args)
		return 0;
	x->colour = mem_zalloc(x->ev->count, sizeof(*x->colour));
	if (sqlite_scan_open(&scan, x->walk->trace->file, x->ev->table, &column, 1, &rows, e) < 0)
		return -1;
	result = sqlite_scan_run(scan, take_colours, x, e);
	sqlite_scan_close(scan);
	return result;
}

static uint32_t colour_text(struct telling *x, uint32_t argb)
{
	uint32_t text = idmap_get(&x->colours, argb);
	char shown[8];

	if (text != IDMAP_NONE)
		return text;
	snprintf(shown, sizeof(shown), "#%06x", argb & 0xffffff);
	text = texts_add_copy(&x->walk->texts, str_of(shown));
	return idmap_add(&x->colours, argb, text);
}

/* The category says the domain: "nvtx", "nvtx:NCCL". Its name alone is the next text. */
static uint32_t category_text(struct telling *x, uint32_t domain)
{
	uint32_t text = idmap_get(&x->categories, domain);
	struct str name = domain == IDMAP_NONE ? STR_LIT("") : trace_name(x->walk->trace, domain);
	struct buf b = {0};

	if (text != IDMAP_NONE)
		return text;
	buf_adds(&b, name.len ? "nvtx:" : "nvtx");
	buf_addstr(&b, name);
	text = texts_add_copy(&x->walk->texts, buf_str(&b));
	texts_add(&x->walk->texts, name);
	buf_free(&b);
	return idmap_add(&x->categories, domain, text);
}

/* What ranges and marks have in common. */
static struct timeline_slice describe(struct telling *x, uint32_t row,
				      struct timeline_arg args[RANGE_ARGS])
{
	struct walk *w = x->walk;
	uint32_t domain = nvtx_domain_name(&x->domains, row);
	struct timeline_slice s = {
		.name = walk_text(w, x->ev->name[row]),
		.category = category_text(x, domain),
		.block = BLOCK_NONE,
		.args = args,
	};

	if (w->o->no_args)
		return s;
	if (domain != IDMAP_NONE)
		slice_add_text(&s, args, KEY_DOMAIN, s.category + 1);
	if (x->colour && x->colour[row])
		slice_add_text(&s, args, KEY_COLOR, colour_text(x, x->colour[row]));
	if (range_never_closed(w->trace, row))
		slice_add_number(&s, args, KEY_NEVER_CLOSED, 1);
	return s;
}

static int tell_range(struct telling *x, const struct range *r, enum thread_row on, struct err *e)
{
	struct walk *w = x->walk;
	struct timeline_arg args[RANGE_ARGS];
	struct timeline_slice s;
	struct span part;

	if (!walk_wants_thread(w, r->thread) || r->start_ns == INT_NONE ||
	    !window_part(w->p, r->start_ns, sat_sub(r->end_ns, r->start_ns), &part))
		return 0;
	s = describe(x, r->row, args);
	if (tracks_thread(&w->tracks, r->thread, on, part.start_ns, part.end_ns, &s.track, e) < 0)
		return -1;
	return walk_slice(w, &s, part, e);
}

static int tell_mark(struct telling *x, uint32_t row, struct err *e)
{
	struct walk *w = x->walk;
	uint32_t thread = event_thread(x->ev, row);
	int64_t at_ns = x->ev->start_ns[row];
	struct timeline_arg args[RANGE_ARGS];
	struct timeline_slice s;
	struct span part;

	if (!walk_wants_thread(w, thread) || at_ns == INT_NONE ||
	    !window_part(w->p, at_ns, 0, &part))
		return 0;
	s = describe(x, row, args);
	if (tracks_thread_first(&w->tracks, thread, ROW_RANGES, &s.track, e) < 0)
		return -1;
	s.start_ns = s.end_ns = sat_add(at_ns, w->shift_ns);
	w->counts->instants++;
	return w->tracks.how->instant(w->tracks.writer, &s, e);
}

static int compare_marks(const void *a, const void *b, void *ctx)
{
	const struct events *ev = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t tx = event_thread(ev, x), ty = event_thread(ev, y);

	if (tx != ty)
		return tx < ty ? -1 : 1;
	return (ev->start_ns[x] > ev->start_ns[y]) - (ev->start_ns[x] < ev->start_ns[y]);
}

static void find_marks(struct marks *m, const struct telling *x)
{
	const struct events *ev = x->ev;

	for (uint64_t i = 0; i < ev->count; i++) {
		if (ev->event_type[i] != NVTX_MARK || is_sample_mark(&x->walk->sample_marks, i))
			continue;
		MEM_GROW(m->rows, m->cap, m->count + 1);
		m->rows[m->count++] = (uint32_t)i;
	}
	sort_stable(m->rows, m->count, sizeof(*m->rows), compare_marks, (void *)ev);
}

/* Whether the mark comes before the range, on a walk from thread to thread. */
static bool comes_first(const struct events *ev, uint32_t mark, const struct range *r)
{
	uint32_t thread = event_thread(ev, mark);

	return thread != r->thread ? thread < r->thread : ev->start_ns[mark] < r->start_ns;
}

/* Marks lie on the track of their thread's ranges, in order of time. */
static int tell_stacks(struct telling *x, struct err *e)
{
	const struct range_forest *f = &x->walk->joined.forest;
	struct marks m = {0};
	size_t mark = 0;
	int result = 0;

	find_marks(&m, x);
	for (size_t i = 0; i < f->count && result == 0; i++) {
		while (result == 0 && mark < m.count &&
		       comes_first(x->ev, m.rows[mark], &f->ranges[i]))
			result = tell_mark(x, m.rows[mark++], e);
		if (result == 0)
			result = tell_range(x, &f->ranges[i], ROW_RANGES, e);
	}
	while (result == 0 && mark < m.count)
		result = tell_mark(x, m.rows[mark++], e);
	free(m.rows);
	return result;
}

static int tell_start_end(struct telling *x, struct err *e)
{
	struct range_forest f;
	int result = 0;

	if (range_forest_build(x->walk->trace, FOREST_START_END, &f, e) < 0)
		return -1;
	for (size_t i = 0; i < f.count && result == 0; i++)
		result = tell_range(x, &f.ranges[i], ROW_START_END, e);
	range_forest_free(&f);
	return result;
}

int walk_ranges(struct walk *w, struct err *e)
{
	struct telling x = {.walk = w, .ev = &w->trace->events[TRACE_NVTX]};
	int result;

	if (!x.ev->count)
		return 0;
	nvtx_domains_find(&x.domains, w->trace);
	result = read_colours(&x, e);
	if (result == 0)
		result = tell_stacks(&x, e);
	range_forest_free(&w->joined.forest);
	if (result == 0)
		result = tell_start_end(&x, e);
	nvtx_domains_free(&x.domains);
	idmap_free(&x.categories);
	idmap_free(&x.colours);
	free(x.colour);
	return result;
}
