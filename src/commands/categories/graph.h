/*
 * What `gpuwhy graph` compares: runs, the categories that their time went to, and how these are
 * shown. The files of this name share it.
 */
#ifndef CLI_GRAPH_H
#define CLI_GRAPH_H

#include "analysis/categories/category_times.h"
#include "commands/categories/graph_runs.h"

struct graph_run {
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

/* What one run spent on one category. */
struct graph_cell {
	int64_t ns, merged_ns; /* as in struct category_line */
	uint64_t instances, names;
};

struct graph {
	struct arena arena;
	struct category_maps maps;
	struct graph_run *runs;
	size_t run_count;
	bool merge; /* all GPUs of a run are taken for one */
	const struct scope *scope;
	const char *title;
	struct str *categories; /* the most time in all runs first */
	size_t category_count;
	struct graph_cell *cells; /* by category · run_count + run */
	uint32_t **line_category; /* by run and line */
	size_t devices;		  /* of the run that has most */
};

/* Once all runs are measured: fills in categories, cells and what follows. */
void graph_sum(struct graph *g);
void graph_free(struct graph *g);

static inline const struct graph_cell *graph_cell(const struct graph *g, size_t category,
						  size_t run)
{
	return &g->cells[category * g->run_count + run];
}

/* The figure that is shown: the mean over the run's GPUs, or what they took as one. */
struct mean graph_time(const struct graph *g, size_t run, int64_t ns, int64_t merged_ns);
struct mean graph_gpu_time(const struct graph *g, size_t run);
/* The elapsed time less that; 0 where it is shorter. */
struct mean graph_cpu_time(const struct graph *g, size_t run);
double mean_real(struct mean m);
struct cell mean_cell(struct mean m);
/* In percent; null where there is no whole. */
struct cell graph_share_cell(double part, double whole);

/* Text that is safe to show, in the report's arena. */
const char *graph_text(struct report *r, struct str s);
/* The same, shortened where it is very long. */
const char *graph_brief(struct report *r, struct str s);

/* How much of it there is room for; the rest is said to be elsewhere. */
struct graph_room {
	size_t runs, categories, kernels;
};

static inline size_t graph_fit(size_t count, size_t room)
{
	return count < room ? count : room;
}

/* The answer for a terminal or a program; `people` see less of it. */
void graph_report(const struct graph *g, struct report *r, bool human, uint64_t limit);
/* The same as a page, with charts, of less than a megabyte. */
void graph_page(const struct graph *g, struct report *r);
/* What both begin with and what both have. */
void graph_add_head(const struct graph *g, struct report *r);
/* Whatever is odd about the runs. */
void graph_add_remarks(const struct graph *g, struct report *r);
void graph_add_categories(const struct graph *g, struct report *r, bool human,
			  const struct graph_room *room);
/* All kernels of all runs, at most `limit`; 0: as many as there are. */
void graph_add_kernels(const struct graph *g, struct report *r, uint64_t limit);
/* A copy of columns in which the hidden ones, up to a NULL, are for machines alone. */
struct column *graph_columns(struct report *r, const struct column *all, size_t count,
			     const char *const *hidden);

/* result.html and result.csv on their way into a folder: both are complete before one is there. */
struct graph_files {
	const char *folder;
	bool made;    /* the folder was not there */
	char *beside; /* a folder in it, where they are until both are complete; NULL: none yet */
};

/*
 * Makes the folder and sees whether they may be written: ERR_USAGE where they would overwrite a
 * trace, or be overwritten by `output` (-o, or NULL). To be closed unless it fails.
 */
int graph_files_open(struct graph_files *f, const struct graph *g, const char *folder,
		     const char *output, struct err *e);
/* Writes both, not yet to their places. */
int graph_files_write(struct graph_files *f, const struct graph *g, struct err *e);
/* Puts them into place, or, when not ok, removes all traces of them. */
int graph_files_close(struct graph_files *f, bool ok, struct err *e);

#endif
