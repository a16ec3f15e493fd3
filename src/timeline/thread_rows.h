/* Rows of events by the thread that they are of. */
#ifndef TIMELINE_THREAD_ROWS_H
#define TIMELINE_THREAD_ROWS_H

#include "base/mem.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* Those of one thread. */
struct thread_rows {
	uint32_t thread; /* ID_NONE: the export does not say */
	uint32_t *ids;	 /* NULL: all of them, as they lie */
	size_t count;
};

struct rows_by_thread {
	struct thread_rows *all; /* by thread, those of nobody last */
	size_t count;
};

/* Makes room for rows of so many of each thread; counts become numbers of threads. */
void rows_by_thread_begin(struct rows_by_thread *r, size_t threads, size_t *counts, size_t rows);
void rows_by_thread_free(struct rows_by_thread *r);

/* What a thread is called. */
const char *thread_label(struct arena *a, const struct trace *t, const struct host_names *names,
			 uint32_t thread);

/*
 * Of `rows` rows, in order. `thread_of` is inlined: it says the thread of a row, ID_NONE for
 * nobody's, and whether the row counts at all. Where all are one thread's, none is listed.
 */
static inline void rows_by_thread_list(struct rows_by_thread *r, size_t rows, size_t threads,
				       bool (*thread_of)(const void *ctx, size_t row,
							 uint32_t *thread),
				       const void *ctx)
{
	size_t *counts = mem_zalloc(threads + 1, sizeof(*counts));
	uint32_t thread;

	for (size_t i = 0; i < rows; i++) {
		if (thread_of(ctx, i, &thread))
			counts[thread < threads ? thread : threads]++;
	}
	rows_by_thread_begin(r, threads, counts, rows);
	for (size_t i = 0; r->count && r->all[0].ids && i < rows; i++) {
		if (thread_of(ctx, i, &thread)) {
			struct thread_rows *t =
				&r->all[counts[thread < threads ? thread : threads]];

			t->ids[t->count++] = (uint32_t)i;
		}
	}
	free(counts);
}

#endif
