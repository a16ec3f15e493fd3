/* Would a file be lost? */
#include "commands/diff/spare_files.h"

#include "base/mem.h"
#include "cli/output.h"

#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

/* The folder that a file is in, or will be. */
static int stat_folder(const char *path, struct stat *ret)
{
	SCOPED char *copy = mem_strdup(path);

	return stat(dirname(copy), ret);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Files that are not there yet are one if they are called the same in one folder. */
static bool will_be_same(const char *a, const char *b)
{
	struct stat x, y;

	if (strcmp(last_part(a), last_part(b)) != 0)
		return false;
	if (stat_folder(a, &x) < 0 || stat_folder(b, &y) < 0)
		return strcmp(a, b) == 0;
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A device, such as /dev/null, takes as many answers as come. */
static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	if (stat(a, &x) < 0 || stat(b, &y) < 0)
		return will_be_same(a, b);
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}

static int spare(const struct spare_files *f, const char *path, struct err *e)
{
	for (size_t i = 0; i < f->trace_count; i++) {
		if (output_spare_trace(path, f->traces[i], e) < 0)
			return -1;
	}
	for (size_t i = 0; i < f->other_count; i++) {
		if (f->others[i] && is_same(path, f->others[i]))
			return err_set(e, ERR_USAGE, "'%s' is read: it would be overwritten", path);
	}
	return 0;
}

static int check(const struct spare_files *f, struct err *e)
{
	for (size_t i = 0; i < f->written_count; i++) {
		const char *path = f->written[i];

		if (!path)
			continue;
		for (size_t k = 0; k < i; k++) {
			if (f->written[k] && is_same(path, f->written[k]))
				return err_set(e, ERR_USAGE, "'%s' cannot hold two answers", path);
		}
		if (spare(f, path, e) < 0)
			return -1;
	}
	return 0;
}

int spare_files(const struct spare_files *f, struct err *e)
{
	const int result = check(f, e);

	/* The error must not take the file's place, either; on standard output it may be told. */
	e->output = result < 0 && f->written[0] && strcmp(f->written[0], "-") != 0;
	return result;
}
