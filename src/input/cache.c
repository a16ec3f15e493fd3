/* Was this file made before, and if not, how does it come to be whole or not at all? */
#include "input/cache.h"

#include "base/buf.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "input/cache_folder.h"
#include "input/interrupt.h"
#include "input/magic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEM_BYTES = 100 };

/* Which file of the cache belongs to this state of this source. */
struct entry {
	char *folder;
	struct buf prefix; /* of the name, the same for all states of this source */
	struct buf name;
};

static uint64_t hash_text(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return idmap_hash(h);
}

static uint64_t hash_state(const struct stat *st)
{
	const uint64_t parts[] = {(uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
				  (uint64_t)st->st_mtim.tv_nsec, (uint64_t)st->st_ino};
	uint64_t h = 0;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		h = idmap_hash(h * 31 + parts[i] + 1);
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
static int entry_of(struct entry *ret, const char *source, struct err *e)
{
	char *real = realpath(source, NULL);
	struct stat st;

	*ret = (struct entry){0};
	if (!real || stat(real, &st) < 0) {
		free(real);
		return err_set_errno(e, "cannot read '%s'", source);
	}
	add_stem(&ret->prefix, source);
	buf_addf(&ret->prefix, "-%016" PRIx64, hash_text(real));
	buf_addf(&ret->name, "%s%016" PRIx64 ".sqlite", ret->prefix.s, hash_state(&st));
	free(real);
	if (cache_folder_locate(&ret->folder, e) == 0)
		return 0;
	entry_free(ret);
	return -1;
}

static char *join(const char *folder, const char *name)
{
	struct buf b = {0};

	buf_addf(&b, "%s/%s", folder, name);
	return b.s;
}

int cache_find(const char *source, char **ret_path, struct err *e)
{
	struct entry n;
	char *path;

	*ret_path = NULL;
	if (entry_of(&n, source, e) < 0)
		return -1;
	path = join(n.folder, n.name.s);
	if (magic_file_is_sqlite(path))
		*ret_path = path;
	else
		free(path);
	entry_free(&n);
	return 0;
}

/* A source that was being written to is neither what it was nor what it will be. */
static int check_unchanged(const struct entry *n, const char *source, struct err *e)
{
	struct entry now;
	bool same;

	if (entry_of(&now, source, e) < 0)
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
	char *path;

	if (check_unchanged(n, source, e) < 0)
		return -1;
	path = join(n->folder, n->name.s);
	if (rename(made, path) < 0) {
		err_set_errno(e, "cannot write '%s'", path);
		free(path);
		return -1;
	}
	cache_folder_sweep(n->folder, n->prefix.s, n->name.s);
	*ret_path = path;
	return 0;
}

int cache_make(const char *source, cache_make_fn *make, const void *ctx, char **ret_path,
	       struct err *e)
{
	struct entry n;
	char *work = NULL, *made;
	int rc;

	if (entry_of(&n, source, e) < 0)
		return -1;
	interrupt_hold();
	rc = cache_folder_create(n.folder, e);
	if (rc == 0)
		rc = cache_folder_begin(n.folder, &work, e);
	if (rc == 0) {
		made = join(work, "made.sqlite");
		rc = make(source, made, ctx, e);
		if (rc == 0)
			rc = publish(&n, source, made, ret_path, e);
		cache_folder_remove(work);
		free(made);
		free(work);
	}
	entry_free(&n);
	interrupt_release();
	return rc;
}
