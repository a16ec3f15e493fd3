/*
 * What `gpuwhy categories` compares: runs, the categories their time went to, and how these are
 * shown.
 */
#ifndef COMMANDS_CATEGORIES_H
#define COMMANDS_CATEGORIES_H

#include "analysis/categories/category_times.h"
#include "base/string_list.h"

/* A run as given on the command line: NULL where nothing was said. */
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

/* Files of maps, in the order in which they are read. A zeroed one is empty and valid. */
struct map_files {
	struct string_list paths;
	struct arena arena;
};

/*
 * Those of the user's configuration folder, gpuwhy/maps, and then those of --engine-map: files, and
 * what ends in .json in folders, by name. To be freed also where it fails.
 */
int map_files_find(struct map_files *f, const struct runs *runs, struct err *e);
void map_files_free(struct map_files *f);

struct category_run {
	const struct run *run;
	const struct category_map *map;
	enum category_missing missing;
	struct category_times times;
	int64_t elapsed_ns;
};

/* A whole number of ns and a fraction: what several GPUs share evenly is not rounded. */
struct mean {
	int64_t whole_ns;
	uint64_t part, of; /* part < of */
};

/* What one run spent on one category, or on the part of it that a row shows. */
struct category_cell {
	int64_t ns, merged_ns; /* as in struct category_line */
	uint64_t instances, names;
};

struct comparison {
	struct arena arena;
	struct category_maps maps;
	struct category_run *runs;
	size_t run_count;
	bool merge; /* all GPUs of a run are taken for one */
	const struct scope *scope;
	const char *title;
	struct str *categories; /* the most time in all runs first */
	size_t category_count;
	struct category_cell *cells; /* by category · run_count + run */
	uint32_t **line_category;    /* by run and line */
	size_t devices;		     /* of the run that has most */
};

/* Adds what one kernel took. */
void category_cell_add(struct category_cell *c, const struct category_line *line);
/* How many kernels all runs have. */
uint64_t comparison_kernels(const struct comparison *cmp);

/* Once all runs are measured: fills in categories, cells and what follows. */
void comparison_sum(struct comparison *cmp);
void comparison_free(struct comparison *cmp);

static inline const struct category_cell *category_cell(const struct comparison *cmp,
							size_t category, size_t run)
{
	return &cmp->cells[category * cmp->run_count + run];
}

/* The figure that is shown: the mean over the run's GPUs, or what they took as one. */
struct mean comparison_time(const struct comparison *cmp, size_t run, int64_t ns,
			    int64_t merged_ns);
/* Of a category; `category_count` stands for what the GPU left to the CPU. */
struct mean category_time(const struct comparison *cmp, size_t category, size_t run);
struct mean comparison_gpu_time(const struct comparison *cmp, size_t run);
/* The elapsed time less that; 0 where it is shorter. */
struct mean comparison_cpu_time(const struct comparison *cmp, size_t run);
double mean_real(struct mean m);
struct cell mean_cell(struct mean m);
/* In percent; null where there is no whole. */
struct cell share_cell(double part, double whole);

/* Text that is safe to show, in the report's arena. */
const char *safe_text(struct report *r, struct str s);
/* The same, shortened where it is very long. */
const char *brief_text(struct report *r, struct str s);

/* How much of it there is room for; the rest is said to be elsewhere. */
struct room {
	size_t runs, categories, kernels;
};

static inline size_t fit(size_t count, size_t room)
{
	return count < room ? count : room;
}

/* The answer for a terminal or a program; `people` see less of it. */
void comparison_report(const struct comparison *cmp, struct report *r, bool human, uint64_t limit);
/* The same as a page, with charts, of less than a megabyte. */
void comparison_page(const struct comparison *cmp, struct report *r);
/* What both begin with and what both have. */
void comparison_add_head(const struct comparison *cmp, struct report *r);
void comparison_add_categories(const struct comparison *cmp, struct report *r, bool human,
			       const struct room *room);
/* A copy of columns in which the hidden ones, up to a NULL, are for machines alone. */
struct column *columns_without(struct report *r, const struct column *all, size_t count,
			       const char *const *hidden);

/* result.html and result.csv on their way into a folder: both are complete before one is there. */
struct result_files {
	const char *folder;
	size_t first_missing; /* of the folder and those above it: see base/file.h */
	char *beside; /* a folder in it, where they are until both are complete; NULL: none yet */
};

/*
 * Makes the folder and sees whether they may be written: ERR_USAGE where they would overwrite a
 * trace, or be overwritten by `output` (-o, or NULL). To be closed unless it fails.
 */
int result_files_open(struct result_files *f, const struct comparison *cmp, const char *folder,
		      const char *output, struct err *e);
/* Writes both, not yet to their places. */
int result_files_write(struct result_files *f, const struct comparison *cmp, struct err *e);
/* Puts them into place, or, when not ok, removes all traces of them. */
int result_files_close(struct result_files *f, bool ok, struct err *e);

#endif
