/* The runs in a folder of runs, the newest last. What has no manifest of ours is none of them. */
#ifndef CAPTURE_RUN_LIST_H
#define CAPTURE_RUN_LIST_H

#include "capture/record.h"

struct kept_run {
	char *path;
	struct manifest manifest;
	uint64_t size_bytes;
	bool busy; /* it goes on */
};

/* A folder that is called as a run is, whose manifest cannot be read: nobody touches it. */
struct damaged_run {
	char *name;
	struct err why;
};

struct run_list {
	const char *root;
	bool missing; /* the root is not there */
	struct kept_run *all;
	size_t count, cap;
	struct damaged_run *damaged;
	size_t damaged_count, damaged_cap;
	size_t foreign; /* other folders */
};

/* A root that is not there has no runs. run_list_free() it in any case. */
int run_list_read(struct run_list *l, const char *root, struct err *e);
void run_list_free(struct run_list *l);
/*
 * By its id, the beginning of one that no other has, or "latest", which is no matrix. ERR_INPUT.
 * The names of damaged ones count, and to mean one is an error that says so; the latest is that of
 * all that can be read.
 */
int run_list_find(const struct run_list *l, const char *word, const struct kept_run **ret,
		  struct err *e);
/* "done", "failed", "interrupted", "running"; "died": it never got to write how it ended. */
const char *kept_run_state(const struct kept_run *r);

/* Whether it is one of the runs that the matrix compares. */
bool kept_run_is_of(const struct kept_run *r, const struct kept_run *matrix);
/* The same of one that cannot say so itself: a matrix that came to its end names its runs. */
bool damaged_run_is_of(const struct damaged_run *r, const struct kept_run *matrix);
/* Whether it may have begun after the run: of those that began in one second nobody knows. */
bool damaged_run_may_follow(const struct damaged_run *r, const struct kept_run *run);

/*
 * Packs the exports of a run, and removes recordings that have become a report. What is interrupted
 * leaves the export as it was: ERR_SYSTEM. With `pretend` nothing is changed. *ret_saved is what
 * that gave back, 0 where nothing is left to do.
 */
int kept_run_compress(const struct kept_run *r, bool pretend, uint64_t *ret_saved, struct err *e);

#endif
