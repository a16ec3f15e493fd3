/* What are the skills called, what do they answer, and what do they take? */
#include "commands/skills/skill.h"

#include "base/mem.h"
#include "report/json_value.h"

static const struct column list_columns[] = {
	{"skill", "Skill", UNIT_NAME, 0, "", SHOW},
	{"origin", "From", UNIT_NAME, 0, NULL, SHOW},
	{"summary", "What it answers", UNIT_NAME, 0, NULL, SHOW},
	{"alias", "Alias", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"file", "File", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static const struct column info_columns[] = {
	{"skill", "Skill", UNIT_NAME, 0, "", SHOW},
	{"alias", "Alias", UNIT_NAME, 0, NULL, SHOW},
	{"summary", "What it answers", UNIT_NAME, 0, NULL, SHOW},
	{"origin", "From", UNIT_NAME, 0, NULL, SHOW},
	{"file", "File", UNIT_NAME, 0, NULL, SHOW},
	{"command", "Run with", UNIT_COMMAND, 0, NULL, SHOW},
};

static const struct column param_columns[] = {
	{"parameter", "Parameter", UNIT_NAME, 0, "", SHOW},
	{"takes", "Takes", UNIT_NAME, 0, NULL, SHOW},
	{"default", "Default", UNIT_NAME, 0, NULL, SHOW},
	{"required", "Required", UNIT_BOOL, 0, NULL, SHOW},
	{"help", "Meaning", UNIT_NAME, 0, NULL, SHOW},
	{"type", "Type", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"access", "Access", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static const struct column column_columns[] = {
	{"column", "Column", UNIT_NAME, 0, "", SHOW},
	{"unit", "Unit", UNIT_NAME, 0, NULL, SHOW},
};

static struct cell text_or_null(const char *s)
{
	return s ? cell_text(s) : cell_null();
}

/* The report outlives what was read from a folder. */
static struct cell kept(struct report *r, const char *s)
{
	return s ? cell_text(arena_strdup(&r->arena, s)) : cell_null();
}

static const char *origin_of(const struct skill_file *f)
{
	return f->path ? "user" : "shipped";
}

void skill_list_report(const struct skill_set *s, struct report *r)
{
	struct rows *rows = REPORT_ROWS(r, "skills", NULL, list_columns);

	rows->table.kind = "skill";
	for (size_t i = 0; analysis_at(i); i++) {
		const struct analysis *a = analysis_at(i);

		if (a->nsys)
			continue;
		ROWS_ADD(rows, cell_text(a->name), cell_text("built-in"), cell_text(a->summary),
			 text_or_null(skill_alias_of(a)), cell_null());
	}
	for (size_t i = 0; i < s->file_count; i++) {
		const struct skill_file *f = &s->files[i];

		ROWS_ADD(rows, kept(r, f->name), cell_text(origin_of(f)), kept(r, f->summary),
			 cell_null(), kept(r, f->path));
	}
	for (size_t i = 0; i < s->bad_count; i++)
		report_warning(r, "left out: %s", s->bad[i].why.message);
}

static struct rows *new_params(struct report *r)
{
	struct rows *rows = REPORT_ROWS(r, "parameters", "Parameters", param_columns);

	rows->table.kind = "parameter";
	return rows;
}

static struct cell value_cell(struct report *r, const struct option *opt)
{
	struct buf b = {0};

	if (!option_values(opt))
		return cell_text("true or false");
	option_add_value(&b, opt);
	return report_take_cell(r, &b);
}

/* What else than the trace it makes the program touch. */
static struct cell access_cell(const struct option *opt)
{
	static const char *const names[] = {
		[ACCESS_READS] = "reads", [ACCESS_WRITES] = "writes", [ACCESS_RUNS] = "runs"};

	return opt->access ? cell_text(names[opt->access]) : cell_null();
}

/* Its options, by their long names. */
static void add_analysis_params(const struct analysis *a, struct report *r)
{
	struct rows *rows = new_params(r);
	struct option_place p;

	for (size_t i = 0; a->options && group_option_at(a->options, i, &p); i++) {
		const struct option *o = p.opt;

		if (!o->help)
			continue;
		ROWS_ADD(rows, cell_text(o->name), value_cell(r, o),
			 option_values(o) ? (o->initial ? cell_text(o->initial) : cell_null())
					  : cell_text("false"),
			 cell_int(o->operand), cell_text(o->operand ? "search pattern" : o->help),
			 cell_text(option_type_name(o)), access_cell(o));
	}
}

static void add_file_params(const struct skill_file *f, struct report *r)
{
	struct rows *rows = new_params(r);

	for (size_t i = 0; i < f->param_count; i++) {
		const struct skill_param *p = &f->params[i];

		ROWS_ADD(rows, kept(r, p->name), cell_text(skill_type_name(p->type)),
			 kept(r, p->default_text), cell_int(!p->has_default), kept(r, p->help),
			 cell_text(skill_type_name(p->type)), cell_null());
	}
}

static void add_file_columns(const struct skill_file *f, struct report *r)
{
	struct rows *rows;

	if (!f->column_count)
		return;
	rows = REPORT_ROWS(r, "columns", "Columns", column_columns);
	rows->table.kind = "column";
	for (size_t i = 0; i < f->column_count; i++) {
		ROWS_ADD(rows, kept(r, f->columns[i].name),
			 cell_text(unit_name(f->columns[i].unit)));
	}
}

/* Lines of a paragraph flow together; an empty one begins the next. */
static void add_detail(struct report *r, const char *detail)
{
	struct buf paragraph = {0};

	while (*detail) {
		size_t len = strcspn(detail, "\n");

		if (len && paragraph.len)
			buf_addc(&paragraph, ' ');
		buf_add(&paragraph, detail, len);
		detail += len + (detail[len] != '\0');
		if (paragraph.len && (!len || !*detail)) {
			report_note(r, "%s", paragraph.s);
			buf_clear(&paragraph);
		}
	}
	buf_free(&paragraph);
}

/* A line that can be run as it is: what must be given has a value. */
static const char *new_command(struct report *r, const struct skill *s)
{
	static const char *const values[SKILL_TYPES] = {
		[SKILL_INT] = "1",     [SKILL_REAL] = "1.5",  [SKILL_TEXT] = "TEXT",
		[SKILL_BOOL] = "true", [SKILL_SECONDS] = "1",
	};
	struct buf line = {0};

	buf_addf(&line, "gpuwhy skill run %s trace.sqlite",
		 s->analysis ? s->analysis->name : s->file->name);
	if (s->analysis && s->analysis->least)
		buf_addf(&line, " %s", s->analysis->least);
	for (size_t i = 0; s->file && i < s->file->param_count; i++) {
		const struct skill_param *p = &s->file->params[i];

		if (!p->has_default)
			buf_addf(&line, " -p %s=%s", p->name, values[p->type]);
	}
	return report_take_text(r, &line);
}

void skill_info_report(const struct skill *s, struct report *r)
{
	const struct analysis *a = s->analysis;
	const struct skill_file *f = s->file;
	struct rows *rows = REPORT_ROWS(r, "skill", NULL, info_columns);
	const char *name = a ? a->name : f->name, *detail = a ? a->detail : f->detail;

	rows->table.facts = true;
	ROWS_ADD(rows, kept(r, name), text_or_null(a ? skill_alias_of(a) : NULL),
		 kept(r, a ? a->summary : f->summary), cell_text(a ? "built-in" : origin_of(f)),
		 kept(r, a ? NULL : f->path), cell_text(new_command(r, s)));
	if (a)
		add_analysis_params(a, r);
	else
		add_file_params(f, r);
	if (f)
		add_file_columns(f, r);
	if (detail)
		add_detail(r, detail);
}
