/* Threads that do what is handed to them, one thing after another. */
#ifndef HTTP_WORKERS_H
#define HTTP_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

struct workers;
typedef void work_fn(void *ctx);

/* `most` things may wait; NULL: there is no thread to be had. */
struct workers *workers_start(size_t threads, size_t most);
/* false: too much waits already, or it has been stopped. */
bool workers_add(struct workers *w, work_fn *fn, void *ctx);
/* The same for what goes on by itself, one thing at a time: there is always room for it. */
bool workers_add_own(struct workers *w, work_fn *fn, void *ctx);
/* Nothing more is taken. */
void workers_refuse(struct workers *w); /* NULL is fine */
/* Whether nothing is done, and nothing waits. */
bool workers_are_idle(struct workers *w);
/* What waits is done; then the threads end. */
void workers_free(struct workers *w); /* NULL is fine */

#endif
