/*
 * A skill that somebody wrote: SQL in a file whose opening comment says what it is called, what it
 * answers, which parameters it takes and what its columns mean. docs/skills.md has the format.
 */
#ifndef COMMANDS_SKILL_FILE_H
#define COMMANDS_SKILL_FILE_H

#include "base/arena.h"
#include "commands/query/query_rows.h"

enum skill_type {
	SKILL_INT,
	SKILL_REAL,
	SKILL_TEXT,
	SKILL_BOOL,    /* bound as 1 or 0 */
	SKILL_SECONDS, /* bound as nanoseconds */
	SKILL_TYPES,
};

struct skill_param {
	const char *name;
	enum skill_type type;
	bool has_default;
	const char *default_text; /* as it is written */
	struct sql_value value;	  /* the default */
	const char *help;	  /* or NULL */
	size_t line;
};

struct skill_file {
	struct arena arena;
	const char *name;
	const char *summary;
	const char *detail; /* lines of the comment that say nothing to the program; or NULL */
	const char *path;   /* NULL: it ships with the program */
	struct str text;    /* the whole file */
	struct skill_param *params;
	size_t param_count, param_cap;
	struct column_said *columns;
	size_t column_count, column_cap;
};

enum { SKILL_LARGEST_FILE = 1 << 20, SKILL_LONGEST_NAME = 60 };

/*
 * Reads a skill; `where` stands for the file in messages. ERR_INPUT with line and reason when the
 * text is none. To be freed whether this fails or not.
 */
int skill_file_parse(struct skill_file *s, struct str text, const char *where, struct err *e);
int skill_file_read(struct skill_file *s, const char *path, struct err *e);
void skill_file_free(struct skill_file *s);

const char *skill_type_name(enum skill_type type);
/* What a parameter of that type is given as: "a whole number". */
const char *skill_type_help(enum skill_type type);
/* The value that the text spells; false: it spells none of that type. Text lives as `text` does. */
bool skill_value(enum skill_type type, struct str text, struct sql_value *ret);

/*
 * ERR_INPUT where the SQL has a parameter that the comment does not declare, or the other way. The
 * SQL is read, not run.
 */
int skill_check_params(const struct skill_file *s, const char *where, struct err *e);
/* The parameter of that name, or NULL. */
const struct skill_param *skill_file_param(const struct skill_file *s, const char *name);

#endif
