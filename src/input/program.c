/* Which file would be run? */
#include "input/program.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What execvp() looks through where PATH is not set. */
#define USUAL_PATH "/bin:/usr/bin"

bool program_is_one(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* *ret_denied becomes a file of that name that cannot be executed, if there is one first. */
static char *search(const char *name, bool absolute_only, char **ret_denied)
{
	const char *path = getenv("PATH");
	char *copy = mem_strdup(path ? path : USUAL_PATH), *rest = copy, *folder;
	struct buf program = {0};
	bool found = false;

	while (!found && (folder = strsep(&rest, ":"))) {
		/* An empty entry is this folder. */
		buf_clear(&program);
		buf_addf(&program, "%s/%s", *folder ? folder : ".", name);
		found = (folder[0] == '/' || !absolute_only) && program_is_one(program.s);
		if (!found && ret_denied && !*ret_denied && access(program.s, F_OK) == 0)
			*ret_denied = mem_strdup(program.s);
	}
	free(copy);
	if (found)
		return program.s;
	buf_free(&program);
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
		return err_hint(e,
				"for the file in this folder: ./%s, or run it with its interpreter",
				word);
	return err_hint(e, "check its name, or activate the environment that has it");
}

int program_find(const char *word, char **ret_path, struct err *e)
{
	char *denied = NULL;
	int result = 0;

	*ret_path = NULL;
	if (strchr(word, '/')) {
		if (!program_is_one(word))
			return refuse(word, e);
		*ret_path = mem_strdup(word);
		return 0;
	}
	if (*word)
		*ret_path = search(word, false, &denied);
	if (!*ret_path)
		result = denied ? refuse(denied, e) : refuse_word(word, e);
	free(denied);
	return result;
}

char *program_find_absolute(const char *name)
{
	return search(name, true, NULL);
}
