/* gpuwhy complete, gpuwhy completion: what may come next on a command line. */
#include "cli/command.h"

#include "base/mem.h"
#include "cli/completion_scripts.h"
#include "guides/guide.h"

#include <stdio.h>

/*
 * Each line is a word that may come next. ":files" stands for traces, ":any" for any file: the
 * shell knows those better.
 */
struct offer {
	struct buf text;
	const char *begun; /* what is there of the word */
};

/* ":files" and ":any" stand for what is there: they need not begin as the word does. */
static void offer(void *ctx, const char *word)
{
	struct offer *o = ctx;

	if (word[0] == ':' || strncmp(word, o->begun, strlen(o->begun)) == 0)
		buf_addf(&o->text, "%s\n", word);
}

static void offer_commands(struct offer *o)
{
	struct command_view c;

	const char *other;

	for (size_t i = 0; command_view_at(i, &c); i++)
		offer(o, c.name);
	/* Two words for one command would only be in each other's way. */
	for (size_t i = 0; !o->text.len && (other = command_other_name_at(i)); i++)
		offer(o, other);
}

/* What there is help for. */
static void offer_topics(struct offer *o)
{
	const struct guide *g;

	offer_commands(o);
	for (size_t i = 0; (g = guide_at(i)); i++) {
		if (!command_find(g->name) && !analysis_find(g->name, false))
			offer(o, g->name);
	}
}

static void offer_options(struct offer *o, const struct option_parts *parts)
{
	const struct option *opt;

	for (size_t i = 0; parts_option_at(parts, i, &opt); i++) {
		SCOPED_BUF word = {0};

		buf_addf(&word, "--%s", opt->name);
		if (opt->help)
			offer(o, word.s);
	}
}

/* After a comma another one: a shell completes the whole word. */
static void offer_listed(const struct option *opt, const char *begun, offer_word *say, void *ctx)
{
	const char *comma = strrchr(begun, ','), *known;
	int before = comma ? (int)(comma + 1 - begun) : 0;

	for (size_t i = 0; (known = opt->word_at(i)); i++) {
		SCOPED_BUF word = {0};

		buf_addf(&word, "%.*s%s", before, begun, known);
		say(ctx, word.s);
	}
}

/* What may stand for the option's value, of which `begun` is there. */
static void complete_value(const struct option *opt, const char *begun, offer_word *say, void *ctx)
{
	for (const struct option_word *w = opt->words; w && w->word; w++)
		say(ctx, w->word);
	if (opt->word_at)
		offer_listed(opt, begun, say, ctx);
	else if (opt->access)
		say(ctx, ":any");
}

/* The option that a word is, where it waits for a value. */
static const struct option *waiting_option(const char *word, const struct option_parts *parts)
{
	const struct option *opt = NULL;

	if (strncmp(word, "--", 2) == 0)
		opt = parts_find(parts, word + 2, strlen(word + 2));
	else if (word[0] == '-' && word[1] && !word[2])
		opt = parts_find_letter(parts, word[1]);
	return opt && option_values(opt) ? opt : NULL;
}

static void offer_next(struct offer *o, char *const *words, size_t count)
{
	const struct option *waiting;
	struct command_view c;

	if (count == 1) {
		if (o->begun[0] == '-') {
			offer(o, "--help");
			offer(o, "--version");
		}
		offer_commands(o);
		offer(o, ":files");
		return;
	}
	if (strcmp(words[0], "help") == 0)
		offer_topics(o);
	if (!command_view_find(words[0], &c))
		return;
	waiting = count > 2 ? waiting_option(words[count - 2], &c.parts) : NULL;
	if (waiting && (waiting->words || waiting->word_at || waiting->access))
		complete_value(waiting, o->begun, offer, o);
	else if (o->begun[0] == '-')
		offer_options(o, &c.parts);
	else if (c.command && c.command->complete)
		c.command->complete(words + 1, count - 1, offer, o);
	else if (!waiting)
		offer(o, ":files");
}

/* Its arguments are another command line: none of them is an option of this one. */
int complete_main(int argc, char **argv)
{
	struct offer o = {.begun = argc ? argv[argc - 1] : ""};

	if (argc)
		offer_next(&o, argv, (size_t)argc);
	if (o.text.len)
		fputs(o.text.s, stdout);
	buf_free(&o.text);
	return 0;
}

static const struct {
	const char *name, *script;
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

static int print_script(struct invocation *inv, struct err *e)
{
	const char *shell = inv->words.count == 1 ? inv->words.all[0] : "";

	for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
		if (strcmp(shell, shells[i].name) == 0) {
			fputs(shells[i].script, stdout);
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "completion needs bash, zsh or fish");
}

static void complete_shells(char *const *words, size_t count, offer_word *say, void *ctx)
{
	(void)words;
	(void)count;
	for (size_t i = 0; i < ARRAY_LEN(shells); i++)
		say(ctx, shells[i].name);
}

const struct command command_completion = {
	.name = "completion",
	.operand = "bash|zsh|fish",
	.summary = "shell completion script for bash, zsh or fish",
	.example = "source <(gpuwhy completion bash)",
	.has_words = true,
	.complete = complete_shells,
	.run = print_script,
};
