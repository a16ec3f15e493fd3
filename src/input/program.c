/* Which file would be run, and where are NVIDIA's programs? */
#include "input/program.h"

#include "base/file.h"
#include "base/mem.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What execvp() looks through where PATH is not set. */
#define USUAL_PATH "/bin:/usr/bin"

/* A regular file that this user may execute. */
static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* *ret_denied becomes a file of that name that cannot be executed, if there is one first. */
static char *search(const char *name, bool absolute_only, char **ret_denied)
{
	const char *path = getenv("PATH");
	SCOPED char *copy = mem_strdup(path ? path : USUAL_PATH);
	char *rest = copy, *folder;

	while ((folder = strsep(&rest, ":"))) {
		/* An empty entry is this folder. */
		SCOPED char *program = file_in(*folder ? folder : ".", name);

		if ((folder[0] == '/' || !absolute_only) && is_program(program))
			return mem_strdup(program);
		if (ret_denied && !*ret_denied && access(program, F_OK) == 0)
			*ret_denied = mem_strdup(program);
	}
	return NULL;
}

static int refuse(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		err_set(e, ERR_USAGE, "there is no program '%s'", path);
		return err_hint(e, "check its path; relative paths start in this folder");
	}
	if (S_ISDIR(st.st_mode)) {
		err_set(e, ERR_USAGE, "'%s' is a folder, not a program", path);
		return err_hint(e, "give the program inside it");
	}
	err_set(e, ERR_USAGE, "'%s' is not executable", path);
	return err_hint(e, "chmod +x it, or run it with its interpreter: python %s", path);
}

static int refuse_word(const char *word, struct err *e)
{
	struct stat st;

	err_set(e, ERR_USAGE, "there is no program '%s' in PATH", word);
	if (stat(word, &st) == 0 && S_ISREG(st.st_mode))
		return err_hint(
			e,
			"to run the file in this folder, use ./%s, or run it with its interpreter",
			word);
	return err_hint(e, "check its name, or activate the environment that has it");
}

int program_find(const char *word, char **ret_path, struct err *e)
{
	SCOPED char *denied = NULL;

	*ret_path = NULL;
	if (strchr(word, '/')) {
		if (!is_program(word))
			return refuse(word, e);
		*ret_path = mem_strdup(word);
		return 0;
	}
	if (*word)
		*ret_path = search(word, false, &denied);
	if (*ret_path)
		return 0;
	return denied ? refuse(denied, e) : refuse_word(word, e);
}

char *program_find_absolute(const char *name)
{
	return search(name, true, NULL);
}

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
	if (is_program(path))
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

	if (!is_program(path))
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
			SCOPED char *inside = file_in(found.gl_pathv[i], s->tool->name);

			consider(s, is_folder(found.gl_pathv[i]) ? inside : found.gl_pathv[i]);
		}
	}
	globfree(&found);
}

static void search_listed(struct search *s, const char *places)
{
	SCOPED char *copy = mem_strdup(places);
	char *rest = copy, *place;

	while ((place = strsep(&rest, ":")))
		search_place(s, place);
}

char *tool_find(const struct tool *t)
{
	const char *places = getenv(t->variable);
	/* The folder of an untrusted trace is no place to find programs in: absolute ones only. */
	char *found = program_find_absolute(t->name);
	struct search s = {.tool = t};

	if (found)
		return found;
	search_listed(&s, places ? places : t->places);
	return s.best;
}

/* The first of equal versions is taken. */
const struct tool tool_nsys = {"nsys", "GPUWHY_NSYS_SEARCH",
			       "/opt/nvidia/nsight-systems/*/bin/nsys:"
			       "/opt/nvidia/nsight-systems/*/target-linux-*/nsys:"
			       "/opt/nvidia/nsight-systems-cli/*/bin/nsys:"
			       "/opt/nvidia/nsight-systems-cli/*/target-linux-*/nsys:"
			       "/usr/local/cuda*/bin/nsys:"
			       "/usr/local/cuda*/nsight-systems*/bin/nsys:"
			       "/usr/local/cuda*/nsight-systems*/target-linux-*/nsys:"
			       "/usr/lib/nsight-systems/nsys:/usr/lib/nsight-systems/*/nsys:"
			       "/usr/lib/nsight-systems/*/*/nsys:"
			       "/usr/lib/*/nsight-systems/nsys:/usr/lib/*/nsight-systems/*/nsys:"
			       "/opt/nvidia/nsight-compute/*/host/target-linux-*/nsys:"
			       "/usr/local/cuda*/nsight-compute*/host/target-linux-*/nsys"};
const struct tool tool_ncu = {"ncu", "GPUWHY_NCU_SEARCH",
			      "/opt/nvidia/nsight-compute/*/ncu:/usr/local/cuda*/bin/ncu:"
			      "/usr/local/cuda*/nsight-compute*/ncu:/usr/lib/nsight-compute/ncu:"
			      "/usr/lib/*/nsight-compute/ncu"};
