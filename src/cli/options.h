/*
 * The command line: one table of options with their help, each applying to the commands whose
 * parameters it belongs to. Nothing here prints.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "analysis/analysis.h"
#include "base/buf.h"
#include "capture/ncu_request.h"
#include "capture/nsys_request.h"
#include "commands/categories/graph_runs.h"
#include "export/export.h"

/* Beyond the analyses' parameters (enum param): what else a command may take. */
#define OPT_ALWAYS     0
#define OPT_LINES      (UINT64_C(1) << 46) /* export-json: --lines */
#define OPT_FILE       (UINT64_C(1) << 47) /* writes a file of one format: -o */
#define OPT_TRACE      (UINT64_C(1) << 48) /* reads a trace: --nsys, --threads */
#define OPT_OUTPUT     (UINT64_C(1) << 49) /* makes a report: --format, -o, --color */
#define OPT_REPORTS    (UINT64_C(1) << 50) /* stats: -r, --list and what nsys scripts pass */
#define OPT_REPORT_DIR (UINT64_C(1) << 51) /* report: --out and what goes into the folder */
#define OPT_RUNS       (UINT64_C(1) << 52) /* graph: traces, each with engine, model and time */
#define OPT_EXPORT     (UINT64_C(1) << 54) /* export: a timeline and what is left out of it */
#define OPT_WORDS      (UINT64_C(1) << 53) /* operands that the command understands itself */
#define OPT_QUERY      (UINT64_C(1) << 56) /* query: --file, --explain */
#define OPT_TIMEOUT    (UINT64_C(1) << 57) /* runs SQL that somebody wrote: --timeout */
#define OPT_PICTURE    (UINT64_C(1) << 63) /* roofline: -o FILE.svg */
#define OPT_NCU	       (UINT64_C(1) << 59) /* ncu: --launches */
#define OPT_SKILL      (UINT64_C(1) << 58) /* skill: -p, --max-rows, --skill-path */

#define OPT_PROFILE	(UINT64_C(1) << 60) /* profile: what is captured, and where it goes */
#define OPT_RUN_FOLDERS (UINT64_C(1) << 61) /* runs: --keep */
#define OPT_INSPECT	(UINT64_C(1) << 62) /* inspect: which kernels, and how ncu is asked */

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* What `profile` and `runs` are told. */
struct capture_options {
	struct nsys_request request;
	const char *preset; /* a launcher's name, or NULL */
	const char *root;   /* --runs, or NULL */
	const char *label;  /* --name, or NULL */
	uint64_t first_step, last_step;
	double timeout_s, grace_s; /* 0: none, the usual one */
	struct words nsys_args, inputs, matrix;
	bool dry_run, drop_report;
	bool has_keep;
	uint64_t keep;
};

/* What `inspect` is told. */
struct inspect_options {
	uint64_t top, launches; /* 0: the usual */
	bool each;
	const char *range, *phase; /* or NULL */
	const char *ncu;	   /* --ncu-path, or NULL */
	struct ncu_settings settings;
	struct words ncu_args;
};

struct options {
	struct params params;
	bool limit_given;
	const char *by;		    /* the word after --by, or NULL */
	const char *format;	    /* NULL: the command's default */
	const char *unknown_format; /* that was asked for, and is none */
	const char *output;	    /* -o, or NULL */
	const char *nsys,
		*nsys_option; /* the program, and how the option that says so was called */
	enum colour colour;
	bool help;
	bool list;
	bool quiet;
	const char **reports; /* as given to -r, not yet split */
	size_t report_count, report_cap;
	const char *out_dir;
	uint64_t kernel_limit;
	bool force, no_kernel_percentiles, print_schema;
	const char *trace;  /* the operand, or NULL */
	const char **words; /* the operands, where they are more than a trace */
	size_t word_count, word_cap;
	struct runs runs; /* the operands, where there may be several */
	const char *title;
	bool merge_devices;
	bool lines;
	struct export_options export;
	const char *export_format; /* NULL: as the file's name ends */
	bool to_stdout;		   /* -o - */
	bool explorer;		   /* schema --html */
	bool peaks;		   /* mfu --peaks */
	const char *sql_file;	   /* --file, or NULL */
	bool explain;
	double timeout_s;	   /* 0: none */
	const char **skill_params; /* as given to -p: "key=value" */
	size_t skill_param_count, skill_param_cap;
	const char **skill_paths;
	size_t skill_path_count, skill_path_cap;
	bool launches;		/* ncu: each by itself */
	const char **ncu_files; /* --ncu: CSVs of Nsight Compute */
	size_t ncu_file_count, ncu_file_cap;
	struct capture_options capture;
	struct inspect_options inspect;
};

/*
 * Parses the arguments after the command's name. `accepts` is a union of enum param and OPT_ bits;
 * other options are ERR_USAGE, with a hint when they exist elsewhere or a similar one does.
 */
int options_parse(struct options *o, const char *command, uint64_t accepts, int argc, char **argv,
		  struct err *e);
void options_free(struct options *o);
/*
 * Sets one option by its long name, with the checks of the command line. A flag takes true or
 * false; what takes two values has them apart by a space or a comma. The value must outlive the
 * options.
 */
int options_set(struct options *o, const char *command, uint64_t accepts, const char *name,
		const char *value, struct err *e);
/* What only all options together can tell; options_parse() does it itself. */
int options_check(struct options *o, const char *command, uint64_t accepts, struct err *e);
/* ERR_USAGE where the words, which are a command to run, begin with an option. */
int options_check_program(const struct options *o, struct err *e);
/* The --format among the arguments (up to a NULL), wherever it stands, or NULL: an error needs it
 * before they parse. */
const char *options_peek_format(char **argv);

/* Appends the help lines of all options that `accepts` covers. */
void options_add_help(struct buf *b, uint64_t accepts);

#endif
