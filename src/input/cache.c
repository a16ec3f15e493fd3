/* Was this file made before, and if not, how does it come to be whole or not at all? */
#include "input/cache.h"

#include "base/file.h"
#include "base/mem.h"
#include "input/interrupt.h"
#include "input/unpack.h"

#include <inttypes.h>
#include <stdio.h>
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

/* Sets *ret_path (caller frees) to the cache folder, which may not exist yet. */
static int cache_folder_locate(char **ret_path, struct err *e)
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

/* Makes an empty working folder inside `path` and sets *ret_work (caller frees). */
static int cache_folder_begin(const char *path, char **ret_work, struct err *e)
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

/* Removes a working folder and the files in it. */
static void cache_folder_remove(const char *work)
{
	SCOPED_DIR *d = opendir(work);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	rmdir(work);
}

static void sweep_work(const char *path, const char *name)
{
	SCOPED char *work = file_in(path, name);
	struct stat st;

	if (lstat(work, &st) == 0 && S_ISDIR(st.st_mode) &&
	    time(NULL) - st.st_mtime > STALE_SECONDS)
		cache_folder_remove(work);
}

/*
 * Removes what nobody needs any more: working folders that a killed run left over a day ago, and
 * files whose name begins with `prefix` other than `current`.
 */
static void cache_folder_sweep(const char *path, const char *prefix, const char *current)
{
	SCOPED_DIR *d = opendir(path);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		struct str name = str_of(entry->d_name);

		if (str_starts(name, WORK_PREFIX))
			sweep_work(path, entry->d_name);
		else if (str_starts(name, prefix) && strcmp(entry->d_name, current) != 0)
			unlinkat(dirfd(d), entry->d_name, 0);
	}
}

enum { STEM_BYTES = 100 };

/* Which file of the cache belongs to this state of this source. */
struct entry {
	enum cache_content content;
	char *folder;
	struct buf prefix; /* of the name, the same for all states of this source */
	struct buf name;
};

/* The same in every run, unlike that of maps: names of files come from it. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ (x >> 32);
}

static uint64_t hash_text(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return mix(h);
}

static uint64_t hash_state(const struct stat *st, enum cache_content content)
{
	const uint64_t parts[] = {(uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
				  (uint64_t)st->st_mtim.tv_nsec, (uint64_t)st->st_ino};
	uint64_t h = content;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		h = mix(h * 31 + parts[i] + 1);
	return h;
}

/* The name up to its first dot tells people which trace this is; odd bytes have no place here. */
static void add_stem(struct buf *b, const char *path)
{
	const char *name = str_last_part(path);

	for (size_t i = 0; i < STEM_BYTES && name[i] && (i == 0 || name[i] != '.'); i++) {
		bool plain = (name[i] >= '0' && name[i] <= '9') || name[i] == '_' ||
			     ((name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z');

		buf_addc(b, plain ? name[i] : '-');
	}
}

static void entry_free(struct entry *n)
{
	free(n->folder);
	buf_free(&n->prefix);
	buf_free(&n->name);
}

/* Returns 0 with *ret filled, to be given to entry_free. */
static int entry_of(struct entry *ret, const char *source, enum cache_content content,
		    struct err *e)
{
	SCOPED char *real = realpath(source, NULL);
	struct stat st;

	*ret = (struct entry){.content = content};
	if (!real || stat(real, &st) < 0) {
		err_set_errno(e, "cannot read '%s'", source);
		return -1;
	}
	add_stem(&ret->prefix, source);
	buf_addf(&ret->prefix, "-%016" PRIx64, hash_text(real));
	buf_addf(&ret->name, "%s%016" PRIx64 ".sqlite", ret->prefix.s, hash_state(&st, content));
	if (cache_folder_locate(&ret->folder, e) == 0)
		return 0;
	entry_free(ret);
	return -1;
}

int cache_find(const char *source, enum cache_content content, char **ret_path, struct err *e)
{
	struct entry n;

	*ret_path = NULL;
	if (entry_of(&n, source, content, e) < 0)
		return -1;
	*ret_path = file_in(n.folder, n.name.s);
	entry_free(&n);
	if (!magic_file_is_sqlite(*ret_path)) {
		free(*ret_path);
		*ret_path = NULL;
	}
	return 0;
}

/* A source that was being written to is neither what it was nor what it will be. */
static int check_unchanged(const struct entry *n, const char *source, struct err *e)
{
	struct entry now;
	bool same;

	if (entry_of(&now, source, n->content, e) < 0)
		return -1;
	same = str_eq(buf_str(&now.name), buf_str(&n->name));
	entry_free(&now);
	if (same)
		return 0;
	err_set(e, ERR_INPUT, "'%s' changed while it was being read", source);
	return err_hint(e, "try again when the program writing it has finished");
}

static int publish(const struct entry *n, const char *source, const char *made, char **ret_path,
		   struct err *e)
{
	SCOPED char *path = file_in(n->folder, n->name.s);

	if (check_unchanged(n, source, e) < 0)
		return -1;
	if (rename(made, path) < 0)
		return err_set_errno(e, "cannot write '%s'", path);
	cache_folder_sweep(n->folder, n->prefix.s, n->name.s);
	*ret_path = mem_strdup(path);
	return 0;
}

int cache_make(const char *source, enum cache_content content, cache_make_fn *make, const void *ctx,
	       char **ret_path, struct err *e)
{
	struct entry n;
	SCOPED char *work = NULL, *made = NULL;
	int rc;

	if (entry_of(&n, source, content, e) < 0)
		return -1;
	interrupt_hold();
	rc = file_make_folders(n.folder, 0700) < 0 ? refuse(e, n.folder) : 0;
	if (rc == 0)
		rc = cache_folder_begin(n.folder, &work, e);
	if (rc == 0) {
		made = file_in(work, "made.sqlite");
		rc = make(source, made, ctx, e);
		if (rc == 0)
			rc = publish(&n, source, made, ret_path, e);
		cache_folder_remove(work);
	}
	entry_free(&n);
	interrupt_release();
	return rc;
}
