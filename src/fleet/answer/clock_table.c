/* How far are the captures' clocks apart, and how sure is that? */
#include "fleet/answer/answer.h"

static const struct column columns[] = {
	{"file", "File", UNIT_NAME, 0, "", SHOW},
	{"clock", "Clock", UNIT_NAME, 0, NULL, SHOW},
	{"offset_ns", "Offset", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"beyond_utc_ns", "Beyond UTC", UNIT_CHANGE_NS, 0, NULL, SHOW_IF_ROOM},
	{"drift_ppm", "Drift, ppm", UNIT_RATIO, 0, NULL, SHOW},
	{"uncertainty_us", "Uncertainty, µs", UNIT_RATIO, 0, NULL, SHOW},
	{"collectives", "Collectives", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"contradicting", "Contradicting", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
};

static const char *word_of(const struct job_part *p)
{
	if (!p->clock.known || p->clock.by_utc)
		return p->part->utc_ns == PART_UNKNOWN ? "unknown" : "utc";
	return p->clock.fit.used ? "collectives" : "reference";
}

static double tenths(double x)
{
	return round(10 * x) / 10;
}

void fleet_clocks_table(struct fleet_answer *a)
{
	struct rows *rows = REPORT_ROWS(a->report, "clocks", "Clocks", columns);

	rows->table.kind = "clock";
	rows->table.drops_empty = true;
	for (size_t i = 0; i < a->job.part_count; i++) {
		const struct job_part *p = &a->job.parts[i];
		const struct job_clock *c = &p->clock;
		const bool fitted = c->known && c->fit.used;
		const int64_t beyond_ns = sat_of_double(round(c->fit.at_zero_ns));

		ROWS_ADD(rows, cell_text(p->part->file), cell_text(word_of(p)),
			 c->known ? cell_int(sat_add(c->shift_ns, beyond_ns)) : cell_null(),
			 fitted && p->part->utc_ns != PART_UNKNOWN ? cell_int(beyond_ns)
								   : cell_null(),
			 fitted ? cell_real(tenths(1e6 * c->fit.drift)) : cell_null(),
			 c->known ? cell_real(tenths(c->uncertainty_ns / 1e3)) : cell_null(),
			 fitted ? cell_int((int64_t)c->fit.used) : cell_null(),
			 fitted ? cell_int((int64_t)c->fit.left_out) : cell_null());
	}
}
