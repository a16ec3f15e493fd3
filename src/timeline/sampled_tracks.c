/* Which tracks do samples of threads make? */
#include "timeline/track_set.h"

/* Behind the last track of the thread; count: it has none. */
static size_t end_of_thread(const struct track_set *r, uint32_t thread)
{
	size_t at = r->count;

	while (at && r->all[at - 1].thread != thread)
		at--;
	return at ? at : r->count;
}

static void add_thread(struct track_set *r, const struct host_names *names, uint32_t thread)
{
	const size_t at = end_of_thread(r, thread);
	const bool is_known = at && r->all[at - 1].thread == thread;

	track_set_insert(r, at,
			 (struct track){.kind = TRACK_SAMPLES,
					.label = is_known
							 ? "code"
							 : track_set_thread_label(r, names, thread),
					.process = ID_NONE,
					.device = ID_NONE,
					.thread = thread,
					.depth = is_known,
					.derived = &r->sampled->of_thread[thread],
					.names = r->sampled->names});
}

/* What the profiler does in threads of its own is nobody's work. */
static bool is_shown(const struct track_set *r, const struct host_names *names, uint32_t thread)
{
	const uint64_t key = r->trace->thread_keys.keys[thread];
	const struct thread_name *name = host_names_thread(names, key);

	return r->sampled->of_thread[thread].count &&
	       scope_has_thread(&r->scope, r->trace, thread) &&
	       !(name && thread_is_profilers(name));
}

int track_set_add_samples(struct track_set *r, struct err *e)
{
	struct host_names names;

	if (sampled_code_read(r->trace, &r->calls.calls, &r->sampled, e) < 0)
		return -1;
	if (!r->sampled)
		return 0;
	if (host_names_read(r->trace, &names, e) < 0)
		return -1;
	for (uint32_t i = 0; i < r->sampled->thread_count; i++) {
		if (is_shown(r, &names, i))
			add_thread(r, &names, i);
	}
	host_names_free(&names);
	return 0;
}
