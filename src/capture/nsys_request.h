/* What is to be captured, and how nsys is asked for it. */
#ifndef CAPTURE_NSYS_REQUEST_H
#define CAPTURE_NSYS_REQUEST_H

#include "capture/launchers.h"
#include "text/shell_words.h"

#include <stdint.h>

struct nsys_request {
	const char *range;	/* NAME[@DOMAIN], or NULL */
	bool profiler_api;	/* from cudaProfilerStart to cudaProfilerStop, each time */
	const char *delay_s;	/* as given, or NULL */
	const char *duration_s; /* the same */
	const char *steps;	/* A:B, for programs that gate themselves; or NULL */
	bool osrt, memory, python_backtrace;
	uint64_t python_hz;		/* Python samples per second; 0: none */
	const char *gpu_metrics;	/* which devices, as nsys calls them; or NULL */
	const char *gpu_metrics_option; /* how this nsys calls the option; NULL: as today's do */
	uint64_t gpu_metrics_hz;	/* 0: as many as nsys takes by itself */
	const char *seed;		/* for PYTHONHASHSEED, or NULL */
	const char *const *extra;
	size_t extra_count;
	const struct launcher *launcher; /* or NULL */
};

/* Whether --nsys-arg gives this option of nsys, "--NAME" or its letter: then it is the user's. */
bool nsys_request_has_own(const struct nsys_request *r, const char *name);

/* ERR_USAGE when two ways to say when to capture are given, or another place for the report. */
int nsys_request_check(const struct nsys_request *r, struct err *e);

/*
 * The whole argv: nsys profile with its options and the command, or the launcher's command with
 * nsys inside. `output` is the report's path without its ending.
 */
int nsys_request_argv(const struct nsys_request *r, const char *nsys, const char *output,
		      const char *const *command, size_t count, struct arena *a,
		      struct string_list *ret, struct err *e);
/* What the environment needs on top: "NAME=value". `run` is the run's folder. */
void nsys_request_env(const struct nsys_request *r, const char *run, struct arena *a,
		      struct string_list *ret);

#endif
