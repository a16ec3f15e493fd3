/* Where is the GPU idle for the longest time? */
#include "tui/timeline/timeline_view.h"

#include "text/units.h"
#include "timeline/lane_gaps.h"

enum { GAPS = 64 };

/* Idle are GPUs and streams: from any other row the way leads to the first GPU of its capture. */
static bool go_to_gpu(struct timeline_state *s)
{
	const struct track_part *part = chosen_part(s);
	const enum track_kind kind = part ? s->set->all[s->chosen_lane.track].kind : TRACK_KINDS;

	if (!part || kind == TRACK_GPU || kind == TRACK_STREAM)
		return part != NULL;
	for (size_t i = track_part_begin(part); i < track_part_end(part); i++) {
		if (s->set->all[i].kind == TRACK_GPU) {
			show_line(s, i, 0);
			return true;
		}
	}
	return false;
}

static bool is_same(struct span a, struct span b)
{
	return a.start_ns == b.start_ns && a.end_ns == b.end_ns;
}

/* The one after the last that was gone to, or the one before. */
static size_t next_of(const struct lane_gap *gaps, size_t count, struct span last, int way)
{
	for (size_t i = 0; i < count; i++) {
		if (is_same(gaps[i].span, last))
			return way > 0 ? (i + 1) % count : (i + count - 1) % count;
	}
	return 0;
}

static void say_gap(struct app *a, const struct timeline_state *s, struct span gap, size_t number,
		    size_t count)
{
	SCOPED_BUF b = {0};

	buf_addf(&b, "gap %zu of the longest %zu: ", number, count);
	units_add_ns(&b, (double)sat_sub(gap.end_ns, gap.start_ns));
	buf_adds(&b, " from ");
	add_time(&b, a, s, gap.start_ns);
	app_say(a, "%s; Enter tells why, e the finding", b.s);
}

int pick_gap(struct app *a, struct timeline_state *s, int way, struct err *e)
{
	struct lane_gap gaps[GAPS];
	const struct lane *lane;
	size_t count, at;
	int64_t quarter;
	struct span gap;

	(void)e;
	if (!go_to_gpu(s)) {
		app_say(a, "there is no GPU that could be idle");
		return 0;
	}
	lane = line_lane(s, &s->lines[s->chosen]);
	count = lane_gaps_find(lane, a->limits, gaps, GAPS);
	if (!count) {
		app_say(a, "no gap on this line");
		return 0;
	}
	at = next_of(gaps, count, s->last_gap, way);
	gap = gaps[at].span;
	quarter = sat_sub(gap.end_ns, gap.start_ns) / 4;
	app_remember(a);
	app_set_window(a,
		       (struct span){sat_sub(gap.start_ns, quarter), sat_add(gap.end_ns, quarter)});
	s->last_gap = gap;
	s->picked.any = false;
	s->cursor_ns = gap.start_ns;
	a->selection = (struct selection){.kind = SELECTED_TIME,
					  .capture = a->capture,
					  .track = s->set->all[s->lines[s->chosen].track].number,
					  .span = gap,
					  .is_gap = true,
					  .around = lane_gap_around(lane, gap)};
	say_gap(a, s, gap, at + 1, count);
	return 0;
}
