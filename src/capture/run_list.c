/* Which runs are there, and what of one can be made smaller without losing anything? */
#include "capture/run_list.h"

#include "base/file.h"
#include "base/mem.h"
#include "capture/nsys_output.h"
#include "input/interrupt.h"
#include "input/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_RUNS = 100000, STAMP_LENGTH = sizeof("20261115T201105Z") - 1 };

static double started_of(const struct kept_run *r)
{
	const struct json *v = json_read_member(r->manifest.document, "started_unix_s");

	return v ? json_read_number(v) : 0;
}

/* By the second that an id begins with; of those that began in one, by when they say they did. */
static int by_age(const void *a, const void *b)
{
	const struct kept_run *x = a, *y = b;
	int seconds = strncmp(x->manifest.id, y->manifest.id, STAMP_LENGTH);

	if (seconds)
		return seconds;
	if (started_of(x) != started_of(y))
		return started_of(x) < started_of(y) ? -1 : 1;
	return strverscmp(x->manifest.id, y->manifest.id);
}

/* What is called as a run and has a manifest was one; what has none was never ours. */
static void note_unread(struct run_list *l, const char *path, const char *name,
			const struct err *why)
{
	SCOPED char *manifest = file_in(path, "manifest.json");
	struct stat st;

	if (fnmatch(RUN_GLOB, name, 0) == 0 && lstat(manifest, &st) == 0) {
		MEM_GROW(l->damaged, l->damaged_cap, l->damaged_count + 1);
		l->damaged[l->damaged_count++] = (struct damaged_run){mem_strdup(name), *why};
	} else {
		l->foreign++;
	}
}

/* Links are not followed: what they lead to is not in this folder. */
static void read_one(struct run_list *l, const char *name)
{
	/* Its id is the end of its path, which lives as long. */
	struct kept_run run = {.path = file_in(l->root, name)};
	struct err why;
	struct stat st;

	if (lstat(run.path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		free(run.path);
		return;
	}
	if (manifest_read(&run.manifest, run.path, &why) < 0) {
		note_unread(l, run.path, name, &why);
		free(run.path);
		return;
	}
	run.size_bytes = run_folder_bytes(run.path);
	run.busy = run_folder_is_busy(run.path);
	MEM_GROW(l->all, l->cap, l->count + 1);
	l->all[l->count++] = run;
}

int run_list_read(struct run_list *l, const char *root, struct err *e)
{
	SCOPED_DIR *dir = opendir(root);
	const struct dirent *entry;

	*l = (struct run_list){.root = root, .missing = !dir && errno == ENOENT};
	if (!dir)
		return l->missing ? 0 : err_set_errno(e, "cannot read the folder '%s'", root);
	while (l->count < MOST_RUNS && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			read_one(l, entry->d_name);
	}
	if (l->count)
		qsort(l->all, l->count, sizeof(*l->all), by_age);
	return 0;
}

void run_list_free(struct run_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		manifest_free(&l->all[i].manifest);
		free(l->all[i].path);
	}
	for (size_t i = 0; i < l->damaged_count; i++)
		free(l->damaged[i].name);
	free(l->damaged);
	free(l->all);
	*l = (struct run_list){0};
}

static int refuse_none(const struct run_list *l, struct err *e)
{
	if (l->damaged_count) {
		err_set(e, ERR_INPUT, "no run in '%s' can be read: %zu %s damaged", l->root,
			l->damaged_count, l->damaged_count == 1 ? "is" : "are");
		return err_hint(e, "gpuwhy runs list shows them");
	}
	err_set(e, ERR_INPUT, "there are no runs in '%s'", l->root);
	return err_hint(e, "create one with gpuwhy profile -- COMMAND, or choose another folder of "
			   "runs with --runs DIR");
}

