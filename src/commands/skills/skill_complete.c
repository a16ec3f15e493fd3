/* What may come next after `gpuwhy skill`? */
#include "commands/skills/skill.h"

#include "base/mem.h"

#include <stdlib.h>

/* The words so far, the last of which is there in part. */
struct line {
	const char **words; /* without options and their values */
	size_t count;
	struct string_list paths; /* where skills are looked for */
};

/* Whether the option waits for a value in the next word. */
static bool takes_next(const struct option_parts *parts, const char *word)
{
	const struct option *opt = strncmp(word, "--", 2) == 0
					   ? parts_find(parts, word + 2, strlen(word + 2))
				   : word[1] && !word[2] ? parts_find_letter(parts, word[1])
							 : NULL;

	return opt && option_values(opt);
}

static void read_line(struct line *l, char *const *words, size_t count)
{
	static const char option[] = "--skill-path";
	const size_t len = strlen(option);
	struct command_view view;

	command_view_find("skill", &view);
	*l = (struct line){.words = mem_alloc(count, sizeof(*l->words))};
	for (size_t i = 0; i < count; i++) {
		if (i + 1 == count || words[i][0] != '-') {
			l->words[l->count++] = words[i];
			continue;
		}
		if (strncmp(words[i], option, len) == 0 && words[i][len] == '=')
			string_list_add(&l->paths, words[i] + len + 1);
		if (!takes_next(&view.parts, words[i]) || i + 2 >= count)
			continue;
		i++;
		if (strcmp(words[i - 1], option) == 0)
			string_list_add(&l->paths, words[i]);
	}
}

static void line_free(struct line *l)
{
	free(l->words);
	string_list_free(&l->paths);
}

static void offer_names(const struct line *l, offer_word *offer, void *ctx)
{
	const bool own = strcmp(l->words[0], "remove") == 0;
	struct skill_set s;

	skill_set_read(&s, &l->paths);
	for (size_t i = 0; !own && analysis_at(i); i++) {
		if (!analysis_at(i)->nsys)
			offer(ctx, analysis_at(i)->name);
	}
	for (size_t i = 0; !own && skill_alias_at(i); i++)
		offer(ctx, skill_alias_at(i));
	for (size_t i = 0; i < s.file_count; i++) {
		if (s.files[i].path || !own)
			offer(ctx, s.files[i].name);
	}
	skill_set_free(&s);
}

static void offer_param(offer_word *offer, void *ctx, const char *name)
{
	struct buf word = {0};

	buf_addf(&word, "%s=", name);
	offer(ctx, word.s);
	buf_free(&word);
}

static void offer_params(const struct line *l, offer_word *offer, void *ctx)
{
	struct option_place place;
	struct skill_set s;
	struct skill found;
	struct err e;

	skill_set_read(&s, &l->paths);
	if (skill_set_find(&s, l->words[1], &found, &e) == 0) {
		const struct option_group *g = found.analysis ? found.analysis->options : NULL;

		for (size_t i = 0; g && group_option_at(g, i, &place); i++) {
			if (place.opt->help)
				offer_param(offer, ctx, place.opt->name);
		}
		for (size_t i = 0; found.file && i < found.file->param_count; i++)
			offer_param(offer, ctx, found.file->params[i].name);
	}
	skill_set_free(&s);
}

static void offer_words(const struct line *l, const char *before, offer_word *offer, void *ctx)
{
	const char *verb = l->count > 1 ? l->words[0] : "";

	if (l->count == 1) {
		for (size_t i = 0; skill_verb_at(i); i++)
			offer(ctx, skill_verb_at(i));
	} else if (strcmp(verb, "run") == 0 && l->count > 2 &&
		   (strcmp(before, "-p") == 0 || strcmp(before, "--param") == 0)) {
		offer_params(l, offer, ctx);
	} else if (strcmp(verb, "add") == 0 || strcmp(verb, "check") == 0) {
		offer(ctx, ":any");
	} else if (l->count == 2 && strcmp(verb, "list") != 0) {
		offer_names(l, offer, ctx);
	} else if (strcmp(verb, "run") == 0) {
		offer(ctx, ":files");
	}
}

void skill_complete(char *const *words, size_t count, offer_word *offer, void *ctx)
{
	struct line l;

	read_line(&l, words, count);
	offer_words(&l, count > 1 ? words[count - 2] : "", offer, ctx);
	line_free(&l);
}
