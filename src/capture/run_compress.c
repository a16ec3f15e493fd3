/* What of a run can be made smaller without losing anything? */
#include "capture/run_list.h"

#include "base/buf.h"
#include "input/pack.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t size_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

/* The export goes when its packed copy is whole and in place. */
static int pack_export(const char *path, uint64_t *saved, struct err *e)
{
	struct buf half = {0}, packed = {0};
	uint64_t before = size_of(path), after;
	int result;

	buf_addf(&half, "%s.zst.half", path);
	buf_addf(&packed, "%s.zst", path);
	result = zstd_pack_file(path, half.s, e);
	if (result == 0 && rename(half.s, packed.s) < 0)
		result = err_set_errno(e, "cannot write '%s'", packed.s);
	if (result == 0 && unlink(path) < 0)
		result = err_set_errno(e, "cannot remove '%s'", path);
	if (result < 0)
		unlink(half.s);
	after = size_of(packed.s);
	if (result == 0 && after < before)
		*saved += before - after;
	buf_free(&half);
	buf_free(&packed);
	return result;
}

/* A recording with a report of the same name beside it. */
static bool is_imported(const char *path)
{
	size_t stem = strlen(path) - strlen(".qdstrm");
	struct buf report = {0};
	bool found;

	buf_add(&report, path, stem);
	buf_adds(&report, ".nsys-rep");
	found = size_of(report.s) > 0;
	buf_free(&report);
	return found;
}

static int compress_file(const char *path, bool pretend, uint64_t *saved, struct err *e)
{
	uint64_t size = size_of(path);

	if (size && str_ends(str_of(path), ".sqlite")) {
		/* How much will be saved nobody knows; a third is what is left, as a rule. */
		if (pretend)
			*saved += size - size / 3;
		return pretend ? 0 : pack_export(path, saved, e);
	}
	if (!size || !str_ends(str_of(path), ".qdstrm") || !is_imported(path))
		return 0;
	*saved += size;
	if (!pretend && unlink(path) < 0)
		return err_set_errno(e, "cannot remove '%s'", path);
	return 0;
}

int kept_run_compress(const struct kept_run *r, bool pretend, uint64_t *ret_saved, struct err *e)
{
	struct buf path = {0};
	struct dirent **entries = NULL;
	int count, result = 0;

	*ret_saved = 0;
	buf_addf(&path, "%s/nsys", r->path);
	/* All names first: files come and go while they are packed. */
	count = scandir(path.s, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		buf_clear(&path);
		buf_addf(&path, "%s/nsys/%s", r->path, entries[i]->d_name);
		if (result == 0)
			result = compress_file(path.s, pretend, ret_saved, e);
		free(entries[i]);
	}
	free(entries);
	buf_free(&path);
	return result;
}
