/*
 * From what the user named to a SQLite file that can be read. A SQLite file stands for itself, the
 * folder of a run for the trace in it (input/run_traces.h); a compressed one is decompressed and an
 * Nsight Systems report exported by nsys, both into the user's cache folder, where the result is
 * reused while the source stays the same. The source and its folder are never written.
 *
 * Environment: GPUWHY_CACHE_DIR names the cache folder; GPUWHY_NSYS_SEARCH (folders or globs,
 * separated by colons) replaces the usual install folders in the search for nsys.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct input_args {
	const char *nsys;	 /* what --nsys PATH says, or NULL */
	const char *nsys_option; /* how the user calls that option; NULL: "nsys" */
	bool exported_only; /* no program is run: a report is read where it was exported before */
	bool (*stop)(void); /* of what is opened: see trace_set_stop(); NULL: nothing */
};

/*
 * Sets *ret_sqlite_path, which the caller frees. A file of a kind that is not known here stands
 * for itself: whoever reads it says what is wrong with it.
 */
int input_resolve(const char *path, const struct input_args *o, char **ret_sqlite_path,
		  struct err *e);
/* Whether it is called as traces are, or is a file that begins as they do. */
bool input_may_be_trace(const char *path);

/* The length of the path without the ending: a trace's, such as .sqlite.gz, or any other. */
size_t input_stem_length(const char *path);
/* By its ending, how quick a trace is to open: 0 the quickest; -1: it is not called as one. */
int input_ending_rank(const char *path);

/* A cache_make_fn; `nsys` is the path of that program, which alone opens reports. */
int nsys_export(const char *report, const char *out, const void *nsys, struct err *e);

#endif
