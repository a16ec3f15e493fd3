/* What does another program say of itself? */
#include "input/ask.h"

#include "input/process.h"

#include <ctype.h>

#define PATIENCE_S 10

bool ask_program(char *const *argv, struct buf *ret)
{
	/* Looking at a repository must not write to it. */
	static const char *const env[] = {"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", NULL};
	const struct process p = {
		.argv = argv, .env = env, .answers = true, .timeout_s = PATIENCE_S};
	struct process_end end;
	struct err ignored;
	bool ok = process_run(&p, &end, &ignored) == 0 && end.status == 0 && !end.timed_out;

	buf_addstr(ret, buf_str(&end.said));
	process_end_free(&end);
	return ok;
}

void ask_nsys_help(const char *nsys, const char *command, struct buf *ret)
{
	char *argv[] = {(char *)nsys, (char *)command, "--help", NULL};

	ask_program(argv, ret);
}

static bool is_part_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

bool help_names_option(struct str help, const char *name)
{
	const size_t len = strlen(name);

	for (size_t i = 0; i + 2 + len <= help.len; i++) {
		const char *at = help.s + i;

		if (memcmp(at, "--", 2) == 0 && memcmp(at + 2, name, len) == 0 &&
		    (i + 2 + len == help.len || !is_part_of_name(at[2 + len])))
			return true;
	}
	return false;
}
