/* What is said of findings that came, went, or cost another amount? */
#include "diff/tables/diff_findings.h"

#include "diff/tables/diff_words.h"
#include "text/units.h"

#include <math.h>

/* Of a step, and of what it costs: by less it did not change notably. */
static const double notable_share = 0.02, notable_part = 0.25;

enum {
	NOTED = 2,	     /* findings, in as many sentences; */
	NOTED_ONE_SIDED = 3, /* and so many if the last came or went */
};

/* How soon they go where a screen is too small: see diff_report.c. */
enum { FIRST_YIELDS = 1, OTHERS_YIELD = 6 };

static const char *const state_keys[] = {"gone", "new", "less", "more", "moved", "same"};
static const char *const state_words[] = {"Fixed", "New finding", "Costs less", "Costs more", "",
					  ""};

static const struct column finding_columns[] = {
	{"state", "Finding", UNIT_NAME, 0, NULL, SHOW},
	{"before_ns", "Recoverable before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"title", "What", UNIT_NAME, 0, NULL, SHOW},
	{"id", "Stable name", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"place", "Place", UNIT_NAME, 0, "place:", MACHINE_ONLY},
};

/* What is gone or new, or has changed by enough of a step for people. */
static bool is_shown(const struct diff *d, const struct finding_change *c)
{
	const struct side_runs *before = &d->sides.of[BEFORE];
	const double change = fabs(c->change_ns);

	return finding_is_one_sided(c) ||
	       (c->state != FINDING_SAME && c->state != FINDING_MOVED &&
		change >= notable_share * side_step_ns(before, before->ns) &&
		change >= notable_part * fmax(c->ns[BEFORE], c->ns[AFTER]));
}

void diff_add_findings(struct report *r, const struct diff *d)
{
	const struct finding_changes c = finding_changes_find(d, &r->arena);
	struct rows *rows =
		REPORT_ROWS(r, "findings", "Findings before and after", finding_columns);

	for (size_t i = 0; i < c.count; i++) {
		const struct finding_change *f = &c.all[i];

		ROWS_ADD(rows, cell_text(state_keys[f->state]), cell_real(f->ns[BEFORE]),
			 cell_real(f->ns[AFTER]), cell_real(f->change_ns), cell_text(f->title),
			 cell_text(f->id), f->place[0] ? cell_text(f->place) : cell_null());
	}
}

static void note_finding(struct report *r, const struct diff *d, const struct finding_change *f,
			 unsigned char yields)
{
	SCOPED_BUF b = {0};

	buf_addf(&b, "%s, ", state_words[f->state]);
	if (finding_is_one_sided(f)) {
		units_add_ns(&b, fabs(f->change_ns));
	} else {
		units_add_ns(&b, f->ns[BEFORE]);
		buf_adds(&b, " → ");
		units_add_ns(&b, f->ns[AFTER]);
	}
	report_note(r, "%s %s: %s.", b.s, diff_of_what(d), f->title);
	report_last_yields(r, yields);
}

/* What a change brings is news before what it takes away. */
static const struct finding_change *find_first(const struct diff *d,
					       const struct finding_changes *c)
{
	const struct finding_change *first = NULL;

	for (size_t i = 0; i < c->count; i++) {
		if (c->all[i].state == FINDING_NEW)
			return &c->all[i];
		if (!first && is_shown(d, &c->all[i]))
			first = &c->all[i];
	}
	return first;
}

/* Those that changed most, whether they came, went or were there on both sides. */
void diff_note_findings(struct report *r, const struct diff *d)
{
	const struct finding_changes c = finding_changes_find(d, &r->arena);
	const struct finding_change *first = find_first(d, &c);
	size_t noted = 1, left = 0;

	if (!first)
		return;
	note_finding(r, d, first, FIRST_YIELDS);
	for (size_t i = 0; i < c.count; i++) {
		if (&c.all[i] == first || !is_shown(d, &c.all[i]))
			continue;
		if (noted < (finding_is_one_sided(&c.all[i]) ? NOTED_ONE_SIDED : NOTED)) {
			note_finding(r, d, &c.all[i], OTHERS_YIELD);
			noted++;
		} else {
			left += finding_is_one_sided(&c.all[i]);
		}
	}
	if (!left)
		return;
	report_note(r, "%zu more finding%s gone or new: --by finding lists them.", left,
		    left == 1 ? " is" : "s are");
	report_last_yields(r, OTHERS_YIELD);
}
