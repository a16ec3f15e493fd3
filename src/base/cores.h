/*
 * How many cores this process may keep busy. A machine has more than that for those that taskset or
 * a batch system confines to some of them, and for those whose control group, a container's or a
 * service's, is paid less time than all cores have: threads beyond it only wait for each other.
 */
#ifndef BASE_CORES_H
#define BASE_CORES_H

#include "base/str.h"

/* At least 1. */
unsigned cores_usable(void);

/* What it is made of; 0: no limit. A part of a core counts as one. */

/* Those that the process may run on. */
unsigned cores_of_affinity(void);
/*
 * The least that the process's control groups, its own and those around it, leave it. `root` comes
 * before every path: "" but for tests.
 */
unsigned cores_of_groups(const char *root);
/* cpu.max of version 2: microseconds, or "max", of a period. */
unsigned cores_of_cpu_max(struct str text);
/* cpu.cfs_quota_us and cpu.cfs_period_us of version 1; a quota of -1 is none. */
unsigned cores_of_quota(struct str quota, struct str period);

#endif
