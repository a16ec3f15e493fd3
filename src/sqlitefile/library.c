/* How is the file opened so that libsqlite3 cannot but read it? */
#include "sqlitefile/library.h"

#include "base/buf.h"

#include <limits.h>

static const int64_t heap_bytes = 1 << 30;

/* Immutable: libsqlite3 then neither locks the file nor looks for anything beside it. */
static void add_uri(struct buf *b, const char *path)
{
	buf_adds(b, "file:");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9') || (c && strchr("/._-~", c));

		if (is_plain)
			buf_addc(b, (char)c);
		else
			buf_addf(b, "%%%02x", c);
	}
	buf_adds(b, "?mode=ro&immutable=1");
}

void library_end_scoped(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

int library_open(struct sqlitefile *f, sqlite3 **ret, struct err *e)
{
	SCOPED_BUF uri = {0};
	int rc;

	if (f->sidecar.has_wal || f->sidecar.has_journal) {
		if (!f->sidecar.database && sidecar_copy(f, e) < 0)
			return -1;
		/* Replaying the log writes to the copy, which is ours. */
		rc = sqlite3_open_v2(f->sidecar.database, ret, SQLITE_OPEN_READWRITE, NULL);
	} else {
		add_uri(&uri, f->real_path);
		rc = sqlite3_open_v2(uri.s, ret, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
	}
	if (rc == SQLITE_OK)
		return 0;
	return err_set(e, ERR_SYSTEM, "reading '%s': %s", f->path, sqlite3_errmsg(*ret));
}

void library_limit_heap(int64_t more_bytes)
{
	int64_t limit = more_bytes ? sqlite3_memory_used() + more_bytes : heap_bytes;

	sqlite3_hard_heap_limit64(limit < heap_bytes ? limit : heap_bytes);
	sqlite3_soft_heap_limit64(0); /* follows the other down by itself, but not up */
}

int library_harden(sqlite3 *handle)
{
	library_limit_heap(0);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
	return sqlite3_exec(handle,
			    "PRAGMA query_only = 1; PRAGMA temp_store = MEMORY; "
			    "PRAGMA cell_size_check = 1",
			    NULL, NULL, NULL);
}

uint64_t library_bytes(const struct sqlitefile *f)
{
	return f->size + f->sidecar.bytes;
}

int library_longest(const struct sqlitefile *f)
{
	uint64_t bytes = library_bytes(f);

	if (bytes < 1 << 20)
		return 2 << 20;
	return bytes > INT_MAX / 2 ? INT_MAX : (int)(2 * bytes);
}

struct str library_text(sqlite3_value *v)
{
	const char *text = (const char *)sqlite3_value_text(v);

	return (struct str){text ? text : "", text ? (size_t)sqlite3_value_bytes(v) : 0};
}
