/* When did each of several captures begin? */
#include "traces/traces.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "report/report.h"
#include "trace/small_table.h"

#include <stdlib.h>

/* UTC of a capture's time 0; false: the export does not say. */
static int read_start(struct trace *t, int64_t *ret, bool *known, struct err *e)
{
	static const char *const columns[] = {"utcEpochNs", NULL};
	struct small_table s;

	*ret = 0;
	if (trace_read_small(t, "TARGET_INFO_SESSION_START_TIME", columns, &s, e) < 0)
		return -1;
	if (s.rows)
		*ret = value_int(small_value(&s, 0, 0), 0);
	*known = *ret > 0;
	return 0;
}

/* There is a moment that all of them have seen: they were taken together. */
static bool share_a_moment(const struct traces *t, const int64_t *starts)
{
	struct span common = {INT64_MIN, INT64_MAX};

	for (size_t i = 0; i < t->count; i++) {
		const struct span own = span_shift(t->all[i].span, starts[i]);

		/* One in which nothing was captured has seen nothing. */
		if (t->all[i].span.end_ns < t->all[i].span.start_ns)
			continue;
		if (own.start_ns > common.start_ns)
			common.start_ns = own.start_ns;
		if (own.end_ns < common.end_ns)
			common.end_ns = own.end_ns;
	}
	return common.start_ns < common.end_ns;
}

int traces_align(struct traces *t, struct err *e)
{
	int64_t *starts = mem_zalloc(t->count, sizeof(*starts)), first = INT64_MAX;
	bool all_known = true;
	int result = 0;

	for (size_t i = 0; i < t->count && result == 0; i++) {
		bool known = false;

		result = read_start(t->all[i].trace, &starts[i], &known, e);
		all_known &= known;
		first = starts[i] < first ? starts[i] : first;
	}
	t->clock = all_known && share_a_moment(t, starts) ? CLOCK_UTC : CLOCK_STARTS;
	/* No time is before 0: the shared clock is that of the one that began first. */
	for (size_t i = 0; i < t->count && t->clock == CLOCK_UTC; i++)
		t->all[i].shift_ns = sat_sub(starts[i], first);
	free(starts);
	return result;
}

/* Where its first warm step begins. */
static int find_anchor(const struct capture *c, int64_t *ret, struct err *e)
{
	struct report notes = {0};
	struct scope s = c->scope;
	int result = 0;

	if (!s.has_trim)
		result = default_window(c->trace, &s, SPAN_WARM, &notes, e);
	*ret = s.has_trim ? s.from_ns : c->span.start_ns;
	report_free(&notes);
	return result < 0 ? err_forgive_absent(e) : 0;
}

int traces_align_steps(struct traces *t, struct err *e)
{
	int64_t *anchors = mem_zalloc(t->count, sizeof(*anchors)), last = INT64_MIN;
	int result = 0;

	for (size_t i = 0; i < t->count && result == 0; i++) {
		result = find_anchor(&t->all[i], &anchors[i], e);
		last = anchors[i] > last ? anchors[i] : last;
	}
	/* No time is before 0: others are moved to where the last of them begins. */
	for (size_t i = 0; i < t->count && result == 0; i++)
		t->all[i].shift_ns = sat_sub(last, anchors[i]);
	t->clock = CLOCK_STEPS;
	free(anchors);
	return result;
}
