/* Which events of the timeline have names that match? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"
#include "text/pattern.h"
#include "text/units.h"

#include <stdlib.h>

enum { AT_ONCE = 64 };

void timeline_forget_hits(struct timeline_state *s)
{
	for (size_t i = 0; i < s->set->count; i++) {
		for (size_t l = 0; s->tracks[i].hits && l < s->set->all[i].lanes.count; l++)
			free(s->tracks[i].hits[l].at);
		free(s->tracks[i].hits);
		s->tracks[i].hits = NULL;
	}
	s->hit_count = SIZE_MAX;
}

/* Names come again and again: each is tried once, known by where its text is. */
struct tried {
	struct pattern *pattern;
	struct idmap known; /* address → 0 or 1 */
};

static int matches(struct tried *t, struct str name, struct err *e)
{
	const uint64_t key = (uint64_t)(uintptr_t)name.s;
	uint32_t known = idmap_get(&t->known, key);

	if (known == IDMAP_NONE) {
		const int match = pattern_match(t->pattern, name, e);

		if (match < 0)
			return -1;
		known = idmap_add(&t->known, key, match > 0);
	}
	return (int)known;
}

static int search_lane(struct timeline_state *s, size_t track, size_t number, struct tried *t,
		       struct lane_hits *ret, struct err *e)
{
	const struct lane *lane = &s->set->all[track].lanes.all[number];
	size_t cap = 0;

	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_event event = lane_event(lane, i);
		const int match = matches(t, track_event_name(&s->set->all[track], &event), e);

		if (match < 0)
			return -1;
		if (!match)
			continue;
		MEM_GROW(ret->at, cap, ret->count + 1);
		ret->at[ret->count++] = (uint32_t)i;
	}
	s->hit_count += ret->count;
	return 0;
}

/* GPUs, steps and values have no names of their own. */
static bool has_names(const struct track *t)
{
	return t->kind != TRACK_GPU && t->kind != TRACK_STEPS && !t->values;
}

static int search_all(struct timeline_state *s, struct tried *t, struct err *e)
{
	s->hit_count = 0;
	for (size_t i = 0; i < s->set->count; i++) {
		const struct lanes *lanes = track_set_lanes(s->set, i);

		if (!has_names(&s->set->all[i]))
			continue;
		s->tracks[i].hits = mem_zalloc(lanes->count, sizeof(*s->tracks[i].hits));
		for (size_t l = 0; l < lanes->count; l++) {
			if (search_lane(s, i, l, t, &s->tracks[i].hits[l], e) < 0)
				return -1;
		}
	}
	return 0;
}

int timeline_search(struct app *a, struct timeline_state *s, const char *pattern, struct err *e)
{
	struct tried t = {0};
	SCOPED_BUF b = {0};
	int result;

	timeline_forget_hits(s);
	if (!*pattern)
		return 0;
	if (pattern_compile(&t.pattern, str_of(pattern), PATTERN_ANY_CASE, e) < 0)
		return err_wrap(e, "search '%s'", pattern);
	result = search_all(s, &t, e);
	pattern_free(t.pattern);
	idmap_free(&t.known);
	if (result < 0) {
		timeline_forget_hits(s);
		return -1;
	}
	units_add_count(&b, (int64_t)s->hit_count);
	app_say(a, "%s %s; n and N go through them", b.s, s->hit_count == 1 ? "hit" : "hits");
	return s->hit_count ? pick_hit(a, s, 1, e) : 0;
}
