/* What may come next after `gpuwhy skill`? */
#include "commands/skills/skill.h"

#include "base/mem.h"

#include <stdlib.h>

/* The words so far, the last of which is there in part. */
struct line {
	const char **words; /* without options and their values */
	size_t count;
	struct options options; /* where skills are looked for */
};

/* Whether the option waits for a value in the next word. */
static bool takes_next(const char *word)
{
	const struct option *o;

	for (size_t i = 0; (o = option_at(i)); i++) {
		bool is_long = strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0;

		if (o->value && (is_long || (word[1] == o->letter && word[1] && !word[2])))
			return true;
	}
	return false;
}

static void add_folder(struct line *l, const char *folder)
{
	struct options *o = &l->options;

	MEM_GROW(o->skill_paths, o->skill_path_cap, o->skill_path_count + 1);
	o->skill_paths[o->skill_path_count++] = folder;
}

static void read_line(struct line *l, char *const *words, size_t count)
{
	static const char option[] = "--skill-path";
	const size_t len = strlen(option);

	*l = (struct line){.words = mem_alloc(count, sizeof(*l->words))};
	for (size_t i = 0; i < count; i++) {
		if (i + 1 == count || words[i][0] != '-') {
			l->words[l->count++] = words[i];
			continue;
		}
		if (strncmp(words[i], option, len) == 0 && words[i][len] == '=')
			add_folder(l, words[i] + len + 1);
		if (!takes_next(words[i]) || i + 2 >= count)
			continue;
		i++;
		if (strcmp(words[i - 1], option) == 0)
			add_folder(l, words[i]);
	}
}

static void line_free(struct line *l)
{
	free(l->words);
	options_free(&l->options);
}

static void offer_names(const struct line *l, skill_offer *offer, void *ctx)
{
	const bool own = strcmp(l->words[0], "remove") == 0;
	struct skill_set s;

	skill_set_read(&s, &l->options);
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

static void offer_param(skill_offer *offer, void *ctx, const char *name)
{
	struct buf word = {0};

	buf_addf(&word, "%s=", name);
	offer(ctx, word.s);
	buf_free(&word);
}

static void offer_params(const struct line *l, skill_offer *offer, void *ctx)
{
	const struct option *option;
	struct skill_set s;
	struct skill found;
	size_t at = 0;
	struct err e;

	skill_set_read(&s, &l->options);
	if (skill_set_find(&s, l->words[1], &found, &e) == 0) {
		while (found.analysis && (option = skill_option_next(found.analysis, &at)))
			offer_param(offer, ctx, option->name);
		for (size_t i = 0; found.file && i < found.file->param_count; i++)
			offer_param(offer, ctx, found.file->params[i].name);
	}
	skill_set_free(&s);
}

static void offer_words(const struct line *l, const char *before, skill_offer *offer, void *ctx)
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

void skill_complete(char *const *words, size_t count, skill_offer *offer, void *ctx)
{
	struct line l;

	read_line(&l, words, count);
	offer_words(&l, count > 1 ? words[count - 2] : "", offer, ctx);
	line_free(&l);
}
