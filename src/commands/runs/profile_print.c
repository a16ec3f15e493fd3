/* What would be run, and is it there? */
#include "capture/placeholders.h"
#include "commands/runs/profile.h"
#include "input/program.h"
#include "text/shell_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int profile_find_program(const struct profile_args *o, const struct profile_job *job, char **ret,
			 struct err *e)
{
	char *inner;
	size_t at;

	if (program_find(job->argv[0], ret, e) < 0)
		return -1;
	if (launcher_program_at(o->request.launcher, job->argv, job->argc, &at, e) < 0)
		goto fail;
	/* Behind srun it is another machine's PATH that counts; a path should be everywhere. */
	if (!at || !strchr(job->argv[at], '/'))
		return 0;
	if (program_find(job->argv[at], &inner, e) < 0)
		goto fail;
	free(inner);
	return 0;
fail:
	free(*ret);
	*ret = NULL;
	return -1;
}

/*
 * Where the run would be: the time is not known before it begins. The path is a whole one, because
 * the program may change its folder before nsys writes.
 */
static void add_place(struct buf *b, const char *root, const char *label)
{
	char stamp[RUN_STAMP_BYTES], *real = realpath(root, NULL), *cwd = getcwd(NULL, 0);

	run_stamp(time(NULL), stamp);
	if (!real && root[0] != '/')
		buf_addf(b, "%s/", cwd ? cwd : ".");
	buf_addf(b, "%s/%s%s%s", real ? real : root, stamp, label ? "-" : "", label ? label : "");
	free(real);
	free(cwd);
}

static void print_command(const char *folder, const struct string_list *argv,
			  const struct string_list *env)
{
	struct buf b = {0};

	buf_adds(&b, "mkdir -p ");
	word_add_quoted(&b, folder);
	buf_addc(&b, '\n');
	for (size_t i = 0; i < env->count; i++) {
		/* The name stays bare, or a shell would take it for a program. */
		size_t name = strcspn(env->all[i], "=") + 1;

		buf_add(&b, env->all[i], name);
		word_add_quoted(&b, env->all[i] + name);
		buf_addc(&b, ' ');
	}
	words_add_quoted(&b, argv->all, argv->count);
	puts(b.s);
	buf_free(&b);
}

int profile_print(const struct invocation *inv, const struct profile_job *job, struct err *e)
{
	const struct profile_args *o = profile_args(inv);
	const struct nsys_request *q = &o->request;
	struct string_list words = {0}, argv = {0}, env = {0};
	struct arena arena = {0};
	SCOPED_BUF place = {0}, nsys = {0}, output = {0};
	int result = inputs_check_named(o->inputs.all, o->inputs.count, e);

	if (result == 0) {
		add_place(&place, job->root, job->label);
		buf_addf(&nsys, "%s/nsys", place.s);
		buf_addf(&output, "%s/run", nsys.s);
		placeholders_fill_run(job->argv, job->argc, place.s, &arena, &words);
		result = nsys_request_argv(q, job->nsys, output.s, words.all, words.count, &arena,
					   &argv, e);
	}
	if (result == 0) {
		nsys_request_env(q, place.s, &arena, &env);
		print_command(nsys.s, &argv, &env);
	}
	string_list_free(&words);
	string_list_free(&argv);
	string_list_free(&env);
	arena_free(&arena);
	return result;
}
