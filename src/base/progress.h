/*
 * A bar on the terminal for work that takes over a second. Off until the program's outermost
 * layer turns it on; then begin/add/end may be called from anywhere, add from any thread.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Shows bars on stderr when it is a terminal and `wanted`. */
void progress_init(bool wanted);
/* One task at a time; `total` in any unit, 0 when unknown. `what` must outlive the task. */
void progress_begin(const char *what, uint64_t total);
void progress_add(uint64_t done);
void progress_end(void);
/* While a task made of others is shown, theirs are not. progress_step(): one part is done. */
void progress_hold(const char *what, uint64_t parts);
void progress_step(void);
void progress_release(void);

#endif
