/* Do ranks come to one collective with different sizes? */
#include "fleet/answer/answer.h"

#include "text/units.h"

/* Of a class may differ, or sizes are not what tells its collectives apart. */
static const double few = 0.1;

struct difference {
	size_t count, seen; /* instances that differ, and all */
	size_t k;	    /* the first */
	uint32_t a, b;	    /* members that differ in it */
	int64_t a_bytes, b_bytes;
};

/* All ranks have to give the same size to these. */
static bool has_one_size(const struct instance_class *c)
{
	return c->is->has_communicator &&
	       (c->is->type == COLL_ALL_REDUCE || c->is->type == COLL_ALL_GATHER ||
		c->is->type == COLL_REDUCE_SCATTER);
}

static void compare_sizes(const struct fleet_answer *a, const struct instance_class *c, size_t k,
			  struct difference *d)
{
	const struct instance *at = &a->x.all[c->first + k];
	const struct part_collective *first = NULL;
	uint32_t member = 0;

	for (size_t n = 0; n < at->present; n++) {
		const struct part_collective *is = instance_kernel(&a->job, &a->x, at, n);
		const uint32_t own = instance_member(&a->x, at, n);

		if (is->bytes < 0)
			continue;
		if (!first) {
			first = is;
			member = own;
		} else if (is->bytes != first->bytes) {
			if (!d->count++)
				*d = (struct difference){1,   d->seen,	    k,	      member,
							 own, first->bytes, is->bytes};
			break;
		}
	}
	d->seen += first != NULL;
}

static void tell(struct fleet_answer *a, const struct instance_class *c, const struct difference *d)
{
	SCOPED_BUF b = {0};

	units_add_bytes(&b, (double)d->a_bytes);
	buf_addf(&b, " on rank %u, ", a->job.members[d->a].is->rank);
	units_add_bytes(&b, (double)d->b_bytes);
	buf_addf(&b, " on rank %u", a->job.members[d->b].is->rank);
	report_warning(a->report, "ranks come to %s number %zu with different sizes: %s",
		       collective_type_name(c->is->type), d->k, b.s);
}

void fleet_tell_sizes(struct fleet_answer *a)
{
	for (size_t i = 0; i < a->x.class_count; i++) {
		const struct instance_class *c = &a->x.classes[i];
		struct difference d = {0};

		for (size_t k = 0; k < c->count && has_one_size(c); k++)
			compare_sizes(a, c, k, &d);
		if (d.count && (double)d.count <= 1 + few * (double)d.seen) {
			tell(a, c, &d);
			return;
		}
	}
}
