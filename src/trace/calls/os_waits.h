/* What a call of the operating system's runtime waits for. */
#ifndef TRACE_CALLS_OS_WAITS_H
#define TRACE_CALLS_OS_WAITS_H

#include "base/str.h"

/* What the operating system knows of a thread that runs no CUDA call. */
enum os_wait {
	OS_SLEEP, /* until a time */
	OS_INPUT, /* reads, receives, accepts */
	OS_EVENT, /* polls: for a device, a socket, a pipe */
	OS_LOCK,  /* for another thread */
	OS_WRITE, /* writes files, or has them written */
	OS_WAITS,
};

/* Of a function by its name; OS_WAITS: for nothing that is known. */
enum os_wait os_wait_of(struct str function);

#endif
