/*
 * The phase in which a launch call was made: that of the innermost range with a phase around its
 * start, of the push/pop ranges of its thread and the start/end ranges of its process the one that
 * began last.
 */
#ifndef ANALYSIS_PHASE_CALLS_H
#define ANALYSIS_PHASE_CALLS_H

#include "analysis/ranges/phase_map.h"
#include "trace/ranges/attribution.h"
#include "trace/ranges/innermost.h"

/* The phases that ranges have by their names. */
struct range_phases {
	struct range_names names;
	uint32_t *of_name; /* PHASE_NONE: no phase */
};

static inline uint32_t range_phase(const struct range_phases *p, const struct range *r)
{
	return p->of_name[p->names.of_row[r->row]];
}

struct phase_calls {
	const struct range_phases *phases;
	struct attribution at;
	struct range_forest started; /* start/end ranges, by the thread they began on */
	uint32_t *of_range;	     /* phase at any moment of a push/pop range */
	bool *has_phases;	     /* by thread: some push/pop range has a phase */
	/* Ranges with a phase, to be searched where others do not tell: by thread, by process. */
	struct range_forest stack, process;
	struct innermost in_stack, in_process;
	uint32_t *process_of_thread;
};

/* `phases` must outlive it. To be freed whether this fails or not. */
int phase_calls_make(struct trace *t, const struct range_phases *phases, struct phase_calls *ret,
		     struct err *e);
void phase_calls_free(struct phase_calls *c);

/* Where the calls before were found: begins with zeros. */
struct phase_cursor {
	struct innermost_cursor in_stack, in_process;
};

/* What phase_calls.of_range says of ranges that others overlap: it depends on the moment. */
#define PHASE_UNSURE (PHASE_NONE - 1)

uint32_t phase_calls_search(const struct phase_calls *c, uint32_t launch,
			    struct phase_cursor *cursor);

/* The phase of a launch's call, or PHASE_NONE; from many threads, each with a cursor of its own. */
static inline uint32_t phase_calls_find(const struct phase_calls *c, uint32_t launch,
					struct phase_cursor *cursor)
{
	uint32_t range = launch == LAUNCH_NONE ? RANGE_NONE : c->at.range_of_launch[launch];
	uint32_t phase = range == RANGE_NONE ? PHASE_NONE : c->of_range[range];

	return phase == PHASE_UNSURE || c->process.count ? phase_calls_search(c, launch, cursor)
							 : phase;
}
/* Whether the call was made by a thread without a range that has a phase. */
bool phase_calls_is_elsewhere(const struct phase_calls *c, uint32_t launch);

#endif
