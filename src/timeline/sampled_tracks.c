/* Which tracks do samples of threads make? */
#include "timeline/track_set.h"

#include <stdlib.h>

/* Behind the last track of the thread; false: it has none, and its own come last. */
static bool find_thread(const struct track_part *r, uint32_t thread, size_t *ret)
{
	for (size_t at = track_part_end(r); at > track_part_begin(r); at--) {
		if (r->set->all[at - 1].thread == thread) {
			*ret = at;
			return true;
		}
	}
	*ret = track_part_end(r);
	return false;
}

static void add_thread(struct track_part *r, const struct host_names *names, uint32_t thread)
{
	size_t at;
	const bool is_known = find_thread(r, thread, &at);

	track_part_insert(
		r, at,
		(struct track){.kind = TRACK_SAMPLES,
			       .label = is_known ? "code"
						 : track_part_thread_label(r, names, thread),
			       .process = ID_NONE,
			       .device = ID_NONE,
			       .thread = thread,
			       .depth = is_known,
			       .derived = &r->sampled->of_thread[thread],
			       .names = r->sampled->names});
}

/* What the profiler does in threads of its own is nobody's work. */
static bool is_shown(const struct track_part *r, const struct host_names *names, uint32_t thread)
{
	const uint64_t key = r->trace->thread_keys.keys[thread];
	const struct thread_name *name = host_names_thread(names, key);

	return r->sampled->of_thread[thread].count &&
	       scope_has_thread(&r->scope, r->trace, thread) &&
	       !(name && thread_is_profilers(name));
}

int track_part_add_samples(struct track_part *r, struct err *e)
{
	struct host_names names;
	uint32_t *order;

	if (sampled_code_read(r->trace, &r->calls.calls, &r->sampled, e) < 0)
		return -1;
	if (!r->sampled)
		return 0;
	if (host_names_read(r->trace, &names, e) < 0)
		return -1;
	order = track_part_threads(r);
	for (size_t i = 0; i < r->trace->thread_keys.count; i++) {
		if (order[i] < r->sampled->thread_count && is_shown(r, &names, order[i]))
			add_thread(r, &names, order[i]);
	}
	free(order);
	host_names_free(&names);
	return 0;
}
