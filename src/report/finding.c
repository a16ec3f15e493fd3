/* How does a finding look to a person? */
#include "report/finding.h"

#include "base/saturate.h"
#include "report/cell_text.h"
#include "text/units.h"

#include <math.h>

/* Whether the figure is how long the time lasts, rather than one about it. */
static bool is_span(const struct evidence *v)
{
	return v->unit == UNIT_NS && v->value.kind == CELL_INT && v->value.i >= 0 &&
	       sat_add(v->start_ns, v->value.i) == v->end_ns;
}

void evidence_add_value(struct buf *b, const struct evidence *v)
{
	cell_add_human(b, v->unit, v->value);
	if (!v->has_when)
		return;
	buf_adds(b, is_span(v) ? " (at " : " (from ");
	units_add_time(b, v->start_ns);
	if (!is_span(v)) {
		buf_adds(b, " to ");
		units_add_time(b, v->end_ns);
	}
	buf_addc(b, ')');
}

void finding_add_cost(struct buf *b, const struct finding *f)
{
	if (f->recoverable_ns <= 0)
		return;
	units_add_ns(b, (double)f->recoverable_ns);
	if (!isfinite(f->recoverable_pct))
		return;
	buf_adds(b, ", ");
	units_add_fixed(b, f->recoverable_pct, 1);
	buf_addf(b, " %% of %s", f->share_of ? f->share_of : "the window");
}

void finding_add_gain(struct buf *b, const struct finding *f, const struct report *r)
{
	const double parts = r->window_steps ? (double)r->window_steps : 1;
	const double window_ns = (double)sat_sub(r->window_end_ns, r->window_start_ns);

	if (f->recoverable_ns <= 0)
		return;
	buf_adds(b, "up to ");
	units_add_ns(b, (double)f->recoverable_ns / parts);
	buf_adds(b, " of ");
	units_add_ns(b, window_ns / parts);
	if (r->window_steps)
		buf_adds(b, " a step");
	if (!isfinite(f->recoverable_pct))
		return;
	buf_adds(b, " (");
	units_add_fixed(b, window_ns > 0 ? 100 * (double)f->recoverable_ns / window_ns : 0, 1);
	buf_adds(b, " %)");
}

struct span finding_longest_place(const struct finding *f)
{
	struct span longest = SPAN_NONE;

	for (size_t i = 0; i < f->place_count; i++) {
		if (!i || span_ns(f->places[i]) > span_ns(longest))
			longest = f->places[i];
	}
	return longest;
}

const char *severity_name(enum severity s)
{
	static const char *const names[] = {"info", "low", "medium", "high"};

	return names[s];
}

const char *confidence_name(enum confidence c)
{
	static const char *const names[] = {"low", "medium", "high"};

	return names[c];
}
