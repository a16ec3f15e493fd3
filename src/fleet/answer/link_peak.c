/* What does the link between the ranks of a communicator carry at best? */
#include "fleet/answer/answer.h"

#include "analysis/model/link_peaks.h"
#include "base/idmap.h"

static const struct job_member *member_of(const struct fleet_answer *a,
					  const struct instance_class *c, size_t i)
{
	return &a->job.members[a->x.queues[c->first_queue + i].member];
}

/* All its ranks are there, on one node, each on a GPU of its own. */
static bool is_within_node(const struct fleet_answer *a, const struct instance_class *c)
{
	const uint32_t node = member_of(a, c, 0)->node;
	struct idmap gpus = {0};
	bool within =
		c->is->has_communicator && c->is->ranks == c->queue_count && node != PART_NO_NUMBER;

	for (size_t i = 0; i < c->queue_count && within; i++) {
		const struct job_member *m = member_of(a, c, i);

		within = m->node == node && m->is->gpu_id &&
			 idmap_add(&gpus, m->is->gpu_id, (uint32_t)i) == i;
	}
	idmap_free(&gpus);
	return within;
}

static double slowest_nvlink(const struct fleet_answer *a, const struct instance_class *c)
{
	double slowest = INFINITY;

	for (size_t i = 0; i < c->queue_count; i++)
		slowest = fmin(slowest, nvlink_bytes_per_s(str_of(member_of(a, c, i)->is->gpu)));
	return slowest;
}

struct link_peak fleet_link_peak(const struct fleet_answer *a, const struct instance_class *c)
{
	const double nvlink = is_within_node(a, c) ? slowest_nvlink(a, c) : 0;

	if (nvlink > 0)
		return (struct link_peak){nvlink, "nvlink"};
	return (struct link_peak){a->link_bytes_per_s, a->link_bytes_per_s > 0 ? "given" : NULL};
}
