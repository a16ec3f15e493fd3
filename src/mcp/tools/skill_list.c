/* skill_list: which analysis answers a question, and what does it take? */
#include "ask/route/route.h"
#include "commands/skills/skill.h"
#include "mcp/call.h"

static const struct column columns[] = {
	{"skill", "Skill", UNIT_NAME, 0, "", SHOW},
	{"summary", "What it answers", UNIT_NAME, 0, NULL, SHOW},
	{"score", "Score", UNIT_RATIO, 0, NULL, SHOW},
	{"example", "A question that it answers", UNIT_NAME, 0, NULL, SHOW},
};

static bool is_above(const struct route *r, size_t candidate)
{
	for (size_t i = 0; i < candidate; i++) {
		if (r->all[i].document->analysis == r->all[candidate].document->analysis)
			return true;
	}
	return false;
}

/* As `gpuwhy ask` would choose: the best first, each analysis once. */
static void add_fitting(struct report *r, struct rows *rows, const char *asked)
{
	struct corpus corpus;
	struct question q;
	struct route route;

	corpus_make(&corpus, NULL);
	question_read(&q, str_of(asked));
	route_make(&route, &corpus, &q, NULL, NULL);
	for (size_t i = 0; i < route.count; i++) {
		const struct analysis *a = route.all[i].document->analysis;
		const struct str like = route_nearest_question(&route, &corpus, &q, i);

		if (is_above(&route, i))
			continue;
		ROWS_ADD(rows, cell_text(a->name), cell_text(a->summary),
			 cell_real(route.all[i].score),
			 like.len ? cell_str(arena_str(&r->arena, like)) : cell_null());
	}
	if (!route.count || route.is_foreign)
		report_note(r, "no analysis fits these words: leave `query` out to see all");
	question_free(&q);
	corpus_free(&corpus);
}

static void add_all(struct rows *rows)
{
	const struct analysis *a;

	for (size_t i = 0; (a = analysis_at(i)); i++) {
		if (!a->nsys)
			ROWS_ADD(rows, cell_text(a->name), cell_text(a->summary), cell_null(),
				 cell_null());
	}
}

static void list(struct call *c, const struct skill_set *s, const char *asked)
{
	struct report *r = &c->inv.report;
	struct rows *rows = REPORT_ROWS(r, "skills", NULL, columns);

	rows->table.kind = "skill";
	if (asked)
		add_fitting(r, rows, asked);
	else
		add_all(rows);
	/* Of SQL that somebody wrote nothing is known but what it says of itself. */
	for (size_t i = 0; i < s->file_count; i++)
		ROWS_ADD(rows, cell_text(arena_strdup(&r->arena, s->files[i].name)),
			 cell_text(arena_strdup(&r->arena, s->files[i].summary)), cell_null(),
			 cell_null());
}

static int run(struct call *c, struct err *e)
{
	static const struct string_list none = {0};
	const char *name = argument_text(c->arguments, "skill");
	struct skill_set s;
	struct skill found;
	int result = 0;

	call_begin(c, "skill", NULL, NULL);
	skill_set_read(&s, &none);
	if (name) {
		call_reproduce(c, "skill", "info", name, NULL);
		result = skill_set_find(&s, name, &found, e);
		if (result == 0)
			skill_info_report(&found, &c->inv.report);
	} else {
		call_reproduce_call(c);
		list(c, &s, argument_text(c->arguments, "query"));
	}
	skill_set_free(&s);
	return result;
}

static const struct tool_param params[] = {
	{.type = PARAM_TEXT,
	 .name = "query",
	 .help = "A question, or words of one: the analyses that answer it, the best first, and "
		 "skills of SQL."},
	{.type = PARAM_TEXT,
	 .name = "skill",
	 .help = "The name of one: what it answers, and its parameters with their types."},
	PARAM_CURSOR,
	PARAM_LAST(),
};

const struct mcp_tool tool_skill_list = {
	.name = "skill_list",
	.title = "Find a skill",
	.description = "Lists the analyses (skills) that skill_run can run: all, those for a "
		       "`query`, or one with its parameters (`skill`).",
	.params = params,
	.next = "call skill_list without arguments: it lists all skills",
	.run = run,
};
