/* Times by name over all ranks of a job, of a step on average: what of it grew from one job to
 * another? */
#ifndef FLEET_SCALING_NAMED_TIMES_H
#define FLEET_SCALING_NAMED_TIMES_H

#include "base/arena.h"
#include "fleet/job/job.h"

struct named_time {
	const char *key;   /* what the same is called on both sides */
	const char *shown; /* its name; of several with one key the one with most time */
	double ns, shown_ns;
};

/* A zeroed one is empty and valid. */
struct named_times {
	struct named_time *all; /* by key, each once, after named_times_merge() */
	size_t count, cap;
	struct arena arena;
};

void named_times_free(struct named_times *t);
/* `name` must outlive it. */
void named_times_add(struct named_times *t, const char *name, double ns);
void named_times_merge(struct named_times *t);

/* Compute kernels; the key is without tile sizes and architectures, which go with the shapes. */
void named_times_of_kernels(struct named_times *t, const struct job *j);
/* Idle time by the path of ranges that it is blamed on; "": outside any. */
void named_times_of_idle(struct named_times *t, const struct job *j);

/* The one that takes most of `scale` times what it took; its `ns` is by how much. No name: none. */
struct named_time named_times_grown(const struct named_times *one, double scale,
				    const struct named_times *many);
/* The share of the time that has a name on the other side, too; 1 where there is no time. */
double named_times_common(const struct named_times *of, const struct named_times *other);
double named_times_sum(const struct named_times *t);

#endif
