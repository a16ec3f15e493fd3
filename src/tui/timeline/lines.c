/* Which lanes are shown on which line of the timeline? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"

static size_t lanes_shown(const struct timeline_state *s, size_t track, bool chosen)
{
	const struct track *t = &s->set->all[track];
	const int most = t->kind == TRACK_RANGES || t->kind == TRACK_SPANS
				 ? s->settings[SETTING_DEPTH]
			 : chosen ? s->settings[SETTING_CHOSEN]
				  : s->settings[SETTING_OTHERS];

	return t->lanes.count < (size_t)most ? t->lanes.count : (size_t)most;
}

static void add_lines(struct timeline_state *s, size_t track, bool chosen)
{
	size_t count;

	track_set_lanes(s->set, track);
	count = lanes_shown(s, track, chosen);
	for (size_t i = 0; i < count; i++) {
		MEM_GROW(s->lines, s->line_cap, s->line_count + 1);
		s->lines[s->line_count++] = (struct line){track, i};
	}
}

/* Whether it is folded into one above it. */
static bool is_folded_away(const struct timeline_state *s, size_t track)
{
	size_t above = track;

	if (!s->set->all[track].depth)
		return false;
	while (above && s->set->all[above].depth)
		above--;
	return s->tracks[above].is_folded;
}

static void list_some(struct timeline_state *s, bool pinned, size_t chosen)
{
	for (size_t i = 0; i < s->set->count; i++) {
		if (s->tracks[i].is_pinned == pinned && !s->tracks[i].is_hidden &&
		    !is_folded_away(s, i))
			add_lines(s, i, i == chosen);
	}
}

void lines_list(struct timeline_state *s)
{
	const struct line chosen =
		s->chosen < s->line_count ? s->lines[s->chosen] : (struct line){0, 0};

	s->line_count = 0;
	list_some(s, true, chosen.track);
	list_some(s, false, chosen.track);
	s->chosen = 0;
	for (size_t i = 0; i < s->line_count; i++) {
		if (s->lines[i].track == chosen.track && s->lines[i].lane <= chosen.lane)
			s->chosen = i;
	}
}

const struct lane *line_lane(const struct timeline_state *s, const struct line *l)
{
	return &s->set->all[l->track].lanes.all[l->lane];
}
