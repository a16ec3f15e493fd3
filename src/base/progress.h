/*
 * One line on the terminal for work that takes long: it is there within a second, and gone when the
 * work is done. Off until the program's outermost layer turns it on; then begin/add/end may be
 * called from anywhere, add from any thread. A thread of its own draws.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Shows the line on stderr when that is a terminal and `wanted`. */
void progress_init(bool wanted);
/* What all tasks are part of: shown, with its time, where there is no task. Until the stop. */
void progress_work(const char *what);
/* One task at a time; `total` in any unit, 0 when unknown. `what` must outlive the task. */
void progress_begin(const char *what, uint64_t total);
/* The same, called "reading …". */
void progress_begin_reading(const char *what, uint64_t total);
void progress_add(uint64_t done);
void progress_end(void);
/* While a task made of others is shown, theirs are not. progress_step(): one part is done. */
void progress_hold(const char *what, uint64_t parts);
void progress_step(void);
void progress_release(void);
/* Makes room for a message; the line comes back below it. */
void progress_clear(void);
/* No line from now on: the terminal is somebody else's. */
void progress_stop(void);

/*
 * For who draws it elsewhere: no line, but what is being done can be asked for, until the stop.
 * false: nothing is.
 */
struct progress_task {
	const char *verb, *what; /* "reading ", "kernels" */
	uint64_t done, total;	 /* total 0: unknown */
};
void progress_watch(void);
bool progress_current(struct progress_task *ret);

#endif
