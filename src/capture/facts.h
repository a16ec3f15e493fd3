/*
 * What a run depends on that is in no file of it: the state of the program's repository, the
 * machine's GPUs and driver, the version of the profiler. Other programs are asked, each for a few
 * seconds at most; one that is not there, or does not answer, leaves a NULL.
 */
#ifndef CAPTURE_FACTS_H
#define CAPTURE_FACTS_H

#include "capture/gpu_state.h"

#include <stdint.h>

struct gpu_fact {
	const char *name;
	int64_t memory_bytes; /* -1: not said */
	struct gpu_state state;
};

struct facts {
	const char *git_commit; /* NULL: no repository, or no git */
	bool git_dirty;
	const char *driver, *cuda; /* cuda: the highest version that the driver knows */
	struct gpu_fact *gpus;
	size_t gpu_count;
	const char *nsys_version;
};

/* What is the same for all runs that follow one another; the rest is empty. Lives in the arena. */
void facts_ask_machine(struct facts *f, struct arena *a, const char *nsys);
/*
 * The clocks and limits of the GPUs as they are now; the rest stays. False where nvidia-smi does
 * not know of any GPU.
 */
bool facts_ask_state(struct facts *f, struct arena *a);
/*
 * The repository that `folder`, the program's, is in. Runs that `root` has already are no change of
 * it, other than in files that git tracks.
 */
void facts_ask_git(struct facts *f, struct arena *a, const char *folder, const char *root);

/* The version in what `nsys --version` says: "2025.3.2.474"; NULL where there is none. */
const char *facts_nsys_version(struct arena *a, struct str said);

#endif
