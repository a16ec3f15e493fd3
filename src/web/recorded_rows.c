/*
 * Which rows does a page have room for, and in how much detail? All rows are seen from afar before
 * any is seen from nearer, and single events come last, unless somebody chose a part: all events of
 * that come before more of the rest. Of each such round captures have equal shares first, and then
 * what the others have left.
 */
#include "web/recorded_rows.h"

#include "base/mem.h"
#include "web/recorded_track.h"

#include <stdlib.h>
#include <string.h>

/* With the comma after it. */
static size_t length_of(const struct recorded_row *row)
{
	return row->text.len ? row->text.len + strlen(",\n") : 0;
}

struct choosing {
	struct recorded_rows *rows;
	struct site *site;
	struct recorded_wish wish; /* of this round */
	size_t most, used;	   /* bytes */
	size_t *by_capture;	   /* that rows of each have in this round beyond those before it */
};

/* The row as it is wished for in this round; false: it has more than `most` bytes. */
static bool record(const struct choosing *c, size_t track, size_t most, struct recorded_row *ret)
{
	struct recorded_track t;
	bool fits = recorded_track_make(&t, c->site, track, &c->wish, most);

	*ret = (struct recorded_row){0};
	if (fits) {
		recorded_track_write(&t, &ret->text);
		ret->is_coarse = !t.is_whole;
		ret->is_at_end = t.is_whole && t.is_at_end;
		ret->events = t.events;
		fits = length_of(ret) <= most;
	}
	recorded_track_free(&t);
	if (!fits)
		buf_free(&ret->text);
	return fits;
}

static size_t capture_of(const struct choosing *c, size_t track)
{
	return c->site->scene.set->all[track].part->number;
}

/* In the place of what was there, where that has room. */
static void improve(struct choosing *c, size_t track, size_t most)
{
	struct recorded_row better, *row = &c->rows->all[track];
	const size_t own = length_of(row);
	const size_t room = c->most - c->used;

	if (!record(c, track, own + (most < room ? most : room), &better))
		return;
	if (length_of(&better) > own)
		c->by_capture[capture_of(c, track)] += length_of(&better) - own;
	c->used += length_of(&better) - own;
	buf_free(&row->text);
	better.round = c->rows->round;
	*row = better;
}

/* Of rows that have come as far as the round before this one: nothing is nearer before all are. */
static bool is_next(const struct choosing *c, size_t track)
{
	const struct recorded_row *row = &c->rows->all[track];

	return row->round + 1 == c->rows->round && !row->is_at_end;
}

static void make_round(struct choosing *c)
{
	const size_t captures = c->site->traces->count, share = (c->most - c->used) / captures;

	memset(c->by_capture, 0, captures * sizeof(*c->by_capture));
	c->rows->round++;
	for (size_t i = 0; i < c->rows->count; i++) {
		const size_t has = c->by_capture[capture_of(c, i)];

		if (is_next(c, i))
			improve(c, i, share > has ? share - has : 0);
	}
	for (size_t i = 0; i < c->rows->count; i++) {
		if (is_next(c, i))
			improve(c, i, SIZE_MAX);
	}
}

/* From ever nearer, and last with all events of the part: nobody chose one. */
static const struct recorded_wish all_of_it[] = {
	{.levels = 0},
	{.levels = RECORDED_AFAR / 2},
	{.levels = RECORDED_AFAR, .lists_events = true},
	{.levels = RECORDED_AFAR, .lists_events = true, .goes_down = true},
};

/* A part that somebody chose is what they send: it comes before what is around it. */
static const struct recorded_wish a_part[] = {
	{.levels = 0},
	{.goes_down = true},
	{.levels = RECORDED_AFAR / 2, .goes_down = true},
	{.levels = RECORDED_AFAR, .lists_events = true, .goes_down = true},
};

void recorded_rows_make(struct recorded_rows *r, struct site *s, struct span part, size_t most)
{
	const struct span all = s->status.limits;
	const bool is_all = part.start_ns <= all.start_ns && part.end_ns >= all.end_ns;
	const struct recorded_wish *rounds = is_all ? all_of_it : a_part;
	struct choosing c = {.rows = r, .site = s, .most = most};

	r->count = s->scene.set->count;
	r->all = mem_zalloc(r->count, sizeof(*r->all));
	for (size_t i = 0; i < r->count; i++)
		r->all[i] = (struct recorded_row){.is_left_out = true};
	c.by_capture = mem_zalloc(s->traces->count, sizeof(*c.by_capture));
	for (size_t i = 0; i < (is_all ? ARRAY_LEN(all_of_it) : ARRAY_LEN(a_part)); i++) {
		c.wish = rounds[i];
		c.wish.part = part;
		make_round(&c);
	}
	free(c.by_capture);
}

void recorded_rows_free(struct recorded_rows *r)
{
	for (size_t i = 0; i < r->count; i++)
		buf_free(&r->all[i].text);
	free(r->all);
}
