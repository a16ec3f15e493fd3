/* Options that many commands have: where the trace comes from, where the answer goes, help. */
#ifndef CLI_COMMON_OPTIONS_H
#define CLI_COMMON_OPTIONS_H

#include "options/option.h"

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct output_args {
	const char *format;	    /* NULL: the command's default */
	const char *unknown_format; /* that was asked for, and is none */
	const char *path;	    /* -o, or NULL */
	enum colour colour;
	bool no_pager;
};
/* -o, for a set() that judges its FILE. */
#define OPT_OUTPUT(s, h) OPT_CUSTOM_ACCESS("output", 'o', "FILE", s, ACCESS_WRITES, h)
/* With --format folded, too: tree_output_options. */
extern const struct option_group output_options, tree_output_options;
extern const struct option_group file_options, colour_options;

extern const struct option_group input_options; /* of a struct input_args */

struct help_args {
	bool help;
};
extern const struct option_group help_options;

/* The --format among the arguments (up to a NULL), wherever it stands, or NULL: an error needs it
 * before they parse. */
const char *peek_format(char **argv);

#endif
