/* What is each blame of a gap called? */
#include "analysis/gpu/gaps.h"

const char *const blame_names[BLAMES] = {
	[BLAME_SYNC] = "synchronising with the GPU",
	[BLAME_COPY] = "in a copy or memset call",
	[BLAME_ALLOC] = "allocating memory or loading modules",
	[BLAME_LAUNCH] = "in launch calls",
	[BLAME_CUDA] = "in other CUDA calls",
	[BLAME_HOST] = "host code outside CUDA calls",
	[BLAME_OVERHEAD] = "in profiler overhead",
	[BLAME_QUEUED] = "already launched: queued on the GPU",
	[BLAME_UNKNOWN] = "unknown: launch not in the trace",
	[BLAME_END] = "nothing left to launch",
};

const char *const blame_keys[BLAMES] = {"sync", "copy",	    "alloc",  "launch",	 "cuda",
					"host", "overhead", "queued", "unknown", "end"};
