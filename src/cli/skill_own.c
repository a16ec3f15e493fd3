/* How does a skill of the user's own come, go, and get looked over? */
#include "cli/skill.h"

#include "base/mem.h"
#include "cli/output.h"
#include "cli/query_run.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct column done_columns[] = {
	{"done", "Done", UNIT_NAME, 0, NULL, SHOW},
	{"skill", "Skill", UNIT_NAME, 0, "", SHOW},
	{"file", "File", UNIT_NAME, 0, NULL, SHOW},
	{"parameters", "Parameters", UNIT_COUNT, 0, NULL, SHOW},
};

static void say_done(struct report *r, const char *what, const char *name, const char *path,
		     const struct skill_file *f)
{
	struct rows *rows =
		report_new_rows(r, "skill", NULL, done_columns, ARRAY_LEN(done_columns));

	rows->table.facts = true;
	rows_add(rows, cell_text(what));
	rows_add(rows, cell_text(arena_strdup(&r->arena, name)));
	rows_add(rows, cell_text(arena_strdup(&r->arena, path)));
	rows_add(rows, f ? cell_int((int64_t)f->param_count) : cell_null());
}

/* Everything that can be told of a skill without a trace. */
static int read_checked(struct skill_file *f, const char *path, struct err *e)
{
	if (skill_file_read(f, path, e) < 0)
		return -1;
	if (skill_is_built_in(f->name))
		return err_set(e, ERR_INPUT, "%s: '%s' is the name of a built-in skill", path,
			       f->name);
	if (query_check(path, f->text, e) == 0)
		return 0;
	e->code = ERR_INPUT;
	return -1;
}

/* The folder and those above it. */
static int make_folder(char *path, struct err *e)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return err_set_errno(e, "cannot make the folder '%s'", path);
	return 0;
}

static int own_path(struct buf *b, const char *name, struct err *e)
{
	if (!skill_own_folder(b)) {
		err_set(e, ERR_SYSTEM, "there is no folder for skills: HOME is not set");
		return err_hint(e, "put it into ./.gpuwhy/skills, or name its folder: --skill-path "
				   "DIR");
	}
	if (make_folder(b->s, e) < 0)
		return -1;
	buf_addf(b, "/%s.sql", name);
	return 0;
}

static int write_file(const char *path, struct str text, struct err *e)
{
	struct output out;
	int result;

	if (output_open(&out, path, e) < 0)
		return -1;
	result = out.sink.write(out.sink.ctx, text.s, text.len);
	if (result < 0)
		err_set_errno(e, "cannot write '%s'", path);
	return output_close(&out, result == 0, e);
}

static int add_file(struct invocation *inv, const struct skill_file *f, struct err *e)
{
	struct buf path = {0};
	int result = own_path(&path, f->name, e);

	if (result == 0 && access(path.s, F_OK) == 0) {
		err_set(e, ERR_USAGE, "there is a skill '%s' already: %s", f->name, path.s);
		result = err_hint(e, "gpuwhy skill remove %s, then add it again", f->name);
	}
	if (result == 0)
		result = write_file(path.s, f->text, e);
	if (result == 0)
		say_done(&inv->report, "added", f->name, path.s, f);
	buf_free(&path);
	return result;
}

int skill_add(struct invocation *inv, const char *path, struct err *e)
{
	struct skill_file f;
	int result = read_checked(&f, path, e);

	if (result == 0)
		result = add_file(inv, &f, e);
	skill_file_free(&f);
	return result;
}

/* Only what `skill add` put there goes. */
int skill_remove(struct invocation *inv, const char *name, struct err *e)
{
	struct buf path = {0};
	int result = 0;

	if (skill_is_built_in(name))
		return err_set(e, ERR_USAGE, "'%s' is a built-in skill: it cannot be removed",
			       name);
	if (strchr(name, '/') || !skill_own_folder(&path)) {
		err_set(e, ERR_USAGE, "there is no skill '%s' of yours", name);
		buf_free(&path);
		return err_hint(e, "gpuwhy skill list names them");
	}
	buf_addf(&path, "/%s.sql", name);
	if (unlink(path.s) == 0) {
		say_done(&inv->report, "removed", name, path.s, NULL);
	} else if (errno == ENOENT) {
		err_set(e, ERR_USAGE, "there is no skill '%s' of yours: '%s' is not there", name,
			path.s);
		result = err_hint(e, "those in other folders are removed there");
	} else {
		result = err_set_errno(e, "cannot remove '%s'", path.s);
	}
	buf_free(&path);
	return result;
}

static int check_on_trace(struct invocation *inv, const struct skill_file *f, const char *trace,
			  struct err *e)
{
	const struct query_job job = {.where = f->path, .text = f->text, .explain = true};

	inv->options.trace = trace;
	if (invocation_open_trace(inv, e) < 0)
		return -1;
	return query_run(inv, &job, e);
}

int skill_check(struct invocation *inv, const char *path, const char *trace, struct err *e)
{
	struct skill_file f;
	int result = read_checked(&f, path, e);

	if (result == 0) {
		say_done(&inv->report, "checked, and it is fine", f.name, path, &f);
		if (trace)
			result = check_on_trace(inv, &f, trace, e);
	}
	skill_file_free(&f);
	return result;
}
