/* Which word was meant that was mistyped? */
#include "ask/respell.h"

#include "ask/words/dictionary.h"
#include "ask/words/spelling.h"

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
	"accuracy perplexity horoscope email homework started starting linger night stuck worse";

enum { LONG_WORD = 6, TWO_SLIPS = 12, LEAST_STOP = 5 };

struct guess {
	const char *word;
	char found[WORD_LONGEST + 1];
	size_t distance; /* only nearer ones take its place */
	bool is_known;
};

/*
 * Whether two short words differ by one letter in the place of another: "home" and "hole" are both
 * words. Fingers leave letters out, double or swap them.
 */
static bool is_other_word(const char *a, const char *b)
{
	size_t differ = 0;

	if (strlen(a) != strlen(b) || strlen(a) >= LONG_WORD)
		return false;
	for (size_t i = 0; a[i]; i++)
		differ += a[i] != b[i];
	return differ == 1;
}

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
	if (distance < g->distance && !is_other_word(g->word, text)) {
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

/* "becuase": a word that says nothing of what is meant, mistyped, would be one that is not known.
 */
static void try_stop_words(struct guess *g)
{
	const char *word;

	for (size_t i = 0; (word = word_stop_at(i)); i++) {
		if (strlen(word) >= LEAST_STOP)
			try(g, str_of(word));
	}
}

static void try_grammar(struct guess *g)
{
	const char *list = grammar;

	for (struct str next; (next = str_next_word(&list)).len;)
		try(g, next);
}

/* Whole words are compared: of two words with their endings cut off, many are near. */
static void try_topics(struct guess *g, const struct corpus *c)
{
	char stem[WORD_LONGEST + 1];

	strcpy(stem, g->word);
	word_stem(stem);
	g->is_known |= corpus_term(c, stem) != TERM_NONE;
	for (size_t f = 0; f < c->forms.count && !g->is_known; f++)
		try(g, c->forms.items[f]);
}

/* NULL: it stays. */
static const char *meant_by(struct guess *g, const struct word *w, const struct corpus *c,
			    is_name_fn *is_name, void *ctx)
{
	const size_t length = strlen(w->text);
	/* Two slips in one word are rare; two words that differ in two letters are not. */
	const size_t tolerance = length < 4 ? 0 : length < TWO_SLIPS ? 1 : 2;

	*g = (struct guess){.word = w->text, .distance = tolerance + 1};
	if (w->is_quoted || w->is_stop || w->is_term || !tolerance || length > WORD_LONGEST ||
	    isdigit((unsigned char)w->text[0]) || strchr(w->text, '_'))
		return NULL;
	try_grammar(g);
	try_stop_words(g);
	try_topics(g, c);
	try_dictionary(g);
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
