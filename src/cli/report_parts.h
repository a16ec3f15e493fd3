/*
 * The parts of `gpuwhy report`: the answers of the analyses it is made of, each with all its rows.
 * Markdown and HTML show the first rows of each; report.json and the tables take what they need.
 */
#ifndef CLI_REPORT_PARTS_H
#define CLI_REPORT_PARTS_H

#include "analysis/analysis.h"
#include "cli/options.h"

enum part_id {
	PART_FINDINGS,
	PART_SUMMARY,
	PART_KERNELS,
	PART_PROCESSES,
	PART_LAUNCHES,
	PART_SYNC,
	PART_IDLE,
	PART_NVTX,
	PART_RANGES,
	PART_PHASES,
	PART_GRAPHS,
	PART_MEMORY,
	PART_DOCTOR,
	PART_SCHEMA,
	PARTS,
};

struct part {
	const struct analysis *analysis;
	struct report report;
	bool made;
	char *why_not; /* the trace does not have what it needs; NULL: it was not asked for */
};

/* The same per process: what has to tell them apart. */
struct process_parts {
	uint32_t pid;
	struct part kernels, sync, nvtx;
};

struct parts {
	struct trace *trace;
	const struct options *options;
	struct part all[PARTS];
	struct process_parts *processes;
	size_t process_count;
	bool alone; /* all there is is of one process: the whole's answers are the process's */
};

int parts_make(struct parts *p, struct trace *t, const struct options *o, struct err *e);
void parts_free(struct parts *p);

/* The answers of process i. */
const struct part *parts_kernels_of(const struct parts *p, size_t i);
const struct part *parts_sync_of(const struct parts *p, size_t i);

/*
 * What the parts warn of, each sentence once, in their order, and headed by the sections that it is
 * true of; the texts live in the arena.
 */
void parts_warnings(const struct parts *p, struct arena *a, struct strtab *ret);
/* What people see a part called. */
const char *parts_section(enum part_id part);

/* A table of a part by name, or NULL. */
const struct table *part_table(const struct part *part, const char *name);
/* Index of a column by its key, or -1. */
int table_column(const struct table *t, const char *key);

/* The report that people read, made of the parts, which must outlive it. */
void parts_view(const struct parts *p, struct report *view);

#endif
