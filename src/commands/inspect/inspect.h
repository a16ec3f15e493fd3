/*
 * `gpuwhy inspect`: the kernels of a trace that matter, profiled by Nsight Compute. A run is the
 * program run once under ncu; where the chosen launches are close together one run is enough.
 */
#ifndef COMMANDS_INSPECT_H
#define COMMANDS_INSPECT_H

#include "analysis/counters/kernel_choice.h"
#include "analysis/counters/ncu_study.h"
#include "analysis/steps/launches_outside.h"
#include "capture/kernel_id.h"
#include "capture/ncu_request.h"
#include "capture/run_folder.h"
#include "cli/command.h"

/* What a run asks for if nothing was found before: each is less particular than the last. */
enum ncu_attempt {
	TRY_AS_CHOSEN,
	TRY_FROM_START,	 /* the program launches fewer than when it was traced */
	TRY_ANYWHERE,	 /* without the range */
	TRY_BY_FUNCTION, /* without template arguments */
	ATTEMPTS,
};

struct ncu_run {
	const char *name;     /* of its files: "look-1" */
	const char *pattern;  /* of demangled names */
	const char *function; /* the same of functions' own names */
	const char *id;	      /* --kernel-id in place of these, or NULL */
	const char *range;    /* for --nvtx-include, or NULL */
	uint64_t skip, count;
	enum ncu_attempt next;
	bool found;	     /* ncu has measured something */
	const char *warning; /* how the program failed nevertheless, or NULL */
};

/* What `gpuwhy inspect` is told. */
struct inspect_args {
	struct scope scope;
	struct comm_args comm;
	uint64_t top, launches;
	bool each;
	const char *range, *phase; /* or NULL */
	const char *ncu;	   /* --ncu-path, or NULL */
	const char *out_dir;	   /* or NULL */
	struct ncu_settings settings;
	struct string_list ncu_args, sections;
	struct kernel_id id;
	double timeout_s, grace_s; /* 0: none, the usual one */
	bool dry_run;
};

static inline struct inspect_args *inspect_args(const struct invocation *inv)
{
	return inv->args;
}

struct inspection {
	struct invocation *inv;
	struct kernel_choice choice;
	struct launches_outside outside; /* what --range or --phase does not have */
	struct ncu_run *ncu_runs;
	size_t ncu_run_count;
	size_t again; /* how many of them, the last ones, are of a kernel that none before showed */
	bool stopped; /* the program failed, or was: it is not run again */
	struct err unread;     /* why what a run for several found says nothing; no code: it does */
	const char *ncu;       /* the program */
	const char *folder;    /* where its reports go */
	struct run_folder own; /* that folder, unless --out names it */
	int run_lock;	       /* of the run that it lies in; -1: none */
	struct ncu_settings settings;
	struct arena arena;
};

/* What is asked of the trace. */
struct kernel_question inspect_question(const struct inspection *x);
/* Makes the runs that the choice asks for; those that are made already stay. */
void inspect_plan(struct inspection *x);
/* The number of the last run that was to show a chosen kernel. */
size_t inspect_run_of(const struct kernel_choice *c, size_t kernel);
/* Whether ncu is to find launches by --kernel-id alone: the trace tells only which kernels. */
static inline bool inspect_by_id(const struct inspection *x)
{
	const struct kernel_id *id = &inspect_args(x->inv)->id;

	return id->text && !id->only_name;
}
/* ERR_USAGE where a --section cannot be one; the second asks ncu whether it has them. */
int inspect_check_section_names(const struct inspection *x, struct err *e);
int inspect_check_sections(const struct inspection *x, struct err *e);
/* What kind of ranges are asked for. */
const char *inspect_ranges_asked(const struct inspection *x);
/* Tells which kernels, why, and where: those of a dry run, or when all runs of ncu are done. */
void inspect_report_choice(const struct inspection *x, struct report *r);
void inspect_report_commands(struct inspection *x, struct report *r);
/* The command line of a run, as it asks now; words are in the arena. */
void inspect_argv(struct inspection *x, const struct ncu_run *l, struct string_list *ret);

/*
 * Where reports go when somebody else makes them: --out, which may not hold anything, or where the
 * folder of a run would lie. Makes nothing.
 */
int inspect_folder_name(struct inspection *x, struct err *e);
/* Finds a place for reports; while it is open `runs prune` spares it and the run that it is of. */
int inspect_folder_open(struct inspection *x, struct err *e);
void inspect_folder_close(struct inspection *x);

/*
 * Opens the folder, makes all runs, and CSVs of what they found; -1 where they found nothing,
 * unless those CSVs of a run for several hold nothing: inspect_run_again() sees to its kernels.
 * The exit code becomes the first one of the program's that is not 0, in either case; else that of
 * the first run that failed, while others did not.
 */
int inspect_run(struct inspection *x, struct err *e);
/*
 * Gives chosen kernels that a run for several has not shown a run of their own: a program may
 * launch others under ncu, and then what comes before them is counted wrongly. -1 where no run has
 * shown anything in the end.
 */
int inspect_run_again(struct inspection *x, struct err *e);
/* Where the command has secrets, which ncu writes down, the reports are nobody else's to read. */
void inspect_guard_reports(struct inspection *x);
/* The runs from one on; as inspect_run(). */
int inspect_run_from(struct inspection *x, size_t from, struct err *e);
/* Reads the CSVs of one run; to be freed in any case. ERR_INPUT where they have no kernel. */
int inspect_read_run(struct inspection *x, const struct ncu_run *l, struct ncu_report *ncu,
		     struct err *e);
/* Reads those of all; both are to be freed in any case. */
int inspect_read(struct inspection *x, struct ncu_report *ncu, struct ncu_study *study,
		 struct err *e);
/* Reads the CSVs, and reports on them with the trace. */
int inspect_show(struct inspection *x, struct err *e);
/* Whether none of what was measured can be the kernel. */
bool inspect_misses(const struct ncu_study *s, struct str chosen);

#endif
