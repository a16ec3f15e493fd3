/*
 * What a question says: what is asked for (intent, measure), about which part of the trace (GPU,
 * rank, stream, step, window), which names, how many rows. Nothing of a trace is looked at.
 */
#ifndef ASK_QUESTION_QUESTION_H
#define ASK_QUESTION_QUESTION_H

#include "ask/words/words.h"

#include <stdint.h>

enum intent {
	ASKS_WHAT,    /* which, what, list */
	ASKS_WHY,     /* a cause, or what to do */
	ASKS_WHEN,    /* where in time */
	ASKS_AMOUNT,  /* how much, how many, how long: one number */
	ASKS_COMPARE, /* one with another */
	ASKS_WHETHER, /* is it so? */
};

/* The number that is asked for, or that says which row is first. */
enum measure {
	MEASURE_ANY,
	MEASURE_COUNT,
	MEASURE_TIME,
	MEASURE_MEAN,
	MEASURE_MEDIAN,
	MEASURE_P90,
	MEASURE_P99,
	MEASURE_MOST,  /* the longest single one */
	MEASURE_LEAST, /* the shortest single one */
	MEASURE_SHARE,
	MEASURE_BYTES,
	MEASURE_RATE,
	MEASURE_MOMENT,
	MEASURES
};

/* What several words say together, where none of them is a topic. */
enum asked_about {
	ABOUT_ANY,
	ABOUT_CAPTURE_LENGTH, /* how long all of it is */
	ABOUT_GRAPH_KERNELS,  /* how many kernels are nodes of graphs */
	ABOUT_OS_CALLS,	      /* calls of the operating system */
	ABOUT_IDLE_CALL,      /* where the host is while the GPU idles */
};

enum { ASKED_MOST = 4, QUESTION_LONGEST = 2000 };

struct asked_ids {
	uint32_t all[ASKED_MOST];
	size_t count;
};

/* Steps one after the other: "steps 2 to 4", "after step 3" without an end. */
struct asked_span {
	bool is_given;
	uint32_t first, last; /* UINT32_MAX: all that follow */
};

/* "the last 3 steps", "without the first step": which ones these are only the trace knows. */
struct asked_edge {
	bool is_given, is_last, is_left_out;
	bool is_passed; /* "after the first 3 steps": those that follow */
	bool is_both;	/* "the first step compared with the last" */
	uint32_t count;
};

struct asked_names {
	struct str all[ASKED_MOST]; /* as they were said */
	bool is_quoted[ASKED_MOST];
	bool is_whole[ASKED_MOST]; /* something is called just so: parts of names are not meant */
	size_t count;
	bool are_ranges;	     /* the first is called so */
	bool are_numbered;	     /* "request 0": one of those that differ by a number */
	bool are_several;	     /* kernels of more than one name */
	bool are_kernels;	     /* kernels have the first in their names */
	bool are_os_calls;	     /* of the operating system */
	bool is_pattern[ASKED_MOST]; /* "*gemm*": all names that have it */
};

/* "longer than 1 ms": rows are told by how long or large they are. */
struct threshold {
	bool is_given, is_below, is_bytes;
	bool has_equal; /* "at least": what is just so counts, too */
	double value;	/* ns, or bytes */
};

/* Work on the GPU: bits. */
enum { WORK_KERNEL = 1, WORK_COPY = 2, WORK_MEMSET = 4, WORK_PARTS = 4 };

/* What is asked of single pieces of it, where no table of sums tells that. */
enum of_each {
	EACH_NONE,
	EACH_ROW,    /* the first, the last */
	EACH_BEYOND, /* those that are longer, or larger, than so much */
	EACH_SPREAD, /* median and percentiles of all */
	EACH_CALL,   /* calls of CUDA that are longer than so much */
	EACH_RANGE,  /* ranges that are */
	EACH_SHAPE,  /* how kernels are launched: grid, block, registers */
};

struct asked_work {
	unsigned kinds;		      /* 0: none is named */
	const char *direction;	      /* of copies: "Host-to-Device"; NULL: none, or several */
	const char *other_direction;  /* of two that are told apart; NULL: there are not two */
	struct str parts[WORK_PARTS]; /* of kernels: what their names have, each of them */
	size_t part_count;
	enum of_each each;
};

