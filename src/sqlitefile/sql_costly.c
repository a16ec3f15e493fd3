/* Which of SQLite's functions can take longer than a query may, with nobody asked meanwhile? */
#include "base/buf.h"
#include "base/mem.h"
#include "sqlitefile/sql_internal.h"

#include <ctype.h>
#include <stdlib.h>

/*
 * Some functions are one instruction however long they take: they compare each place of a text with
 * all of another, or write as many characters as they are told. Those that would take long are
 * refused; the others are called on a connection of their own, which knows them as they were.
 */
enum {
	MOST_COMPARISONS = 100 << 20,
	MOST_WIDTH_DIGITS = 4,
	MOST_ARGUMENTS = 64,
	MOST_LENGTH = 64 << 20,
};

struct costly {
	const char *name;
	int argc;    /* -1: any */
	bool writes; /* by a format; else it searches */
};

static const struct costly all[] = {
	{"instr", 2, false}, {"replace", 3, false}, {"trim", 2, false},	  {"ltrim", 2, false},
	{"rtrim", 2, false}, {"printf", -1, true},  {"format", -1, true},
};

/* Of one function on one connection. */
struct called {
	const struct costly *what;
	sqlite3 *plain;
	sqlite3_stmt *call;
	int argc; /* of the call */
};

static void called_free(void *ctx)
{
	struct called *c = ctx;

	sqlite3_finalize(c->call);
	sqlite3_close_v2(c->plain);
	free(c);
}

static const char *refuse_search(sqlite3_value **argv)
{
	const int64_t text = sqlite3_value_bytes(argv[0]), other = sqlite3_value_bytes(argv[1]);

	return text * other > MOST_COMPARISONS ? "the texts are too long to be searched" : NULL;
}

/* "%12.3f" is fine, "%*d" and "%.2000000000c" are not. */
static const char *refuse_format(sqlite3_value *format)
{
	const struct str s = library_text(format);

	for (size_t i = 0; i < s.len; i++) {
		size_t digits = 0;

		if (s.s[i] != '%')
			continue;
		for (i++; i < s.len && strchr("-+ #0!,.123456789*l", s.s[i]); i++) {
			digits = isdigit((unsigned char)s.s[i]) ? digits + 1 : 0;
			if (s.s[i] == '*' || digits > MOST_WIDTH_DIGITS)
				return "a width of a format is a number of at most 4 digits";
		}
	}
	return NULL;
}

static int prepare_call(struct called *c, int argc)
{
	SCOPED_BUF sql = {0};

	if (c->call && c->argc == argc)
		return SQLITE_OK;
	if (!c->plain) {
		const int rc = sqlite3_open_v2(":memory:", &c->plain, SQLITE_OPEN_READWRITE, NULL);

		if (rc != SQLITE_OK)
			return rc;
		sqlite3_limit(c->plain, SQLITE_LIMIT_LENGTH, MOST_LENGTH);
	}
	sqlite3_finalize(c->call);
	c->call = NULL;
	c->argc = argc;
	buf_addf(&sql, "SELECT %s(", c->what->name);
	for (int i = 0; i < argc; i++)
		buf_adds(&sql, i ? ",?" : "?");
	buf_addc(&sql, ')');
	return sqlite3_prepare_v2(c->plain, sql.s, -1, &c->call, NULL);
}

static void call(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct called *c = sqlite3_user_data(ctx);
	const char *why = NULL;
	int rc;

	if (argc > MOST_ARGUMENTS)
		why = "there are too many arguments";
	else if (argc && c->what->writes)
		why = refuse_format(argv[0]);
	else if (argc)
		why = refuse_search(argv);
	if (why) {
		sqlite3_result_error(ctx, why, -1);
		return;
	}
	rc = prepare_call(c, argc);
	for (int i = 0; i < argc && rc == SQLITE_OK; i++)
		rc = sqlite3_bind_value(c->call, i + 1, argv[i]);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(c->call);
	if (rc == SQLITE_ROW)
		sqlite3_result_value(ctx, sqlite3_column_value(c->call, 0));
	else
		sqlite3_result_error(ctx, sqlite3_errmsg(c->plain), -1);
	sqlite3_reset(c->call);
	/* They are copies, and may be as long as a text may be. */
	if (c->call)
		sqlite3_clear_bindings(c->call);
}

int sql_refuse_costly(struct sql *s, struct err *e)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < ARRAY_LEN(all) && rc == SQLITE_OK; i++) {
		struct called *c = mem_zalloc(1, sizeof(*c));

		c->what = &all[i];
		/* It frees what it is given, also where it fails. */
		rc = sqlite3_create_function_v2(s->handle, all[i].name, all[i].argc, flags, c, call,
						NULL, NULL, called_free);
	}
	if (rc == SQLITE_OK)
		return 0;
	return err_set(e, ERR_SYSTEM, "preparing for SQL: %s", sqlite3_errmsg(s->handle));
}
