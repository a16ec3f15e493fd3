/* Which rows are which thread's? */
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
