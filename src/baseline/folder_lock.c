/* Does somebody else write baselines at the same time? */
#include "baseline/folder_lock.h"

#include "baseline/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { WAITS = 600, WAIT_NS = 100000000 }; /* a minute: some traces take that long to read */

int baseline_lock(void)
{
	const struct timespec pause = {.tv_nsec = WAIT_NS};
	const int fd = open(BASELINE_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; fd >= 0 && i < WAITS; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

void baseline_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

struct baseline_version baseline_version_of(const char *path)
{
	struct baseline_version v = {0};

	v.exists = lstat(path, &v.st) == 0;
	return v;
}

/* A baseline is written beside and renamed: another version is another file. */
static bool is_same(const struct baseline_version *a, const struct baseline_version *b)
{
	if (!a->exists || !b->exists)
		return a->exists == b->exists;
	return a->st.st_ino == b->st.st_ino && a->st.st_size == b->st.st_size &&
	       a->st.st_mtim.tv_sec == b->st.st_mtim.tv_sec &&
	       a->st.st_mtim.tv_nsec == b->st.st_mtim.tv_nsec;
}

int baseline_check_version(const char *path, const struct baseline_version *known, struct err *e)
{
	const struct baseline_version now = baseline_version_of(path);

	if (is_same(known, &now))
		return 0;
	err_set(e, ERR_INPUT, "'%s' was written by somebody else meanwhile: nothing was written",
		path);
	return err_hint(e, "run the same command again");
}
