/* Which rows are which thread's, and what is it called? */
#include "timeline/thread_rows.h"

void rows_by_thread_begin(struct rows_by_thread *r, size_t threads, size_t *counts, size_t rows)
{
	*r = (struct rows_by_thread){mem_alloc(threads + 1, sizeof(*r->all)), 0};
	for (size_t i = 0; i <= threads; i++) {
		const size_t count = counts[i];

		counts[i] = r->count;
		if (count)
			r->all[r->count++] = (struct thread_rows){
				i < threads ? (uint32_t)i : ID_NONE, NULL, count};
	}
	if (!r->count || r->all[0].count == rows)
		return;
	for (size_t i = 0; i < r->count; i++) {
		r->all[i].ids = mem_alloc(r->all[i].count, sizeof(*r->all[i].ids));
		r->all[i].count = 0;
	}
}

void rows_by_thread_free(struct rows_by_thread *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->all[i].ids);
	free(r->all);
	*r = (struct rows_by_thread){0};
}

const char *thread_label(struct arena *a, const struct trace *t, const struct host_names *names,
			 uint32_t thread)
{
	const uint64_t key = thread < t->thread_keys.count ? t->thread_keys.keys[thread] : 0;
	const struct thread_name *name = host_names_thread(names, key);

	if (!key)
		return "thread";
	if (!name || !name->name.len)
		return arena_printf(a, "thread %u", thread_tid(key));
	return arena_printf(a, "%.*s %u", (int)name->name.len, name->name.s, thread_tid(key));
}
