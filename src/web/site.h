/*
 * What is served: captures and the timeline of them, which comes in stages while it is looked at
 * already. One thread reads and analyses, one looks things up in the timeline, one searches it. The
 * lock is of the timeline: of its list of tracks, which the reader alone adds to, and of lanes that
 * are not made yet. It is held for a moment, but for the reading of a stage.
 */
#ifndef WEB_SITE_H
#define WEB_SITE_H

#include "base/sha256.h"
#include "base/turns.h"
#include "timeline/scene/hits.h"
#include "web/guard.h"
#include "web/workers.h"

#include <pthread.h>
#include <stdatomic.h>

/* What is told of how far it is, also while the lock is held for long. */
struct site_status {
	bool is_open; /* the first tracks are there */
	bool has_failed, is_complete;
	uint64_t tracks_version; /* changes with the tracks */
	int64_t origin_ns;	 /* times are told from here on */
	struct span limits;	 /* of all that is there, on the clock of the lanes */
	struct span work;	 /* from the first GPU work to the last: what is seen at first */
	enum traces_clock clock; /* runs that are compared are aligned when they are read */
	const char *aligned_at;	 /* of these, what begins together; NULL: nothing yet */
};

struct site {
	struct traces *traces;
	const struct ncu_report *ncu;
	const struct input_args *input; /* how traces are opened */
	const char *comm;		/* --comm, or NULL */
	const char *const *command;	/* that began it, for people to copy */
	size_t command_count;
	struct capture all; /* the captures as one: see site_all() */
	struct span asked;  /* to be shown at first; SPAN_NONE: all */
	bool is_file;	    /* the answers are written into a file */
	bool aligns_steps;  /* of runs that are compared */
	struct guard guard;
	char fingerprint[SHA256_TEXT_BYTES]; /* of the traces and of what is asked about them */
	struct workers *reader;		     /* one thread: reads, analyses; NULL: there is none */
	struct workers *seeker;		     /* one thread: looks things up in the timeline */
	struct workers *searcher;	     /* one thread, whose alone what was searched for is */
	char *searched; /* the pattern of `hits`; NULL: nothing was searched for */
	struct hits hits;
	struct turns turns; /* the lock of the timeline */
	struct scene scene;
	pthread_mutex_t status_lock; /* of what follows; for a moment only */
	pthread_cond_t change;	     /* there are tracks, or there will be none */
	struct site_status status;
	int64_t *shifts;		/* of captures, from their own clocks to the shared one */
	struct err failure;		/* why there are no tracks */
	struct string_list problems;	/* what could not be read */
	_Atomic int64_t last_sought_ns; /* when somebody looked something up last */
};

/* The traces outlive it. */
void site_open(struct site *s, struct traces *t);
/* With threads that answer, and a token: for a server. */
int site_start(struct site *s, struct err *e);
/* Reads the first tracks and then, bit by bit, all others, by the reader. */
int site_begin_reading(struct site *s, struct err *e);
/* The same here and now, all of it. */
int site_read_all(struct site *s, struct err *e);
/*
 * Whatever goes on is given up, and nothing more is begun. false: something still goes on after a
 * moment, which does not look whether somebody waits for it.
 */
bool site_end(struct site *s);
/* Nobody asks any more; what was started has ended, and the server has stopped. */
void site_close(struct site *s);

struct site_status site_status(struct site *s);
/* Waits until there are tracks; -1: there will be none. The lock is not held. */
int site_wait(struct site *s, struct err *e);
/* The same for at most so long; 1: it is not known yet. */
int site_wait_until(struct site *s, int64_t end_ns, struct err *e);
/* The shift of a capture, which may be about to be found. */
int64_t site_shift_ns(struct site *s, size_t capture);

/*
 * The captures as one, for what is asked about all ranks; by the reader alone. ERR_USAGE where they
 * are no job: alone, two runs, or not on one clock.
 */
int site_all(struct site *s, struct capture **ret, struct err *e);

static inline void site_lock(struct site *s)
{
	turns_take(&s->turns);
}

static inline void site_unlock(struct site *s)
{
	turns_leave(&s->turns);
}

/* From the clock of the lanes to that of replies, and back. With the lock, or by the reader. */
static inline int64_t site_told_ns(const struct site *s, int64_t ns)
{
	return sat_sub(ns, s->status.origin_ns);
}

static inline int64_t site_meant_ns(const struct site *s, int64_t ns)
{
	return sat_add(ns, s->status.origin_ns);
}

/* What is read from here on is for this request: when nobody waits any more it is given up. */
void site_read_for(const struct request *r); /* NULL: for nobody in particular */
/* Whether it is: for what takes a function that says so. */
bool site_is_given_up(void);
/* The same of any request, whoever answers it. */
bool site_gives_up(const struct request *r);

#endif
