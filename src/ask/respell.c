/* Which word was meant that was mistyped? */
#include "ask/respell.h"

#include "ask/dictionary.h"
#include "ask/spelling.h"

#include <ctype.h>

/* Words of grammar that are in no topic and no dictionary. */
static const char grammar[] =
	"between which where there about during before after longest shortest "
	"slowest fastest largest smallest biggest highest lowest average median "
	"total percentage compared duration first second maximum minimum many "
	"much long often when what should could zero one two three four five "
	"six seven eight nine ten bottom whole entire until around above below "
	"under over longer shorter larger smaller more less fewer greater write "
	"generate implement create draw translate sing song poem joke cook book buy install define "
	"teach convert refactor compile deploy play recommend download delete rewrite price cost "
	"weather folder user prompt reveal validation parse nucleus beam converge quality "
	"published invented paper standup lunch game learning tonight salary password tutorial "
	"recipe "
	"accuracy perplexity horoscope email homework";

struct guess {
	const char *word;
	char found[WORD_LONGEST + 1];
	size_t distance; /* only nearer ones take its place */
	bool is_known;
};

static void try(struct guess *g, struct str candidate)
{
	char text[WORD_LONGEST + 1];
	size_t distance;

	if (candidate.len > WORD_LONGEST || candidate.len < 3)
		return;
	memcpy(text, candidate.s, candidate.len);
	text[candidate.len] = '\0';
	if (strcmp(text, g->word) == 0)
		g->is_known = true;
	if (text[0] != g->word[0] || candidate.len < 4)
		return;
	distance = spelling_distance(g->word, text, g->distance);
	if (distance < g->distance) {
		g->distance = distance;
		strcpy(g->found, text);
	}
}

static void try_dictionary(struct guess *g)
{
	const char *said;

	for (size_t i = 0; (said = dictionary_said_at(i)); i++) {
		for (struct str next; (next = str_next_word(&said)).len;)
			try(g, next);
	}
}

static void try_grammar(struct guess *g)
{
	const char *list = grammar;

	for (struct str next; (next = str_next_word(&list)).len;)
		try(g, next);
}

/* Stems are compared with stems. */
static void try_terms(struct guess *g, const struct corpus *c)
{
	char stem[WORD_LONGEST + 1];
	struct guess of_stem = {.word = stem, .distance = g->distance};

	strcpy(stem, g->word);
	word_stem(stem);
	if (corpus_term(c, stem) != TERM_NONE) {
		g->is_known = true;
		return;
	}
	for (size_t t = 0; t < c->terms.count; t++)
		try(&of_stem, c->terms.items[t]);
	if (of_stem.distance < g->distance) {
		g->distance = of_stem.distance;
		strcpy(g->found, of_stem.found);
	}
}

/* NULL: it stays. */
static const char *meant_by(struct guess *g, const struct word *w, const struct corpus *c,
			    is_name_fn *is_name, void *ctx)
{
	const size_t length = strlen(w->text);
	const size_t tolerance = spelling_tolerance(length);

	*g = (struct guess){.word = w->text, .distance = tolerance + 1};
	if (w->is_quoted || w->is_stop || w->is_term || !tolerance || length > WORD_LONGEST ||
	    isdigit((unsigned char)w->text[0]) || strchr(w->text, '_'))
		return NULL;
	try_terms(g, c);
	try_dictionary(g);
	try_grammar(g);
	if (g->is_known || !g->found[0] || (is_name && is_name(ctx, w->text)))
		return NULL;
	return g->found;
}

void respell(struct buf *b, struct str text, const struct corpus *c, is_name_fn *is_name, void *ctx)
{
	const char *at = text.s, *const end = text.s + text.len;
	struct words w;

	words_read(&w, text);
	for (size_t i = 0; i < w.count; i++) {
		const struct word *word = &w.all[i];
		struct guess g;
		const char *meant = word->said.s >= at ? meant_by(&g, word, c, is_name, ctx) : NULL;

		if (!meant)
			continue;
		buf_add(b, at, (size_t)(word->said.s - at));
		buf_adds(b, meant);
		at = word->said.s + word->said.len;
	}
	buf_add(b, at, (size_t)(end - at));
	words_free(&w);
}
