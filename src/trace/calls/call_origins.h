/*
 * Who called what: few distinct pairs of a thread and a function, whatever the number of calls.
 * They get small numbers while the calls are read, on all cores.
 */
#ifndef TRACE_CALL_ORIGINS_H
#define TRACE_CALL_ORIGINS_H

#include "trace/intern.h"

struct call_origin {
	uint32_t thread; /* trace->thread_keys; ID_NONE: the export does not say */
	uint32_t name;	 /* raw, with its version; NAME_NONE */
};

enum { ORIGIN_CACHE = 256 };

/*
 * Of one worker: the export's own numbers of late. The few functions that a thread calls have
 * numbers near one another, and so places of their own.
 */
struct origin_cache {
	int64_t tid[ORIGIN_CACHE], name[ORIGIN_CACHE];
	uint32_t number[ORIGIN_CACHE]; /* ID_NONE: unused */
};

struct call_origins {
	struct trace *trace;
	struct intern pairs; /* thread << 32 | name */
	struct origin_cache *caches;
	size_t threads_before;
};

void call_origins_begin(struct call_origins *o, struct trace *t);
/* The number of row i's origin; `name` may be NULL where the export has none. */
uint32_t call_origins_number(struct call_origins *o, unsigned worker,
			     const struct sqlite_values *tid, const struct sqlite_values *name,
			     size_t i);
/* The same for `count` rows from `first` on. */
void call_origins_number_some(struct call_origins *o, unsigned worker,
			      const struct sqlite_values *tid, const struct sqlite_values *name,
			      size_t first, size_t count, uint32_t *out);
/* Undoes what was read so far. */
void call_origins_forget(struct call_origins *o);
/* All origins by number, for the caller to free; threads have their final numbers from here on. */
struct call_origin *call_origins_settle(struct call_origins *o, size_t *ret_count);
void call_origins_end(struct call_origins *o);

#endif
