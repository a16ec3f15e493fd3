/*
 * Samples: at these moments a thread had that stack. Python's come from marks of the profiler,
 * those of machine code from the CPU. There may be millions.
 */
#ifndef TRACE_SAMPLES_H
#define TRACE_SAMPLES_H

#include "base/span.h"
#include "trace/code/long_calls.h"
#include "trace/code/payload.h"

/* The samples [begin, end) of a thread, in order of time. */
struct sampled_thread {
	uint64_t key; /* globalTid */
	size_t begin, end;
	int64_t period_ns; /* the usual time from one to the next; 0: there is one only */
};

struct samples {
	size_t count;
	int64_t *at_ns; /* thread by thread */
	uint32_t *stack;
	struct sampled_thread *threads; /* by key */
	size_t thread_count;
	struct span *on_cpu; /* by sample: the thread's stretch on a CPU around it; NULL: unknown */
	size_t without_stack; /* samples that are left out: their stack is not in the export, or
				 broken */
};

/* All samples of a trace, and backtraces of CUDA calls; they share their stacks. */
struct code {
	struct stacks stacks;
	struct samples python[PAYLOAD_KINDS];
	struct samples native, native_calls;
	bool shared; /* they are the trace's */
};

/* What is not in the export is empty. They are read once for all who ask. */
int code_read(struct trace *t, struct code *ret, struct err *e);
/*
 * For those who will ask for these and for columns (COL_BITs) of NVTX events: both are read in one
 * pass over the table. Nothing is read where the trace does not keep it, or has none of Python's.
 */
int code_read_beside(struct trace *t, uint32_t columns, struct err *e);
/* Backtraces of CUDA calls alone; where there are none, no sample is looked at. */
int code_read_calls(struct trace *t, struct code *ret, struct err *e);
void code_free(struct code *c);

void samples_free(struct samples *s);

/* The samples of one thread. */
struct thread_samples {
	const struct samples *list; /* NULL: it has none */
	const struct sampled_thread *of;
	size_t near;	     /* where the last time was: the next is not far from it, as a rule */
	size_t near_in_call; /* the same of calls, which come long before what they launch */
	struct span last;    /* of the sample that the last time ended in, and its stack */
	uint32_t last_stack;
	const struct long_calls *calls; /* see samples_bound(); NULL: none are known */
	size_t near_call;		/* of these, likewise */
	uint32_t thread;
};

struct thread_samples samples_of_thread(const struct samples *s, uint64_t key);
/* Python's say more where there are both. */
struct thread_samples code_of_thread(const struct code *c, uint64_t key);

/*
 * From here on a sample stands for no time beyond the long CUDA call that its thread is in, nor for
 * any in such a call where it is in none. `thread` is the thread's number.
 */
void samples_bound(struct thread_samples *t, const struct long_calls *calls, uint32_t thread);

/*
 * Shares a time out over the samples that stand for it, each for half of the way to those beside
 * it, and on each side for no more than a period; where there is none, for half a period. None
 * stands for a time when its thread was not on a CPU, where that is known: the time up to there is
 * its own, as far as a period. Returns how much of it they cover.
 */
typedef void sample_fn(void *ctx, uint32_t stack, struct span part);
int64_t samples_share(struct thread_samples *t, struct span time, sample_fn *fn, void *ctx);

/* Sampled threads have numbers in t->thread_keys from here on, also those that did nothing else. */
void code_number_threads(struct trace *t, const struct code *c);
/* Whether any thread was sampled with its stack. */
bool code_has_samples(const struct code *c);
/* Whether any CUDA call has a backtrace. */
bool code_has_calls(const struct code *c);
/*
 * The stack of a CUDA call of a thread, Python's where there is one. Calls inside of libraries may
 * have none: then it is that of the call before, if that began less than a millisecond before.
 * STACK_NONE: nobody knows.
 */
uint32_t code_of_call(const struct code *c, uint64_t thread, struct span call);
/* The same, and where there is no backtrace, the stack in which the thread was sampled in it: `t`.
 */
uint32_t code_in_call(const struct code *c, struct thread_samples *t, uint64_t thread,
		      struct span call);

/* For those who read a table: what they found, in any order. */
struct found_sample {
	uint64_t thread, row;
	int64_t at_ns;
	uint32_t stack, from; /* from: of the sets of stacks that were found */
};

/*
 * Puts samples in order, and their stacks into one set: numbers are the same however many workers
 * have found them.
 */
void samples_settle(struct samples *ret, struct stacks *stacks, struct found_sample *found,
		    size_t count, const struct stacks *sets, size_t set_count);
/*
 * Where `wanted` is not PAYLOAD_KINDS, nothing is read of an export that has none of that kind.
 * Columns of NVTX events are loaded beside them, see code_read_beside().
 */
int python_samples_read(struct trace *t, enum payload_kind wanted, uint32_t beside,
			struct stacks *stacks, struct samples ret[PAYLOAD_KINDS], struct err *e);
/* Where stacks of machine code are: whose they are, and their frames, a row for each. */
struct native_tables {
	const char *events, *number; /* the column by which these name their stack */
	const char *frames;
};

int native_samples_read(struct trace *t, const struct native_tables *tables, struct stacks *stacks,
			struct samples *ret, struct err *e);

#endif
