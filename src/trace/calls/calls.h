/*
 * CUDA API calls as compact columns, 14 bytes a call: traces hold many millions. A duration that
 * does not fit 32 bits, a few of the longest and those of a damaged trace, is an overflow value,
 * and so is an origin where a trace has more than 16 bits can number.
 */
#ifndef TRACE_CALLS_H
#define TRACE_CALLS_H

#include "base/overflow_values.h"
#include "base/saturate.h"
#include "trace/intern.h"

/*
 * Who called what: few distinct pairs of a thread and a function, whatever the number of calls.
 * They get small numbers while the calls are read, on all cores.
 */
struct call_origin {
	uint32_t thread; /* trace->thread_keys; ID_NONE: the export does not say */
	uint32_t name;	 /* raw, with its version; NAME_NONE */
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
/* Undoes what was read so far. */
void call_origins_forget(struct call_origins *o);
/* All origins by number, for the caller to free; threads have their final numbers from here on. */
struct call_origin *call_origins_settle(struct call_origins *o, size_t *ret_count);
void call_origins_end(struct call_origins *o);

/* One call, as it is asked for. */
struct api_call {
	int64_t start_ns;
	int64_t duration_ns; /* DURATION_NONE: a time of it cannot be read */
	uint32_t origin;     /* calls.origins */
};

static inline int64_t api_call_end(const struct api_call *c)
{
	return sat_add(c->start_ns, c->duration_ns);
}

/* The later one of its times: a hostile trace may have calls that end before they begin. */
static inline int64_t api_call_last(const struct api_call *c)
{
	return c->duration_ns < 0 ? c->start_ns : api_call_end(c);
}

#define LENGTH_NONE UINT32_MAX	     /* DURATION_NONE */
#define LENGTH_WIDE (UINT32_MAX - 1) /* the duration is in `wide` */
#define ORIGIN_FAR  UINT16_MAX	     /* the origin is in `far` */

struct calls {
	size_t count;
	int64_t *start_ns;
	uint32_t *length; /* the duration, or one of the two above: see calls_duration() */
	uint16_t *origin; /* or the one above: see calls_origin() */
	struct call_origin *origins;
	size_t origin_count;
	struct overflow_values wide, far;
	bool has_times, has_threads, has_names; /* the export has the columns */
	bool shared;				/* the arrays are the trace's */
	bool in_order; /* those of a trace that many ask about: see thread_calls_lie_in_order() */
};

int64_t calls_wide_duration(const struct calls *c, size_t i);

static inline int64_t calls_duration(const struct calls *c, size_t i)
{
	return c->length[i] < LENGTH_WIDE ? c->length[i] : calls_wide_duration(c, i);
}

static inline uint32_t calls_origin(const struct calls *c, size_t i)
{
	return c->origin[i] < ORIGIN_FAR ? c->origin[i] : (uint32_t)overflow_values_get(&c->far, i);
}

struct api_call calls_rare_at(const struct calls *c, size_t i);

static inline __attribute__((always_inline)) struct api_call calls_at(const struct calls *c,
								      size_t i)
{
	if (c->length[i] >= LENGTH_WIDE || c->origin[i] == ORIGIN_FAR)
		return calls_rare_at(c, i);
	return (struct api_call){c->start_ns[i], c->length[i], c->origin[i]};
}

/*
 * All calls of the trace, by row; an absent table has none. Where the trace uses its cache
 * they are read once for all who ask.
 */
int calls_read(struct trace *t, struct calls *ret, struct err *e);
void calls_free(struct calls *c);

/* What else is done with each batch of rows while they are read. */
struct calls_hook {
	/* `calls` already has the rows; `correlation` is the column, or NULL where there is none.
	 */
	void (*batch)(void *ctx, const struct sqlite_batch *b,
		      const struct sqlite_values *correlation, const struct sqlite_values *tid,
		      unsigned worker);
	/* Everything starts anew. */
	void (*begin)(void *ctx);
	void *ctx;
};

int calls_read_with(struct trace *t, struct calls *ret, const struct calls_hook *hook,
		    struct err *e);

/* For those who fill columns of their own. */
void calls_alloc(struct calls *c, size_t count);
/* Two workers may put different calls at once; `lock` guards the overflow values. */
void calls_put(struct calls *c, size_t i, const struct api_call *call, pthread_mutex_t *lock);

#endif
