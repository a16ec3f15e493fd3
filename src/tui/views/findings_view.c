/* What costs time, and where is that seen? */
#include "base/mem.h"
#include "report/finding.h"
#include "traces/answer.h"
#include "tui/views/finding_text.h"
#include "tui/views/table_pane.h"

#include <stdlib.h>

struct findings_view {
	struct answer answer;
	struct report list; /* the findings as a table */
	const struct finding **all;
	size_t count;
	struct table_pane pane;
};

static const struct column columns[] = {
	{"number", "No", UNIT_ID, 0, NULL, SHOW},
	{"severity", "Severity", UNIT_NAME, 0, NULL, SHOW},
	{"title", "Finding", UNIT_NAME, 0, NULL, SHOW},
	{"recoverable_ns", "Recoverable", UNIT_NS, 0, NULL, SHOW},
	{"recoverable_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"confidence", "Confidence", UNIT_NAME, 0, NULL, SHOW},
};

static void add_finding(struct rows *rows, const struct finding *f, size_t number)
{
	const bool gains = f->recoverable_ns > 0;

	ROWS_ADD(rows, cell_int((int64_t)number), cell_text(severity_name(f->severity)),
		 cell_text(f->title), gains ? cell_int(f->recoverable_ns) : cell_null(),
		 gains ? cell_real(f->recoverable_pct) : cell_null(),
		 cell_text(confidence_name(f->confidence)));
}

static void list_findings(struct findings_view *s)
{
	const struct report *r = &s->answer.report;
	struct rows *rows = REPORT_ROWS(&s->list, "findings", NULL, columns);

	s->all = mem_alloc(r->block_count + 1, sizeof(const struct finding *));
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != BLOCK_FINDING)
			continue;
		s->all[s->count++] = r->blocks[i].finding;
		add_finding(rows, r->blocks[i].finding, s->count);
	}
	table_pane_make(&s->pane, &rows->table, r);
}

static void close_view(struct app *a, struct view *v)
{
	struct findings_view *s = v->state;

	(void)a;
	table_pane_free(&s->pane);
	answer_free(&s->answer);
	report_free(&s->list);
	free(s->all);
	free(s);
	v->state = NULL;
}

static int open_view(struct app *a, struct view *v, struct err *e)
{
	struct findings_view *s = mem_zalloc(1, sizeof(*s));

	v->state = s;
	if (answer_make(&s->answer, app_capture(a), "findings", NULL, e) < 0) {
		close_view(a, v);
		return -1;
	}
	list_findings(s);
	return 0;
}

static const struct finding *chosen_finding(const struct findings_view *s)
{
	const uint64_t row = table_pane_chosen(&s->pane);

	return row == UINT64_MAX ? NULL : s->all[row];
}

/* The list takes what it needs, at most half; the rest is about the chosen one. */
static void draw(struct app *a, struct view *v, struct canvas *c, struct area area)
{
	struct findings_view *s = v->state;
	const int wanted = (int)s->count + 2, half = area.rows / 2;
	const struct area list = {area.row + 1, area.col, wanted < half ? wanted : half, area.cols};
	const int below = list.row + list.rows;
	const struct finding *f;

	(void)a;
	canvas_put_padded(c, area.row, area.col, area.cols, str_of(answer_heading(&s->answer)),
			  LOOK(ROLE_DIM));
	table_pane_draw(&s->pane, c, list);
	f = chosen_finding(s);
	if (f)
		finding_text_draw(
			f, c,
			(struct area){below, area.col, area.row + area.rows - below, area.cols});
}

/* The timeline, at the longest of its places. */
static int show_place(struct app *a, const struct findings_view *s, struct err *e)
{
	const struct finding *f = chosen_finding(s);
	const struct span found = f ? finding_longest_place(f) : SPAN_NONE;
	size_t number = 0;

	if (found.end_ns < found.start_ns) {
		app_say(a, "this finding is about no single moment");
		return 0;
	}
	for (size_t i = 0; s->all[i] != f; i++)
		number += s->all[i]->place_count > 0;
	return finding_show(a, found, number, e);
}

static int request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		   struct err *e)
{
	struct findings_view *s = v->state;

	return r == REQUEST_OPEN ? show_place(a, s, e) : table_pane_request(&s->pane, a, r, k, e);
}

static void status(struct app *a, struct view *v, struct buf *b)
{
	const struct findings_view *s = v->state;

	(void)a;
	table_pane_status(&s->pane, b);
}

static int search(struct app *a, struct view *v, const char *text, struct err *e)
{
	struct findings_view *s = v->state;

	(void)a;
	return table_pane_filter(&s->pane, text, e);
}

const struct view_kind view_findings = {
	.name = "findings",
	.open = open_view,
	.draw = draw,
	.request = request,
	.status = status,
	.search = search,
	.close = close_view,
};
