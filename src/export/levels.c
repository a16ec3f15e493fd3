/* How much of something is there at once, over time? */
#include "export/levels.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static void add_change(struct level_changes *c, int64_t at_ns, int64_t amount)
{
	MEM_GROW(c->all, c->cap, c->count + 1);
	c->all[c->count++] = (struct level_change){at_ns, amount};
}

void level_add(struct level *l, int64_t from_ns, int64_t to_ns, int64_t amount)
{
	add_change(&l->up, from_ns, amount);
	add_change(&l->down, to_ns, amount);
}

void level_free(struct level *l)
{
	free(l->up.all);
	free(l->down.all);
	*l = (struct level){0};
}

static int compare_changes(const void *a, const void *b, void *ctx)
{
	const struct level_change *x = a, *y = b;

	(void)ctx;
	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* They usually are in order. */
static void sort_changes(struct level_changes *c)
{
	size_t sorted = 1;

	while (sorted < c->count && c->all[sorted - 1].at_ns <= c->all[sorted].at_ns)
		sorted++;
	if (sorted < c->count)
		sort_stable(c->all, c->count, sizeof(*c->all), compare_changes, NULL);
}

static void drop_first(struct level_changes *c, size_t count)
{
	c->count -= count;
	if (count)
		memmove(c->all, c->all + count, c->count * sizeof(*c->all));
}

int level_tell(struct walk *w, uint32_t track, int64_t at_ns, int64_t value, struct err *e)
{
	const struct timeline_value v = {
		.track = track,
		.at_ns = sat_add(at_ns, w->shift_ns),
		.value = value,
	};

	w->counts->values++;
	return w->tracks.how->counter(w->tracks.writer, &v, e);
}

static int tell_value(struct level *l, struct walk *w, int64_t at_ns, struct err *e)
{
	if (!l->track && tracks_counter(&w->tracks, l->device, l->name, l->unit, &l->track, e) < 0)
		return -1;
	return level_tell(w, l->track, at_ns, (int64_t)l->value, e);
}

/* One value for each time at which it changes. */
static int tell_until(struct level *l, struct walk *w, int64_t before_ns, bool all, struct err *e)
{
	size_t up = 0, down = 0;
	int result = 0;

	sort_changes(&l->up);
	sort_changes(&l->down);
	/* What lasts ends after it begins: what begins runs out first. */
	while (down < l->down.count && result == 0) {
		int64_t at_ns = l->down.all[down].at_ns;
		uint64_t before = l->value;

		if (up < l->up.count && l->up.all[up].at_ns < at_ns)
			at_ns = l->up.all[up].at_ns;
		if (!all && at_ns >= before_ns)
			break;
		for (; down < l->down.count && l->down.all[down].at_ns <= at_ns; down++)
			l->value -= (uint64_t)l->down.all[down].amount;
		for (; up < l->up.count && l->up.all[up].at_ns <= at_ns; up++)
			l->value += (uint64_t)l->up.all[up].amount;
		if (l->value != before)
			result = tell_value(l, w, at_ns, e);
	}
	drop_first(&l->up, up);
	drop_first(&l->down, down);
	l->kept = l->up.count + l->down.count;
	return result;
}

int level_pass(struct level *l, struct walk *w, int64_t before_ns, struct err *e)
{
	/* Where much is kept again and again it is looked at seldom. */
	if (!l->down.count || l->up.count + l->down.count < 2 * l->kept)
		return 0;
	return tell_until(l, w, before_ns, false, e);
}

int level_end(struct level *l, struct walk *w, struct err *e)
{
	return tell_until(l, w, 0, true, e);
}
