/* For the files of `gpuwhy fleet`: what it is told, which files it finds, and the parts it has. */
#ifndef COMMANDS_FLEET_FLEET_H
#define COMMANDS_FLEET_FLEET_H

#include "base/string_list.h"
#include "cli/command.h"
#include "commands/fleet/fleet_scaling.h"
#include "commands/fleet/fleet_slurm.h"
#include "fleet/answer/reduce.h"
#include "fleet/rank_list.h"

struct fleet_options {
	struct scope scope; /* --span, --marker, --label */
	struct comm_args comm;
	struct row_choice rows;
	const char *out_dir, *ranks;
	uint64_t max_memory;  /* in bytes; 0: nobody said */
	double link_gb_per_s; /* 0: nobody said */
	bool force, strict, rank_reports;
	struct fleet_scaling_args scaling;
	struct slurm_args slurm;
};

/* Captures, or parts, that words name: files as they are, and those of folders, by name. */
struct fleet_files {
	struct string_list all;
	struct arena arena;
};

/*
 * ERR_INPUT where a folder has none, ERR_USAGE where a file is named twice. Of a report and its
 * export the export alone. `parts`: files that begin as parts do. For fleet_files_free() whether
 * this fails or not.
 */
int fleet_files_find(struct fleet_files *ret, const char *const *words, size_t count, bool parts,
		     struct err *e);
/* ERR_USAGE where the answer would take the place of one of them; NULL: of none. */
int fleet_files_spare(const struct fleet_files *f, const char *output, struct err *e);
void fleet_files_free(struct fleet_files *f);

/* The parts of a job, and what could not be had of it. */
struct fleet_parts {
	struct part *all;
	const char **paths;	  /* by part: the capture that it was made of, or the part's own;
				     NULL: --slurm made them elsewhere */
	const struct part **refs; /* in an order that does not depend on how they were named */
	size_t count;
	struct fleet_loss *losses; /* by file */
	size_t loss_count;
	struct rank_list ranks;
	struct arena arena;
};

/* Empty ones, which live as long as the report. */
struct fleet_parts *fleet_parts_new(struct report *r);
/*
 * Makes parts of captures, several at once, or reads them. What cannot be had is a loss; ERR_INPUT
 * where all are. For fleet_parts_free() whether this fails or not.
 */
int fleet_parts_make(struct fleet_parts *ret, const struct fleet_files *files,
		     const struct invocation *inv, struct err *e);
int fleet_parts_read(struct fleet_parts *ret, const struct fleet_files *files,
		     const struct invocation *inv, struct err *e);
/* Those of a folder that --slurm has worked in, and why others are missing. */
int fleet_parts_gather(struct fleet_parts *ret, const char *folder, const struct invocation *inv,
		       struct err *e);
/* Who is who among all of them, once they are there; a part that is written does not depend on it.
 */
void fleet_parts_settle(struct fleet_parts *p);
void fleet_parts_free(struct fleet_parts *p);
/* ERR_USAGE: somebody asks of parts what only captures can answer. */
int fleet_parts_check(const struct fleet_options *o, struct err *e);

/*
 * What a launcher told the process, as `gpuwhy profile` keeps it in manifest.json beside a capture:
 * its rank, unless the capture itself says one, and of how many. Where there is none, nothing.
 */
void fleet_variables_apply(struct part *p, const char *path);

/* `fleet map`, without that word: one capture, and -o names its part. */
int fleet_map_run(struct invocation *inv, const char *const *words, size_t count, struct err *e);

/* Adds captures, by their names alone and in the order of the ranks; `side` may be NULL. */
void fleet_add_head(struct report *r, const struct fleet_parts *p, const char *side);
/* The command that looks closer at the first finding, before the tables; of parts there is none. */
void fleet_add_next(struct report *r, const struct fleet_parts *p);
/* Files that could not be read are missing, whether anybody knows their ranks or not. */
void fleet_count_losses(struct report *r, const struct fleet_parts *p);

/* Of tables that all rows are in, people see the first ones; `written`: all are in the folder. */
void fleet_cut_tables(struct report *r, uint64_t most, bool written);

/*
 * --out DIR: report.html, report.json, and each table as CSV; with --rank-reports a page for each
 * capture, too, which is read once more. Checked before the work is done.
 */
int fleet_folder_check(const struct invocation *inv, struct err *e);
/* Pages of ranks, where they are asked for, are those of `p`; else it may be NULL. */
int fleet_folder_write(const struct invocation *inv, const struct fleet_parts *p, struct err *e);

#endif
