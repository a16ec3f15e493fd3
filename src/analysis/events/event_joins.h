/* The call behind each GPU op and the ranges around each event, for those who list events. */
#ifndef ANALYSIS_EVENT_JOINS_H
#define ANALYSIS_EVENT_JOINS_H

#include "trace/calls/picked_calls.h"
#include "trace/ranges/attribution.h"
#include "trace/ranges/innermost.h"
#include "trace/ranges/range_paths.h"

/* One event: a row of its kind. */
struct event_ref {
	enum trace_kind kind;
	uint32_t row;
};

struct event_joins {
	const struct trace *trace;
	bool has_calls, has_ranges;
	struct attribution at;	    /* of GPU ops; its forest where there are ranges */
	struct range_forest forest; /* the same without GPU ops */
	struct innermost innermost; /* where calls are asked about */
	struct range_names names;   /* where ranges are joined, or asked about themselves */
	struct range_paths paths;
	uint32_t *range_of_row;	   /* NVTX rows, where they are asked about */
	struct event_picks *picks; /* where only a few events will be asked about */
	const char *why_not;	   /* GPU ops cannot be joined with their calls; or NULL */
};

enum {
	JOIN_CALLS = 1 << 0,  /* which call launched an op */
	JOIN_RANGES = 1 << 1, /* which ranges are around an event */
};

/* `kinds`: NEEDS bits of those that will be asked about. Is freed whether this fails or not. */
int event_joins_make(struct event_joins *j, struct trace *t, unsigned kinds, unsigned what,
		     struct err *e);
/*
 * The same for these events alone: of a few among millions that is many times quicker. `known`: the
 * calls of at least those that are of its kind, where somebody found them already; or NULL.
 */
int event_joins_make_few(struct event_joins *j, struct trace *t, const struct event_ref *events,
			 size_t count, const struct picked_calls *known, struct err *e);
void event_joins_free(struct event_joins *j);

/* The call that launched an op; false: it is no op, or there is none. */
bool event_joins_call(const struct event_joins *j, enum trace_kind kind, uint32_t row,
		      struct api_call *ret);
/* The thread that launched an op; ID_NONE. */
uint32_t event_joins_thread(const struct event_joins *j, enum trace_kind kind, uint32_t row);
/*
 * The path of the ranges around an event, a range's own included; RANGE_NONE: there are none. An
 * op's are those around its call.
 */
uint32_t event_joins_path(const struct event_joins *j, enum trace_kind kind, uint32_t row);

/* Whether an event is such a range itself, and its path its own. */
bool event_joins_is_push_pop(const struct event_joins *j, enum trace_kind kind, uint32_t row);

static inline struct str event_joins_range_name(const struct event_joins *j, uint32_t path)
{
	return range_name_shown(j->names.names.items[j->paths.all[path].name]);
}

#endif
