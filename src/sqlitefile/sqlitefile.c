/* Can this file be read, by whom, and what does it hold? */
#include "sqlitefile/sqlitefile.h"

#include "base/mem.h"
#include "sqlitefile/db.h"
#include "sqlitefile/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

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

void sqlitefile_close(struct sqlitefile *f)
{
	if (!f)
		return;
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
	return f->size;
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
