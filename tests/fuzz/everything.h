/* All that the program can do with a trace, into nowhere: what fuzzers and mutants run. */
#ifndef TESTS_FUZZ_EVERYTHING_H
#define TESTS_FUZZ_EVERYTHING_H

#include "analysis/analysis.h"
#include "analysis/kernel_names.h"
#include "base/mem.h"
#include "export/export.h"
#include "fleet/answer/reduce.h"
#include "fleet/part_file.h"
#include "fleet/part_make.h"
#include "options/parse.h"
#include "report/present.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Keeps nothing, but looks at everything: no escape may come out of any trace. */
static int look_and_drop(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	if (memchr(bytes, '\033', len)) {
		fprintf(stderr, "an escape sequence came out\n");
		abort();
	}
	return 0;
}

/* In one format and width; `which` chooses them, so that many calls try all. */
static void present(const struct report *r, size_t which)
{
	const struct style styles[] = {{.width = 0}, {.width = 40}};
	struct sink sink = {look_and_drop, NULL};
	size_t count = 0;
	struct err e;

	while (presenter_at(count))
		count++;
	if (count)
		present_report(presenter_at(which / 2 % count), r, &styles[which % 2], &sink, &e);
}

/* Options by name; each analysis is told those that it has. */
struct asked {
	const char *settings[2 * 14]; /* name, value, …; NULL */
	struct scope scope;	      /* for what is no analysis */
};

static const struct asked asked[] = {
	{{"limit", "20", "pattern", "e", "flops", "1e12", "peak-tflops", "1", "range", "*", NULL},
	 {0}},
	{{"trim",	 "-1 9000000000",
	  "by",		 "stream",
	  "tree",	 "true",
	  "pattern",	 "/./",
	  "filter",	 "nvtx_path~e || duration_ns>=0 && queue_ns<1s",
	  "instances",	 "true",
	  "flops",	 "1",
	  "peak-tflops", "1e9",
	  "phase",	 "decode",
	  "shared",	 "true",
	  "window",	 "gpu",
	  NULL},
	 {.has_trim = true, .from_ns = -5, .to_ns = INT64_MAX}},
	{{"device", "0",      "no-fold", "true",    "pattern",
	  "*",	    "parent", "*",	 "columns", "name,range,api,tid,bytes,grid_x,src_kind",
	  "depth",  "2",      "min-ms",	 "0.001",   "flops",
	  "1e30",   "dtype",  "fp16",	 "by",	    "process",
	  NULL},
	 {.has_device = true}},
	{{"pattern", "a", "summary", "true", "merge", "true", "sort", "start", "flops", "1e12",
	  "peak-tflops", "1", "per", "step", "by", "iteration", "iteration", "1", NULL},
	 {0}},
	{{"pattern", "a", "by", "rank", "rank", "0", "marker", "step", "anchor", "e", "sort",
	  "count", NULL},
	 {.has_pid = true, .pid = 1}},
};
enum { ASKED = sizeof(asked) / sizeof(asked[0]) };

static void tell(const struct analysis *a, void *args, const struct asked *q)
{
	struct err ignored;

	struct naming_args *names;

	args_init(a->options, args);
	names = args_part(a->options, args, &naming_options);
	if (names)
		*names = (struct naming_args){(enum naming)((q - asked) % 3), q - asked == 1};
	for (size_t i = 0; q->settings[i]; i += 2)
		group_set(a->options, args, a->name, q->settings[i], q->settings[i + 1], &ignored);
}

static void run_analysis(struct trace *t, const struct analysis *a, const struct asked *q,
			 size_t which)
{
	void *args = a->options ? mem_zalloc(1, a->options->size) : NULL;
	struct report r = {.command = a->name};
	struct err e = {0};

	if (args)
		tell(a, args, q);
	if (analysis_run(a, t, args, &r, &e) == 0)
		present(&r, which);
	else if (!e.message[0] || e.code == ERR_NONE)
		abort(); /* a failure without a word */
	report_free(&r);
	if (args)
		args_free(a->options, args);
	free(args);
}

static int drop(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	(void)bytes;
	(void)len;
	return 0;
}

/* A timeline; in JSON no escape comes out either. */
static void run_export(struct trace *t, const struct scope *p, size_t which)
{
	const struct export_options options[] = {
		{0},
		{.no_nvtx = true, .gpu_metrics = true},
		{.no_api = true, .no_counters = true},
		{.no_args = true, .no_flows = true, .no_copies = true},
	};
	bool json = which % 2 == 0;
	struct sink sink = {json ? look_and_drop : drop, NULL};
	struct export_counts counts;
	struct err e = {0};

	if (export_timeline(t, p, &options[which / 2 % 4],
			    json ? &timeline_chrome_json : &timeline_pftrace, &sink, &counts,
			    &e) < 0 &&
	    !e.message[0])
		abort();
}

/* A part of a fleet, whatever it is made of, is one that is read back, and that answers are made
 * of. */
static void run_part(struct trace *t, size_t which)
{
	const struct part_question q = {
		.file = "a_rank1.sqlite",
		.scope = {.span = (enum span_choice)(which % (SPAN_ALL + 1)),
			  .marker = which % 5 ? NULL : "e"}};
	struct report r = {.command = "fleet"};
	struct part made, read = {0};
	const struct part *parts[] = {&read};
	struct buf bytes = {0};
	struct err e = {0};

	if (part_make(&made, t, &q, &e) == 0) {
		if (part_encode(&bytes, &made) ||
		    part_decode(&read, buf_str(&bytes), "a.part", &e) < 0) {
			fprintf(stderr, "%s\n", e.message);
			abort();
		}
		if (fleet_reduce(parts, 1, &(struct fleet_args){0}, &r, &e) == 0)
			present(&r, which);
	}
	if (e.code != ERR_NONE && !e.message[0])
		abort();
	report_free(&r);
	part_free(&made);
	part_free(&read);
	buf_free(&bytes);
}

static struct trace *open_trace(const char *path)
{
	struct sqlitefile *file;
	struct trace *t = NULL;
	struct err e = {0};

	if ((sqlitefile_open(&file, path, &e) < 0 || trace_open(&t, path, file, &e) < 0) &&
	    !e.message[0])
		abort();
	return t;
}

/*
 * Every `step`-th analysis on one trace, as a server would: what one has loaded the next one finds.
 * `which` chooses them, parameters and width, so that many calls try all of them and none takes
 * long.
 */
static inline void run_many(const char *path, size_t which, size_t step)
{
	struct trace *t = open_trace(path);

	for (size_t i = which % step; t && analysis_at(i); i += step)
		run_analysis(t, analysis_at(i), &asked[(which / step + i) % ASKED], which / 2 + i);
	if (t)
		run_export(t, &asked[which % ASKED].scope, which / ASKED);
	trace_close(t);
}

/* One analysis on a trace of its own, as on the command line, or a part of it. */
static inline void run_one(const char *path, size_t which)
{
	struct trace *t = open_trace(path);
	size_t count = 0;

	while (analysis_at(count))
		count++;
	if (t && which % (count + 1) == count)
		run_part(t, which / (count + 1));
	else if (t)
		run_analysis(t, analysis_at(which % (count + 1)),
			     &asked[which / (count + 1) % ASKED], which);
	trace_close(t);
}

/* The bytes as a file that can be opened by the name written to `path`. */
static inline int bytes_as_file(const void *bytes, size_t len, char *path, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len) {
		perror("memfd");
		exit(4);
	}
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

#endif
