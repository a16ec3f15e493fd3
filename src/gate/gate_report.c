/* What does a gate say? */
#include "gate/gate_report.h"

#include "report/elisions.h"
#include "report/json_value.h"
#include "text/text.h"

#include <math.h>

static const struct column check_columns[] = {
	{"outcome", "Outcome", UNIT_NAME, 0, NULL, SHOW},
	{"check", "Check", UNIT_NAME, 0, "", SHOW},
	{"text", "What became of it", UNIT_NAME, 0, NULL, SHOW},
	{"before", "Before", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"after", "After", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"unit", "Unit", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"change_pct", "Change", UNIT_CHANGE, 0, NULL, MACHINE_ONLY},
	{"rel_pct", "Allowed share", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"abs", "Allowed difference", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"line", "Line of the rules", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"allowed_until", "Allowed until", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"reason", "Reason", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

/* For people: what is short, on one line; what is not is told below. */
static const struct column people_columns[] = {
	{"outcome", "Outcome", UNIT_NAME, 0, NULL, SHOW},
	{"check", "Check", UNIT_NAME, 0, "", SHOW},
	{"before", "Before", UNIT_NAME, 0, NULL, SHOW},
	{"after", "After", UNIT_NAME, 0, NULL, SHOW},
	{"change_pct", "Change", UNIT_CHANGE, 0, NULL, SHOW},
	{"allowed", "Allowed", UNIT_NAME, 0, NULL, SHOW},
};

static const struct column gate_columns[] = {
	{"outcome", "Outcome", UNIT_NAME, 0, "", SHOW},
	{"exit_code", "Exit code", UNIT_ID, 0, NULL, SHOW},
	{"failed", "Failed", UNIT_COUNT, 0, NULL, SHOW},
	{"unknown", "Unknown", UNIT_COUNT, 0, NULL, SHOW},
	{"allowed", "Allowed", UNIT_COUNT, 0, NULL, SHOW},
	{"passed", "Passed", UNIT_COUNT, 0, NULL, SHOW},
	{"baseline", "Baseline", UNIT_NAME, 0, NULL, SHOW},
	{"rules", "Rules", UNIT_NAME, 0, NULL, SHOW},
	{"on_unknown", "Where it cannot be told", UNIT_NAME, 0, NULL, SHOW},
};

static struct cell text_or_null(const char *text)
{
	return text ? cell_text(text) : cell_null();
}

static void add_check(struct rows *rows, const struct gate_check *c)
{
	const bool has_limits = c->rule->rel > 0 || c->rule->abs > 0;

	ROWS_ADD(rows, cell_text(check_outcome_keys[c->outcome]), cell_text(c->id),
		 cell_text(c->text), cell_finite(c->before), cell_finite(c->after),
		 isnan(c->before) && isnan(c->after) ? cell_null() : cell_text(unit_name(c->unit)),
		 cell_finite(100 * c->change),
		 has_limits ? cell_real(100 * c->rule->rel) : cell_null(),
		 has_limits ? cell_real(c->rule->abs) : cell_null(),
		 c->rule->line ? cell_int((int64_t)c->rule->line) : cell_null(),
		 text_or_null(c->why ? c->why->until : NULL),
		 text_or_null(c->why ? c->why->reason : NULL));
}

static struct cell value_cell(struct report *r, const struct gate_check *c, double value)
{
	struct buf b = {0};

	if (isfinite(value))
		gate_add_figure(&b, c, value);
	return report_take_cell(r, &b);
}

static void add_short_check(struct report *r, struct rows *rows, const struct gate_check *c)
{
	struct buf allowed = {0};

	gate_add_allowed(&allowed, c->rule, c->unit);
	ROWS_ADD(rows, cell_text(check_outcome_keys[c->outcome]), cell_text(c->brief),
		 value_cell(r, c, c->before), value_cell(r, c, c->after),
		 cell_finite(100 * c->change), report_take_cell(r, &allowed));
}

enum { NOTED_NAME = 60 }; /* columns of a check's name before what is told of it */

/* What the figures of a check do not say, on a line that begins with its name. */
static void note_check(struct report *r, struct elisions *names, const struct gate_check *c)
{
	const char *told = c->more ? c->more : c->text;
	SCOPED_BUF safe = {0}, name = {0};

	if (!told[0])
		return;
	text_add_safe(&safe, str_of(c->brief));
	elisions_add(names, &name, buf_str(&safe), NOTED_NAME);
	report_note(r, "%s: %s", name.s, told);
}

static size_t shown_checks(const struct gate *g, const struct gate_shown *how)
{
	return how->limit && how->limit < g->count ? (size_t)how->limit : g->count;
}

static void add_for_people(struct report *r, const struct gate *g, const struct gate_shown *how)
{
	struct rows *rows = REPORT_ROWS(r, "checks", NULL, people_columns);
	struct elisions names = {0};

	for (size_t i = 0; i < shown_checks(g, how); i++)
		add_short_check(r, rows, &g->all[i]);
	rows->table.total_rows = g->count;
	for (size_t i = 0; i < shown_checks(g, how); i++)
		note_check(r, &names, &g->all[i]);
	elisions_free(&names);
}

void gate_add_sentence(struct buf *b, const struct gate *g)
{
	static const char *const words[CHECK_OUTCOMES] = {[CHECK_FAILED] = "Regression",
							  [CHECK_UNKNOWN] = "Cannot tell",
							  [CHECK_PASSED] = "Within tolerance"};
	const size_t *n = g->counts;

	buf_addf(b, "%s: %zu of %zu check%s failed", words[gate_outcome(g)], n[CHECK_FAILED],
		 g->count, g->count == 1 ? "" : "s");
	if (n[CHECK_UNKNOWN])
		buf_addf(b, ", %zu cannot be told", n[CHECK_UNKNOWN]);
	if (n[CHECK_ALLOWED])
		buf_addf(b, ", %zu %s allowed", n[CHECK_ALLOWED],
			 n[CHECK_ALLOWED] == 1 ? "is" : "are");
	buf_addc(b, '.');
}

static void add_figures(struct report *r, const struct gate *g, const struct gate_words *w)
{
	struct rows *rows = REPORT_ROWS(r, "gate", NULL, gate_columns);
	ROWS_ADD(rows, cell_text(check_outcome_keys[gate_outcome(g)]), cell_int(w->exit_code),
		 cell_int((int64_t)g->counts[CHECK_FAILED]),
		 cell_int((int64_t)g->counts[CHECK_UNKNOWN]),
		 cell_int((int64_t)g->counts[CHECK_ALLOWED]),
		 cell_int((int64_t)g->counts[CHECK_PASSED]), cell_text(w->baseline),
		 text_or_null(w->rules), cell_text(w->unknown));
}

void gate_report(struct report *r, const struct gate *g, const struct gate_words *w,
		 const struct gate_shown *how)
{
	struct rows *rows;
	struct buf b = {0};

	gate_add_sentence(&b, g);
	report_lead(r, "%s", b.s);
	buf_free(&b);
	if (how->figures)
		add_figures(r, g, w);
	if (how->people) {
		add_for_people(r, g, how);
		return;
	}
	rows = REPORT_ROWS(r, "checks", NULL, check_columns);
	for (size_t i = 0; i < shown_checks(g, how); i++)
		add_check(rows, &g->all[i]);
	rows->table.total_rows = g->count;
}
