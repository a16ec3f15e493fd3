/*
 * `gpuwhy profile`, from a command to an explained run. A job is one command to be profiled; its
 * record says what became of it.
 */
#ifndef COMMANDS_PROFILE_H
#define COMMANDS_PROFILE_H

#include "capture/nsys_output.h"
#include "capture/nsys_request.h"
#include "capture/record.h"
#include "cli/command.h"

/* What `gpuwhy profile` is told. */
struct profile_args {
	struct nsys_request request;
	const char *preset; /* a launcher's name, or NULL */
	const char *root;   /* --runs, or NULL */
	const char *label;  /* --name, or NULL */
	const char *marker; /* of the steps, or NULL */
	uint64_t first_step, last_step;
	double timeout_s, grace_s; /* 0: none, the usual one */
	struct string_list nsys_args, inputs, matrix;
	bool dry_run, drop_report;
	bool visible_metrics; /* --gpu-metrics */
	bool no_samples;
	uint64_t sample_rate; /* 0: as usual, for Python programs */
};

static inline const struct profile_args *profile_args(const struct invocation *inv)
{
	return inv->args;
}

struct profile_job {
	const char *const *argv; /* the user's command */
	size_t argc;
	const char *nsys;   /* the program's path */
	const char *root;   /* the folder of runs */
	const char *label;  /* or NULL */
	const char *matrix; /* the id of the comparison it is part of, or NULL */
	bool repeated;	    /* not the first of them: what holds for all has been said */
	const struct setting *settings;
	size_t setting_count;
	const struct facts *machine; /* what is known of it already, or NULL */
	struct file_hashes *hashes;
};

extern const struct option_group profile_options;

/*
 * Samples of the program's Python code and of the GPUs' counters, as far as the nsys can record
 * them; `elsewhere`: there is none to ask, and any that is current can. Says in one line what that
 * adds and costs. ERR_USAGE where the user asked for what the nsys cannot do.
 */
int profile_choose_samples(struct profile_args *c, const struct profile_job *job, bool elsewhere,
			   struct err *e);

/*
 * Runs and explains one job. Returns 0 when it got as far as an explanation, whatever the program's
 * exit code; -1 otherwise, with what went wrong also in the record and the manifest. The caller
 * gives *r to record_free() in any case.
 */
int profile_run(struct invocation *inv, const struct profile_job *job, struct run_record *r,
		struct err *e);
/* A run while it goes on. */
struct running {
	struct invocation *inv;
	const struct profile_job *job;
	struct run_record *record;
	struct run_folder folder;
	struct string_list words; /* the command, with the run's folder in place of {run} */
	struct string_list argv, env;
	bool has_secrets, has_streams; /* among what nsys wrote down; recordings without a report */
	bool starved, given_up;	       /* nsys was killed for want of room, or of time */
	bool was_full; /* the disk, when nsys had written its reports: they may be cut off */
};

/* The run has come so far: in its record, and in the manifest. */
void profile_enter(struct running *u, enum run_stage stage);
/* After the program has ended: exports and explains each report that nsys has left. */
int profile_reports(struct running *u, struct err *e);
/*
 * nsys writes down the program's environment and command line, secrets and all. Its export is ours
 * to clean of them.
 */
int profile_clean_export(const struct run_record *r, const char *trace, struct err *e);
/*
 * What it recorded is not: nobody else may read that. Before the run nsys/ is closed to others, and
 * opened again when its reports are.
 */
void profile_guard_folder(struct running *u);
void profile_guard_reports(struct running *u, const struct nsys_output *out);
/* In the end, where the user looks: which of the files nobody else should get, and why. */
void profile_tell_secrets(const struct running *u);

/* Whether there is hardly any room left where the run is. */
bool profile_disk_is_full(const struct run_folder *f);
/*
 * Where a full disk is behind a failure it is ERR_SYSTEM, with what to do about that. `f` is where
 * it happened, and `report` of it is there already, whole; or NULL.
 */
void profile_explain_disk(const struct profile_args *o, const struct run_folder *f,
			  const char *report, struct err *e);

/* Prints what would be run, for a shell, here or elsewhere: nothing of it need be there. */
int profile_print(const struct invocation *inv, const struct profile_job *job, struct err *e);
/* Before anything starts: is the program there? */
int profile_find_program(const struct profile_args *o, const struct profile_job *job, char **ret,
			 struct err *e);

/*
 * Opens the export, checks that something was captured, writes the report's folder and prints the
 * overview, below the trace's path where there are several. The record says how far it came, and
 * what it found.
 */
int profile_explain(struct running *u, const char *trace, const char *out_dir, bool several,
		    struct err *e);
/*
 * Prints what has been written down already: that it cannot be printed fails no run. It is said,
 * and is the exit code where the program has none to tell; that nobody reads it is neither.
 */
void profile_show(struct invocation *inv, const struct report *r, const char *title);

/* Every combination, one after another, and a comparison at the end. */
int profile_matrix(struct invocation *inv, const struct profile_job *job, struct err *e);

/*
 * Notes how the program ended, as far as it is to be known; `folder` has what nsys made, `log` what
 * was said.
 */
void profile_note_end(struct run_record *r, const struct process_end *end, const char *folder,
		      const char *log);
/* "the program ended with exit code 3 after 12.3 s", for people. */
void profile_say_end(const struct run_record *r);

#endif
