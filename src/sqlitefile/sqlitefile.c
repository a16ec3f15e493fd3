/* Can this file be read, by whom, and what does it hold? */
#include "base/mem.h"
#include "sqlitefile/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { HEADER_BYTES = 100, UTF8 = 1 };

static const char magic[16] = "SQLite format 3";

static int fail_magic(const struct sqlitefile *f, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is not a SQLite database", f->path);
	return err_hint(e, "convert a .nsys-rep with nsys export --type sqlite");
}

static int fail_truncated(const struct sqlitefile *f, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is truncated: it ends within its first page, at %llu bytes",
		f->path, (unsigned long long)f->size);
	return err_hint(e, "copy it again, or export again with nsys export --type sqlite");
}

static const char *why_declined(const struct sqlitefile *f)
{
	const uint8_t *h = f->map;
	uint32_t encoding = be32(h + 56);

	if (h[18] > 2 || h[19] > 2)
		return "it has an unknown format version";
	if (f->usable != f->page_size)
		return "its pages have reserved bytes";
	if (encoding > UTF8)
		return "its text is UTF-16";
	if (f->size / f->page_size > UINT32_MAX - 1)
		return "it has too many pages";
	return NULL;
}

/* Page geometry, and f->declined where only libsqlite3 can read the file. */
static int header_read(struct sqlitefile *f, struct err *e)
{
	const uint8_t *h = f->map;
	size_t known = f->size < sizeof(magic) ? (size_t)f->size : sizeof(magic);

	if (memcmp(h, magic, known) != 0)
		return fail_magic(f, e);
	if (f->size < HEADER_BYTES)
		return fail_truncated(f, e);
	f->page_size = be16(h + 16);
	if (f->page_size == 1)
		f->page_size = 65536;
	if (f->page_size < 512 || (f->page_size & (f->page_size - 1)) != 0)
		return fail_magic(f, e);
	f->usable = f->page_size - h[20];
	if (f->usable < 480)
		return fail_magic(f, e);
	if (f->size < f->page_size)
		return fail_truncated(f, e);
	f->page_count = (uint32_t)(f->size / f->page_size);
	f->header_pages = be32(h + 28);
	if (!f->declined)
		f->declined = why_declined(f);
	return 0;
}

/* Refuses a file that is shorter than its header says; not to be asked where a journal is hot. */
static int header_check_size(const struct sqlitefile *f, struct err *e)
{
	/* Old writers do not keep the size; then the two counters beside it disagree. */
	bool kept = be32(f->map + 24) == be32(f->map + 92);

	if (!kept || f->header_pages <= f->page_count)
		return 0;
	err_set(e, ERR_INPUT, "'%s' is truncated: its header promises %u pages, the file has %u",
		f->path, f->header_pages, f->page_count);
	return err_hint(e, "copy it again, or export again: nsys export --type sqlite");
}

static int open_file(struct sqlitefile *f, struct err *e)
{
	if (map_open(f, e) < 0 || header_read(f, e) < 0 || sidecar_find(f, e) < 0 ||
	    (!f->sidecar.has_wal && !f->sidecar.has_journal && header_check_size(f, e) < 0))
		return -1;
	return schema_read(f, e);
}

static int open_path(struct sqlitefile **ret, const char *path, const char *declined, struct err *e)
{
	struct sqlitefile *f = mem_zalloc(1, sizeof(*f));

	f->path = mem_strdup(path);
	f->declined = declined;
	pthread_mutex_init(&f->text_lock, NULL);
	if (open_file(f, e) < 0) {
		sqlitefile_close(f);
		return -1;
	}
	*ret = f;
	return 0;
}

int sqlitefile_open(struct sqlitefile **ret, const char *path, struct err *e)
{
	return open_path(ret, path, NULL, e);
}

int sqlitefile_open_with_library(struct sqlitefile **ret, const char *path, struct err *e)
{
	return open_path(ret, path, "libsqlite3 was asked for", e);
}

void sqlitefile_remove_copy(const struct sqlitefile *f)
{
	sidecar_remove(&f->sidecar);
}

void sqlitefile_remove_copies(void)
{
	sidecar_remove_all();
}

void sqlitefile_set_stop(struct sqlitefile *f, bool (*stop)(void))
{
	f->stop = stop;
	if (f->join)
		join_set_stop(f->join, stop);
}

void sqlitefile_close(struct sqlitefile *f)
{
	if (!f)
		return;
	join_free(f->join);
	db_close(f->db);
	sidecar_remove(&f->sidecar);
	sidecar_free(&f->sidecar);
	for (size_t i = 0; i < f->table_count; i++)
		btree_free_leaves(&f->tables[i].leaves);
	free(f->tables);
	arena_free(&f->arena);
	arena_free(&f->text);
	pthread_mutex_destroy(&f->text_lock);
	map_close(f);
	free(f->path);
	free(f);
}

const char *sqlitefile_path(const struct sqlitefile *f)
{
	return f->path;
}

uint64_t sqlitefile_size_bytes(const struct sqlitefile *f)
{
	return f->join ? join_size_bytes(f->join) : f->size;
}

const char *sqlitefile_declined(const struct sqlitefile *f)
{
	return f->declined;
}

size_t sqlitefile_table_count(const struct sqlitefile *f)
{
	return f->table_count;
}

const struct sqlite_table *sqlitefile_table(const struct sqlitefile *f, size_t i)
{
	return &f->tables[i].pub;
}

const struct sqlite_table *sqlitefile_find_table(const struct sqlitefile *f, const char *name)
{
	for (size_t i = 0; i < f->table_count; i++)
		if (strcasecmp(f->tables[i].pub.name, name) == 0)
			return &f->tables[i].pub;
	return NULL;
}

int sqlite_table_find_column(const struct sqlite_table *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcasecmp(t->columns[i].name, name) == 0)
			return (int)i;
	return -1;
}

char *text_room(struct sqlitefile *f, size_t len)
{
	char *room;

	pthread_mutex_lock(&f->text_lock);
	room = arena_alloc(&f->text, len ? len : 1, 1);
	pthread_mutex_unlock(&f->text_lock);
	return room;
}

void damage_say(const struct sqlitefile *f, const struct table *t, uint32_t page, struct err *e,
		const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (page)
		err_set(e, ERR_INPUT, "'%s' is damaged: table %.200s, page %u: %s", f->path,
			t->pub.name, page, what);
	else
		err_set(e, ERR_INPUT, "'%s' is damaged: table %.200s: %s", f->path, t->pub.name,
			what);
	err_hint(e, "copy the file again from where it was made, or export again with "
		    "nsys export --type sqlite");
}
