/* The commands of the program: those of their own, and every analysis of the registry. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "analysis/analysis.h"
#include "cli/common_options.h"
#include "input/input.h"
#include "options/parse.h"
#include "text/nearest.h"

struct command;

/* A command line on its way to an answer. */
struct invocation {
	const char *command;		 /* as it was called */
	const struct command *spec;	 /* NULL: it is an analysis and no more */
	const struct analysis *analysis; /* whose options it takes, or NULL */
	void *args;			 /* of the command's own options, or NULL */
	void *asked;			 /* of the analysis's, or NULL */
	struct output_args output;
	struct input_args input;
	struct help_args help;
	const char *trace_path;	  /* the operand, or NULL */
	struct string_list paths; /* all of them, where several traces are asked as one */
	struct traces *captures;  /* of these */
	struct string_list words; /* the operands, where they are more than a trace */
	size_t words_after;	  /* of these, how many came after "--" */
	bool has_dashes;	  /* there is a "--" */
	struct report report;	  /* filled; also the head of an error's envelope */
	struct trace *trace;
	bool output_failed; /* standard output or the file did not take the answer */
	int exit_code;	    /* where nothing failed but a program that was run for the user */
};

/* Options that many commands have. */
enum common_options {
	COMMON_TRACE = 1,  /* reads a trace: --nsys, --threads */
	COMMON_OUTPUT = 2, /* makes a report: --format, -o, --color */
	COMMON_FILE = 4,   /* writes a file of one format: -o */
	COMMON_COLOUR = 8, /* --color */
};

/* Says words that may come next on a command line. */
typedef void offer_word(void *ctx, const char *word);

struct command {
	const char *name;
	const char *operand; /* "TRACE", or NULL */
	const char *summary;
	const char *detail;		    /* may be NULL */
	const char *example;		    /* may be NULL */
	const struct option_group *options; /* its own; may be NULL */
	const char *analysis;		    /* whose options it takes as well, or NULL */
	unsigned common;
	bool has_words;	     /* operands go to `words`; with a trace those after "--" */
	bool has_trace;	     /* the first operand before "--" is one, nevertheless */
	bool runs_program;   /* the first operand begins a command line of its own */
	bool has_traces;     /* several traces are asked as one */
	bool has_sides;	     /* "--" stands between two lists of words; options may follow it */
	bool may_be_tree;    /* --format folded is for it to judge */
	bool own_format;     /* --format is none of a report's: errors have no envelope */
	const char *instead; /* what to say where --format is unknown; may be NULL */
	bool lists_reports;  /* its manual page lists the reports of `stats` */
	/* Keys that it takes, for its manual page: the i-th; false after the last. May be NULL. */
	bool (*key_at)(size_t i, struct buf *keys, struct buf *text);
	/* Operands that it understands itself; may be NULL. */
	int (*take_operand)(struct invocation *inv, const char *arg, struct err *e);
	void (*begin_option)(struct invocation *inv); /* an option ends a list of operands */
	int (*explain_unknown)(const char *name, const char *value, struct err *e);
	/* What may come next; the last of the words is there in part. May be NULL. */
	void (*complete)(char *const *words, size_t count, offer_word *offer, void *ctx);
	/* What machines are told of inv->trace, into inv->report. NULL: what its analysis says. */
	int (*answer)(struct invocation *inv, struct err *e);
	int (*run)(struct invocation *inv, struct err *e);
};

/* Commands that are more than an analysis, in the order of help; NULL after the last. */
const struct command *command_at(size_t i);
const struct command *command_find(const char *name);

/* Words of other tools and earlier versions: the command that the word leads to, or the word. */
const char *command_for_word(const char *word);
/* The word that leads to the command, or NULL. */
const char *command_other_name(const char *command);
/* The i-th word that leads to a command; NULL after the last. */
const char *command_other_name_at(size_t i);

extern const struct command command_man, command_completion;

/* Makes room for the arguments, all as when nothing was said. Ended by invocation_free(). */
void invocation_init(struct invocation *inv, const char *name, const struct command *c,
		     const struct analysis *a);
void invocation_free(struct invocation *inv);
/* All options that the command line may have. */
struct option_parts invocation_parts(struct invocation *inv);

/* Opens the trace that the invocation names and heads its report with it. */
int invocation_open_trace(struct invocation *inv, struct err *e);
/* Filters that the trace has, and --iteration as a window: for commands that are no analysis. */
int invocation_settle_scope(struct invocation *inv, struct scope *s, struct err *e);
/* Which rows are shown, where options say so; or NULL. */
struct row_choice *invocation_rows(struct invocation *inv);
/* People see 20 rows by default, machines all. */
void invocation_default_limit(struct invocation *inv);
/* What --format says, else how the file of -o ends, else text. */
const char *invocation_format(const struct invocation *inv);
/* The report, in the format and to the place that were asked for. */
int invocation_present(struct invocation *inv, struct err *e);
/* Runs the analysis whose options the command takes, and presents it. */
int invocation_answer(struct invocation *inv, struct err *e);
/* Whether --format folded is for it. */
bool invocation_may_be_tree(const struct invocation *inv);
/* What the format cannot be for this command. */
int invocation_check_format(const struct invocation *inv, bool trees, struct err *e);
/* ERR_USAGE where the words, which are a command to run, begin with an option. */
int invocation_check_program(const struct invocation *inv, struct err *e);

/* Runs any command by name with its arguments; returns the exit code. */
int command_main(int argc, char **argv);

/* A command whichever kind it is of: what help, manual and completion need to know. */
struct command_view {
	const char *name, *operand, *summary, *detail, *example;
	const struct command *command; /* NULL: an analysis and no more */
	struct option_parts parts;
};

/* The i-th, in the order of help; false after the last. */
bool command_view_at(size_t i, struct command_view *ret);
/* By its name, or a word that leads to it. */
bool command_view_find(const char *name, struct command_view *ret);

/* Tries all names, also other words that lead to a command. */
void command_try_nearest(struct nearest *n);

/* `gpuwhy complete WORD…`, which shells ask: prints what the last word may become. */
int complete_main(int argc, char **argv);

void help_program(struct buf *b);
void help_command(struct buf *b, const struct command_view *c);
/* Prints a help text, through the pager where it is long. */
void help_print(const struct buf *b);
/* `gpuwhy help WORD`: of a command, a guide, or of both; returns the exit code. */
int help_main(const char *word);

#endif
