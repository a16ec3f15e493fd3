/* How busy was each device as time went on? */
#include "analysis/gpu/utilisation.h"

#include "base/mem.h"
#include "report/chart.h"

#include <stdlib.h>

void utilisation_begin(struct utilisation *u, const struct timeline *l)
{
	u->timeline = l;
	u->width_ns = (double)(l->to_ns - l->from_ns) / UTILISATION_BUCKETS;
	u->busy_ns = mem_zalloc(l->count * UTILISATION_BUCKETS, sizeof(*u->busy_ns));
	u->last = mem_zalloc(l->count, sizeof(*u->last));
}

/* A long slice fills many buckets, a short one a part of one. */
static void fill_buckets(const struct utilisation *u, double *busy, struct bucket *last, double at,
			 double end)
{
	for (size_t i = (size_t)(at / u->width_ns); i < UTILISATION_BUCKETS && at < end; i++) {
		double edge = (double)(i + 1) * u->width_ns, until = edge < end ? edge : end;

		busy[i] += until > at ? until - at : 0;
		at = until > at ? until : at;
		*last = (struct bucket){i, (double)i * u->width_ns, edge};
	}
}

void utilisation_take(struct utilisation *u, const struct slice *s)
{
	double *busy = u->busy_ns + (size_t)s->device * UTILISATION_BUCKETS;
	struct bucket *last = &u->last[s->device];
	double at = (double)(s->start_ns - u->timeline->from_ns);
	double end = (double)(s->end_ns - u->timeline->from_ns);

	/* Nearly every slice lies in the bucket of the one before. */
	if (at > last->from && end <= last->to)
		busy[last->number] += end - at;
	else if (u->width_ns > 0)
		fill_buckets(u, busy, last, at, end);
}

void utilisation_add_all(struct utilisation *u, const struct utilisation *more)
{
	for (size_t i = 0; i < u->timeline->count * UTILISATION_BUCKETS; i++)
		u->busy_ns[i] += more->busy_ns[i];
}

static struct chart_part *name_devices(const struct timeline *l, struct report *r)
{
	struct chart_part *parts = arena_alloc(&r->arena, l->count, sizeof(*parts));

	for (size_t d = 0; d < l->count; d++)
		parts[d] = (struct chart_part){
			l->devices[d].device == ID_NONE
				? "GPU"
				: arena_printf(&r->arena, "GPU %u", l->devices[d].device),
			HUE_NEXT};
	return parts;
}

void utilisation_report(const struct utilisation *u, struct report *r)
{
	const struct timeline *l = u->timeline;
	double width = u->width_ns;
	struct chart *c;

	if (l->count && width > 0) {
		c = report_new_chart(r, CHART_SERIES, "GPU busy over time", UNIT_PERCENT,
				     UTILISATION_BUCKETS, name_devices(l, r), l->count);
		c->from = (double)l->from_ns;
		c->to = (double)l->to_ns;
		c->top = 100;
		for (size_t d = 0; d < l->count; d++) {
			for (size_t i = 0; i < UTILISATION_BUCKETS; i++)
				chart_item(c, i)[d] =
					100 * u->busy_ns[d * UTILISATION_BUCKETS + i] / width;
		}
	}
}

void utilisation_free(struct utilisation *u)
{
	free(u->busy_ns);
	free(u->last);
	*u = (struct utilisation){0};
}
