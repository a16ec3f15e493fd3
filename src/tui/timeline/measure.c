/* How long is it from here to there? */
#include "tui/timeline/timeline_view.h"

#include "text/units.h"

static void say_length(struct app *a, struct span s)
{
	SCOPED_BUF b = {0};

	units_add_ns(&b, (double)sat_sub(s.end_ns, s.start_ns));
	app_say(a, "%s between the marks; s shows what is in it, f fits it", b.s);
}

/* The first mark, then the second, which selects what lies between. */
void measure_mark(struct app *a, struct timeline_state *s)
{
	struct span span = {s->mark_ns, s->cursor_ns};

	if (!s->has_mark) {
		s->mark_ns = s->cursor_ns;
		s->has_mark = true;
		app_say(a, "marked: v again at another time measures; < > move the cursor");
		return;
	}
	if (span.end_ns < span.start_ns)
		span = (struct span){span.end_ns, span.start_ns};
	if (span.start_ns == span.end_ns) {
		app_say(a,
			"both marks are at one time: move the cursor between them (< >, Tab, [ ])");
		return;
	}
	s->has_mark = false;
	s->picked.any = false;
	a->selection = (struct selection){.kind = SELECTED_TIME, .span = span};
	say_length(a, span);
}

static int64_t time_at(const struct app *a, const struct timeline_state *s, int col)
{
	const int cell = col - s->area.col - LABEL_COLS;

	if (cell < 0)
		return a->window.start_ns;
	return cell < s->cols ? cell_edge(a->window, (size_t)s->cols, (size_t)cell)
			      : a->window.end_ns;
}

/* The mouse moves with its button down; where it went down is where the cursor is. */
void measure_drag(struct app *a, struct timeline_state *s, int col, bool pans)
{
	const int64_t at_ns = time_at(a, s, col);
	struct span span;

	s->is_dragged = true;
	if (pans) {
		const int64_t by = sat_sub(s->drag_ns, at_ns);

		app_set_window(a, (struct span){sat_add(a->window.start_ns, by),
						sat_add(a->window.end_ns, by)});
		return;
	}
	span = at_ns < s->drag_ns ? (struct span){at_ns, s->drag_ns}
				  : (struct span){s->drag_ns, at_ns};
	s->picked.any = false;
	a->selection = (struct selection){.kind = SELECTED_TIME, .span = span};
	say_length(a, span);
}
