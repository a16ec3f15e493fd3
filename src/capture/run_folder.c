/* Where does a run keep what belongs to it? */
#include "capture/run_folder.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ALIKE = 1000 };

int run_label_check(const char *label, struct err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._=-";
	size_t len = strlen(label);

	if (len && len <= RUN_LABEL_BYTES && strspn(label, letters) == len)
		return 0;
	err_set(e, ERR_USAGE, "--name '%.100s' is not valid in a folder name", label);
	return err_hint(e, "use up to %d letters, digits and . _ = -", RUN_LABEL_BYTES);
}

void run_stamp(time_t when, char ret[RUN_STAMP_BYTES])
{
	struct tm tm;

	gmtime_r(&when, &tm);
	strftime(ret, RUN_STAMP_BYTES, "%Y%m%dT%H%M%SZ", &tm);
}

double run_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ROOT/20261115T201105Z-label, with -2 and so on where that is taken. */
static int make_own(struct buf *b, const char *root, const char *label, time_t when, struct err *e)
{
	char stamp[RUN_STAMP_BYTES];

	run_stamp(when, stamp);
	for (int i = 1; i <= MOST_ALIKE; i++) {
		buf_clear(b);
		buf_addf(b, "%s/%s", root, stamp);
		if (i > 1)
			buf_addf(b, "-%d", i);
		if (label)
			buf_addf(b, "-%s", label);
		if (mkdir(b->s, 0777) == 0)
			return 0;
		if (errno != EEXIST) {
			err_set_errno(e, "cannot create the run folder '%s'", b->s);
			return err_hint(e, "choose a writable folder with --runs DIR");
		}
	}
	return err_set(e, ERR_SYSTEM, "'%s' already has a thousand runs from this second", root);
}

char *run_folder_file(const struct run_folder *f, const char *name)
{
	return file_in(f->path, name);
}

int run_folder_add(const struct run_folder *f, const char *name, struct err *e)
{
	SCOPED char *path = run_folder_file(f, name);

	return mkdir(path, 0777) < 0 ? err_set_errno(e, "cannot create '%s'", path) : 0;
}

int run_folder_make(struct run_folder *f, const char *root, const char *label, time_t when,
		    struct err *e)
{
	SCOPED_BUF b = {0};

	*f = RUN_FOLDER_NONE;
	if (file_make_folders(root, 0777) < 0) {
		err_set_errno(e, "cannot create the folder '%s' for runs", root);
		return err_hint(e, "choose another one with --runs DIR");
	}
	if (make_own(&b, root, label, when, e) < 0)
		return -1;
	/* The program may change its folder before the profiler writes. */
	f->path = realpath(b.s, NULL);
	if (!f->path)
		return err_set_errno(e, "cannot find '%s' again", b.s);
	f->id = strrchr(f->path, '/') + 1;
	f->lock = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Nobody has it for longer than a look takes. */
	if (f->lock >= 0)
		flock(f->lock, LOCK_EX);
	return 0;
}

/* It has no name, so that nothing stays when we are killed. */
void run_folder_reserve(struct run_folder *f, uint64_t bytes)
{
	SCOPED char *path = run_folder_file(f, ".reserve");

	f->reserve = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (f->reserve >= 0) {
		unlink(path);
		posix_fallocate(f->reserve, 0, (off_t)bytes);
	}
}

void run_folder_release(struct run_folder *f)
{
	if (f->reserve >= 0)
		close(f->reserve);
	f->reserve = -1;
}

void run_folder_close(struct run_folder *f)
{
	run_folder_release(f);
	if (f->lock >= 0)
		close(f->lock);
	free(f->path);
	*f = RUN_FOLDER_NONE;
}

int run_folder_share(const char *path, int *ret_lock, struct err *e)
{
	*ret_lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_lock < 0)
		return err_set_errno(e, "cannot open the run folder '%s'", path);
	/* File systems without locks have nobody to wait for. */
	if (flock(*ret_lock, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	close(*ret_lock);
	*ret_lock = -1;
	err_set(e, ERR_USAGE, "'%s' is in use: its run is still active, or it is being removed",
		path);
	return err_hint(e, "wait until it ends");
}

void run_folder_discard(const struct run_folder *f)
{
	struct err ignored;

	if (f->path)
		run_folder_remove(f->path, &ignored);
}

int run_folder_take(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return fd;
	close(fd);
	return -1;
}

bool run_folder_is_busy(const char *path)
{
	SCOPED_FD fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

uint64_t run_folder_bytes(const char *path)
{
	char *roots[] = {(char *)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	uint64_t bytes = 0;
	const FTSENT *one;

	while (walk && (one = fts_read(walk))) {
		if (one->fts_info == FTS_F)
			bytes += (uint64_t)one->fts_statp->st_size;
	}
	if (walk)
		fts_close(walk);
	return bytes;
}

static void remove_manifest(const char *folder)
{
	SCOPED char *path = file_in(folder, "manifest.json");

	unlink(path);
}

int run_folder_remove(const char *path, struct err *e)
{
	char *roots[] = {(char *)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int result = walk ? 0 : err_set_errno(e, "cannot read the folder '%s'", path);
	const FTSENT *one;

	while (walk && (one = fts_read(walk))) {
		const bool is_manifest =
			one->fts_level == 1 && strcmp(one->fts_name, "manifest.json") == 0;

		/* A folder goes when what is in it has gone. */
		if (one->fts_info == FTS_D || (is_manifest && one->fts_info == FTS_F))
			continue;
		/* While anything is left the manifest says what it is, so that it can be pruned. */
		if (one->fts_level == 0 && result == 0)
			remove_manifest(path);
		if (result == 0 && remove(one->fts_accpath) < 0)
			result = err_set_errno(e, "cannot remove '%s'", one->fts_path);
	}
	if (walk)
		fts_close(walk);
	return result;
}
