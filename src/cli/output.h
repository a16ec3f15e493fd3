/* Where a report goes: the terminal, a pipe, or a file that appears whole or not at all. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/common_options.h"
#include "report/present.h"

struct output {
	struct sink sink;
	int fd;
	const char *path;   /* NULL: standard output */
	const char *option; /* that names the folder, for people: "-o" */
	char *temporary;    /* to be renamed to path; NULL: written in place */
};

/* path NULL or "-": standard output. */
int output_open(struct output *out, const char *path, struct err *e);
/* The same for a file that another option asks for: "--junit". */
int output_open_by(struct output *out, const char *path, const char *option, struct err *e);
/* Completes (ok) or withdraws (!ok) the output. */
int output_close(struct output *out, bool ok, struct err *e);

/* ERR_USAGE when writing to path would destroy the trace. */
int output_spare_trace(const char *path, const char *trace, struct err *e);

/*
 * How text should look there: with the colours of a terminal, plain elsewhere; as wide as COLUMNS
 * says, else as the terminal is, else of any width.
 */
struct style output_style(const struct output *out, enum colour colour);

/* Presents the report with the presenter into path. */
int output_report(const struct report *r, const struct presenter *how, const char *path,
		  enum colour colour, struct err *e);
/*
 * The same after a run of the user's, which counts whoever looks: that nobody reads standard output
 * any more, as behind `| head`, is no failure. For who has called interrupt_outlive_readers().
 */
int output_report_if_read(const struct report *r, const struct presenter *how, const char *path,
			  enum colour colour, struct err *e);

#endif
