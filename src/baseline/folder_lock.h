/*
 * One at a time writes baselines: what two commands read and then wrote at once would lose the runs
 * of one. The system gives the lock back when a program ends, however it ends.
 */
#ifndef BASELINE_FOLDER_LOCK_H
#define BASELINE_FOLDER_LOCK_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Waits for who else writes, though not for one that does not go on. Returns what
 * baseline_unlock() takes, whether there is a folder that can be locked or not:
 * baseline_check_version() still tells.
 */
int baseline_lock(void);
void baseline_unlock(int lock);

/* Which file is at a path. */
struct baseline_version {
	bool exists;
	struct stat st;
};
struct baseline_version baseline_version_of(const char *path);
/* ERR_INPUT where somebody else has written it since. */
int baseline_check_version(const char *path, const struct baseline_version *known, struct err *e);

#endif