struct question {
	struct words words;
	bool *is_used;	  /* by word: grammar has taken it, it names no subject */
	bool *is_place;	  /* by word: it says where, "step" of "in step 3", more than what */
	const char *head; /* stem of what "which", "top 5" or "how many" are asked of; NULL: none */
	enum intent intent;
	enum measure measure;
	enum asked_about about;
	uint32_t measures;	     /* all that are said, as bits: "shortest and longest" */
	bool hints_at_why;	     /* a cause may be meant, or a number */
	bool is_extreme;	     /* the largest single one */
	bool is_of_samples;	     /* of all that a counter of the GPU has */
	bool is_large;		     /* by its bytes, if it has some */
	bool least_first;	     /* the shortest, smallest, rarest */
	bool is_earliest, is_latest; /* the first one, the last one, of what has a beginning */
	bool wants_single;	     /* the longest launch, not the kernel with most time */
	bool wants_several;	     /* kernels, not a kernel */
	bool is_ranked;		     /* the slowest, the longest: one row */
	bool is_by_length;	     /* the same in these words: longest, shortest, slowest */
	bool wants_order;	     /* "rank the kernels" */
	bool wants_rows;	     /* which, top, list: rows and not their sum */
	uint64_t top;		     /* 0: not said */
	uint64_t nth;		     /* "the second longest" is 2; 0: not said */
	bool wants_top_sum;	     /* the top 3 together */
	bool is_distinct;	     /* how many different ones */
	const char *group;	     /* "per stream", "which range": a word of --by; NULL: none */
	bool is_each_group;	     /* each of them, not which of them */
	bool is_per_step;	     /* a number of each step, or their mean */
	struct asked_ids devices, ranks, streams, steps, pids;
	struct asked_ids not_steps; /* "leaving out step 0" */
	struct asked_span step_span;
	struct asked_edge step_edge; /* until question_place_edge() */
	bool is_of_step_range;	     /* how long the range is that a step is */
	bool has_window, is_moment;  /* from_ns to to_ns, since the capture began */
	int64_t from_ns, to_ns;	     /* from_ns < 0: before the capture's end, to that */
	bool to_end;		     /* whenever the capture ends */
	bool wants_all;		     /* the whole capture */
	bool wants_warm;	     /* without the warm-up */
	bool names_kernels;	     /* by what they compute: "softmax", and some are called so */
	bool names_capture;	     /* "in this trace": all of it, where things are counted */
	bool asks_to_capture;	     /* how to record something: a guide says it */
	bool is_elsewhere; /* it wants something made, or a word explained: no trace tells that */
	struct threshold threshold;
	struct asked_work work;
	struct asked_names names;
};

/* The text must outlive it. */
void question_read(struct question *ret, struct str text);
void question_free(struct question *q);
/* Whether it has these words, one after the other, outside of quotes. */
bool question_says(const struct question *q, const char *phrase);
/* Whether it has one of several such phrases. */
bool question_says_any(const struct question *q, const char *const *phrases);
#define ANY_OF(...) ((const char *const[]){__VA_ARGS__, NULL})
/* Whether it asks how something is done: "how do I". */
bool question_asks_how(const struct question *q);
/* Whether it goes on from an earlier one: "and on GPU 1?", "what about step 4". */
bool question_goes_on(const struct question *q);
/* Whether it names steps that are meant: single ones, or from one to another. */
bool question_names_steps(const struct question *q);
/* Whether a step is neither left out nor outside of those from one to another. */
bool question_means_step(const struct question *q, int64_t step);
/* The steps that are first or last, of those from `first` to `last`. False: that could not be
 * heeded, as others are named besides or none is left. */
bool question_place_edge(struct question *q, uint32_t first, uint32_t last);
/* By what rows are to be told apart, a word of --by; NULL: by nothing that is not told anyway. */
const char *question_group(const struct question *q);
/* Whether a word is a number of which nothing is known. */
bool question_is_unread_number(const struct question *q, size_t i);
/* Whether it has a number of which nothing is known: it may be a place or time that is meant. */
bool question_has_unread_number(const struct question *q);
/* It says nothing of GPU, rank, stream, step, process or window any more. */
void question_drop_places(struct question *q);
/* What was told before it of GPU, step, window and rows counts where it says nothing of these. */
void question_add_slots(struct question *q, const struct question *told);
/* What a later question says of GPU, step, window and rows takes the place of what this one says.
 */
void question_take_slots(struct question *q, const struct question *later);

/* Whether it asks how long a step is, by its own range; once its slots are known. */
void question_find_step_range(struct question *q);

/* Whether it is about calls of the operating system, whatever they are called. */
bool question_says_os_calls(const struct question *q);

/* Parts of question_read(): what numbers belong to; what is asked for; which rows are first; which
 * work on the GPU. */
void question_find_slots(struct question *q);
void question_find_intent(struct question *q);
void question_find_ranking(struct question *q);
void question_find_group(struct question *q);
void question_find_work(struct question *q);
void question_find_explanations(struct question *q, struct str text);
void question_find_about(struct question *q);
void question_find_rank_verb(struct question *q);

#endif
