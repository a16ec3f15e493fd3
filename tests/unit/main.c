/*
 * Runs the groups of unit tests that are named, or all of them: tests [NAME…]. One program holds
 * them all, since linking twenty takes longer than running them.
 */
#include "groups.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static const struct group {
	const char *name;
	int (*run)(void);
} groups[] = {
#define GROUP(name) {#name, name##_tests},
	EACH_GROUP(GROUP)};

static const struct group *find_group(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (strcmp(groups[i].name, name) == 0)
			return &groups[i];
	return NULL;
}

/* A group may look for programs elsewhere: the next finds them where they are. */
static int run_group(const struct group *g, const char *path)
{
	const int failed = g->run();

	setenv("PATH", path, 1);
	return failed;
}

int main(int argc, char **argv)
{
	const char *known = getenv("PATH");
	SCOPED char *path = mem_strdup(known ? known : "/usr/bin:/bin");
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		const struct group *g = find_group(argv[i]);

		if (!g) {
			fprintf(stderr, "no group of tests is called %s: see groups.h\n", argv[i]);
			return 2;
		}
		failed += run_group(g, path);
	}
	for (size_t i = 0; argc == 1 && i < ARRAY_LEN(groups); i++)
		failed += run_group(&groups[i], path);
	return failed > 0;
}
