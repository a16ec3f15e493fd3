/* gpuwhy help WORD: what is there to read about it? */
#include "cli/command.h"

#include "cli/pager.h"
#include "cli/say.h"
#include "guides/guide.h"

#include <stdio.h>

void help_print(const struct buf *b)
{
	pager_begin();
	/* A full disk shows when standard output is flushed. */
	if (pager_write(b->s, b->len) < 0 && !pager_was_quit())
		fputs(b->s, stdout);
	pager_end();
}

/* Who asks for slurm means the guide that is about it, more than a command with similar letters. */
static const char *nearest_topic(const char *word)
{
	struct nearest n = {word, NULL, NEAREST_LETTERS};
	const struct guide *g = guide_about(word);

	if (g)
		return g->name;
	command_try_nearest(&n);
	for (size_t i = 0; (g = guide_at(i)); i++)
		nearest_try(&n, g->name);
	return n.found;
}

static int unknown_topic(const char *word)
{
	const char *nearest = nearest_topic(word);
	struct err e;

	err_set(&e, ERR_USAGE, "there is no command or guide '%s'", word);
	if (nearest)
		err_hint(&e, "did you mean '%s'?", nearest);
	else
		err_hint(&e, "gpuwhy help lists the commands and the guides");
	say_error(&e);
	return ERR_USAGE;
}

int help_main(const char *word)
{
	const struct guide *g = guide_find(word);
	struct command_view c;
	const bool is_command = command_view_find(word, &c);
	SCOPED_BUF b = {0};

	if (!g && !is_command)
		return unknown_topic(word);
	if (is_command)
		help_command(&b, &c);
	if (g && is_command)
		buf_addc(&b, '\n');
	if (g)
		guide_add_text(&b, g);
	help_print(&b);
	return 0;
}
