/* Why is the GPU idle in the selected gap? */
#include "text/units.h"
#include "timeline/scene/gap_words.h"
#include "tui/text_box.h"
#include "tui/timeline/timeline_view.h"

static void add_times(struct buf *b, const struct app *a, const struct timeline_state *s,
		      size_t track, struct span gap)
{
	units_add_ns(b, (double)sat_sub(gap.end_ns, gap.start_ns));
	buf_adds(b, " idle\n\nrow\t");
	track_set_add_name(b, s->set, track);
	buf_adds(b, "\nfrom\t");
	add_time(b, a, s, gap.start_ns);
	buf_adds(b, "\nto\t");
	add_time(b, a, s, gap.end_ns);
	buf_addc(b, '\n');
}

int gap_details_show(struct app *a, struct timeline_state *s, struct err *e)
{
	const struct span gap = a->selection.span;
	size_t track;
	SCOPED_BUF b = {0};
	int result;

	if (!track_set_find_track(s->set, a->selection.track, &track))
		return 0;
	add_times(&b, a, s, track, gap);
	result = gap_words_add(&b, &s->scene, track, gap, a->selection.around, e);
	gap_words_add_os_call(&b, &s->scene, track, gap);
	gap_words_add_findings(&b, s->set->all[track].part, gap);
	text_box_show(a, "gap", buf_str(&b));
	return result;
}
