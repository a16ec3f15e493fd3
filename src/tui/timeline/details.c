/* What is known of one event of the timeline? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"
#include "text/text.h"
#include "text/units.h"
#include "trace/ranges/attribution.h"
#include "tui/commands.h"

#include <inttypes.h>
#include <stdlib.h>

/* Lines of text over the view. */
struct details {
	struct buf text;
	size_t top;
};

static void add_line(struct buf *b, const char *what)
{
	buf_addf(b, "%-18s", what);
}

static void end_line(struct buf *b)
{
	buf_addc(b, '\n');
}

static void add_ns(struct buf *b, const char *what, int64_t ns)
{
	add_line(b, what);
	units_add_ns(b, (double)ns);
	end_line(b);
}

static void add_count(struct buf *b, const char *what, int64_t n)
{
	add_line(b, what);
	units_add_count(b, n);
	end_line(b);
}

static void add_times(struct buf *b, const struct app *a, const struct lane_event *e)
{
	const int64_t ns = sat_sub(e->end_ns, e->start_ns);
	const int64_t window = sat_sub(a->window.end_ns, a->window.start_ns);

	add_line(b, "start");
	units_add_time(b, e->start_ns);
	end_line(b);
	add_ns(b, "duration", ns);
	if (window > 0 && ns <= window) {
		add_line(b, "of the window");
		units_add_share(b, 100 * (double)ns / (double)window, 1);
		end_line(b);
	}
}

