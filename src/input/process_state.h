/* A program while it runs: what input/process.c and what ends it, input/process_ending.c, share. */
#ifndef INPUT_PROCESS_STATE_H
#define INPUT_PROCESS_STATE_H

#include "input/process.h"
#include "input/process_keeper.h"
#include "input/process_stream.h"
#include "input/process_tree.h"

#include <signal.h>

enum { PROCESS_TICK_MS = 100, PROCESS_STREAMS = 2 };

/* How far a program is being asked to end. */
enum process_stage { RUNS, TOLD_INT, TOLD_TERM, KILLED, ALL_KILLED, GIVEN_UP };

struct process_state {
	const struct process *p;
	struct keeper keeper;
	struct stream streams[PROCESS_STREAMS];
	int log;
	pid_t pid; /* of the program, 0 until it is known */
	struct profiler profiler;
	struct process_tree others; /* attended: what we had started before */
	double group_s[NSIG];	    /* when the keeper last got this signal */
	struct keeper_news end;
	bool has_ended;
	bool lost;  /* somebody killed the keeper */
	int failed; /* errno for which it did not start */
	enum process_stage stage;
	double began_s, next_s; /* next_s: when the stage ends; 0: never */
	double full_s;		/* since when the profiler is stuck at a full disk; 0: it is not */
	double full_cpu_s;	/* what it had worked by then */
	struct process_end *ret;
};

/* The time of a clock that nobody sets. */
double process_now_s(void);
/* Takes what the keeper says next; waits for it. */
void process_read_news(struct process_state *r);

/* What came for it, or for us, since the last time: passed on to whom it has not reached. */
void process_follow_signals(struct process_state *r);
/* A profiler that can write no more may never end by itself. */
void process_follow_disk(struct process_state *r);
/* Past its limit it is asked to end, and the more firmly the longer it takes. */
void process_follow_clock(struct process_state *r);

#endif
