/*
 * The parts of `gpuwhy report`: the answers of the analyses it is made of, each with all its rows.
 * Markdown and HTML show the first rows of each; report.json and the tables take what they need.
 */
#ifndef COMMANDS_REPORT_PARTS_H
#define COMMANDS_REPORT_PARTS_H

#include "analysis/counters/ncu_study.h"
#include "analysis/findings/explain.h"
#include "analysis/mfu/mfu_question.h"

/* What `gpuwhy report` is told. */
struct report_args {
	struct scope scope;
	struct comm_args comm;
	struct coverage_args coverage;
	struct price_args price;
	struct mfu_question question;
	struct string_list ncu; /* CSVs of Nsight Compute */
	const char *out_dir;
	uint64_t kernel_limit;
	bool force, no_kernel_percentiles, print_schema, quiet;
};
extern const struct option_group report_options;

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
	PART_TIMINGS,
	PART_STEPS,
	PART_OVERLAP,
	PART_COMM,
	PART_RANKS,
	PART_STRAGGLERS,
	PART_CATEGORIES,
	PART_CODE,
	PART_COUNTERS,
	/* Only where they are asked for: */
	PART_MFU,
	PART_NCU,
	PARTS,
	PARTS_ALWAYS = PART_MFU,
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
	const struct report_args *asked;
	struct scope scope; /* with the one window of all that is about time */
	struct part all[PARTS];
	struct process_parts *processes;
	size_t process_count;
	bool alone; /* all there is is of one process: the whole's answers are the process's */
	bool ranges_alone; /* so are those about ranges */
	bool exchanges;	   /* a kernel communicates */
	bool has_ranks;	   /* more than one, perhaps */
	struct ncu_report ncu;
	struct ncu_study study; /* of PART_NCU, where that is made */
};

int parts_make(struct parts *p, struct trace *t, const struct report_args *a, struct err *e);
void parts_free(struct parts *p);

/* The answers of process i. */
const struct part *parts_kernels_of(const struct parts *p, size_t i);
const struct part *parts_sync_of(const struct parts *p, size_t i);
const struct part *parts_nvtx_of(const struct parts *p, size_t i);

/*
 * What the parts warn of, each sentence once, in their order, and headed by the sections that it is
 * true of; the texts live in the arena.
 */
void parts_warnings(const struct parts *p, struct arena *a, struct strtab *ret);
/* What people see a part called. */
const char *parts_section(enum part_id part);

/* Whether a part is there, or there is something to say about why not. */
static inline bool part_is_asked(const struct parts *p, enum part_id id)
{
	return id < PARTS_ALWAYS || p->all[id].analysis;
}

/* A table of a part by name, or NULL. */
const struct table *part_table(const struct part *part, const char *name);

/*
 * The report that people read, made of the parts, which must outlive it: what it all comes to, what
 * that could gain and what to do; then the sections. A page has room for more rows than a text.
 */
void parts_view_head(const struct parts *p, struct report *view);
/* What it all comes to, in a sentence, and what it costs: every document begins with it. */
void parts_view_verdict(const struct parts *p, struct report *view);
int parts_view_sections(const struct parts *p, struct report *view, bool page, struct err *e);
/* What a summary has of steps, communication, ranks and categories: the first rows of each. */
void parts_view_brief(const struct parts *p, struct report *view);
/* The table without columns in which every row shows nothing, 0, the only device or process. */
void view_drop_columns(struct report *view, struct table *t);
/* " · NVIDIA H200, 2 × NVIDIA A100": the GPUs that did something, after what comes before them. */
void parts_add_gpus(struct buf *b, const struct parts *p, const char *before);

/*
 * What a part could not be made for: its reason why not, or -1 where that is an error. What is
 * optional may also be refused for what the trace has.
 */
int part_absent(const struct parts *p, struct part *part, bool optional, const struct err *e);
/* report_categories.c: PART_CATEGORIES, which is no analysis of its own. */
int parts_make_categories(struct parts *p, struct err *e);
/* report_counters.c: to PART_COUNTERS, once made, what it showed as time went on. */
int parts_add_counters(struct parts *p, struct err *e);

/*
 * report_asked.c: what a report is asked beyond the trace, a model's utilisation (--model, --flops)
 * and what Nsight Compute measured (--ncu). Both are parts like the others.
 */

/* Reads the files, and says what is wrong with them or with the question. */
int asked_read(struct parts *p, struct err *e);
/*
 * What may be refused, when events are there and before the other parts are made: who waits should
 * not wait in vain. What was asked for and cannot be answered is an error.
 */
int asked_make_first(struct parts *p, struct err *e);
/* The rest, after the other parts. */
int asked_make_last(struct parts *p, struct err *e);

#endif
