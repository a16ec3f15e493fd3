/*
 * Whether anybody still waits for what is being done: what reads traces asks this now and then.
 * Whoever is given up, has had its time, or takes too much memory ends with an error. What computes
 * for long does not ask; its thread may be left to itself then, and another goes on: each has a
 * seat of its own.
 */
#ifndef MCP_WORK_H
#define MCP_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* Clients wait 60 s for a call; what takes longer is better said than waited for. */
enum { WORK_MOST_S = 50, WORK_SEATS = 4 };

/* By how much memory the server may grow during a call; before any begins. 0: by any. */
void work_set_memory(uint64_t bytes);
uint64_t work_memory(void);

/* One that is free, or -1. */
int work_take_seat(void);
void work_leave_seat(int seat);
/* The seat of this thread from here on; that of a thread that never says so is 0. */
void work_sit(int seat);

/* Begins a call. `is_wanted` tells whether who asked is still there; NULL: nothing does. */
void work_begin(bool (*is_wanted)(void *ctx), void *ctx);
/* Gives up the call of a seat; the next one begins anew. */
void work_give_up(int seat);
/* How long it has been going on. */
int64_t work_elapsed_ns(int seat);
/* Nothing is done any more, by anybody. */
void work_end_all(void);

/* Whether the call of this thread's seat is given up. */
bool work_is_given_up(void);
/* The same but for the time: of what may take any. */
bool work_is_cancelled(void);
/* Whether it is so because its time was over, or because of its memory. */
bool work_was_too_long(void);
bool work_was_too_large(void);
/* For trace_set_stop(): says the same to whichever thread asks. */
typedef bool work_stop_fn(void);
work_stop_fn *work_stop(void);

#endif
