/*
 * Several runs to be compared: the traces of a command line, each with the engine and the model
 * whose map sorts its kernels, and the time that it takes without the profiler.
 */
#ifndef CLI_GRAPH_RUNS_H
#define CLI_GRAPH_RUNS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>

/* As given: NULL where nothing was said. */
struct run {
	const char *trace;
	const char *engine, *model, *elapsed;
	const char *label;  /* MODEL_ENGINE, or the file's name */
	bool operand;	    /* a plain trace, which its file's name may stand for */
	bool tuple;	    /* `trace` is still FILE,ENGINE,MODEL,SECONDS */
	int64_t elapsed_ns; /* 0: as long as the trace */
};

enum runs_list { LIST_NONE, LIST_TUPLES, LIST_MAPS };

/* A zeroed struct runs is empty and valid. */
struct runs {
	struct run *all;
	size_t count, cap;
	struct run first; /* said before any run: what holds for those that say nothing */
	const char **maps;
	size_t map_count, map_cap;
	enum runs_list list; /* which option's list operands continue */
	struct arena arena;
};

/* Text lives as long as the command line. */
void runs_add(struct runs *r, const char *text, bool tuple);
/*
 * A trace, unless it continues --in_file's list, or --engine-map's and does not look like a trace.
 */
void runs_add_operand(struct runs *r, const char *text);
void runs_add_map(struct runs *r, const char *path);
void runs_end_list(struct runs *r);
/* "engine", "model" or "elapsed" of the last run. ERR_USAGE when it was said already. */
int runs_set(struct runs *r, const char *what, const char *value, struct err *e);
/*
 * After the last word: tuples are taken apart, times read, everyone has an engine, a model and a
 * label of its own, and what a shell has put in the order of its letters is in that of its numbers.
 * ERR_USAGE with the word that is wrong.
 */
int runs_settle(struct runs *r, struct err *e);
void runs_free(struct runs *r);

#endif
