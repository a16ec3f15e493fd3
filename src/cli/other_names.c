/* Which command is meant by a word that other tools use for it? */
#include "cli/command.h"

#include "base/mem.h"

/* A word leads to its command where there is one of that name. */
static const struct other_name {
	const char *word, *command;
} names[] = {
	{"steps", "iters"},	 {"gaps", "idle"},	  {"top", "kernels"},
	{"timeline-web", "web"}, {"graph", "categories"}, /* its name in earlier versions */
	{"compare", "diff"},
};

static bool is_command(const char *name)
{
	const struct analysis *a = analysis_find(name, false);

	return a || command_find(name);
}

const char *command_for_word(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i].word, word) == 0 && is_command(names[i].command))
			return names[i].command;
	}
	return word;
}

const char *command_other_name(const char *command)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i].command, command) == 0 && strcmp(names[i].word, command) != 0)
			return names[i].word;
	}
	return NULL;
}

const char *command_other_name_at(size_t i)
{
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		if (is_command(names[k].command) && i-- == 0)
			return names[k].word;
	}
	return NULL;
}
