/* Which causes of lost time came, and which went? */
#include "diff/diff_findings.h"

#include "base/mem.h"
#include "base/sort.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

/* Of a step: what costs less is not worth a line. */
static const double shown_share = 0.005;
/* By so much a finding's cost has to differ. */
static const double same_share = 0.1;

enum { NOTED = 3 }; /* findings, in as many sentences */

static const char *const state_keys[] = {"gone", "new", "less", "more", "same"};

static struct finding_change *find_change(struct finding_changes *c, const struct run_finding *f)
{
	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->all[i].id, f->id) == 0)
			return &c->all[i];
	}
	c->all[c->count] = (struct finding_change){.id = f->id, .title = f->title};
	return &c->all[c->count++];
}

/* A run may have several of one id, one by device; they share time: the largest counts. */
static int64_t largest_of(const struct run_facts *f, const char *id)
{
	int64_t most = 0;

	for (size_t i = 0; i < f->finding_count; i++) {
		if (strcmp(f->findings[i].id, id) == 0 && f->findings[i].recoverable_ns > most)
			most = f->findings[i].recoverable_ns;
	}
	return most;
}

static bool is_first(const struct run_facts *f, size_t finding)
{
	for (size_t i = 0; i < finding; i++) {
		if (strcmp(f->findings[i].id, f->findings[finding].id) == 0)
			return false;
	}
	return true;
}

static enum finding_state state_of(const struct finding_change *c)
{
	const double change = c->ns[AFTER] - c->ns[BEFORE];

	if (c->ns[AFTER] <= 0)
		return FINDING_GONE;
	if (c->ns[BEFORE] <= 0)
		return FINDING_NEW;
	if (fabs(change) < same_share * fmax(c->ns[BEFORE], c->ns[AFTER]))
		return FINDING_SAME;
	return change < 0 ? FINDING_LESS : FINDING_MORE;
}

static int by_change(const void *p, const void *q, void *ctx)
{
	const struct finding_change *a = p, *b = q;
	const double x = fabs(a->ns[AFTER] - a->ns[BEFORE]), y = fabs(b->ns[AFTER] - b->ns[BEFORE]);

	(void)ctx;
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->id, b->id);
}

static size_t count_findings(const struct diff *d, bool *known)
{
	size_t count = 0;

	*known = true;
	for (int side = 0; side < SIDES; side++) {
		for (size_t r = 0; r < d->sides.of[side].run_count; r++) {
			const struct run_facts *f = &d->sides.of[side].runs[r]->facts;

			count += f->finding_count;
			*known = *known && f->has_findings;
		}
	}
	return count;
}

struct finding_changes finding_changes_find(const struct diff *d, struct arena *arena)
{
	struct finding_changes c = {0};

	c.all = arena_alloc(arena, count_findings(d, &c.known), sizeof(*c.all));
	/* The side after gives the title where both have one: it is what is left to do. */
	for (int side = SIDES - 1; c.known && side >= 0; side--) {
		const struct side_runs *s = &d->sides.of[side];

		for (size_t r = 0; r < s->run_count; r++) {
			const struct run_facts *f = &s->runs[r]->facts;

			for (size_t i = 0; i < f->finding_count; i++) {
				if (is_first(f, i))
					find_change(&c, &f->findings[i])->ns[side] +=
						side_step_ns(s, largest_of(f, f->findings[i].id));
			}
		}
	}
	for (size_t i = 0; i < c.count; i++)
		c.all[i].state = state_of(&c.all[i]);
	sort_stable(c.all, c.count, sizeof(*c.all), by_change, NULL);
	return c;
}

static const struct column finding_columns[] = {
	{"state", "Finding", UNIT_NAME, 0, NULL, SHOW},
	{"before_ns", "Recoverable before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"title", "What", UNIT_NAME, 0, NULL, SHOW},
	{"id", "Stable name", UNIT_NAME, 0, "", MACHINE_ONLY},
};

/* What is gone or new, and costs enough of a step for people. */
static bool is_shown(const struct diff *d, const struct finding_change *c)
{
	const enum side side = c->state == FINDING_GONE ? BEFORE : AFTER;

	return (c->state == FINDING_GONE || c->state == FINDING_NEW) &&
	       c->ns[side] >= shown_share * side_step_ns(&d->sides.of[side], d->sides.of[side].ns);
}

void diff_add_findings(struct report *r, const struct diff *d)
{
	const struct finding_changes c = finding_changes_find(d, &r->arena);
	struct rows *rows =
		REPORT_ROWS(r, "findings", "Findings before and after", finding_columns);

	for (size_t i = 0; i < c.count; i++) {
		const struct finding_change *f = &c.all[i];

		ROWS_ADD(rows, cell_text(state_keys[f->state]), cell_real(f->ns[BEFORE]),
			 cell_real(f->ns[AFTER]), cell_text(f->title), cell_text(f->id));
	}
}

void diff_note_findings(struct report *r, const struct diff *d)
{
	const struct finding_changes c = finding_changes_find(d, &r->arena);
	size_t noted = 0, left = 0;

	for (size_t i = 0; i < c.count; i++) {
		const struct finding_change *f = &c.all[i];
		SCOPED_BUF b = {0};

		if (!is_shown(d, f))
			continue;
		if (noted == NOTED) {
			left++;
			continue;
		}
		noted++;
		buf_adds(&b, f->state == FINDING_GONE ? "Fixed" : "New finding");
		buf_addf(&b, ": %s (", f->title);
		units_add_ns(&b, f->ns[f->state == FINDING_GONE ? BEFORE : AFTER]);
		report_note(r, "%s of a step).", b.s);
	}
	if (left)
		report_note(r, "%zu more finding%s gone or new: --by finding lists them.", left,
			    left == 1 ? " is" : "s are");
}
