/*
 * The folder of a run: ROOT/ID/ with nsys/, ncu/, report/ and manifest.json. The id is the time in
 * UTC, and a label where there is one; two that begin in one second get different ones. While a run
 * goes on its folder is locked, so that others know, whatever becomes of us.
 */
#ifndef CAPTURE_RUN_FOLDER_H
#define CAPTURE_RUN_FOLDER_H

#include "base/err.h"

#include <stdint.h>
#include <time.h>

/* What a run should not be larger than: it is then slow to look at, and to copy. */
#define RUN_LARGE_BYTES ((uint64_t)2 * 1000 * 1000 * 1000)

/* What all ids match, and few other names. */
#define RUN_GLOB "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z*"

enum { RUN_STAMP_BYTES = 32, RUN_LABEL_BYTES = 80 };

struct run_folder {
	char *path;	/* absolute */
	const char *id; /* its last part */
	int lock;
	int reserve; /* a file without a name that only takes room, or -1 */
};

/* One that is not made: closing it closes nothing. */
#define RUN_FOLDER_NONE ((struct run_folder){.lock = -1, .reserve = -1})

/* ERR_USAGE where the label is longer than that, or has more than letters, digits and ._=- */
int run_label_check(const char *label, struct err *e);
/* "20261115T201105Z": how an id begins. */
void run_stamp(time_t when, char ret[RUN_STAMP_BYTES]);
/* The time with fractions: several runs may begin in one second. */
double run_now_s(void);
/* Makes the root if need be, and the folder, which is then locked. */
int run_folder_make(struct run_folder *f, const char *root, const char *label, time_t when,
		    struct err *e);
/* Makes a folder in it. */
int run_folder_add(const struct run_folder *f, const char *name, struct err *e);
/* The path of something in it; the caller frees. */
char *run_folder_file(const struct run_folder *f, const char *name);
/*
 * Takes room on its disk until it is released, so that something can be written when the disk is
 * full by then. Where that cannot be done, nothing is: what comes will tell.
 */
void run_folder_reserve(struct run_folder *f, uint64_t bytes);
void run_folder_release(struct run_folder *f);
/* Unlocks; what is in it stays. */
void run_folder_close(struct run_folder *f);
/* Removes what was only begun, while it is still locked. */
void run_folder_discard(const struct run_folder *f);

/*
 * Keeps others from removing a run's folder until *ret_lock is closed. ERR_USAGE while its run
 * still goes on, or it is being removed.
 */
int run_folder_share(const char *path, int *ret_lock, struct err *e);
/* The lock of a folder that is to be changed or removed, to be closed; -1: somebody works in it. */
int run_folder_take(const char *path);
/* Whether somebody's run goes on in there. */
bool run_folder_is_busy(const char *path);
/* The sum of the sizes of all files in it, links not followed. */
uint64_t run_folder_bytes(const char *path);
/* Removes it and all that is in it, links not followed. */
int run_folder_remove(const char *path, struct err *e);

#endif