/* How it compares with those of its name on the same lane. */
static int compare_ns(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

enum { ALIKE = 100000 }; /* that are compared, at most: those nearest in time */

static void add_others(struct buf *b, const struct timeline_state *s, const struct lane_event *e)
{
	const struct track *t = &s->set->all[s->picked.track];
	const struct lane *lane = &t->lanes.all[s->picked.lane];
	const struct str name = track_event_name(t, e);
	const size_t begin = s->picked.at > ALIKE / 2 ? s->picked.at - ALIKE / 2 : 0;
	const size_t end = begin + ALIKE < lane->count ? begin + ALIKE : lane->count;
	int64_t *ns = mem_alloc(end - begin, sizeof(*ns)), own = sat_sub(e->end_ns, e->start_ns);
	size_t count = 0, longer = 0, middle;

	for (size_t i = begin; i < end; i++) {
		const struct lane_event x = lane_event(lane, i);
		const struct str other = track_event_name(t, &x);

		if (other.s != name.s || other.len != name.len)
			continue;
		ns[count] = sat_sub(x.end_ns, x.start_ns);
		longer += ns[count++] > own;
	}
	if (count > 1) {
		qsort(ns, count, sizeof(*ns), compare_ns);
		add_line(b, "of its name");
		units_add_count(b, (int64_t)count);
		buf_adds(b, " here: min ");
		units_add_ns(b, (double)ns[0]);
		buf_adds(b, ", median ");
		middle = count / 2;
		units_add_ns(b, (double)ns[middle]);
		buf_adds(b, ", max ");
		units_add_ns(b, (double)ns[count - 1]);
		buf_addf(b, "; %zu longer\n", longer);
	}
	free(ns);
}

static bool load_launch_columns(struct trace *t)
{
	struct err e = {0};

	return trace_load(t, TRACE_KERNELS,
			  COLS_GRID | COL_BIT(COL_REGISTERS) | COL_BIT(COL_STATIC_SMEM) |
				  COL_BIT(COL_DYNAMIC_SMEM),
			  &e) == 0;
}

static void add_three(struct buf *b, const char *what, uint32_t *const columns[3], uint32_t row)
{
	if (!columns[0] || !columns[1] || !columns[2] || columns[0][row] == ID_NONE)
		return;
	add_line(b, what);
	buf_addf(b, "%u × %u × %u\n", columns[0][row], columns[1][row], columns[2][row]);
}

static void add_kernel(struct buf *b, struct trace *t, uint32_t row)
{
	const struct events *ev = &t->events[TRACE_KERNELS];

	if (!load_launch_columns(t))
		return;
	add_three(b, "grid", ev->grid, row);
	add_three(b, "block", ev->block, row);
	if (ev->registers && ev->registers[row] != ID_NONE)
		add_count(b, "registers", ev->registers[row]);
	if (ev->static_smem_bytes && ev->dynamic_smem_bytes) {
		add_line(b, "shared memory");
		units_add_bytes(b,
				(double)ev->static_smem_bytes[row] + ev->dynamic_smem_bytes[row]);
		end_line(b);
	}
}

static void add_copy(struct buf *b, struct trace *t, enum trace_kind kind, uint32_t row,
		     const struct lane_event *e)
{
	const struct events *ev = &t->events[kind];
	const double ns = (double)sat_sub(e->end_ns, e->start_ns);
	struct err ignored = {0};

	if (trace_load(t, kind, COL_BIT(COL_BYTES), &ignored) < 0 || !ev->bytes ||
	    ev->bytes[row] < 0)
		return;
	add_line(b, "bytes");
	units_add_bytes(b, (double)ev->bytes[row]);
	if (ns > 0) {
		buf_adds(b, ", ");
		units_add_rate(b, (double)ev->bytes[row] / ns * 1e9);
	}
	end_line(b);
}

/* Who launched it, when, and in which ranges. */
static void add_launch(struct buf *b, struct trace *t, enum trace_kind kind, uint32_t row)
{
	struct attribution at;
	struct err ignored = {0};
	struct api_call call;
	uint32_t range;

	if (!(joinable_kinds(t) & 1u << kind) ||
	    attribution_make(t, joinable_kinds(t), &at, &ignored) < 0)
		return;
	if (launches_call(&at.launches, at.launches.begin[kind] + row, &call)) {
		const uint32_t name = launches_origin(&at.launches, &call).name;

		add_line(b, "launched by");
		if (name != NAME_NONE)
			buf_addstr(b, trace_name(t, name));
		buf_adds(b, " at ");
		units_add_time(b, call.start_ns);
		end_line(b);
		add_ns(b, "queue time",
		       sat_sub(t->events[kind].start_ns[row], api_call_end(&call)));
	}
	range = attribution_range(&at, kind, row);
	for (; range != RANGE_NONE; range = at.forest.ranges[range].parent) {
		const uint32_t name = t->events[TRACE_NVTX].name[at.forest.ranges[range].row];

		add_line(b, "in range");
		if (name != NAME_NONE)
			buf_addstr(b, trace_name(t, name));
		end_line(b);
	}
	attribution_free(&at);
}

static void add_op(struct buf *b, const struct app *a, const struct lane_event *e)
{
	const enum trace_kind kind = op_id_kind(e->id);
	const uint32_t row = op_id_row(e->id);

	if (kind == TRACE_KERNELS)
		add_kernel(b, a->trace, row);
	else
		add_copy(b, a->trace, kind, row, e);
	add_launch(b, a->trace, kind, row);
}

static void describe(struct buf *b, const struct app *a, const struct timeline_state *s)
{
	const struct track *t = &s->set->all[s->picked.track];
	const struct lane_event e = picked_event(s);

	if (t->values)
		track_add_value(b, t, &e);
	else
		buf_addstr(b, track_event_name(t, &e));
	buf_adds(b, "\n\n");
	add_line(b, "row");
	buf_addf(b, "%s, %s\n", t->label, track_class_name(t, e.class));
	add_times(b, a, &e);
	if (t->kind == TRACK_STREAM)
		add_op(b, a, &e);
	if (t->kind != TRACK_GPU && !t->values)
		add_others(b, s, &e);
}

static void draw_details(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	struct details *d = o->state;
	const int cols = area.cols > 100 ? 100 : area.cols - 2;
	const struct area box = {area.row + 1, area.col + (area.cols - cols) / 2, area.rows - 2,
				 cols};
	const char *at = d->text.s;
	size_t line = 0;

	(void)a;
	canvas_box(c, box, "details: Enter closes");
	for (; at && *at; line++) {
		const char *end = strchr(at, '\n');
		const size_t len = end ? (size_t)(end - at) : strlen(at);

		if (line >= d->top && line - d->top < (size_t)(box.rows - 2))
			canvas_put(c, box.row + 1 + (int)(line - d->top), box.col + 2, box.cols - 4,
				   (struct str){at, len}, LOOK_PLAIN);
		at = end ? end + 1 : NULL;
	}
}

static int key_details(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	struct details *d = o->state;

	(void)e;
	if (k->code == K_DOWN)
		d->top++;
	else if (k->code == K_UP)
		d->top -= d->top > 0;
	else if (k->code == ':')
		commands_ask(a);
	else
		return 1;
	return 0;
}

static void close_details(struct overlay *o)
{
	struct details *d = o->state;

	buf_free(&d->text);
	free(d);
}

static const struct overlay_kind details_kind = {
	.draw = draw_details, .key = key_details, .close = close_details};

int details_show(struct app *a, struct timeline_state *s, struct err *e)
{
	struct details *d;

	(void)e;
	if (!s->picked.any) {
		app_say(a, "no event is selected: Tab selects one");
		return 0;
	}
	d = mem_zalloc(1, sizeof(*d));
	describe(&d->text, a, s);
	app_push(a, &details_kind, d);
	return 0;
}
