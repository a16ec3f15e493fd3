/* gpuwhy complete, gpuwhy completion: what may come next on a command line. */
#include "cli/command.h"

#include "analysis/events/search_types.h"
#include "base/mem.h"
#include "cli/completion_scripts.h"
#include "cli/option_table.h"
#include "commands/skills/skill.h"
#include "report/present.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * Each line is a word that may come next. ":files" stands for traces, ":any" for any file: the
 * shell knows those better.
 */
struct offer {
	struct buf text;
	const char *begun; /* what is there of the word */
};

static void offer(struct offer *o, const char *word)
{
	if (strncmp(word, o->begun, strlen(o->begun)) == 0)
		buf_addf(&o->text, "%s\n", word);
}

static void offer_all(struct offer *o, const char *const *words)
{
	for (; *words; words++)
		offer(o, *words);
}

static void offer_commands(struct offer *o)
{
	struct command_view c;

	for (size_t i = 0; command_view_at(i, &c); i++)
		offer(o, c.name);
}

static void offer_options(struct offer *o, uint64_t accepts)
{
	const struct option *opt;

	for (size_t i = 0; (opt = option_at(i)); i++) {
		struct buf word = {0};

		if (option_is_offered(opt, accepts)) {
			buf_addf(&word, "--%s", opt->name);
			offer(o, word.s);
		}
		buf_free(&word);
	}
}

/* After a comma another one: a shell completes the whole word. */
static void offer_reports(struct offer *o)
{
	const char *comma = strrchr(o->begun, ',');
	int before = comma ? (int)(comma + 1 - o->begun) : 0;
	struct buf word = {0};

	for (size_t i = 0; analysis_at(i); i++) {
		if (!analysis_at(i)->nsys)
			continue;
		buf_clear(&word);
		buf_addf(&word, "%.*s%s", before, o->begun, analysis_at(i)->name);
		offer(o, word.s);
	}
	buf_free(&word);
}

static void offer_orders(struct offer *o, uint64_t accepts)
{
	if (accepts & PARAM_SHAPE)
		offer_all(o, (const char *const[]){"time", "start", NULL});
	else if (accepts & PARAM_SEARCH)
		offer_all(o, (const char *const[]){"duration", "start", NULL});
}

static void offer_formats(struct offer *o, uint64_t accepts)
{
	if (accepts & OPT_EXPORT) {
		offer_all(o,
			  (const char *const[]){"json", "json.gz", "pftrace", "pftrace.gz", NULL});
		return;
	}
	for (size_t i = 0; presenter_at(i); i++) {
		if (!presenter_at(i)->trees_only || accepts & PARAM_SHAPE)
			offer(o, presenter_at(i)->name);
	}
}

/* "cpu|gpu" are words that may stand there. */
static void offer_alternatives(struct offer *o, const char *value)
{
	char *copy = mem_strdup(value), *rest = copy, *word;

	while ((word = strsep(&rest, "|")))
		offer(o, word);
	free(copy);
}

static void offer_types(struct offer *o)
{
	for (unsigned i = 0; i < SEARCH_TYPES; i++)
		offer(o, search_type_word(i));
}

static bool wants_file(const char *value)
{
	return strstr(value, "FILE") || strstr(value, "DIR") || strstr(value, "PATH");
}

static void offer_value(struct offer *o, const struct option *opt, uint64_t accepts)
{
	static const char *const colours[] = {"auto", "always", "never", NULL};
	struct buf value = {0};

	option_add_value(&value, opt, accepts);
	if (strcmp(opt->name, "format") == 0)
		offer_formats(o, accepts);
	else if (strcmp(opt->name, "sort") == 0)
		offer_orders(o, accepts);
	else if (strcmp(opt->name, "report") == 0)
		offer_reports(o);
	else if (strcmp(opt->name, "type") == 0)
		offer_types(o);
	else if (strcmp(opt->name, "color") == 0)
		offer_all(o, colours);
	else if (wants_file(value.s))
		buf_adds(&o->text, ":any\n");
	else if (strchr(value.s, '|'))
		offer_alternatives(o, value.s);
	buf_free(&value);
}

/* The option that a word is, where it waits for a value. */
static const struct option *waiting_option(const char *word, uint64_t accepts)
{
	const struct option *opt;

	for (size_t i = 0; (opt = option_at(i)); i++) {
		bool is_long = strncmp(word, "--", 2) == 0 && strcmp(word + 2, opt->name) == 0;
		bool is_short = word[0] == '-' && word[1] && word[1] == opt->letter && !word[2];

		if ((is_long || is_short) && opt->value && option_is_offered(opt, accepts))
			return opt;
	}
	return NULL;
}

/* ":files" and ":any" stand for what is there: they need not begin as the word does. */
static void offer_skill(void *ctx, const char *word)
{
	struct offer *o = ctx;

	if (word[0] == ':')
		buf_addf(&o->text, "%s\n", word);
	else
		offer(o, word);
}

static void offer_next(struct offer *o, char *const *words, size_t count)
{
	const struct option *waiting;
	struct command_view c;

	if (count == 1) {
		if (o->begun[0] == '-')
			offer_all(o, (const char *const[]){"--help", "--version", NULL});
		offer_commands(o);
		buf_adds(&o->text, ":files\n");
		return;
	}
	if (!command_view_find(words[0], &c))
		return;
	waiting = count > 2 ? waiting_option(words[count - 2], c.accepts) : NULL;
	if (strcmp(c.name, "skill") == 0 && o->begun[0] != '-' &&
	    (!waiting || strcmp(waiting->name, "param") == 0))
		skill_complete(words + 1, count - 1, offer_skill, o);
	else if (waiting)
		offer_value(o, waiting, c.accepts);
	else if (o->begun[0] == '-')
		offer_options(o, c.accepts);
	else if (strcmp(c.name, "man") == 0 || strcmp(c.name, "help") == 0)
		offer_commands(o);
	else if (strcmp(c.name, "completion") == 0)
		offer_all(o, (const char *const[]){"bash", "zsh", "fish", NULL});
	else
		buf_adds(&o->text, ":files\n");
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

static int print_script(struct invocation *inv, struct err *e)
{
	const char *shell = inv->options.word_count == 1 ? inv->options.words[0] : "";

	if (strcmp(shell, "bash") == 0)
		fputs(completion_bash, stdout);
	else if (strcmp(shell, "zsh") == 0)
		fputs(completion_zsh, stdout);
	else if (strcmp(shell, "fish") == 0)
		fputs(completion_fish, stdout);
	else
		return err_set(e, ERR_USAGE, "completion needs bash, zsh or fish");
	return 0;
}

const struct command command_completion = {
	.name = "completion",
	.operand = "bash|zsh|fish",
	.summary = "the script that completes command lines in a shell",
	.example = "source <(gpuwhy completion bash)",
	.accepts = OPT_WORDS,
	.run = print_script,
};
