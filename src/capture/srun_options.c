/* Which word behind an option of srun is its value? */
#include "capture/launchers.h"

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

/*
 * Options of srun and of pyxis, its plug-in for containers. Those that stand alone, or whose value,
 * where they have one, is behind a = or in the same word; and those whose value is the next word.
 */
static const char short_flags[] = "bEhHklOQsuvVXZ", short_optional[] = "IK";
static const char *const long_flags[] = {
	"async",
	"bcast",
	"compress",
	"container-mount-home",
	"container-readonly",
	"container-remap-root",
	"container-entrypoint",
	"container-entrypoint-log",
	"container-writable",
	"contiguous",
	"disable-status",
	"exact",
	"exclusive",
	"external",
	"help",
	"hold",
	"immediate",
	"interactive",
	"join",
	"kill-on-bad-exit",
	"label",
	"multi-prog",
	"nice",
	"no-allocate",
	"no-bell",
	"no-container-entrypoint",
	"no-container-mount-home",
	"no-container-remap-root",
	"no-kill",
	"no-rotate",
	"overcommit",
	"overlap",
	"oversubscribe",
	"preserve-env",
	"propagate",
	"pty",
	"quiet",
	"quit-on-interrupt",
	"reboot",
	"resv-ports",
	"send-libs",
	"spread-job",
	"stepmgr",
	"test-only",
	"unbuffered",
	"usage",
	"use-min-nodes",
	"verbose",
	"version",
	"wait-for-children",
	"whole",
	"x11",
};
static const char *const long_options[] = {
	"accel-bind",
	"account",
	"acctg-freq",
	"bb",
	"bbf",
	"bcast-exclude",
	"begin",
	"chdir",
	"cluster-constraint",
	"clusters",
	"comment",
	"constraint",
	"container",
	"container-env",
	"container-id",
	"container-image",
	"container-mounts",
	"container-name",
	"container-save",
	"container-workdir",
	"core-spec",
	"cores-per-socket",
	"cpu-bind",
	"cpu-freq",
	"cpus-per-gpu",
	"cpus-per-task",
	"deadline",
	"delay-boot",
	"dependency",
	"distribution",
	"epilog",
	"error",
	"exclude",
	"export",
	"extra",
	"extra-node-info",
	"gid",
	"gpu-bind",
	"gpu-freq",
	"gpus",
	"gpus-per-node",
	"gpus-per-socket",
	"gpus-per-task",
	"gres",
	"gres-flags",
	"het-group",
	"hint",
	"input",
	"job-name",
	"jobid",
	"licenses",
	"mail-type",
	"mail-user",
	"mcs-label",
	"mem",
	"mem-bind",
	"mem-per-cpu",
	"mem-per-gpu",
	"mincpus",
	"mpi",
	"msg-timeout",
	"network",
	"nodefile",
	"nodelist",
	"nodes",
	"ntasks",
	"ntasks-per-core",
	"ntasks-per-gpu",
	"ntasks-per-node",
	"ntasks-per-socket",
	"open-mode",
	"output",
	"partition",
	"power",
	"prefer",
	"priority",
	"profile",
	"prolog",
	"qos",
	"relative",
	"reservation",
	"segment",
	"signal",
	"slurmd-debug",
	"sockets-per-node",
	"switches",
	"task-epilog",
	"task-prolog",
	"thread-spec",
	"threads",
	"threads-per-core",
	"time",
	"time-min",
	"tmp",
	"treewidth",
	"tres-bind",
	"tres-per-task",
	"uid",
	"wait",
	"wckey",
};

/* -lN 2: flags may stand before the option that has the value. */
static bool cluster_takes_next(const char *letters)
{
	letters += strspn(letters, short_flags);
	return *letters && !strchr(short_optional, *letters) && !letters[1];
}

static bool is_listed(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(name, list[i]) == 0)
			return true;
	}
	return false;
}

size_t srun_option_words(const char *option)
{
	if (option[1] != '-')
		return cluster_takes_next(option + 1) ? 2 : 1;
	if (strchr(option, '=') || is_listed(option + 2, long_flags, ARRAY_LEN(long_flags)))
		return 1;
	return is_listed(option + 2, long_options, ARRAY_LEN(long_options)) ? 2 : 0;
}
