/* The processes of a capture: when each did something, and whether the profiler was in it. */
#ifndef ANALYSIS_HOST_PROCESSES_H
#define ANALYSIS_HOST_PROCESSES_H

#include "trace/trace.h"

struct host_processes {
	size_t traced;	      /* the profiler was in them: it recorded calls or ranges of theirs */
	int64_t last_ns;      /* that any of these did; INT_NONE */
	size_t not_followed;  /* forks of these, which worked beside them without it */
	const char *launcher; /* "mpirun": one of these is that, or such a thing; NULL */
};

int host_processes_read(struct trace *t, struct host_processes *ret, struct err *e);
/* The word by which a program is known that starts others on many nodes; NULL: it is none. */
const char *host_launcher_word(struct str program);

#endif
