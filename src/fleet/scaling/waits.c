/* How long was each rank in collectives because others came later? */
#include "fleet/scaling/waits.h"

#include "base/mem.h"
#include "fleet/job/clock_islands.h"

struct summing {
	const struct job *job;
	const struct instances *x;
	const struct instance *at;
	const struct instance_class *class;
	struct member_waits *out;
};

static bool is_in_window(const struct part_member *m, const struct part_collective *k)
{
	return k->start_ns >= m->window.start_ns && k->start_ns < m->window.end_ns;
}

static const struct job_member *member_of(const struct summing *s, size_t q)
{
	return &s->job->members[s->x->queues[s->class->first_queue + q].member];
}

static int64_t stay_ns(const struct part_collective *k)
{
	return sat_sub(k->end_ns, k->start_ns);
}

/* When a rank entered, on the job's clock. */
static int64_t entry_ns(const struct summing *s, size_t q)
{
	return job_time(s->job, member_of(s, q)->part,
			instance_kernel(s->job, s->x, s->at, q)->start_ns);
}

static bool clocks_are_known(const struct summing *s)
{
	for (size_t q = 0; q < s->class->queue_count; q++) {
		if (!s->job->parts[member_of(s, q)->part].clock.known)
			return false;
	}
	return true;
}

/* The shortest stay; or the last entry, where stays tell nothing. */
static int64_t find_bound(const struct summing *s)
{
	int64_t shortest_ns = INT64_MAX, last_ns = INT64_MIN;

	for (size_t q = 0; q < s->class->queue_count; q++) {
		const int64_t stay = stay_ns(instance_kernel(s->job, s->x, s->at, q));
		const int64_t entry = s->class->leaves_early ? entry_ns(s, q) : 0;

		shortest_ns = stay < shortest_ns ? stay : shortest_ns;
		last_ns = entry > last_ns ? entry : last_ns;
	}
	return s->class->leaves_early ? last_ns : shortest_ns;
}

/*
 * Of what is exposed, transferring is the end: compute that overlaps a collective was launched
 * before it, or with it, and what comes after it waits for its data.
 */
static void add_stop(const struct summing *s, size_t q, int64_t bound_ns)
{
	const struct part_collective *k = instance_kernel(s->job, s->x, s->at, q);
	const int64_t stay = stay_ns(k);
	int64_t wait_ns = s->class->leaves_early ? sat_sub(bound_ns, entry_ns(s, q))
						 : sat_sub(stay, bound_ns);
	struct member_waits *to = &s->out[s->x->queues[s->class->first_queue + q].member];
	int64_t transfer_ns;

	if (!is_in_window(member_of(s, q)->is, k))
		return;
	wait_ns = wait_ns < 0 ? 0 : wait_ns > stay ? stay : wait_ns;
	transfer_ns = sat_sub(stay, wait_ns);
	transfer_ns = transfer_ns < k->exposed_ns ? transfer_ns : k->exposed_ns;
	to->transfer_ns[s->class->is->type] += (double)transfer_ns;
	to->wait_ns[s->class->is->type] += (double)sat_sub(k->exposed_ns, transfer_ns);
	to->unknown_ns -= (double)k->exposed_ns;
}

static void add_instance(struct summing *s, const struct instance *at)
{
	int64_t bound_ns;

	s->at = at;
	s->class = &s->x->classes[at->class];
	if (s->class->queue_count < 2 || at->present < s->class->queue_count ||
	    (s->class->leaves_early && !clocks_are_known(s)) ||
	    islands_share(s->job, s->x, s->class))
		return;
	bound_ns = find_bound(s);
	for (size_t q = 0; q < s->class->queue_count; q++)
		add_stop(s, q, bound_ns);
}

struct member_waits *waits_sum(const struct job *j, const struct instances *x)
{
	struct summing s = {.job = j, .x = x, .out = mem_zalloc(j->member_count, sizeof(*s.out))};

	for (size_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;

		for (size_t k = 0; k < m->collective_count; k++) {
			if (is_in_window(m, &m->collectives[k]))
				s.out[i].unknown_ns += (double)m->collectives[k].exposed_ns;
		}
	}
	for (size_t i = 0; i < x->count; i++)
		add_instance(&s, &x->all[i]);
	return s.out;
}
