/* Which rows does a page have room for, and which with all their events? */
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

/* false: it has more than `most` bytes. */
static bool record(struct recorded_row *row, struct site *s, size_t track, struct span part,
		   size_t most)
{
	struct recorded_track t;
	bool fits = recorded_track_make(&t, s, track, part, most);

	*row = (struct recorded_row){0};
	if (fits) {
		recorded_track_write(&t, &row->text);
		row->is_coarse = part.start_ns > part.end_ns || !t.is_whole;
		row->events = t.events;
		fits = length_of(row) <= most;
	}
	recorded_track_free(&t);
	if (!fits)
		buf_free(&row->text);
	return fits;
}

/* A small one may have room where a large one before it has none. */
static size_t record_afar(struct recorded_rows *r, struct site *s, size_t most)
{
	size_t used = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct recorded_row *row = &r->all[i];

		if (record(row, s, i, SPAN_NONE, most - used))
			used += length_of(row);
		else
			*row = (struct recorded_row){.is_coarse = true, .is_left_out = true};
	}
	return used;
}

void recorded_rows_make(struct recorded_rows *r, struct site *s, struct span part, size_t most)
{
	size_t used;

	r->count = s->scene.set->count;
	r->all = mem_zalloc(r->count, sizeof(*r->all));
	used = record_afar(r, s, most);
	for (size_t i = 0; i < r->count; i++) {
		struct recorded_row full, *afar = &r->all[i];
		const size_t own = length_of(afar);

		if (!record(&full, s, i, part, most - used + own))
			continue;
		used += length_of(&full) - own;
		buf_free(&afar->text);
		*afar = full;
	}
}

void recorded_rows_free(struct recorded_rows *r)
{
	for (size_t i = 0; i < r->count; i++)
		buf_free(&r->all[i].text);
	free(r->all);
}
