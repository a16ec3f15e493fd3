/*
 * One event, whatever its kind, as a set of named fields: what a row of an export, a hit of a
 * search and a filter speak of. An event that has no such thing, or whose trace does not say, has a
 * null. Events are those of GPU kinds, CUDA calls and NVTX ranges and marks.
 */
#ifndef ANALYSIS_EVENT_FIELDS_H
#define ANALYSIS_EVENT_FIELDS_H

#include "analysis/events/event_joins.h"
#include "analysis/window.h"
#include "trace/code/call_lines.h"
#include "trace/system/machine.h"

enum event_field {
	EVENT_NAME,
	EVENT_START_NS,
	EVENT_END_NS,
	EVENT_DURATION_US,
	EVENT_STREAM,
	EVENT_DEVICE,
	EVENT_PID,
	EVENT_CLASS,
	EVENT_BYTES,
	EVENT_CORRELATION,
	EVENT_NVTX_PATH,
	/* Those above are what an export has unless told otherwise. */
	EVENT_TYPE,
	EVENT_TID,
	EVENT_DURATION_NS,
	EVENT_RANGE,
	EVENT_API,
	EVENT_API_START_NS,
	EVENT_API_END_NS,
	EVENT_QUEUE_NS,
	EVENT_CONTEXT,
	EVENT_GRAPH,
	EVENT_GRID_X,
	EVENT_GRID_Y,
	EVENT_GRID_Z,
	EVENT_BLOCK_X,
	EVENT_BLOCK_Y,
	EVENT_BLOCK_Z,
	EVENT_REGISTERS,
	EVENT_STATIC_SMEM,
	EVENT_DYNAMIC_SMEM,
	EVENT_SRC_KIND,
	EVENT_DST_KIND,
	EVENT_LINE,
	EVENT_BACKTRACE,
	EVENT_FIELDS,
};

/* In the words of searches, filters and tables: kinds of the trace, and marks, which are NVTX rows.
 */
enum event_type { EVENT_TYPE_RANGE = TRACE_NVTX, EVENT_TYPE_MARK, EVENT_TYPES };

/* By enum trace_kind or the above; NULL ends them. */
extern const char *const event_type_words[EVENT_TYPES + 1];
/* All of them, for people. */
#define EVENT_TYPES_SAID "kernel, memcpy, memset, graph, api, range or mark"

/* Marks are told from ranges by COL_EVENT_TYPE, where it is loaded. */
static inline unsigned event_type_of(const struct trace *t, struct event_ref at)
{
	const struct events *ev = &t->events[at.kind];
	bool mark = at.kind == TRACE_NVTX && ev->event_type && ev->event_type[at.row] == NVTX_MARK;

	return mark ? EVENT_TYPE_MARK : (unsigned)at.kind;
}

#define EVENT_BIT(field) (UINT64_C(1) << (field))
#define EVENT_USUAL	 (EVENT_BIT(EVENT_TYPE) - 1)
/* What backtraces of calls bring. */
#define EVENT_LINES (EVENT_BIT(EVENT_LINE) | EVENT_BIT(EVENT_BACKTRACE))

/* Its key, title and unit; by enum event_field. */
extern const struct column event_columns[EVENT_FIELDS];
/* Whether it is words; else it is a number. */
bool event_field_is_text(enum event_field field);
/* By its key; EVENT_FIELDS: there is none. */
enum event_field event_field_find(struct str key);
/* ERR_USAGE with the fields that there are, or the one that is nearly called so. */
int event_field_unknown(struct str key, const char *where, struct err *e);

struct event_fields {
	struct trace *trace;
	const struct scope *p; /* times are clipped to its window */
	unsigned kinds;
	uint64_t wanted;
	struct device_map devices;
	uint8_t *class_of_name;
	struct event_joins joins;
	struct call_lines lines; /* where lines of code are wanted */
	struct buf backtrace;	 /* the one that was asked for last */
	struct buf path;	 /* of the path that was asked for last */
	uint32_t path_shown;
};

/*
 * Makes fields (EVENT_BITs) of kinds (NEEDS bits) available: loads columns and, where a field is
 * about the call behind an op or the range around it, joins them. What the trace lacks stays null.
 * Is freed whether this fails or not.
 */
int event_fields_open(struct event_fields *f, struct trace *t, unsigned kinds, uint64_t wanted,
		      const struct scope *p, struct err *e);
void event_fields_close(struct event_fields *f);

/* The stack of the call that an event is, or that launched it; STACK_NONE: nobody knows. */
uint32_t event_stack(const struct event_fields *f, struct event_ref at);
/* The frame of your code in it; ID_NONE. */
uint32_t event_frame(const struct event_fields *f, struct event_ref at);
/* EVENT_LINE or EVENT_BACKTRACE. */
struct cell event_code_cell(struct event_fields *f, struct event_ref at, enum event_field field);
/* The thread of an event, or that launched it; ID_NONE. */
uint32_t event_thread(const struct event_fields *f, struct event_ref at);

/* Text lives until the next call for the same field. For one thread at a time. */
struct cell event_field_get(struct event_fields *f, struct event_ref at, enum event_field field);
/*
 * Texts repeat: the number of this one, by which an answer about it can be kept for the others of
 * its kind that have the same. False where there is none: null, or a field of numbers.
 */
bool event_field_number(const struct event_fields *f, struct event_ref at, enum event_field field,
			uint32_t *ret);
/* How many numbers there are at most, for a kind and a field. */
size_t event_field_numbers(const struct event_fields *f, enum trace_kind kind,
			   enum event_field field);

#endif
