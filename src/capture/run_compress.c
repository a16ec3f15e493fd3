/* What of a run can be made smaller without losing anything? */
#include "capture/run_list.h"

#include "base/file.h"
#include "capture/nsys_output.h"
#include "input/interrupt.h"
#include "input/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t size_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

/* What is in the file, or which files are in the folder, survives a crash from here on. */
static int sync_to_disk(const char *path, struct err *e)
{
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC);

	/* Not every file system can do it for folders. */
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		return err_set_errno(e, "cannot write '%s'", path);
	return 0;
}

static int put_packed(const char *folder, const char *path, const char *half, const char *packed,
		      struct err *e)
{
	if (zstd_pack_file(path, half, e) < 0 || sync_to_disk(half, e) < 0)
		return -1;
	if (rename(half, packed) < 0)
		return err_set_errno(e, "cannot write '%s'", packed);
	if (sync_to_disk(folder, e) < 0)
		return -1;
	return unlink(path) < 0 ? err_set_errno(e, "cannot remove '%s'", path) : 0;
}

static int refuse_packed(const char *packed, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' already exists next to the uncompressed file", packed);
	return err_hint(e, "remove the one that you do not need");
}

/* The export goes when its packed copy is whole and in place. */
static int pack_export(const char *folder, const char *path, uint64_t *saved, struct err *e)
{
	SCOPED_BUF half = {0}, packed = {0};
	uint64_t before = size_of(path), after;
	int result;

	buf_addf(&half, "%s.zst.half", path);
	buf_addf(&packed, "%s.zst", path);
	interrupt_hold();
	result = access(packed.s, F_OK) == 0 ? refuse_packed(packed.s, e)
					     : put_packed(folder, path, half.s, packed.s, e);
	if (result < 0)
		unlink(half.s);
	interrupt_release();
	after = size_of(packed.s);
	if (result == 0 && after < before)
		*saved += before - after;
	return result;
}

static int compress_file(const char *folder, const char *name, const char *path, bool pretend,
			 uint64_t *saved, struct err *e)
{
	uint64_t size = size_of(path);

	if (size && str_ends(str_of(path), ".sqlite")) {
		/* How much will be saved nobody knows; a third is what is left, as a rule. */
		if (pretend)
			*saved += size - size / 3;
		return pretend ? 0 : pack_export(folder, path, saved, e);
	}
	if (!size || !str_ends(str_of(name), ".qdstrm") || !nsys_has_report(folder, name))
		return 0;
	*saved += size;
	if (!pretend && unlink(path) < 0)
		return err_set_errno(e, "cannot remove '%s'", path);
	return 0;
}

int kept_run_compress(const struct kept_run *r, bool pretend, uint64_t *ret_saved, struct err *e)
{
	SCOPED_BUF folder = {0}, path = {0};
	struct dirent **entries = NULL;
	int count, result = 0;

	*ret_saved = 0;
	buf_addf(&folder, "%s/nsys", r->path);
	/* All names first: files come and go while they are packed. */
	count = scandir(folder.s, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		buf_clear(&path);
		buf_addf(&path, "%s/%s", folder.s, entries[i]->d_name);
		if (result == 0)
			result = compress_file(folder.s, entries[i]->d_name, path.s, pretend,
					       ret_saved, e);
		free(entries[i]);
	}
	free(entries);
	return result;
}
