/*
 * Which of a run's processes are the profiler's rather than the program's: signals spare them,
 * because they end by themselves, and write their reports, once the program is gone.
 */
#ifndef INPUT_PROFILER_H
#define INPUT_PROFILER_H

#include <stdbool.h>
#include <sys/types.h>

struct profiler {
	pid_t pid;    /* its first process; 0: none of the run is known to be it */
	char *folder; /* of its installation; NULL: it lies among other programs */
};

/* The folder that holds all of the profiler with this path; NULL, see above. The caller frees. */
char *profiler_find_folder(const char *path);
/* By its number, by its program's exact name, or by the folder its program lies in. */
bool profiler_has(const struct profiler *p, pid_t pid);

#endif