static int refuse_damaged(const struct run_list *l, const struct damaged_run *r, struct err *e)
{
	*e = r->why;
	err_wrap(e, "the run '%s' is damaged", r->name);
	return err_hint(e,
			"%s%srepair its manifest.json, or remove the folder; traces in "
			"'%s/%s/nsys' can be opened without it",
			r->why.hint, r->why.hint[0] ? "; " : "", l->root, r->name);
}

static int find_latest(const struct run_list *l, const struct kept_run **ret, struct err *e)
{
	for (size_t i = l->count; i-- > 0;) {
		*ret = &l->all[i];
		if (!l->all[i].manifest.is_matrix)
			return 0;
	}
	return refuse_none(l, e);
}

/* How many are called so, or, unless `whole`, begin so; the last of each kind. */
static size_t find_called(const struct run_list *l, const char *word, bool whole,
			  const struct kept_run **ret, const struct damaged_run **ret_damaged)
{
	const size_t len = strlen(word) + whole;
	size_t found = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (strncmp(l->all[i].manifest.id, word, len) == 0) {
			*ret = &l->all[i];
			found++;
		}
	}
	for (size_t i = 0; i < l->damaged_count; i++) {
		if (strncmp(l->damaged[i].name, word, len) == 0) {
			*ret_damaged = &l->damaged[i];
			found++;
		}
	}
	return found;
}

int run_list_find(const struct run_list *l, const char *word, const struct kept_run **ret,
		  struct err *e)
{
	const struct damaged_run *damaged = NULL;
	size_t found;

	if (strcmp(word, "latest") == 0)
		return find_latest(l, ret, e);
	if (!l->count && !l->damaged_count)
		return refuse_none(l, e);
	/* Whole names before beginnings: one may begin another. */
	found = find_called(l, word, true, ret, &damaged);
	if (!found)
		found = find_called(l, word, false, ret, &damaged);
	if (found == 1)
		return damaged ? refuse_damaged(l, damaged, e) : 0;
	if (found)
		err_set(e, ERR_INPUT, "'%s' is ambiguous: it matches %zu runs in '%s'", word, found,
			l->root);
	else
		err_set(e, ERR_INPUT, "no run in '%s' is called '%s'", l->root, word);
	return err_hint(e, "gpuwhy runs list");
}

const char *kept_run_state(const struct kept_run *r)
{
	if (r->busy)
		return "running";
	if (str_eq(r->manifest.state, STR_LIT("done")))
		return "done";
	if (str_eq(r->manifest.state, STR_LIT("interrupted")))
		return "interrupted";
	return str_eq(r->manifest.state, STR_LIT("failed")) ? "failed" : "died";
}

bool kept_run_is_of(const struct kept_run *r, const struct kept_run *matrix)
{
	const struct json *own = json_read_member(r->manifest.document, "matrix");
	const struct json *id = own ? json_read_member(own, "id") : NULL;

	return id && str_eq(json_read_string(id), str_of(matrix->manifest.id));
}

bool damaged_run_is_of(const struct damaged_run *r, const struct kept_run *matrix)
{
	const struct json *runs = json_read_member(matrix->manifest.document, "runs");

	for (size_t i = 0; i < json_read_length(runs); i++) {
		const struct json *id = json_read_member(json_read_element(runs, i), "id");

		if (id && str_eq(json_read_string(id), str_of(r->name)))
			return true;
	}
	return false;
}

bool damaged_run_may_follow(const struct damaged_run *r, const struct kept_run *run)
{
	return strncmp(r->name, run->manifest.id, STAMP_LENGTH) >= 0;
}

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
	SCOPED char *folder = file_in(r->path, "nsys");
	SCOPED struct dirent **entries = NULL;
	int count, result = 0;

	*ret_saved = 0;
	/* All names first: files come and go while they are packed. */
	count = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		SCOPED char *path = file_in(folder, entries[i]->d_name);

		if (result == 0)
			result = compress_file(folder, entries[i]->d_name, path, pretend, ret_saved,
					       e);
		free(entries[i]);
	}
	return result;
}
