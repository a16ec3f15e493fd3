/* Which ranks wait in collectives that never ended, and for whom? */
#include "fleet/job/halt.h"

#include "base/mem.h"

#include <stdlib.h>

int64_t halt_goes_on(const struct job *j, uint32_t member, int64_t own_ns)
{
	const int64_t seen_ns = j->members[member].is->end.seen_ns;

	return own_ns == PART_UNKNOWN || seen_ns == PART_UNKNOWN ? 0 : sat_sub(seen_ns, own_ns);
}

/* A GPU at work until the end is not held up: its host may well have called far ahead. */
static bool is_quiet(const struct job *j, uint32_t member)
{
	const int64_t gpu_ns = j->members[member].is->end.gpu_ns;

	return halt_goes_on(j, member, gpu_ns) >= PART_STUCK_NS;
}

static bool does_wait(const struct job *j, uint32_t member)
{
	const struct part_end *end = &j->members[member].is->end;

	return end->is_pending && is_quiet(j, member) &&
	       halt_goes_on(j, member, end->called_ns) >= PART_STUCK_NS;
}

/* Times of clocks that are not known say nothing about who was first. */
static void find_first(const struct job *j, struct halt *h)
{
	for (uint32_t i = (uint32_t)j->member_count; i-- > 0;) {
		const uint32_t part = j->members[i].part;
		const int64_t ns = job_time(j, part, j->members[i].is->end.called_ns);

		if (h->state[i] != HALT_WAITS)
			continue;
		if (!j->parts[part].clock.known) {
			h->first = h->has_since ? h->first : i;
		} else if (!h->has_since || ns <= h->since_ns) {
			h->has_since = true;
			h->since_ns = ns;
			h->first = i;
		}
	}
}

/* One whose capture goes on long after others began to wait, as far as the clocks can tell. */
static bool is_there(const struct job *j, const struct halt *h, uint32_t member)
{
	const uint32_t part = j->members[member].part;
	const int64_t seen_ns = j->members[member].is->end.seen_ns;

	return h->has_since && seen_ns != PART_UNKNOWN && j->parts[part].clock.known &&
	       (double)sat_sub(job_time(j, part, seen_ns), h->since_ns) -
			       job_doubt_ns(j, part, j->members[h->first].part) >=
		       (double)PART_STUCK_NS;
}

void halt_find(const struct job *j, struct halt *ret)
{
	*ret = (struct halt){.state = mem_zalloc(j->member_count, sizeof(*ret->state))};
	for (uint32_t i = 0; i < j->member_count; i++) {
		ret->state[i] = does_wait(j, i) ? HALT_WAITS : HALT_OTHER;
		ret->waits += ret->state[i] == HALT_WAITS;
	}
	if (!ret->waits)
		return;
	find_first(j, ret);
	for (uint32_t i = 0; i < j->member_count; i++) {
		if (ret->state[i] == HALT_WAITS || j->members[i].is->end.is_pending ||
		    !j->members[i].is->end.calls || !is_quiet(j, i) || !is_there(j, ret, i))
			continue;
		ret->state[i] = HALT_IDLE;
		ret->idle++;
	}
}

void halt_free(struct halt *h)
{
	free(h->state);
	*h = (struct halt){0};
}
