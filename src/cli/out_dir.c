/* How does a folder appear whole or not at all, and replace nothing but its like? */
#include "cli/out_dir.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(const char *folder, const char *name)
{
	struct buf b = {0};

	buf_addf(&b, "%s/%s", folder, name);
	return b.s;
}

/* Without slashes at its end, which would name a place inside, or what a link leads to. */
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

/* By name, never by what is found there: nothing of anybody else's can get lost. */
static void remove_ours(const struct out_dir *d, const char *place)
{
	char *folder = join(place, d->folder);

	for (size_t i = 0; d->names[i]; i++) {
		char *path = join(place, d->names[i]);

		unlink(path);
		free(path);
	}
	rmdir(folder);
	rmdir(place);
	free(folder);
}

static bool is_ours(const struct out_dir *d, const char *name, mode_t mode)
{
	if (S_ISDIR(mode))
		return strcmp(name, d->folder) == 0;
	if (!S_ISREG(mode))
		return false;
	for (size_t i = 0; d->names[i]; i++) {
		if (strcmp(name, d->names[i]) == 0)
			return true;
	}
	return false;
}

/* `foreign` becomes the first entry that is not ours; the caller frees it. */
static int survey_folder(const struct out_dir *d, const char *place, const char *under,
			 char **foreign, struct err *e);

static int survey_entry(const struct out_dir *d, const char *place, const char *name,
			char **foreign, struct err *e)
{
	char *path = join(place, name);
	struct stat st;
	int result = 0;

	if (lstat(path, &st) < 0)
		result = err_set_errno(e, "cannot access '%s'", path);
	else if (!is_ours(d, name, st.st_mode))
		*foreign = mem_strdup(name);
	else if (S_ISDIR(st.st_mode))
		result = survey_folder(d, place, name, foreign, e);
	free(path);
	return result;
}

/* `under`: NULL, or our folder inside the place. */
static int survey_folder(const struct out_dir *d, const char *place, const char *under,
			 char **foreign, struct err *e)
{
	char *path = under ? join(place, under) : mem_strdup(place);
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int result = 0;

	if (!dir)
		result = err_set_errno(e, "cannot read the folder '%s'", path);
	while (dir && result == 0 && !*foreign && (entry = readdir(dir))) {
		char *name = under ? join(under, entry->d_name) : mem_strdup(entry->d_name);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = survey_entry(d, place, name, foreign, e);
		free(name);
	}
	if (dir)
		closedir(dir);
	free(path);
	return result;
}

/* What is in `place` may go: an earlier folder of ours, or an empty one, that is to be replaced. */
static int check_content(const struct out_dir *d, const char *place, struct err *e)
{
	char *foreign = NULL;
	int result = survey_folder(d, place, NULL, &foreign, e);

	if (result == 0 && foreign) {
		err_set(e, ERR_USAGE, "'%s' contains '%s', which is not part of a report", d->path,
			foreign);
		result = err_hint(
			e, "choose a new folder with --out: only an earlier report is replaced");
	} else if (result == 0 && !d->force) {
		err_set(e, ERR_USAGE, "'%s' exists already", d->path);
		result = err_hint(e, "--force replaces it");
	}
	free(foreign);
	return result;
}

/* Does the file lie in the folder, at whatever depth? */
static bool lies_in(const char *file, const char *folder)
{
	char *a = realpath(file, NULL), *b = realpath(folder, NULL);
	size_t len = b ? strlen(b) : 0;
	bool inside = a && b && strncmp(a, b, len) == 0 && a[len] == '/';

	free(a);
	free(b);
	return inside;
}

/* "." and its like have no name that a finished folder could take over. */
static bool has_name(const char *place)
{
	const char *last = str_last_part(place);

	return *last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0;
}

static int check_place(const struct out_dir *d, const char *place, const char *spare, struct err *e)
{
	struct stat st;

	if (!has_name(place)) {
		err_set(e, ERR_USAGE, "'%s' cannot be used as a report folder", d->path);
		return err_hint(e, "choose a new one: --out report");
	}
	if (lstat(place, &st) < 0)
		return errno == ENOENT ? 0 : err_set_errno(e, "cannot write '%s'", d->path);
	if (S_ISLNK(st.st_mode))
		return err_set(e, ERR_USAGE, "'%s' is a link, and links are not followed", d->path);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, "'%s' exists and is not a folder", d->path);
	if (lies_in(spare, place)) {
		err_set(e, ERR_USAGE, "the trace '%s' is inside '%s'", spare, d->path);
		return err_hint(e, "choose a new folder with --out");
	}
	return check_content(d, place, e);
}

int out_dir_check(const struct out_dir *d, const char *spare, struct err *e)
{
	char *place = beside(d->path, "");
	int result = check_place(d, place, spare, e);

	free(place);
	return result;
}

int out_dir_open(struct out_dir *d, const char *spare, struct err *e)
{
	mode_t mask = umask(0);

	umask(mask);
	d->temporary = NULL;
	if (out_dir_check(d, spare, e) < 0)
		return -1;
	d->temporary = beside(d->path, ".XXXXXX");
	if (!mkdtemp(d->temporary)) {
		free(d->temporary);
		d->temporary = NULL;
		return err_set_errno(e, "cannot write '%s'", d->path);
	}
	chmod(d->temporary, 0777 & ~mask);
	return 0;
}

char *out_dir_file(const struct out_dir *d, const char *name)
{
	return join(d->temporary, name);
}

int out_dir_make(const struct out_dir *d, struct err *e)
{
	char *path = out_dir_file(d, d->folder);
	int result = mkdir(path, 0777) < 0 ? err_set_errno(e, "cannot create '%s'", path) : 0;

	free(path);
	return result;
}

/*
 * What was there steps aside first, so that nothing is lost if ours cannot take its place, and is
 * looked at again: somebody may have put a file there while we were busy.
 */
static int replace(const struct out_dir *d, struct err *e)
{
	char *place = beside(d->path, ""), *old = beside(d->temporary, ".old");
	bool existed = rename(place, old) == 0;
	int result = existed ? check_content(d, old, e) : 0;

	if (result == 0 && rename(d->temporary, place) < 0)
		result = err_set_errno(e, "cannot write '%s'", d->path);
	if (result < 0 && existed)
		rename(old, place);
	else if (existed)
		remove_ours(d, old);
	free(place);
	free(old);
	return result;
}

int out_dir_close(struct out_dir *d, bool ok, struct err *e)
{
	int result = ok ? replace(d, e) : -1;

	if (result < 0 && d->temporary)
		remove_ours(d, d->temporary);
	free(d->temporary);
	d->temporary = NULL;
	return result;
}
