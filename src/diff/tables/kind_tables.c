/* What is compared beside the account: kinds of steps, and what the host does. */
#include "diff/tables/tables.h"

#include <math.h>
#include <string.h>

static const struct column kind_columns[] = {
	{"kind", "Kind of step", UNIT_ID, 0, "", SHOW},
	{"steps_before", "Steps before", UNIT_COUNT, 0, NULL, SHOW},
	{"steps_after", "Steps after", UNIT_COUNT, 0, NULL, SHOW},
	{"before_ns", "Mean before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "Mean after", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"launches", "Launches like kind", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"mode", "Mode", UNIT_ID, 0, NULL, MACHINE_ONLY},
};

void diff_add_kinds(struct report *r, const struct diff *d)
{
	struct rows *rows = REPORT_ROWS(r, "kinds", "Kinds of steps", kind_columns);

	for (size_t i = 0; i < d->sides.kind_count; i++) {
		const struct shared_kind *k = &d->sides.kinds[i];
		const double b = k->steps[0] ? (double)k->ns[0] / (double)k->steps[0] : NAN;
		const double a = k->steps[1] ? (double)k->ns[1] / (double)k->steps[1] : NAN;

		ROWS_ADD(rows, cell_int((int64_t)i + 1), cell_int((int64_t)k->count[BEFORE]),
			 cell_int((int64_t)k->count[AFTER]), cell_finite(b), cell_finite(a),
			 cell_finite(a - b), cell_int(k->launches), cell_int(k->mode));
	}
}

static const struct column host_columns[] = {
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
	{"with_range", "With", UNIT_NAME, 0, "", SHOW},
	{"before_ns", "Before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"wait_before_ns", "Waiting before", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wait_after_ns", "Waiting after", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
};

static const char *path_words(const char *path)
{
	return path[0] ? path : "(the step itself)";
}

/* A range that one side has alone, and what is in it was in the one around it before. */
static struct cell range_within(const struct side_host *h)
{
	return strcmp(h->name, h->path) == 0 ? cell_null() : cell_text(h->name);
}

void diff_add_host(struct report *r, const struct diff *d, uint64_t limit)
{
	const struct sides *s = &d->sides;
	struct rows *rows = REPORT_ROWS(r, "host_ranges", "What the host does in a step, by range",
					host_columns);

	for (size_t i = 0; i < s->host_count && (!limit || i < limit); i++) {
		const struct side_host *h = &s->host[i];

		ROWS_ADD(rows, cell_text(path_words(h->path)), range_within(h),
			 cell_real(side_step_ns(&s->of[BEFORE], h->own_ns[BEFORE])),
			 cell_real(side_step_ns(&s->of[AFTER], h->own_ns[AFTER])),
			 cell_real(side_change_ns(s, h->own_ns)),
			 cell_real(side_step_ns(&s->of[BEFORE], h->wait_ns[BEFORE])),
			 cell_real(side_step_ns(&s->of[AFTER], h->wait_ns[AFTER])));
	}
	rows->table.total_rows = s->host_count;
}
