/* Which processes are a profiler's? */
#include "input/profiler.h"

#include "base/mem.h"
#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As NVIDIA calls them: a user's nsys_sweep or ncu-bench is none. */
static const char *const names[] = {
	"nsys",
	"nsys-launcher",
	"nsight-sys-service",
	"QdstrmImporter",
	"ncu",
	"TreeLauncherSubreaper",
	"TreeLauncherTargetInjectionHelper",
	"TreeLauncherTargetLdPreloadHelper",
};

/*
 * .../2025.3.2 of .../2025.3.2/target-linux-x64/nsys, .../nsight-systems of
 * .../nsight-systems/nsys. In /usr/bin there is more than a profiler.
 */
char *profiler_find_folder(const char *path)
{
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;
	const char *folder;

	if (!slash)
		goto none;
	*slash = '\0';
	folder = str_last_part(real);
	if (strncmp(folder, "nsight-", 7) == 0)
		return real;
	slash = strrchr(real, '/');
	if (strncmp(folder, "target-linux-", 13) != 0 || slash == real)
		goto none;
	*slash = '\0';
	return real;
none:
	free(real);
	return NULL;
}

bool profiler_has(const struct profiler *p, pid_t pid)
{
	char link[64], path[PATH_MAX];
	size_t folder = p->folder ? strlen(p->folder) : 0;
	ssize_t len;

	if (pid == p->pid)
		return true;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0)
		return false;
	path[len] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(str_last_part(path), names[i]) == 0)
			return true;
	}
	return folder && strncmp(path, p->folder, folder) == 0 && path[folder] == '/';
}
