/* When did each of several captures begin? */
#include "traces/traces.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "report/report.h"
#include "trace/small_table.h"

#include <stdlib.h>
#include <string.h>

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

/* Where something of a side begins, and what it is. */
struct anchor {
	int64_t at_ns;	  /* on the clock of the side */
	const char *what; /* "first warm step" */
	bool is_step;
};

static const char *anchor_word(struct traces *t, const struct capture *c, const struct scope *s)
{
	if (!s->has_trim)
		return "start of the capture";
	if (s->in_iteration)
		return arena_printf(&t->arena, "step %llu", (unsigned long long)c->scope.iteration);
	return s->chosen == SPAN_WARM  ? "first warm step"
	       : s->chosen == SPAN_GPU ? "first GPU work"
				       : "start of the window";
}

static int find_anchor(struct traces *t, const struct capture *c, struct anchor *ret, struct err *e)
{
	struct report notes = {0};
	struct scope s = c->scope;
	int result = 0;

	if (!s.has_trim)
		result = default_window(c->trace, &s, SPAN_WARM, &notes, e);
	ret->at_ns = sat_add(s.has_trim ? s.from_ns : c->span.start_ns, c->shift_ns);
	ret->what = anchor_word(t, c, &s);
	ret->is_step = s.has_trim && (s.in_iteration || s.chosen == SPAN_WARM);
	report_free(&notes);
	return result < 0 ? err_forgive_absent(e) : 0;
}

/* The captures of a side share their own clock; the first that has steps says where they begin. */
static int align_side(struct traces *t, size_t begin, size_t end, struct anchor *ret, struct err *e)
{
	struct traces side = {.all = t->all + begin, .count = end - begin};
	bool any = false;

	for (size_t i = 0; i < side.count; i++)
		side.all[i].shift_ns = 0;
	if (traces_align(&side, e) < 0)
		return -1;
	for (size_t i = 0; i < side.count && !(any && ret->is_step); i++) {
		struct anchor own = {0};

		if (!side.all[i].is_asked)
			continue;
		if (find_anchor(t, &side.all[i], &own, e) < 0)
			return -1;
		if (!any || own.is_step)
			*ret = own;
		any = true;
	}
	return 0;
}

static void move_side(struct traces *t, size_t begin, size_t end, int64_t by_ns)
{
	for (size_t i = begin; i < end; i++)
		t->all[i].shift_ns = sat_add(t->all[i].shift_ns, by_ns);
}

int traces_align_sides(struct traces *t, struct err *e)
{
	struct anchor a = {.what = "start of the capture"}, b = a;

	if (align_side(t, 0, t->first_after, &a, e) < 0 ||
	    align_side(t, t->first_after, t->count, &b, e) < 0)
		return -1;
	/* No time is before 0: one is moved to where the other begins. */
	if (a.at_ns < b.at_ns)
		move_side(t, 0, t->first_after, sat_sub(b.at_ns, a.at_ns));
	else
		move_side(t, t->first_after, t->count, sat_sub(a.at_ns, b.at_ns));
	t->clock = CLOCK_STEPS;
	t->aligned_at = strcmp(a.what, b.what) == 0
				? a.what
				: arena_printf(&t->arena, "%s of A, %s of B", a.what, b.what);
	return 0;
}
