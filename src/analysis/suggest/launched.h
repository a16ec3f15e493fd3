/*
 * The GPU work of a window by the call that launched it, and what it shows of the threads and
 * processes that made the calls.
 */
#ifndef ANALYSIS_LAUNCHED_H
#define ANALYSIS_LAUNCHED_H

#include "analysis/ranges/range_work.h"
#include "analysis/suggest/op_signs.h"
#include "trace/system/machine.h"

/* The ops of one launch, as far as they lie in the window: fewer than 2^32. */
struct launch_sum {
	int64_t ns, kernel_ns;
	uint32_t ops, kernels;
};

struct launching_thread {
	struct str name; /* empty: not known */
	uint32_t process;
	int64_t gpu_ns;
	uint64_t forward, backward; /* kernels that show it */
	bool autograd;		    /* PyTorch's, which runs backward passes */
	bool by_name;		    /* its name says so; else its kernels do */
};

struct launching_process {
	struct str name;    /* empty: not known */
	bool torch;	    /* it launches kernels of PyTorch */
	bool training;	    /* it has a backward pass or an optimizer */
	bool forward_apart; /* a thread launches kernels of a forward pass, and of no backward pass
			     */
};

struct launched {
	struct trace *trace;
	struct attribution at;
	struct launch_sum *of_launch;
	uint8_t *part;			  /* by launch: enum op_part that its kernels show */
	struct launching_thread *threads; /* by number */
	size_t thread_count;
	struct launching_process *processes; /* by number */
	size_t process_count;
	struct gpu_sum all, no_call; /* no_call: the call is not in the trace */
	struct host_names host_names;
};

/* Filters and the window of p apply. To be freed whether this fails or not. */
int launched_read(struct trace *t, const struct scope *p, struct op_signs *signs,
		  struct launched *ret, struct err *e);
void launched_free(struct launched *l);

/* Adds what one launch has. */
void gpu_sum_add(struct gpu_sum *to, const struct launch_sum *s);

#endif
