/* What may come next after `gpuwhy skill`? */
#include "cli/skill.h"

#include "base/mem.h"
#include "cli/option_table.h"

static void offer_names(skill_offer *offer, void *ctx, const char *verb)
{
	const struct options none = {0};
	struct skill_set s;

	skill_set_read(&s, &none);
	for (size_t i = 0; strcmp(verb, "remove") != 0 && analysis_at(i); i++) {
		if (!analysis_at(i)->nsys)
			offer(ctx, analysis_at(i)->name);
	}
	for (size_t i = 0; strcmp(verb, "remove") != 0 && skill_alias_at(i); i++)
		offer(ctx, skill_alias_at(i));
	for (size_t i = 0; i < s.file_count; i++) {
		if (s.files[i].path || strcmp(verb, "remove") != 0)
			offer(ctx, s.files[i].name);
	}
	skill_set_free(&s);
}

static void offer_param(skill_offer *offer, void *ctx, const char *name)
{
	struct buf word = {0};

	buf_addf(&word, "%s=", name);
	offer(ctx, word.s);
	buf_free(&word);
}

static void offer_params(skill_offer *offer, void *ctx, const char *name)
{
	const struct options none = {0};
	struct skill_set s;
	struct skill found;
	struct err e;

	skill_set_read(&s, &none);
	if (skill_set_find(&s, name, &found, &e) == 0) {
		for (size_t i = 0; found.analysis && i < option_count; i++) {
			if (option_table[i].accepted_by & found.analysis->params &&
			    option_table[i].help)
				offer_param(offer, ctx, option_table[i].name);
		}
		for (size_t i = 0; found.file && i < found.file->param_count; i++)
			offer_param(offer, ctx, found.file->params[i].name);
	}
	skill_set_free(&s);
}

void skill_complete(char *const *words, size_t count, skill_offer *offer, void *ctx)
{
	static const char *const verbs[] = {"list", "info", "run", "add", "remove", "check"};
	const char *verb = count > 1 ? words[0] : "", *before = count > 1 ? words[count - 2] : "";

	if (count == 1) {
		for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
			offer(ctx, verbs[i]);
	} else if (strcmp(verb, "run") == 0 && count > 3 &&
		   (strcmp(before, "-p") == 0 || strcmp(before, "--param") == 0)) {
		offer_params(offer, ctx, words[1]);
	} else if (strcmp(verb, "add") == 0 || strcmp(verb, "check") == 0) {
		offer(ctx, ":any");
	} else if (count == 2 && strcmp(verb, "list") != 0) {
		offer_names(offer, ctx, verb);
	} else if (strcmp(verb, "run") == 0) {
		offer(ctx, ":files");
	}
}
