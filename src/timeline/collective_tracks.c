/* Which collective was each GPU in? */
#include "timeline/collective_tracks.h"

#include "analysis/comm/collectives.h"
#include "base/mem.h"
#include "text/units.h"
#include "timeline/track_set.h"

#include <stdlib.h>

enum { TYPE_BITS = 3 };

_Static_assert((int)COLL_TYPES <= (int)LANE_CLASSES, "a class for each type");
_Static_assert(COLL_TYPES <= 1 << TYPE_BITS, "a type has a place in the key of a name");

struct naming {
	struct track_part *set;
	struct idmap known; /* bytes and type → number of a name */
};

static uint32_t name_collective(struct naming *n, const struct collective *c)
{
	struct collective_spans *to = &n->set->collectives;
	const bool has_bytes = c->bytes >= 0 && c->bytes < INT64_MAX >> TYPE_BITS;
	const uint64_t bytes = has_bytes ? (uint64_t)c->bytes + 1 : 0;
	const uint32_t number =
		idmap_add(&n->known, bytes << TYPE_BITS | c->type, (uint32_t)to->name_count);
	SCOPED_BUF b = {0};

	if (number < to->name_count)
		return number;
	buf_adds(&b, collective_type_name((enum collective_type)c->type));
	if (has_bytes) {
		buf_adds(&b, " ");
		units_add_bytes(&b, (double)c->bytes);
	}
	MEM_GROW(to->names, to->name_cap, to->name_count + 1);
	to->names[to->name_count++] = arena_printf(&n->set->arena, "%s", b.s);
	return number;
}

/* The number of the partition; partitions.count: it is not shown. */
static size_t partition_of(const struct track_part *r, uint32_t device)
{
	size_t i = 0;

	while (i < r->partitions.count && r->partitions.all[i].device != device)
		i++;
	return i;
}

static void list_spans(struct track_part *r, const struct collectives *c)
{
	struct naming n = {.set = r};

	r->collectives.gpu_count = r->partitions.count;
	r->collectives.of_gpu = mem_zalloc(r->partitions.count, sizeof(*r->collectives.of_gpu));
	for (size_t i = 0; i < r->partitions.count; i++)
		span_source_begin(&r->collectives.of_gpu[i]);
	for (size_t i = 0; i < c->walk.kernel_count; i++) {
		const struct comm_kernel *k = &c->walk.kernels[i];
		const size_t at = partition_of(r, c->walk.gpus.all[k->gpu].device);

		if (at < r->partitions.count && comm_walk_has(&c->walk, k->gpu))
			span_source_add(&r->collectives.of_gpu[at],
					(struct derived_span){k->start_ns, k->end_ns,
							      name_collective(&n, &c->all[i]),
							      c->all[i].type});
	}
	idmap_free(&n.known);
}

/* Below the partition, and the ranges where there are any. */
static void add_tracks(struct track_part *r)
{
	for (size_t i = 0; i < r->partitions.count; i++) {
		const uint32_t device = r->partitions.all[i].device;
		size_t at;

		if (!r->collectives.of_gpu[i].count || !track_part_find_gpu(r, device, &at))
			continue;
		at++;
		at += at < r->set->count && r->set->all[at].kind == TRACK_PROJECTED;
		track_part_insert(r, at,
				  (struct track){.kind = TRACK_COLLECTIVES,
						 .label = "collectives",
						 .process = ID_NONE,
						 .device = device,
						 .thread = ID_NONE,
						 .depth = 1,
						 .derived = &r->collectives.of_gpu[i],
						 .names = r->collectives.names});
	}
}

int track_part_add_collectives(struct track_part *r, struct err *e)
{
	struct collectives c;
	int result;

	if (!r->partitions.count)
		return 0;
	result = collectives_make(r->trace, &r->scope, NULL, &c, e);
	if (result == 0 && c.walk.kernel_count) {
		list_spans(r, &c);
		add_tracks(r);
	}
	collectives_free(&c);
	return result < 0 ? err_forgive_absent(e) : 0;
}

void collective_spans_free(struct collective_spans *c)
{
	for (size_t i = 0; i < c->gpu_count; i++)
		span_source_free(&c->of_gpu[i]);
	free(c->of_gpu);
	free(c->names);
	*c = (struct collective_spans){0};
}
