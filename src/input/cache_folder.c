/* Where may this program keep files of its own? */
#include "input/cache_folder.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WORK_PREFIX ".tmp-"

enum { STALE_SECONDS = 24 * 60 * 60 };

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

int cache_folder_locate(char **ret_path, struct err *e)
{
	const char *own = env("GPUWHY_CACHE_DIR"), *xdg = env("XDG_CACHE_HOME"),
		   *home = env("HOME");
	struct buf b = {0};

	/* A relative XDG_CACHE_HOME is to be ignored, says its specification. */
	if (own)
		buf_adds(&b, own);
	else if (xdg && xdg[0] == '/')
		buf_addf(&b, "%s/gpuwhy", xdg);
	else if (home)
		buf_addf(&b, "%s/.cache/gpuwhy", home);
	else {
		err_set(e, ERR_SYSTEM, "there is no cache folder: HOME is not set");
		return err_hint(e, "set GPUWHY_CACHE_DIR to a folder with room for the export");
	}
	*ret_path = b.s;
	return 0;
}

static int refuse(struct err *e, const char *path)
{
	err_set_errno(e, "cannot write to the cache folder '%s'", path);
	return err_hint(e, "set GPUWHY_CACHE_DIR to a writable folder");
}

int cache_folder_create(const char *path, struct err *e)
{
	char *partial = mem_strdup(path);
	int rc = 0;

	for (char *p = partial + 1; rc == 0 && *p; p++) {
		if (*p == '/') {
			*p = '\0';
			if (mkdir(partial, 0700) < 0 && errno != EEXIST)
				rc = refuse(e, path);
			*p = '/';
		}
	}
	free(partial);
	if (rc == 0 && mkdir(path, 0700) < 0 && errno != EEXIST)
		rc = refuse(e, path);
	return rc;
}

int cache_folder_begin(const char *path, char **ret_work, struct err *e)
{
	struct buf b = {0};

	buf_addf(&b, "%s/" WORK_PREFIX "XXXXXX", path);
	if (!mkdtemp(b.s)) {
		refuse(e, path);
		buf_free(&b);
		return -1;
	}
	*ret_work = b.s;
	return 0;
}

void cache_folder_remove(const char *work)
{
	DIR *d = opendir(work);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(work);
}

static void sweep_work(const char *path, const char *name)
{
	struct buf work = {0};
	struct stat st;

	buf_addf(&work, "%s/%s", path, name);
	if (lstat(work.s, &st) == 0 && S_ISDIR(st.st_mode) &&
	    time(NULL) - st.st_mtime > STALE_SECONDS)
		cache_folder_remove(work.s);
	buf_free(&work);
}

void cache_folder_sweep(const char *path, const char *prefix, const char *current)
{
	DIR *d = opendir(path);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		struct str name = str_of(entry->d_name);

		if (str_starts(name, WORK_PREFIX))
			sweep_work(path, entry->d_name);
		else if (str_starts(name, prefix) && strcmp(entry->d_name, current) != 0)
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	if (d)
		closedir(d);
}
