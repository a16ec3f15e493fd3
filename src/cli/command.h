/* The commands of the program: those of their own, and every analysis of the registry. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"

struct invocation {
	const char *command;
	struct options options;
	const struct analysis *analysis; /* when the command is one */
	struct report report;		 /* filled; also the head of an error's envelope */
	struct trace *trace;
	bool output_failed; /* standard output or the file did not take the answer */
	int exit_code;	    /* where nothing failed but a program that was run for the user */
};

struct command {
	const char *name;
	const char *operand; /* "TRACE", or NULL */
	const char *summary;
	const char *detail;  /* may be NULL */
	const char *example; /* may be NULL */
	uint64_t accepts;
	int (*run)(struct invocation *inv, struct err *e);
};

/* Commands that are more than an analysis, in the order of help; NULL after the last. */
const struct command *command_at(size_t i);
const struct command *command_find(const char *name);

extern const struct command command_stats, command_report, command_graph;
extern const struct command command_export_csv, command_export_json, command_markdown;
extern const struct command command_export, command_man, command_completion;
extern const struct command command_query, command_skill;
extern const struct command command_ncu, command_roofline;
extern const struct command command_profile, command_inspect, command_runs;

/* Opens the trace that the invocation names and heads its report with it. */
int invocation_open_trace(struct invocation *inv, struct err *e);
/* People see 20 rows by default, machines all. */
void invocation_default_limit(struct invocation *inv);
const char *invocation_format(const struct invocation *inv);

/* Runs any command by name with its arguments; returns the exit code. */
int command_main(int argc, char **argv);

/* What an analysis accepts on the command line. */
uint64_t analysis_accepts(const struct analysis *a);

/* A command whichever kind it is of: what help, manual and completion need to know. */
struct command_view {
	const char *name, *operand, *summary, *detail, *example;
	uint64_t accepts;
};

/* The i-th, in the order of help; false after the last. */
bool command_view_at(size_t i, struct command_view *ret);
/* By its name. */
bool command_view_find(const char *name, struct command_view *ret);

/* A manual page in roff: of a command, or of the program (NULL). */
void man_add_page(struct buf *b, const struct command_view *c);

/* `gpuwhy complete WORD…`, which shells ask: prints what the last word may become. */
int complete_main(int argc, char **argv);

void help_program(struct buf *b);
void help_command(struct buf *b, const struct command_view *c);

#endif
