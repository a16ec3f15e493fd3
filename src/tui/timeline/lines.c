/* Which lanes are shown on which line of the timeline? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"

enum { FINDINGS_SHOWN = 8 }; /* lanes: one that is not seen is not found */

static size_t lanes_shown(const struct timeline_state *s, size_t track, bool chosen)
{
	const struct track *t = &s->set->all[track];
	const int asked = chosen ? s->settings[SETTING_CHOSEN] : s->settings[SETTING_OTHERS];
	const int most = track_is_nested(t) ? s->settings[SETTING_DEPTH]
			 : t->kind == TRACK_FINDINGS && asked < FINDINGS_SHOWN ? FINDINGS_SHOWN
									       : asked;

	return t->lanes.count < (size_t)most ? t->lanes.count : (size_t)most;
}

static void add_lines(struct timeline_state *s, size_t track, bool chosen)
{
	size_t count;

	track_set_lanes(s->set, track);
	count = lanes_shown(s, track, chosen);
	if (s->chosen_lane.track == track && s->chosen_lane.lane >= count &&
	    s->chosen_lane.lane < s->set->all[track].lanes.count)
		count = s->chosen_lane.lane + 1;
	for (size_t i = 0; i < count; i++) {
		MEM_GROW(s->lines, s->line_cap, s->line_count + 1);
		s->lines[s->line_count++] = (struct line){track, i};
	}
}

/* Whether it is folded into one above it. */
static bool is_folded_away(const struct timeline_state *s, size_t track)
{
	size_t above;

	while ((above = track_set_above(s->set, track)) != track) {
		if (s->tracks[above].is_folded)
			return true;
		track = above;
	}
	return false;
}

static void list_some(struct timeline_state *s, bool pinned, size_t chosen)
{
	for (size_t i = 0; i < s->set->count; i++) {
		if (s->tracks[i].is_pinned == pinned && !s->tracks[i].is_hidden &&
		    !is_folded_away(s, i))
			add_lines(s, i, i == chosen);
	}
}

/* That of the chosen lane, or one that is not far from it. */
static size_t find_line(const struct timeline_state *s)
{
	const struct line *lane = &s->chosen_lane;
	size_t near = 0;

	for (size_t i = 0; i < s->line_count; i++) {
		if (s->lines[i].track == lane->track && s->lines[i].lane == lane->lane)
			return i;
		if (s->lines[i].track <= lane->track)
			near = i;
	}
	return near;
}

void lines_list(struct timeline_state *s)
{
	s->line_count = 0;
	list_some(s, true, s->chosen_lane.track);
	list_some(s, false, s->chosen_lane.track);
	s->chosen = find_line(s);
	if (s->line_count)
		s->chosen_lane = s->lines[s->chosen];
	/* What is picked is on the chosen line. */
	if (!s->line_count || s->chosen_lane.track != s->picked.track ||
	    s->chosen_lane.lane != s->picked.lane)
		s->picked.any = false;
}

const struct track_part *chosen_part(const struct timeline_state *s)
{
	return s->line_count ? s->set->all[s->lines[s->chosen].track].part : NULL;
}

const struct lane *line_lane(const struct timeline_state *s, const struct line *l)
{
	return &s->set->all[l->track].lanes.all[l->lane];
}
