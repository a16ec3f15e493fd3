/* skill_list: which analysis answers a question, and what does it take? */
#include "base/mem.h"
#include "commands/skills/skill.h"
#include "mcp/call.h"
#include "text/nearest.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

static const struct column columns[] = {
	{"skill", "Skill", UNIT_NAME, 0, "", SHOW},
	{"summary", "What it answers", UNIT_NAME, 0, NULL, SHOW},
	{"score", "Score", UNIT_COUNT, 0, NULL, SHOW},
};

enum { MOST_WORD = 64, IN_NAME = 6, IN_SUMMARY = 3, IN_DETAIL = 1 };

struct ranked {
	const char *name, *summary;
	int64_t score;
	size_t order;
};

/* The next word in lower case, without a plural's s; false after the last. */
static bool next_word(const char **at, char ret[MOST_WORD])
{
	size_t len = 0;

	while (**at && !isalnum((unsigned char)**at))
		++*at;
	for (; isalnum((unsigned char)**at); ++*at) {
		if (len < MOST_WORD - 1)
			ret[len++] = (char)tolower((unsigned char)**at);
	}
	if (len > 3 && ret[len - 1] == 's')
		len--;
	ret[len] = '\0';
	return len > 0;
}

/* Words that are in every question tell nothing. */
static bool is_telling(const char *word)
{
	static const char common[] = "a an and are at by do doe for from how i in is it long many "
				     "me much my of on or the there thi to was wa what when where "
				     "which who why with";

	return !str_is_listed(str_of(word), common);
}

static bool text_has(const char *text, const char *word)
{
	char other[MOST_WORD];

	while (text && next_word(&text, other)) {
		const size_t len = strlen(word), theirs = strlen(other);
		const size_t shared = len < theirs ? len : theirs;

		/* "communicate" is in "communication". */
		if (strcmp(word, other) == 0 ||
		    (shared >= 5 && strncmp(word, other, shared - (shared > 6)) == 0))
			return true;
	}
	return false;
}

static int64_t score(const char *asked, const char *name, const char *alias, const char *summary,
		     const char *detail)
{
	char word[MOST_WORD];
	int64_t sum = 0;

	while (next_word(&asked, word)) {
		if (!is_telling(word))
			continue;
		if (text_has(name, word) || text_has(alias, word))
			sum += IN_NAME;
		if (text_has(summary, word))
			sum += IN_SUMMARY;
		if (text_has(detail, word))
			sum += IN_DETAIL;
	}
	return sum;
}

static int by_score(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

static size_t rank_all(struct report *r, const struct skill_set *s, const char *asked,
		       struct ranked *ret)
{
	const struct analysis *a;
	size_t count = 0;

	for (size_t i = 0; (a = analysis_at(i)); i++) {
		if (a->nsys)
			continue;
		ret[count] = (struct ranked){
			a->name, a->summary,
			asked ? score(asked, a->name, skill_alias_of(a), a->summary, a->detail) : 0,
			count};
		count++;
	}
	for (size_t i = 0; i < s->file_count; i++) {
		const struct skill_file *f = &s->files[i];

		ret[count] = (struct ranked){
			arena_strdup(&r->arena, f->name), arena_strdup(&r->arena, f->summary),
			asked ? score(asked, f->name, NULL, f->summary, f->detail) : 0, count};
		count++;
	}
	return count;
}

static size_t count_analyses(void)
{
	size_t count = 0;

	while (analysis_at(count))
		count++;
	return count;
}

static void list(struct call *c, const struct skill_set *s, const char *asked)
{
	struct report *r = &c->inv.report;
	struct rows *rows = REPORT_ROWS(r, "skills", NULL, columns);
	struct ranked *all = mem_alloc(count_analyses() + s->file_count, sizeof(*all));
	const size_t count = rank_all(r, s, asked, all);

	rows->table.kind = "skill";
	rows->table.sorted_by = asked ? "score" : NULL;
	qsort(all, count, sizeof(*all), by_score);
	for (size_t i = 0; i < count; i++) {
		if (asked && !all[i].score)
			continue;
		ROWS_ADD(rows, cell_text(all[i].name), cell_text(all[i].summary),
			 cell_int(all[i].score));
	}
	if (!rows->table.rows)
		report_note(r, "no skill has a word of it: leave `query` out to see all");
	free(all);
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
		list(c, &s, argument_text(c->arguments, "query"));
	}
	skill_set_free(&s);
	return result;
}

static const struct tool_param params[] = {
	{.type = PARAM_TEXT,
	 .name = "query",
	 .help = "Words of a question: the skills whose description has them, the best first."},
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
	.run = run,
};
