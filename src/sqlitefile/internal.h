/*
 * What the files of this module share: the mapped file, a table's private half, and the few
 * functions that cross files. Nobody outside src/sqlitefile includes it.
 */
#ifndef SQLITEFILE_INTERNAL_H
#define SQLITEFILE_INTERNAL_H

#include "base/arena.h"
#include "base/err.h"
#include "sqlitefile/sqlitefile.h"

#include <pthread.h>

struct db;
struct join;

/* The leaf pages of a table b-tree in rowid order. */
struct leaves {
	uint32_t *pages;
	uint64_t *first_row; /* count + 1 prefix sums: the last is the number of rows */
	size_t count;
	uint32_t max_rows; /* of one page */
	bool known;
	bool claimed; /* counted in pages_claimed */
	bool guessed; /* from the keys above them: true unless rowids have gaps */
};

struct column_rules {
	bool is_real;	  /* REAL affinity: stored integers are REAL */
	bool has_default; /* a record too short for it does not mean NULL */
};

struct table {
	struct sqlite_table pub; /* first, so that the public pointer is ours */
	const struct column_rules *rules;
	const char *declined; /* why libsqlite3 reads this table, or NULL */
	int rowid_column;     /* the INTEGER PRIMARY KEY, or -1 */
	uint32_t root;
	struct leaves leaves;
};

/* A hot journal or write-ahead log beside the file, and the private copy that replays it. */
struct sidecar {
	bool has_wal;
	bool has_journal;
	uint64_t bytes;		      /* of both */
	char *folder;		      /* NULL until the copy is made */
	char *database;		      /* the copy */
	struct sidecar *next, **from; /* others with copies */
};

struct sqlitefile {
	char *path;
	char *real_path; /* absolute where the system can tell */
	const char *declined;

	/* At least MAP_SLACK bytes after the file's last are readable too. */
	const uint8_t *map;
	uint64_t size;
	size_t map_size;

	uint32_t page_size;
	uint32_t usable; /* page_size less what extensions reserve */
	uint32_t page_count;
	uint32_t header_pages; /* what the header claims, for messages */

	struct arena arena; /* the schema */
	struct table *tables;
	size_t table_count;
	size_t table_cap;
	uint64_t pages_claimed; /* by the tables walked so far: no page belongs to two */
	uint64_t schema_bytes;	/* of text so far */

	pthread_mutex_t text_lock;
	struct arena text; /* under text_lock: text that lies in no single place of the map */

	bool (*stop)(void); /* NULL, or asked while columns are read: true ends it */
	struct join *join;  /* of several files, which have the rows; NULL: it is one */
	struct db *db;	    /* opened when first needed */
	struct sidecar sidecar;
};

enum { MAP_SLACK = 64, MAX_COLUMNS = 2000 };

/* map.c */
int map_open(struct sqlitefile *f, struct err *e);
void map_close(struct sqlitefile *f);
/* Takes the pages out of this process's resident set; their contents stay reachable. */
void map_forget_pages(const struct sqlitefile *f, const uint32_t *pages, size_t count);
void map_forget_all(const struct sqlitefile *f);

/* sidecar.c */
int sidecar_find(struct sqlitefile *f, struct err *e);
int sidecar_copy(struct sqlitefile *f, struct err *e);
/* The copy on disk; what it is called stays known. */
void sidecar_remove(const struct sidecar *s);
/* All copies on disk; who is about to make one waits until the program has ended. */
void sidecar_remove_all(void);
void sidecar_free(struct sidecar *s);

/* db.c: libsqlite3, for what this module does not read itself. */
void db_close(struct db *db); /* NULL is fine */
/* Every row of sqlite_master to schema_add_row(). */
int db_read_schema(struct sqlitefile *f, struct err *e);
/* Fills t's columns as libsqlite3 knows them. -1: it cannot tell, t unchanged. */
int db_describe(struct sqlitefile *f, struct table *t, struct err *e);
int db_count_rows(struct sqlitefile *f, const struct table *t, uint64_t *ret, struct err *e);
/* Batches of all rows, which must be `rows`, on this thread, as worker 0. */
int db_scan(struct sqlitefile *f, const struct table *t, const int *columns, size_t count,
	    uint64_t rows, sqlite_batch_fn *fn, void *ctx, struct err *e);

