/* Where is a program of NVIDIA's? */
#include "input/tool_find.h"

#include "base/buf.h"
#include "base/mem.h"
#include "input/program.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION_BYTES = 64 };

struct search {
	const struct tool *tool;
	char *best; /* NULL until something was found */
	char version[VERSION_BYTES];
};

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int tool_check(const struct tool *t, const char *path, const char *option, struct err *e)
{
	if (program_is_one(path))
		return 0;
	if (is_folder(path))
		err_set(e, ERR_USAGE, "--%s '%s' is a folder", option, path);
	else if (access(path, F_OK) == 0)
		err_set(e, ERR_USAGE, "--%s '%s' is not an executable program", option, path);
	else
		err_set(e, ERR_USAGE, "--%s '%s' does not exist", option, path);
	return err_hint(e, "give the path of the %s program itself", t->name);
}

/* The last thing in the path that looks like 2024.6.1; "" where there is none. */
static void version_of(const char *path, char ret[VERSION_BYTES])
{
	ret[0] = '\0';
	while (*path) {
		size_t len = isdigit((unsigned char)*path) ? strspn(path, "0123456789.") : 0;

		if (memchr(path, '.', len))
			snprintf(ret, VERSION_BYTES, "%.*s", (int)len, path);
		path += len ? len : 1;
	}
}

static void consider(struct search *s, const char *path)
{
	char version[VERSION_BYTES];

	if (!program_is_one(path))
		return;
	version_of(path, version);
	if (s->best && strverscmp(version, s->version) <= 0)
		return;
	free(s->best);
	s->best = mem_strdup(path);
	memcpy(s->version, version, sizeof(version));
}

static void search_place(struct search *s, const char *pattern)
{
	glob_t found = {0};

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct buf inside = {0};

			buf_addf(&inside, "%s/%s", found.gl_pathv[i], s->tool->name);
			consider(s, is_folder(found.gl_pathv[i]) ? inside.s : found.gl_pathv[i]);
			buf_free(&inside);
		}
	}
	globfree(&found);
}

static void search_listed(struct search *s, const char *places)
{
	char *copy = mem_strdup(places), *rest = copy, *place;

	while ((place = strsep(&rest, ":")))
		search_place(s, place);
	free(copy);
}

char *tool_find(const struct tool *t)
{
	const char *places = getenv(t->variable);
	/* The folder of an untrusted trace is no place to find programs in: absolute ones only. */
	char *found = program_find_absolute(t->name);
	struct search s = {.tool = t};

	if (found)
		return found;
	if (places)
		search_listed(&s, places);
	for (size_t i = 0; !places && t->places[i]; i++)
		search_place(&s, t->places[i]);
	return s.best;
}

/* The first of equal versions is taken. */
static const char *const nsys_places[] = {
	"/opt/nvidia/nsight-systems/*/bin/nsys",
	"/opt/nvidia/nsight-systems/*/target-linux-*/nsys",
	"/opt/nvidia/nsight-systems-cli/*/bin/nsys",
	"/opt/nvidia/nsight-systems-cli/*/target-linux-*/nsys",
	"/usr/local/cuda*/bin/nsys",
	"/usr/local/cuda*/nsight-systems*/bin/nsys",
	"/usr/local/cuda*/nsight-systems*/target-linux-*/nsys",
	"/usr/lib/nsight-systems/nsys",
	"/usr/lib/nsight-systems/*/nsys",
	"/usr/lib/nsight-systems/*/*/nsys",
	"/usr/lib/*/nsight-systems/nsys",
	"/usr/lib/*/nsight-systems/*/nsys",
	"/opt/nvidia/nsight-compute/*/host/target-linux-*/nsys",
	"/usr/local/cuda*/nsight-compute*/host/target-linux-*/nsys",
	NULL,
};

static const char *const ncu_places[] = {
	"/opt/nvidia/nsight-compute/*/ncu",	"/usr/local/cuda*/bin/ncu",
	"/usr/local/cuda*/nsight-compute*/ncu", "/usr/lib/nsight-compute/ncu",
	"/usr/lib/*/nsight-compute/ncu",	NULL,
};

const struct tool tool_nsys = {"nsys", "GPUWHY_NSYS_SEARCH", nsys_places};
const struct tool tool_ncu = {"ncu", "GPUWHY_NCU_SEARCH", ncu_places};
