/* How does a skill of the user's own come, go, and get looked over? */
#include "commands/skills/skill.h"

#include "base/mem.h"
#include "cli/output.h"
#include "commands/query/query_run.h"

#include <errno.h>
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
	struct rows *rows = REPORT_ROWS(r, "skill", NULL, done_columns);

	rows->table.facts = true;
	ROWS_ADD(rows, cell_text(what), cell_text(arena_strdup(&r->arena, name)),
		 cell_text(arena_strdup(&r->arena, path)),
		 f ? cell_int((int64_t)f->param_count) : cell_null());
}

/* Everything that can be told of a skill without a trace. */
static int read_checked(struct skill_file *f, const char *path, struct err *e)
{
	if (skill_file_read(f, path, e) < 0)
		return -1;
	if (skill_is_built_in(f->name))
		return err_set(e, ERR_INPUT, "%s: '%s' is the name of a built-in skill", path,
			       f->name);
	return skill_check_sql(f, path, e);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The folder and those above it; the one that cannot be made is the one to speak of. */
static int make_folder(char *path, struct err *e)
{
	char *end = path, after;

	do {
		end = strchrnul(end + 1, '/');
		after = *end;
		*end = '\0';
		if (mkdir(path, 0777) < 0 && !is_folder(path))
			return err_set_errno(e, "cannot create the folder '%s'", path);
		*end = after;
	} while (after);
	return 0;
}

static int own_path(struct buf *b, const char *name, struct err *e)
{
	if (!skill_own_folder(b)) {
		err_set(e, ERR_SYSTEM, "there is no folder for skills: HOME is not set");
		return err_hint(
			e,
			"put it into ./.gpuwhy/skills, or give its folder with --skill-path DIR");
	}
	if (make_folder(b->s, e) < 0)
		return -1;
	buf_addf(b, "/%s.sql", name);
	return 0;
}

static int write_beside(const char *path, struct str text, struct err *e)
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

/*
 * Whole or not at all, and never in place of what is there, however late it came: writing would
 * follow a link, also one that leads nowhere.
 */
static int write_new(const char *path, const char *name, struct str text, struct err *e)
{
	struct buf beside = {0};
	int result;

	buf_addf(&beside, "%s.%ld", path, (long)getpid());
	result = write_beside(beside.s, text, e);
	if (result == 0 && link(beside.s, path) < 0) {
		result = -1;
		if (errno == EEXIST) {
			err_set(e, ERR_USAGE, "there is a skill '%s' already: %s", name, path);
			err_hint(e, "gpuwhy skill remove %s, then add it again", name);
		} else {
			err_set_errno(e, "cannot write '%s'", path);
		}
	}
	unlink(beside.s);
	buf_free(&beside);
	return result;
}

/* Of two with one name the first counts, and the user's own folder comes last. */
static void warn_hidden(struct invocation *inv, const char *name, const char *path)
{
	const struct skill_file *first;
	struct skill_set s;

	skill_set_read(&s, &skill_args(inv)->paths);
	first = skill_set_file(&s, name);
	if (first && first->path && strcmp(first->path, path) != 0)
		report_warning(&inv->report, "%s also defines a skill '%s', and takes precedence",
			       first->path, name);
	skill_set_free(&s);
}

static int add_file(struct invocation *inv, const struct skill_file *f, struct err *e)
{
	struct buf path = {0};
	int result = own_path(&path, f->name, e);

	if (result == 0)
		result = write_new(path.s, f->name, f->text, e);
	if (result == 0) {
		say_done(&inv->report, "added", f->name, path.s, f);
		warn_hidden(inv, f->name, path.s);
	}
	buf_free(&path);
	return result;
}

int skill_add(struct invocation *inv, const char *const *words, struct err *e)
{
	struct skill_file f;
	int result = read_checked(&f, words[0], e);

	if (result == 0)
		result = add_file(inv, &f, e);
	skill_file_free(&f);
	return result;
}

/* Where the skill lies in the user's own folder, whatever its file is called; else NAME.sql. */
static bool find_own(struct buf *path, const char *name)
{
	const struct skill_file *f;
	struct skill_set s;

	if (strchr(name, '/') || !skill_own_folder(path))
		return false;
	skill_set_read_own(&s);
	f = skill_set_file(&s, name);
	if (f) {
		buf_clear(path);
		buf_adds(path, f->path);
	} else {
		buf_addf(path, "/%s.sql", name);
	}
	skill_set_free(&s);
	return true;
}

static int not_yours(const char *name, const char *path, struct err *e)
{
	if (path)
		err_set(e, ERR_USAGE, "you have no skill '%s': '%s' does not exist", name, path);
	else
		err_set(e, ERR_USAGE, "you have no skill '%s'", name);
	return err_hint(e, path ? "remove skills in other folders by hand"
				: "gpuwhy skill list shows them");
}

/* Nothing but what is in the user's own folder goes. */
int skill_remove(struct invocation *inv, const char *const *words, struct err *e)
{
	const char *name = words[0];
	struct buf path = {0};
	int result = 0;

	if (skill_is_built_in(name))
		return err_set(e, ERR_USAGE, "'%s' is a built-in skill: it cannot be removed",
			       name);
	if (!find_own(&path, name))
		result = not_yours(name, NULL, e);
	else if (unlink(path.s) == 0)
		say_done(&inv->report, "removed", name, path.s, NULL);
	else if (errno == ENOENT)
		result = not_yours(name, path.s, e);
	else
		result = err_set_errno(e, "cannot remove '%s'", path.s);
	buf_free(&path);
	return result;
}

static int check_on_trace(struct invocation *inv, const struct skill_file *f, const char *trace,
			  struct err *e)
{
	const struct query_job job = {
		.where = f->path,
		.text = f->text,
		.explain = true,
		.shape = {.said = f->columns, .said_count = f->column_count},
	};

	inv->trace_path = trace;
	if (invocation_open_trace(inv, e) < 0)
		return -1;
	return query_run_file(inv, &job, e);
}

int skill_check(struct invocation *inv, const char *const *words, struct err *e)
{
	struct skill_file f;
	int result = read_checked(&f, words[0], e);

	if (result == 0) {
		say_done(&inv->report, "checked, no problems", f.name, words[0], &f);
		if (words[1])
			result = check_on_trace(inv, &f, words[1], e);
	}
	skill_file_free(&f);
	return result;
}
