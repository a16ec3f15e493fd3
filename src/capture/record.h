/*
 * The record of a run: all that manifest.json says (docs/manifest.schema.json). It is written when
 * the run begins, and again after each stage, so that whatever happens the folder tells how far it
 * came.
 */
#ifndef CAPTURE_RECORD_H
#define CAPTURE_RECORD_H

#include "base/err.h"
#include "capture/facts.h"
#include "capture/inputs.h"
#include "capture/run_folder.h"
#include "capture/secrets.h"
#include "input/process.h"
#include "text/json_read.h"
#include "text/shell_words.h"

enum { MANIFEST_VERSION = 1 };

/* What a run goes through; the one that failed is named so. */
enum run_stage { STAGE_RUN, STAGE_REPORT, STAGE_EXPORT, STAGE_CHECK, STAGE_EXPLAIN, STAGE_DONE };

/* One report of the profiler, by paths inside the run's folder; NULL: it did not come to that. */
struct run_report {
	const char *report, *trace, *explanation;
};

/* NAME=VALUE of --matrix. */
struct setting {
	const char *name, *value;
	const char *shown; /* the value as it may be written down */
};

struct run_record {
	const char *id, *label, *preset; /* label, preset: or NULL */
	const char *matrix;		 /* the id of the comparison it is part of, or NULL */
	const struct setting *settings;
	size_t setting_count;
	const char *const *argv; /* the user's command */
	size_t argc;
	const char *const *profiler_argv; /* with the command in it */
	size_t profiler_argc;
	struct string_list shown;   /* argv as it may be written down */
	struct known_secrets known; /* ours, and those of argv */
	const char *program;	    /* what argv[0] was found to be */
	const char *cwd, *nsys;
	const char *const *env; /* added, NULL after the last */
	struct facts facts;
	struct inputs inputs;
	const char *seed; /* --seed, or NULL */
	time_t started, ended;
	double started_unix_s; /* the same moment as exactly as it is known: several begin in a
				  second */
	double elapsed_s;
	bool has_ended; /* the program: its exit code is known */
	int exit_code;
	bool doubtful;	 /* that is nsys's, which has failed itself: it may be its own */
	int signal;	 /* that killed it, or 0 */
	int nsys_signal; /* that killed the profiler, or 0 */
	bool timed_out;
	int interrupted;
	int gave_up; /* the signal for which nothing more was done once it had ended, or 0 */
	unsigned ended_processes;
	struct process_left left; /* that could not be ended */
	enum run_stage stage;
	bool failed;
	struct err problem; /* where it failed */
	struct run_report *reports;
	size_t report_count, report_cap;
	bool has_busy;
	double busy_pct;     /* of the window, the mean over its GPUs */
	const char *finding; /* the title of the first, or NULL */
	struct arena arena;
};

/*
 * The words of a command line without secrets, those among the settings included, and those that
 * are known; what it passes as one is known then, too.
 */
void manifest_shown_words(const char *const *words, size_t count, const struct setting *settings,
			  size_t setting_count, struct known_secrets *known, struct arena *a,
			  struct string_list *ret);
/* Once argv and settings are known: fills shown and known. */
void record_hide_secrets(struct run_record *r);
void record_free(struct run_record *r);
/* Writes manifest.json into the folder, whole or not at all. */
int record_write(const struct run_record *r, const struct run_folder *f, struct err *e);

/* One of the runs of a comparison. */
struct compared_run {
	const char *id; /* NULL: it did not come to a folder */
	const struct setting *settings;
	bool failed; /* no explanation, or an exit code other than 0 */
	bool has_ended;
	int exit_code;
	double elapsed_s;
	bool has_busy;
	double busy_pct;
	const char *finding; /* or NULL */
};

/* The folder of a comparison has a manifest, too, so that it is known for ours. */
struct matrix_record {
	const char *id, *label;
	const char *const *argv;
	size_t argc;
	time_t started;
	double started_unix_s;
	bool done;
	bool interrupted; /* not all combinations were run */
	const struct compared_run *runs;
	size_t run_count, setting_count;
};

int matrix_record_write(const struct matrix_record *m, const struct run_folder *f, struct err *e);

/* What lists and people need of a manifest, read back. */
struct manifest {
	struct json *document;
	const char *id;
	bool is_matrix;
	struct str state; /* "running", "done", "failed", "interrupted" */
};

/*
 * The manifest of the folder. ERR_INPUT when there is none, or it is not that folder's: then it is
 * no folder of ours.
 */
int manifest_read(struct manifest *m, const char *folder, struct err *e);
void manifest_free(struct manifest *m);

#endif
