/* Which open range is innermost around an interval? */
#include "trace/ranges/open_ranges.h"

#include "base/mem.h"

#include <stdlib.h>

/*
 * Ranges that overlap without nesting are few in real programs. A hostile trace may have a million
 * of them open at once; looking at this many of the latest keeps it from taking forever.
 */
enum { LOOKED_AT = 1000 };

void open_ranges_clear(struct open_ranges *o)
{
	o->count = 0;
}

void open_ranges_free(struct open_ranges *o)
{
	free(o->items);
	*o = (struct open_ranges){0};
}

void open_ranges_enter(struct open_ranges *o, struct open_range r)
{
	MEM_GROW(o->items, o->cap, o->count + 1);
	o->items[o->count++] = r;
}

/* Drops the ended ones among the last `looked` ranges: as much work as looking at them was. */
static void drop_ended(struct open_ranges *o, int64_t now_ns, size_t looked)
{
	size_t kept = o->count - looked;

	for (size_t i = kept; i < o->count; i++) {
		if (o->items[i].end_ns >= now_ns)
			o->items[kept++] = o->items[i];
	}
	o->count = kept;
}

static uint64_t length(int64_t from_ns, int64_t to_ns)
{
	return (uint64_t)to_ns - (uint64_t)from_ns;
}

static void pop_ended(struct open_ranges *o, int64_t now_ns)
{
	while (o->count && o->items[o->count - 1].end_ns < now_ns)
		o->count--;
}

uint32_t open_ranges_find_shortest(struct open_ranges *o, int64_t start_ns, int64_t end_ns)
{
	uint64_t shortest = UINT64_MAX;
	uint32_t found = RANGE_NONE;
	size_t ended = 0, looked = 0;

	pop_ended(o, start_ns);
	for (size_t i = o->count; i > 0 && looked < LOOKED_AT; i--, looked++) {
		const struct open_range *r = &o->items[i - 1];

		/* Whatever began this early or earlier and reaches past the end is no shorter. */
		if (length(r->start_ns, end_ns) >= shortest)
			break;
		ended += r->end_ns < start_ns;
		if (r->end_ns >= end_ns && length(r->start_ns, r->end_ns) < shortest) {
			shortest = length(r->start_ns, r->end_ns);
			found = r->number;
		}
	}
	if (ended)
		drop_ended(o, start_ns, looked);
	return found;
}

uint32_t open_ranges_find_latest(struct open_ranges *o, int64_t start_ns, int64_t end_ns)
{
	const struct open_range *found = NULL;
	uint32_t number = RANGE_NONE;
	size_t ended = 0, looked = 0;

	pop_ended(o, start_ns);
	for (size_t i = o->count; i > 0 && looked < LOOKED_AT; i--, looked++) {
		const struct open_range *r = &o->items[i - 1];

		ended += r->end_ns < start_ns;
		if (found && (r->start_ns != found->start_ns || r->end_ns != found->end_ns))
			break;
		/* Of ranges with the very same span, the first one. */
		if (r->end_ns >= end_ns) {
			found = r;
			number = r->number;
		}
	}
	if (ended)
		drop_ended(o, start_ns, looked);
	return number;
}
