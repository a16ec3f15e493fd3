/*
 * The example queries as data. {k} is a table under its alias, {k.a|b} its column a, or b where it
 * has no a. Where a trace lacks a table or a column of one, the next of the same name is for it.
 * The table after the first FROM must have rows.
 */
#ifndef CLI_SCHEMA_TEMPLATES_H
#define CLI_SCHEMA_TEMPLATES_H

#include <stddef.h>

/* What a table is called in the queries, and in exports: the first that there is. */
struct schema_alias {
	const char *alias;
	const char *tables; /* with | between them */
};

struct schema_template {
	const char *name;
	const char *title;
	const char *purpose;
	const char *sql;
};

extern const struct schema_alias schema_aliases[];
extern const size_t schema_alias_count;
extern const struct schema_template schema_templates[];
extern const size_t schema_template_count;

#endif
