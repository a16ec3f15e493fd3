/* How does a folder appear whole or not at all, and replace nothing but its like? */
#include "cli/out_dir.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* "rank_3.html" */
static bool is_page(const struct out_dir *d, const char *name)
{
	const size_t begin = strlen(d->page);
	size_t digits;

	if (strncmp(name, d->page, begin) != 0)
		return false;
	digits = strspn(name + begin, "0123456789");
	return digits && strcmp(name + begin + digits, ".html") == 0;
}

static void remove_pages(const struct out_dir *d, const char *place)
{
	SCOPED char *folder = file_in(place, d->pages);
	SCOPED_DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		SCOPED char *path = file_in(folder, entry->d_name);

		if (is_page(d, entry->d_name))
			unlink(path);
	}
	rmdir(folder);
}

/* By name, never by what is found there: nothing of anybody else's can get lost. */
static void remove_ours(const struct out_dir *d, const char *place)
{
	SCOPED char *folder = file_in(place, d->folder);

	for (size_t i = 0; d->names[i]; i++) {
		SCOPED char *path = file_in(place, d->names[i]);

		unlink(path);
	}
	rmdir(folder);
	if (d->pages)
		remove_pages(d, place);
	rmdir(place);
}

static bool is_ours(const struct out_dir *d, const char *name, mode_t mode)
{
	if (S_ISDIR(mode))
		return strcmp(name, d->folder) == 0 || (d->pages && strcmp(name, d->pages) == 0);
	if (!S_ISREG(mode))
		return false;
	if (d->pages && strncmp(name, d->pages, strlen(d->pages)) == 0 &&
	    name[strlen(d->pages)] == '/' && is_page(d, name + strlen(d->pages) + 1))
		return true;
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
	SCOPED char *path = file_in(place, name);
	struct stat st;

	if (lstat(path, &st) < 0)
		return err_set_errno(e, "cannot access '%s'", path);
	if (!is_ours(d, name, st.st_mode))
		*foreign = mem_strdup(name);
	else if (S_ISDIR(st.st_mode))
		return survey_folder(d, place, name, foreign, e);
	return 0;
}

/* `under`: NULL, or our folder inside the place. */
static int survey_folder(const struct out_dir *d, const char *place, const char *under,
			 char **foreign, struct err *e)
{
	SCOPED char *path = under ? file_in(place, under) : mem_strdup(place);
	SCOPED_DIR *dir = opendir(path);
	const struct dirent *entry;
	int result = 0;

	if (!dir)
		return err_set_errno(e, "cannot read the folder '%s'", path);
	while (result == 0 && !*foreign && (entry = readdir(dir))) {
		SCOPED char *name =
			under ? file_in(under, entry->d_name) : mem_strdup(entry->d_name);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = survey_entry(d, place, name, foreign, e);
	}
	return result;
}

/* What is in `place` may go: an earlier folder of ours, or an empty one, that is to be replaced. */
static int check_content(const struct out_dir *d, const char *place, struct err *e)
{
	SCOPED char *foreign = NULL;

	if (survey_folder(d, place, NULL, &foreign, e) < 0)
		return -1;
	if (foreign) {
		err_set(e, ERR_USAGE, "'%s' contains '%s', which is not part of a report", d->path,
			foreign);
		return err_hint(
			e, "choose a new folder with --out: only an earlier report is replaced");
	}
	if (d->force)
		return 0;
	err_set(e, ERR_USAGE, "'%s' exists already", d->path);
	return err_hint(e, "--force replaces it");
}

/* Does the file lie in the folder, at whatever depth? */
static bool lies_in(const char *file, const char *folder)
{
	SCOPED char *a = realpath(file, NULL), *b = realpath(folder, NULL);
	size_t len = b ? strlen(b) : 0;

	return a && b && strncmp(a, b, len) == 0 && a[len] == '/';
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
	SCOPED char *place = beside(d->path, "");

	return check_place(d, place, spare, e);
}

/* The folder that it is in; the caller frees it. */
static char *above(const struct out_dir *d)
{
	SCOPED char *place = beside(d->path, "");
	const char *name = str_last_part(place);
	struct buf b = {0};

	buf_add(&b, place, (size_t)(name - place));
	if (!b.len)
		buf_addc(&b, '.');
	return b.s;
}

int out_dir_open(struct out_dir *d, const char *spare, struct err *e)
{
	SCOPED char *folder = NULL;
	mode_t mask = umask(0);

	umask(mask);
	d->temporary = NULL;
	if (out_dir_check(d, spare, e) < 0)
		return -1;
	folder = above(d);
	d->first_missing = file_first_missing(folder);
	d->temporary = beside(d->path, ".XXXXXX");
	if ((d->first_missing && file_make_folders(folder, 0777) < 0) || !mkdtemp(d->temporary)) {
		err_set_errno(e, "cannot write '%s'", d->path);
		file_unmake_folders(folder, d->first_missing);
		free(d->temporary);
		d->temporary = NULL;
		return -1;
	}
	chmod(d->temporary, 0777 & ~mask);
	return 0;
}

char *out_dir_file(const struct out_dir *d, const char *name)
{
	return file_in(d->temporary, name);
}

static int make_folder(const char *path, struct err *e)
{
	return mkdir(path, 0777) < 0 ? err_set_errno(e, "cannot create '%s'", path) : 0;
}

int out_dir_make(const struct out_dir *d, struct err *e)
{
	SCOPED char *path = out_dir_file(d, d->folder);

	return make_folder(path, e);
}

int out_dir_make_pages(const struct out_dir *d, struct err *e)
{
	SCOPED char *path = out_dir_file(d, d->pages);

	return make_folder(path, e);
}

/*
 * What was there steps aside first, so that nothing is lost if ours cannot take its place, and is
 * looked at again: somebody may have put a file there while we were busy.
 */
static int replace(const struct out_dir *d, struct err *e)
{
	SCOPED char *place = beside(d->path, ""), *old = beside(d->temporary, ".old");
	bool existed = rename(place, old) == 0;
	int result = existed ? check_content(d, old, e) : 0;

	if (result == 0 && rename(d->temporary, place) < 0)
		result = err_set_errno(e, "cannot write '%s'", d->path);
	if (result < 0 && existed)
		rename(old, place);
	else if (existed)
		remove_ours(d, old);
	return result;
}

int out_dir_close(struct out_dir *d, bool ok, struct err *e)
{
	int result = ok ? replace(d, e) : -1;

	if (result < 0 && d->temporary) {
		SCOPED char *folder = above(d);

		remove_ours(d, d->temporary);
		file_unmake_folders(folder, d->first_missing);
	}
	free(d->temporary);
	d->temporary = NULL;
	return result;
}
