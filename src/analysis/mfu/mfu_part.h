/*
 * A part of a run whose FLOPs are known: what it took on the clock and on the GPUs. A part is all
 * instances of a range or a phase, all steps, or the whole window.
 *
 * An instance's own time begins when it begins on the host or, where the host runs ahead, when the
 * instance before it in its process is done; it ends when the host is through it and the last GPU
 * work that it launched is done. So no time is in two instances of one part and process; parts
 * may overlap.
 */
#ifndef ANALYSIS_MFU_PART_H
#define ANALYSIS_MFU_PART_H

#include "analysis/analysis.h"
#include "base/buf.h"
#include "text/pattern.h"

struct mfu_instance {
	uint32_t process;	  /* ID_NONE: the export does not say, or it is all of them */
	uint32_t thread;	  /* whose range it is; ID_NONE: it is none */
	uint64_t number;	  /* of a step in its process; of a range among all, by start */
	struct str name;	  /* of a range */
	int64_t start_ns, end_ns; /* on the host */
	int64_t from_ns, to_ns;	  /* its own time */
	int64_t busy_ns;	  /* the union of its GPU work on each device, summed over them */
	uint32_t devices;	  /* that its work ran on */
	uint32_t inside;	  /* ranges of the part next inside it, which are part of it */
	bool left_out;		  /* while a part is made */
};

struct mfu_device {
	uint32_t device; /* ID_NONE: the export does not say */
	int64_t busy_ns; /* there, each instant once, however many instances go on */
};

struct mfu_part {
	struct arena arena;		/* of names */
	struct mfu_instance *instances; /* by process and start */
	size_t count;
	size_t processes;	    /* that have instances */
	uint64_t cut;		    /* instances left out: the window has only part of them */
	uint64_t open;		    /* ranges left out: they never closed */
	uint64_t on_other_devices;  /* ranges left out: nothing on the device that is asked about */
	struct mfu_device *devices; /* that its work ran on, ascending */
	size_t device_count;
	int64_t wall_ns; /* in which at least one instance goes on */
	int64_t busy_ns; /* of all devices */
};

/* A zeroed part is empty and valid. */
void mfu_part_free(struct mfu_part *s);
/*
 * Takes out the instances without a time of their own: they were over while those before them in
 * their process still ran, in whose time their work is. Returns how many.
 */
size_t mfu_part_drop_timeless(struct mfu_part *s);
/* Leaves the steps of this number alone; counts and processes are theirs, times are not. */
void mfu_part_keep_number(struct mfu_part *s, uint64_t number);
/* The most devices that an instance of the processes of `own` works on. */
uint32_t mfu_part_most_devices(const struct mfu_part *s, const struct mfu_part *own);

/*
 * The ranges whose names match; of those inside one another the outermost. Their work is what their
 * own thread launched meanwhile, and what threads of their process did that have no such range:
 * PyTorch's backward pass has a thread of its own. ERR_INPUT when no range matches.
 */
int mfu_part_of_pattern(struct mfu_part *ret, struct trace *t, const struct scope *p,
			const char *pattern, struct err *e);
/* The same for the ranges of a phase. Without any, count is 0 and it is no error. */
int mfu_part_of_phase(struct mfu_part *ret, struct trace *t, const struct scope *p,
		      const char *phase, struct err *e);
/* All phases of the map, in its order and in one walk; those without ranges are empty parts. */
struct mfu_phases {
	struct arena arena;
	struct mfu_phase {
		struct str name;
		struct mfu_part part;
	} * all;
	size_t count;
	bool guessed; /* there is no map of the user's */
};

int mfu_phases_measure(struct mfu_phases *ret, struct trace *t, const struct scope *p,
		       struct err *e);
void mfu_phases_free(struct mfu_phases *p);
/*
 * The steps of the run (analysis/steps/iterations.h). A step's work is what its process runs in its
 * time, that of all steps what their processes run while at least one goes on. `ret_how` says what
 * the steps are, in ret's arena.
 */
int mfu_part_of_steps(struct mfu_part *ret, struct trace *t, const struct scope *p,
		      const char **ret_how, struct err *e);
/* The window that is asked for, or from the first GPU work to the last. */
int mfu_part_of_window(struct mfu_part *ret, struct trace *t, const struct scope *p, struct err *e);

/* For those who make parts: GPU work on one device for one of some owners, each instant once. */
struct mfu_gpu_time {
	uint32_t owner, device;
	int64_t reach_ns; /* all before is counted */
	int64_t busy_ns;
	size_t at;   /* where its owner's instances go on */
	size_t last; /* the instance that it was met in last; SIZE_MAX: none */
};

struct mfu_gpu_times {
	struct idmap numbers;
	struct mfu_gpu_time *all;
	size_t count, cap;
};

struct mfu_gpu_time *mfu_gpu_time_of(struct mfu_gpu_times *p, uint32_t owner, uint32_t device);
/* What of an op is new to it: false where nothing is. Ops come in order of their start.
 */
bool mfu_gpu_time_take(struct mfu_gpu_time *p, int64_t start_ns, int64_t end_ns,
		       int64_t *ret_from_ns);
void mfu_gpu_times_free(struct mfu_gpu_times *p);
/* Sums up instances whose own times are known; `devices` has one owner. */
void mfu_part_sum(struct mfu_part *s, const struct mfu_gpu_times *devices);

/* How the own times of a part's instances are spread, and what is said about that. */

struct mfu_walls {
	double mean, p50, stddev;
	int64_t min, max;
};

/* Of a part that has one instance at least; the deviation of one is 0. */
struct mfu_walls mfu_walls_of(const struct mfu_part *s);

/*
 * Notes which ranges are not counted: those that the window cuts, never closed ones, those on other
 * devices, and those inside others.
 */
void mfu_note_counted(struct report *r, const struct mfu_part *s, struct str name,
		      const struct scope *p);
/*
 * Looks for an instance that took many times as long as the median, or, of two, the other: the
 * first one often does, and says little of the steady state. Where there is one it goes on with the
 * sentence in `found`, which begins empty. The part has one instance at least.
 */
void mfu_add_warm_up(struct buf *found, const struct mfu_part *s, struct str name);
/* Notes what was found, if anything, and frees it; `more` ends the sentence. */
void mfu_note_warm_ups(struct report *r, struct buf *found, const char *more);

/* How long instances take: in `timings`, and in the summary of a report. */
#define TIMING_COLUMNS                                                \
	{"stage", "Phase", UNIT_NAME, 0, "", SHOW},                   \
		{"instances", "Count", UNIT_COUNT, 0, NULL, SHOW},    \
		{"mean_ns", "Mean", UNIT_NS, 0, NULL, SHOW},          \
		{"p50_ns", "p50", UNIT_NS, 0, NULL, SHOW},            \
		{"min_ns", "Min", UNIT_NS, 0, NULL, SHOW},            \
		{"max_ns", "Max", UNIT_NS, 0, NULL, SHOW},            \
		{"stddev_ns", "StdDev", UNIT_NS, 0, NULL, SHOW},      \
	{                                                             \
		"busy_pct", "GPU busy %", UNIT_PERCENT, 0, NULL, SHOW \
	}

#endif
