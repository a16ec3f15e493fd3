/* A command line, read by tables of options. Nothing here prints. */
#ifndef OPTIONS_PARSE_H
#define OPTIONS_PARSE_H

#include "options/args.h"

enum { OPTION_PARTS_MAX = 6 };

/* What a command takes: its own options, then those that many commands have. */
struct option_parts {
	size_t count;
	struct option_part {
		const struct option_group *group;
		void *args; /* NULL where they are only described */
	} all[OPTION_PARTS_MAX];
};

void parts_add(struct option_parts *p, const struct option_group *g, void *args);
/* The i-th option of all parts, in the order of help; false after the last. */
bool parts_option_at(const struct option_parts *p, size_t i, const struct option **ret);
/* By its name without dashes, or NULL. */
const struct option *parts_find(const struct option_parts *p, const char *name, size_t len);
/* Whether the flag, one of these, was given. */
bool parts_flag(const struct option_parts *p, const struct option *flag);
const struct option *parts_find_letter(const struct option_parts *p, char letter);

struct command_line {
	const char *command;
	const struct option_parts *parts;
	/* An operand, and whether it comes after "--". */
	int (*take_operand)(void *ctx, const char *arg, bool after_dashes, struct err *e);
	/* Where an option is none of the command's; may be NULL. -1: it has set a better error. */
	int (*explain_unknown)(const char *name, const char *value, struct err *e);
	void (*begin_option)(void *ctx); /* may be NULL */
	void (*meet_dashes)(void *ctx);	 /* "--" comes, and then operands alone; may be NULL */
	void *ctx;
	bool runs_program; /* the first operand begins a command line of its own */
	bool has_sides;	   /* "--" stands between two lists of operands; options may follow it */
};

/* Parses the arguments after the command's name, and looks at them together. */
int command_line_parse(const struct command_line *c, int argc, char **argv, struct err *e);

/*
 * Sets one option by its name, as a parameter of a skill. A flag takes true or false; what takes
 * two values has them apart by a space or a comma. The value must outlive the arguments.
 */
int group_set(const struct option_group *g, void *args, const char *command, const char *name,
	      const char *value, struct err *e);

/* The help lines of all options that are advertised. */
void parts_add_help(struct buf *b, const struct option_parts *p);

#endif