/* scan.c */
int scan_open(struct sqlite_scan **ret, struct sqlitefile *f, const struct sqlite_table *t,
	      const int *columns, size_t count, bool guess, struct err *e);
uint64_t scan_rows(const struct sqlite_scan *s);
/* Each leaf was seen to have as many rows as was guessed: nobody need count them again. */
void scan_confirm_guess(struct sqlite_scan *s);
/* Who wants some of its rows alone; before it runs. */
void scan_set_wants(struct sqlite_scan *s, sqlite_wants_fn *wants);

/* join.c: what the functions of sqlitefile.h do with a file that is several. */
struct join_scan;
void join_free(struct join *j);
void join_set_stop(const struct join *j, bool (*stop)(void));
uint64_t join_size_bytes(const struct join *j);
int join_count_rows(const struct sqlitefile *f, const struct table *t, uint64_t *ret,
		    struct err *e);
int join_has_rows(const struct sqlitefile *f, const struct table *t, bool *ret, struct err *e);
int join_scan_open(struct join_scan **ret, const struct sqlitefile *f, const struct table *t,
		   const int *columns, size_t count, bool guess, struct err *e);
uint64_t join_scan_rows(const struct join_scan *s);
void join_scan_confirm_guess(struct join_scan *s);
int join_scan_run(struct join_scan *s, sqlite_batch_fn *fn, sqlite_wants_fn *wants, void *ctx,
		  bool in_order, struct err *e);
int join_scan_run_row(struct join_scan *s, uint64_t row, sqlite_batch_fn *fn, void *ctx,
		      struct err *e);
void join_scan_close(struct join_scan *s);

/* btree.c */
/* Fills t->leaves; a guess may stand in for the count of each leaf's rows. */
int btree_leaves(struct sqlitefile *f, struct table *t, bool guess, struct err *e);
/* Whether the page is a leaf with that many rows: what a guess must be checked by. */
bool btree_leaf_has(const struct sqlitefile *f, uint32_t page, uint32_t rows);
int btree_has_rows(const struct sqlitefile *f, const struct table *t, bool *ret, struct err *e);
void btree_free_leaves(struct leaves *l);

/* sqlitefile.c: ERR_INPUT naming file, table and page (0: none in particular), with a hint. */
void damage_say(const struct sqlitefile *f, const struct table *t, uint32_t page, struct err *e,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));
#define damage(...) (damage_say(__VA_ARGS__), -1)

/* One row of sqlite_master. */
struct schema_row {
	struct str type;
	struct str name;
	struct str sql;
	int64_t root;
};

/* schema.c: f->tables. */
int schema_read(struct sqlitefile *f, struct err *e);
/* For both paths: takes one row in schema order; the strings are copied. */
int schema_add_row(struct sqlitefile *f, const struct schema_row *row, struct err *e);

/*
 * create.c: fills t's columns, rules, comment and rowid_column from a CREATE TABLE statement, and
 * t->declined when the records do not hold the plain columns. -1: not understood, t unchanged.
 */
int create_parse(struct arena *a, struct table *t, struct str sql);

/* `len` bytes that live as long as the file; any thread. */
char *text_room(struct sqlitefile *f, size_t len);

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the loads below swap bytes");

static inline uint32_t be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t be32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline uint64_t be64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap64(v);
}

static inline const uint8_t *page_at(const struct sqlitefile *f, uint32_t page)
{
	return f->map + (uint64_t)(page - 1) * f->page_size;
}

/* The b-tree header of page 1 comes after the file header. */
static inline uint32_t page_header_at(uint32_t page)
{
	return page == 1 ? 100 : 0;
}

#endif
