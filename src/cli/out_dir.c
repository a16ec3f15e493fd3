/* How does a folder appear whole or not at all? */
#include "cli/out_dir.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static int check_place(const char *path, bool force, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_set_errno(e, "cannot write '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, "'%s' exists and is no folder", path);
	if (force)
		return 0;
	err_set(e, ERR_USAGE, "'%s' exists already", path);
	return err_hint(e, "--force replaces it");
}

/* Without slashes at its end, which would name a place inside. */
static char *beside(const char *path, const char *suffix)
{
	struct str s = str_of(path);
	struct buf b = {0};

	while (s.len > 1 && s.s[s.len - 1] == '/')
		s.len--;
	buf_addstr(&b, s);
	buf_adds(&b, suffix);
	return b.s;
}

int out_dir_open(struct out_dir *d, const char *path, bool force, struct err *e)
{
	mode_t mask = umask(0);

	umask(mask);
	*d = (struct out_dir){.path = path};
	if (check_place(path, force, e) < 0)
		return -1;
	d->temporary = beside(path, ".XXXXXX");
	if (!mkdtemp(d->temporary)) {
		free(d->temporary);
		d->temporary = NULL;
		return err_set_errno(e, "cannot write '%s'", path);
	}
	chmod(d->temporary, 0777 & ~mask);
	return 0;
}

char *out_dir_file(const struct out_dir *d, const char *name)
{
	struct buf b = {0};

	buf_addf(&b, "%s/%s", d->temporary, name);
	return b.s;
}

int out_dir_make(const struct out_dir *d, const char *name, struct err *e)
{
	char *path = out_dir_file(d, name);
	int result = mkdir(path, 0777) < 0 ? err_set_errno(e, "cannot make '%s'", path) : 0;

	free(path);
	return result;
}

/* What was there steps aside first, so that nothing is lost if ours cannot take its place. */
static int replace(const struct out_dir *d, struct err *e)
{
	char *place = beside(d->path, ""), *old = beside(d->temporary, ".old");
	bool existed = rename(place, old) == 0;
	int result = 0;

	if (rename(d->temporary, place) < 0) {
		result = err_set_errno(e, "cannot write '%s'", d->path);
		if (existed)
			rename(old, place);
	} else if (existed) {
		remove_tree(old);
	}
	free(place);
	free(old);
	return result;
}

int out_dir_close(struct out_dir *d, bool ok, struct err *e)
{
	int result = ok ? replace(d, e) : -1;

	if (result < 0 && d->temporary)
		remove_tree(d->temporary);
	free(d->temporary);
	*d = (struct out_dir){0};
	return result;
}
