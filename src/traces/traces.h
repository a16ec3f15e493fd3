/*
 * Several captures as one: of the ranks or nodes of a job, or of several runs. Each keeps its own
 * trace; all share a clock.
 */
#ifndef TRACES_TRACES_H
#define TRACES_TRACES_H

#include "analysis/scope.h"
#include "base/arena.h"
#include "input/input.h"

/* How clocks of several captures are laid over each other. */
enum traces_clock {
	CLOCK_OF_ONE,	/* there is one alone: its own */
	CLOCK_UTC,	/* the exports say when each began */
	CLOCK_MEETINGS, /* collectives of ranks, which nobody leaves before the last has come */
	CLOCK_STARTS,	/* they do not, or were not taken together: all begin at 0 */
	CLOCK_STEPS,	/* two sides, one above the other: see traces_align_sides() */
};

struct capture {
	struct trace *trace;
	const char *name; /* what tells it from the others: "rank 3"; NULL: it is alone */
	bool has_rank;	  /* all of it is of one rank */
	uint32_t rank;
	struct span span;   /* of the capture, on its own clock; SPAN_NONE: nothing was captured */
	int64_t shift_ns;   /* from its own clock to the shared one, in the middle of it */
	double drift;	    /* further ns for each ns since then */
	double doubt_ns;    /* how wrong that may be; INFINITY: nothing tells */
	struct scope scope; /* what is asked about it, on its own clock */
	bool is_asked;	    /* it has what was asked for: that GPU, process or rank */
};

struct traces {
	struct capture *all;
	size_t count;
	size_t first_after; /* A -- B: the first capture of B; 0: they are no two sides */
	enum traces_clock clock;
	bool steps_in_doubt;	/* clocks of some may be wrong by whole steps */
	const char *aligned_at; /* of two sides, what begins together: "first warm step" */
	struct arena arena;
	struct kept_notes
		*notes;	      /* what was said when windows were asked for: scopes refer to it */
	const char *left_out; /* which captures were not asked, and why; NULL: none */
};

/* Opens what somebody named: see input_resolve(). `comm` names communication kernels, or is NULL.
 */
int capture_open(struct trace **ret, const char *path, const struct input_args *in,
		 const char *comm, struct err *e);

/* UTC of a capture's time 0; not `known`: the export does not say. */
int capture_utc_start(struct trace *t, int64_t *ret, bool *known, struct err *e);

int traces_open(struct traces *ret, const char *const *paths, size_t count,
		const struct input_args *in, const char *comm, struct err *e);
void traces_close(struct traces *t);
/*
 * Asks about a part of them: a window on the shared clock, one GPU, process or rank. A capture
 * without these is not asked; where none is, the error is the first one's.
 */
int traces_ask(struct traces *t, const struct scope *asked, struct err *e);
/* A scope of a capture asks about a window on the shared clock in place of its own. */
void capture_set_window(const struct capture *c, struct span window, struct scope *scope);
/*
 * Lays two sides over each other: the first warm steps begin together, or the first GPU work of a
 * side without steps. Each side is moved as a whole; its captures share a clock as those of one
 * job do. After traces_ask(), before anything is shown; steps are looked for, which takes a moment.
 */
int traces_align_sides(struct traces *t, struct err *e);
/* Which side a capture is of, "A" or "B"; NULL: there are no sides. */
static inline const char *traces_side(const struct traces *t, size_t capture)
{
	return !t->first_after ? NULL : capture < t->first_after ? "A" : "B";
}
/* From a capture's own clock to the shared one. */
struct span capture_shared_span(const struct capture *c, struct span own);
/* Back, as far as the capture goes; it ends before it starts where nothing of it lies there. */
struct span capture_own_span(const struct capture *c, struct span shared);
/* From the first to the last moment that is asked about, on the shared clock. */
struct span traces_span(const struct traces *t);

/*
 * All of them as one trace, on the shared clock: what is asked of it is answered as if one capture
 * held them all. For trace_close(), before traces_close().
 */
int traces_join(const struct traces *t, struct trace **ret, struct err *e);

/*
 * ERR_INPUT: some that do not lie on one clock are of strangers: no kernel and no machine is that
 * of the others, directly or by way of others.
 */
int traces_check_strangers(const struct traces *t, struct err *e);

/* What each is called; again after somebody has learned their ranks. */
void traces_call(struct traces *t);

/* For traces_open(): what each is called, and where its clock lies. */
int traces_name(struct traces *t, struct err *e);
int traces_align(struct traces *t, struct err *e);

#endif
