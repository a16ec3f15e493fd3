/* What is in the selected time, as tables of the analyses that know? */
#include "base/mem.h"
#include "text/units.h"
#include "traces/answer.h"
#include "tui/loading.h"
#include "tui/timeline/timeline_view.h"
#include "tui/views/table_pane.h"

#include <stdlib.h>

/* What is asked, and which table of the answer is shown. */
static const struct question {
	const char *analysis, *table, *title;
	bool needs_around; /* what comes before and after it is part of the answer */
} questions[] = {
	{"kernels", "kernels", "kernels", false},
	{"nvtx", "nvtx", "ranges", false},
	{"overview", "gpu_partition", "time of each GPU", false},
	{"idle", "gaps", "longest gaps", true},
};

struct area_table {
	struct span span;
	struct span around; /* what tells why, of a gap; else the same */
	size_t question;
	struct answer answer;
	struct table_pane pane;
	bool has_pane, is_selected;
	char *failed; /* why there is no table */
};

static void drop_answer(struct area_table *t)
{
	if (t->has_pane)
		table_pane_free(&t->pane);
	answer_free(&t->answer);
	free(t->failed);
	t->has_pane = false;
	t->failed = NULL;
}

/* The analysis answers about the selected time alone. */
static int make_answer(struct app *a, void *ctx, struct err *e)
{
	struct area_table *t = ctx;
	const struct question *q = &questions[t->question];

	return answer_make(&t->answer, app_capture(a), q->analysis,
			   q->needs_around ? &t->around : &t->span, e);
}

static void ask(struct app *a, struct area_table *t)
{
	const struct question *q = &questions[t->question];
	const struct table *table = NULL;
	struct err e = {0};

	drop_answer(t);
	if (loading_run(a, q->title, make_answer, t, &e) == 0)
		table = report_find_table(&t->answer.report, q->table);
	if (!table) {
		t->failed = mem_strdup(e.code ? e.message : "nothing of that kind here");
		return;
	}
	table_pane_make(&t->pane, table, &t->answer.report);
	t->has_pane = true;
}

static void draw(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	struct area_table *t = o->state;
	const struct area box = {area.row + 1, area.col, area.rows - 1, area.cols};
	SCOPED_BUF title = {0};

	buf_addf(&title, "%s in the %s ", questions[t->question].title,
		 t->is_selected ? "selected" : "window's");
	units_add_ns(&title, (double)sat_sub(t->span.end_ns, t->span.start_ns));
	if (app_capture(a)->name)
		buf_addf(&title, " of %s", app_capture(a)->name);
	buf_adds(&title, "; Tab for others, y copies, Escape closes");
	canvas_box(c, box, title.s);
	if (t->has_pane)
		table_pane_draw(
			&t->pane, c,
			(struct area){box.row + 1, box.col + 1, box.rows - 2, box.cols - 2});
	else
		canvas_put(c, box.row + 1, box.col + 2, box.cols - 4, str_of(t->failed),
			   LOOK(ROLE_DIM));
}

static int key(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	struct area_table *t = o->state;
	/* The keys of lists. */
	const enum request r = keymap_find(&a->keymap, VIEW_KERNELS, k);
	int result = 1;

	if (k->code == K_TAB) {
		const size_t count = ARRAY_LEN(questions);

		t->question = (t->question + (k->modifiers & KEY_SHIFT ? count - 1 : 1)) % count;
		ask(a, t);
		return 0;
	}
	if (t->has_pane && r != REQUEST_OPEN && r != REQUEST_FILTER && r != REQUEST_CLOSE)
		result = table_pane_request(&t->pane, a, r, k, e);
	return result == 1 ? OVERLAY_PASSES : result;
}

static void close_table(struct overlay *o)
{
	struct area_table *t = o->state;

	drop_answer(t);
	free(t);
}

static const struct overlay_kind kind = {.draw = draw, .key = key, .close = close_table};

void area_table_show(struct app *a)
{
	struct area_table *t = mem_zalloc(1, sizeof(*t));

	t->span = a->selection.kind == SELECTED_NONE ? a->window : a->selection.span;
	if (t->span.end_ns <= t->span.start_ns)
		t->span = a->window;
	t->around = t->span;
	if (a->selection.kind != SELECTED_NONE && a->selection.is_gap) {
		t->around = a->selection.around;
		t->question = ARRAY_LEN(questions) - 1;
	}
	t->is_selected = a->selection.kind != SELECTED_NONE;
	ask(a, t);
	app_push(a, &kind, t);
}
