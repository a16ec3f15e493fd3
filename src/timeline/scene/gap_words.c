/* Why is a GPU idle in a gap? */
#include "timeline/scene/gap_words.h"

#include "report/kernel_name.h"
#include "text/text.h"
#include "text/units.h"

/* Of a kernel its short name. */
static void add_op(struct buf *b, const char *what, const struct cell *c)
{
	SCOPED_BUF name = {0};

	if (c->kind != CELL_TEXT || !c->s.len)
		return;
	kernel_name_add_short(&name, c->s);
	buf_addf(b, "%s\t", what);
	text_add_safe(b, buf_str(&name));
	buf_addc(b, '\n');
}

static void add_range(struct buf *b, const struct cell *c)
{
	if (c->kind != CELL_TEXT || !c->s.len)
		return;
	buf_adds(b, "in range\t");
	text_add_safe(b, c->s);
	buf_addc(b, '\n');
}

/* The row of the gap; UINT64_MAX: the table has none. */
static uint64_t find_row(const struct table *t, uint32_t device, struct span own)
{
	for (uint64_t i = 0; t && i < t->rows; i++) {
		const struct cell on = table_cell(t, i, "device");

		if (table_cell(t, i, "start_ns").i <= own.start_ns &&
		    table_cell(t, i, "end_ns").i >= own.end_ns &&
		    (on.kind != CELL_INT || device == ID_NONE || on.i == (int64_t)device))
			return i;
	}
	return UINT64_MAX;
}

/* What threads did meanwhile, the longest first: at most three. */
static void add_shares(struct buf *b, const struct table *t, uint64_t row)
{
	static const struct {
		const char *column, *words;
	} shares[] = {
		{"host_ns", "host code outside CUDA calls"},
		{"sync_ns", "synchronising with the GPU"},
		{"copy_ns", "in a copy or memset call"},
		{"alloc_ns", "allocating memory or loading modules"},
		{"launch_ns", "in launch calls"},
		{"cuda_ns", "in other CUDA calls"},
		{"overhead_ns", "the profiler's own work"},
		{"queued_ns", "already launched: queued on the GPU"},
		{"end_blame_ns", "nothing left to launch"},
		{"unknown_ns", "unknown"},
	};
	int64_t below = INT64_MAX;

	for (int n = 0; n < 3; n++) {
		size_t best = ARRAY_LEN(shares);
		int64_t most = 0;

		for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
			const struct cell c = table_cell(t, row, shares[i].column);

			if (c.kind == CELL_INT && c.i > most && c.i < below) {
				most = c.i;
				best = i;
			}
		}
		if (best == ARRAY_LEN(shares))
			return;
		buf_addf(b, "%s\t", n ? "" : "meanwhile");
		units_add_ns(b, (double)most);
		buf_addf(b, "  %s\n", shares[best].words);
		below = most;
	}
}

/* One that only touches the gap is about what comes before or after it. */
bool gap_words_is_about(const struct derived_span *place, struct span own)
{
	const int64_t place_ns = sat_sub(place->end_ns, place->start_ns);
	const int64_t gap_ns = sat_sub(own.end_ns, own.start_ns);
	const int64_t both_ns = span_overlap((struct span){place->start_ns, place->end_ns}, own);

	return place_ns / 2 <= gap_ns && both_ns > 0 &&
	       both_ns >= (place_ns < gap_ns ? place_ns : gap_ns) / 10;
}

/* Titles of the findings about it. */
void gap_words_add_findings(struct buf *b, const struct track_part *part, struct span gap)
{
	const struct span own = span_shift(gap, -part->shift_ns);
	const struct named_spans *n = &part->findings;
	const char *what = "finding";
	uint32_t last = UINT32_MAX; /* places of a finding lie together */

	for (size_t i = 0; i < n->spans.count; i++) {
		const struct derived_span d = span_source_at(&n->spans, i);

		if (d.of == last || !gap_words_is_about(&d, own))
			continue;
		last = d.of;
		buf_addf(b, "%s\t", what);
		text_add_safe(b, str_of(n->names[d.of]));
		buf_addc(b, '\n');
		what = "";
	}
}

/* It says more than "host code". */
void gap_words_add_os_call(struct buf *b, struct scene *s, size_t track, struct span gap)
{
	struct track_set *set = s->set;
	const struct track_part *part = set->all[track].part;
	const struct track *of = NULL;
	struct lane_event best = {0};
	int64_t most = 0;

	for (size_t i = track_part_begin(part); i < track_part_end(part); i++) {
		const struct lanes *lanes = set->all[i].kind == TRACK_OS ? track_set_lanes(set, i)
									 : &(const struct lanes){0};

		for (size_t l = 0; l < lanes->count; l++) {
			const struct lane *lane = &lanes->all[l];
			const size_t end = lane_begun(lane, gap.end_ns);
			const size_t at = lane_longest(lane, lane_from(lane, gap.start_ns), end);
			const struct lane_event e =
				at < end ? lane_event(lane, at) : (struct lane_event){0};
			const int64_t ns = span_overlap((struct span){e.start_ns, e.end_ns}, gap);

			if (at < end && ns > most) {
				most = ns;
				best = e;
				of = &set->all[i];
			}
		}
	}
	if (!of || most < sat_sub(gap.end_ns, gap.start_ns) / 10)
		return;
	buf_adds(b, "OS call\t");
	units_add_ns(b, (double)most);
	buf_adds(b, "  ");
	text_add_safe(b, track_event_name(of, &best));
	buf_addc(b, '\n');
}

static void add_row(struct buf *b, const struct table *t, uint64_t row)
{
	struct cell c = table_cell(t, row, "before");

	add_op(b, "before", &c);
	c = table_cell(t, row, "after");
	add_op(b, "after", &c);
	c = table_cell(t, row, "range");
	add_range(b, &c);
	add_shares(b, t, row);
}

int gap_words_add(struct buf *b, struct scene *s, size_t track, struct span gap, struct span around,
		  struct err *e)
{
	const struct track_part *part = s->set->all[track].part;
	const struct span own = span_shift(gap, -part->shift_ns);
	struct answer answer;
	const int result = answer_make(&answer, &s->traces->all[part->number], "idle", &around, e);
	const struct table *t = result < 0 ? NULL : report_find_table(&answer.report, "gaps");
	const uint64_t row = find_row(t, s->set->all[track].device, own);

	if (row != UINT64_MAX)
		add_row(b, t, row);
	answer_free(&answer);
	return result < 0 ? err_forgive_absent(e) : 0;
}
