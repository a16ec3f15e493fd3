/*
 * Whether anybody still waits for what is being done: one call at a time reads traces, and what
 * reads them asks this now and then. Whoever is given up, or has had its time, ends with an error.
 */
#ifndef MCP_WORK_H
#define MCP_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* Clients wait 60 s for a call; what takes longer is better said than waited for. */
enum { WORK_MOST_S = 50 };

/* Begins a call. `is_wanted` tells whether who asked is still there; NULL: nothing does. */
void work_begin(bool (*is_wanted)(void *ctx), void *ctx);
/* Gives up the call that is being done; the next one begins anew. */
void work_give_up(void);
/* Nothing is done any more. */
void work_end_all(void);
/* For trace_set_stop(). */
bool work_is_given_up(void);
/* The same but for the time: of what may take any. */
bool work_is_cancelled(void);
/* Whether it is so because its time was over. */
bool work_was_too_long(void);
/* How long the call has been going on. */
int64_t work_elapsed_ns(void);

#endif
