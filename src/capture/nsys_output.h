/* What nsys has left behind: its reports, or why there are none. */
#ifndef CAPTURE_NSYS_OUTPUT_H
#define CAPTURE_NSYS_OUTPUT_H

#include "base/buf.h"
#include "base/err.h"

/* Files of a run's nsys/ folder, by name in the order of their numbers. */
struct nsys_output {
	char **reports; /* .nsys-rep, .qdrep */
	size_t report_count, report_cap;
	char **streams; /* .qdstrm without a report beside it */
	size_t stream_count, stream_cap;
};

/* nsys_output_free() it in any case. */
int nsys_output_read(struct nsys_output *o, const char *folder, struct err *e);
void nsys_output_free(struct nsys_output *o);
/* Whether there is a report, or a recording to make one of. */
bool nsys_left_anything(const char *folder);

/* The folder in which nsys keeps what it records until that has become a report. */
const char *nsys_scratch(void);
/* Whether nsys itself may have failed: a recording has no report, or its log says so. */
bool nsys_has_failed(const char *folder, const char *log);

/* What is known of the capture when there is no report. */
struct nsys_fate {
	const char *folder; /* nsys/ of the run */
	const char *log;    /* all that was said */
	const char *range;  /* --range, or NULL */
	bool profiler_api;
	const char *delay_s; /* --delay, or NULL */
	double elapsed_s;    /* of the whole run */
	bool unstarted;	     /* the program was never started */
	int signal;	     /* that killed nsys, or 0 */
	bool starved;	     /* it was killed because its disk was full */
	bool given_up;	     /* it was killed because it took too long */
	const struct nsys_output *output;
};

/* ERR_INPUT or ERR_SYSTEM that says why there is no report, and what to do. Always -1. */
int nsys_explain_missing(const struct nsys_fate *f, struct err *e);

/* Whether a recording of the folder, NAME.qdstrm, has become a report. */
bool nsys_has_report(const char *folder, const char *stream);

#endif
