/*
 * Runs that later ones are held against, as one small file that people review in git: of each run
 * the time of its steps and where it went, what it ran on, and what cost it time. No trace, no name
 * of a host, no argument, no clock. What is read back compares as the runs themselves do; only
 * where in the capture to look is not kept.
 */
#ifndef BASELINE_BASELINE_H
#define BASELINE_BASELINE_H

#include "base/buf.h"
#include "diff/account.h"

enum {
	BASELINE_VERSION = 1,
	BASELINE_LARGEST_BYTES = 8 << 20,
	BASELINE_RUNS_MAX = 256,
	BASELINE_REASON_BYTES = 1000,
};

/* A change that somebody took for the new usual. */
struct accepted_change {
	const char *date, *reason;
	double change_pct; /* of the step */
};

struct baseline {
	const char *options; /* that chose the steps: "--marker X"; "": none was given */
	const struct account *const *runs; /* as baseline_order_runs() has them */
	size_t run_count;
	const struct accepted_change *accepted; /* the oldest first */
	size_t accepted_count;
};

/* By day, then by name, then by their steps: however they were named on a command line. */
void baseline_order_runs(const struct account **runs, size_t count);
/* The same bytes for the same runs, whoever writes them; keys and leaves in order. */
void baseline_write(struct buf *b, const struct baseline *what);

/* A baseline that was read, and what it lives in. */
struct kept_baseline {
	struct baseline is;
	struct arena arena;
	struct account *accounts;
	const struct account **refs;
	size_t cells; /* of leaves by run and kind of step */
};

/*
 * ERR_INPUT where the file is not there, is none of ours, of another version, cut off, or does not
 * add up. For baseline_free() whether this fails or not.
 */
int baseline_read(struct kept_baseline *ret, const char *path, struct err *e);
/* The same of text; `name` stands for the file in messages. */
int baseline_read_text(struct kept_baseline *ret, struct str text, const char *name, struct err *e);
void baseline_free(struct kept_baseline *k);

/* The day of the oldest or the newest run; "": none has one. */
const char *baseline_date(const struct baseline *b, bool newest);

#endif
