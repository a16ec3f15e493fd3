/* Which guide says how to make a capture, and by which command? */
#include "ask/asking.h"

#include "base/mem.h"
#include "guides/guide.h"
#include "guides/guide_lines.h"

#include <math.h>

/* How much a word counts by where a guide has it, as in corpus.c. */
enum {
	GUIDES_ALONE = 3,
	IN_NAME = 5,
	IN_KEYWORDS = 3,
	IN_HEADING = 2,
	IN_TEXT = 1,
	GUIDES_MOST = 32
};

/* Of the best score, for another guide to be named as well. */
static const double ALSO = 0.65;

static bool has_stem(const char *stem, struct str text)
{
	struct words w;
	bool found = false;

	words_read(&w, text);
	for (size_t i = 0; i < w.count && !found; i++)
		found = strcmp(w.all[i].stem, stem) == 0;
	words_free(&w);
	return found;
}

static int weight_in_guide(const char *stem, const struct guide *g)
{
	return has_stem(stem, str_of(g->name))	     ? IN_NAME
	       : has_stem(stem, str_of(g->keywords)) ? IN_KEYWORDS
	       : has_stem(stem, str_of(g->title))    ? IN_HEADING
	       : has_stem(stem, str_of(g->text))     ? IN_TEXT
						     : 0;
}

static bool is_wanted(const struct question *q, size_t i)
{
	return !q->words.all[i].is_stop;
}

/* A word that guides have as a keyword, and no topic of an analysis: docker, slurm. */
static bool is_of_guides(const struct corpus *c, const struct word *w)
{
	return !w->is_stop && !w->is_quoted && corpus_term(c, w->stem) == TERM_NONE &&
	       guide_about(w->text);
}

/* The guide that has most of the words which few guides have; what guides alone have counts most.
 */
static const struct guide *best_guide(const struct question *q, const struct corpus *c,
				      const struct guide **ret_next)
{
	const size_t count = guide_count < GUIDES_MOST ? guide_count : GUIDES_MOST;
	const struct guide *best = guide_find("nsys-command-line");
	double scores[GUIDES_MOST] = {0}, most = 0, next = 0;

	*ret_next = NULL;

	for (size_t i = 0; i < q->words.count; i++) {
		int weights[GUIDES_MOST] = {0}, all = 0;

		for (size_t g = 0; g < count && is_wanted(q, i); g++)
			all += weights[g] = weight_in_guide(q->words.all[i].stem, guide_at(g));
		for (size_t g = 0; all && g < count; g++)
			scores[g] += weights[g] * log(1 + (double)count * IN_KEYWORDS / all) *
				     (is_of_guides(c, &q->words.all[i]) ? GUIDES_ALONE : 1);
	}
	for (size_t g = 0; g < count; g++) {
		if (scores[g] > most) {
			most = scores[g];
			best = guide_at(g);
		}
	}
	for (size_t g = 0; g < count; g++) {
		if (guide_at(g) != best && scores[g] > next && scores[g] >= most * ALSO) {
			next = scores[g];
			*ret_next = guide_at(g);
		}
	}
	return best;
}

static int words_in_section(const struct question *q, const struct guide_section *s)
{
	int shared = 0;

	for (size_t i = 0; i < q->words.count; i++) {
		const char *stem = q->words.all[i].stem;

		if (is_wanted(q, i))
			shared += has_stem(stem, s->heading) ? IN_HEADING
				  : has_stem(stem, s->text)  ? IN_TEXT
							     : 0;
	}
	return shared;
}

/* The first command of a section that makes a capture, its lines joined; false: it has none. */
static bool add_command(struct buf *b, struct str section)
{
	static const char *const programs[] = {"nsys profile", "gpuwhy profile", "srun ",
					       "docker run"};
	struct guide_lines lines = {.rest = section};
	bool goes_on = false;

	for (struct guide_line line; guide_next_line(&lines, &line);) {
		struct str text = str_trimmed(line.text);
		bool begins = false;

		for (size_t i = 0; i < ARRAY_LEN(programs); i++)
			begins |= str_starts(text, programs[i]);
		if (!goes_on && (line.kind != LINE_CODE || !begins))
			continue;
		goes_on = str_ends(text, "\\");
		buf_addf(b, "%s%.*s", b->len ? " " : "", (int)(text.len - (goes_on ? 1 : 0)),
			 text.s);
		if (!goes_on)
			return true;
		while (b->len && b->s[b->len - 1] == ' ')
			b->s[--b->len] = '\0';
	}
	return false;
}

/* Of the section that is most about it, else the guide's first. */
static bool find_command(struct buf *b, const struct question *q, const struct guide *g)
{
	struct str rest = str_of(g->text);
	int most = -1;

	for (struct guide_section s; guide_next_section(&rest, &s);) {
		SCOPED_BUF command = {0};
		const int shared = words_in_section(q, &s);

		if (shared <= most || !add_command(&command, s.text))
			continue;
		most = shared;
		buf_clear(b);
		buf_addstr(b, buf_str(&command));
	}
	return most >= 0;
}

/* Whether it is about making a capture: "nsys in docker", "Slurm: which options?". */
static bool is_about_capturing(const struct question *q)
{
	static const char words[] = "nsys profiling flag flags option options";
	bool any = question_asks_how(q);

	for (size_t i = 0; i < q->words.count; i++)
		any |= str_is_listed(str_of(q->words.all[i].text), words);
	return any && !q->is_elsewhere && (q->intent != ASKS_AMOUNT || question_asks_how(q));
}

/* "where are the tables of the export explained?" */
static bool asks_to_read(const struct question *q)
{
	static const char words[] = "explained documented described documentation guide manual";

	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(q->words.all[i].text), words))
			return !q->is_elsewhere;
	}
	return false;
}

/* "how do I get Python stacks": what a capture has to be made for is asked for by these words. */
static bool asks_to_have(const struct question *q)
{
	static const char verbs[] = "get have see enable include sample turn switch set obtain";
	static const char *const brought[] = {"python stack",  "python stacks", "python samples",
					      "backtrace",     "backtraces",	"stack traces",
					      "python frames", "call stacks",	"stack samples"};
	bool asks = false;

	for (size_t i = 0; i < q->words.count; i++)
		asks |= str_is_listed(str_of(q->words.all[i].text), verbs);
	for (size_t i = 0; asks && question_asks_how(q) && i < ARRAY_LEN(brought); i++) {
		if (question_says(q, brought[i]))
			return true;
	}
	return false;
}

bool asking_wants_guide(const struct asking *a)
{
	const struct question *q = &a->question;

	if (q->asks_to_capture || asks_to_have(q) || asks_to_read(q))
		return true;
	for (size_t i = 0; i < q->words.count && is_about_capturing(q); i++) {
		if (!q->is_used[i] && is_of_guides(&a->corpus, &q->words.all[i]) &&
		    !asking_is_name(a->trace, q->words.all[i].text))
			return true;
	}
	return false;
}

void asking_answer_guide(struct asking *a)
{
	const struct guide *next, *g = best_guide(&a->question, &a->corpus, &next);
	struct arena *arena = &a->report->arena;
	SCOPED_BUF command = {0};

	a->evidence[0] = (struct answer_evidence){
		"help", NULL, arena_printf(arena, "gpuwhy help %s", g->name), 1, NULL};
	a->runs = a->told_runs = 1;
	a->answer->status = "answered";
	sentences_addf(&a->told, "The guide \"%s\" says how: gpuwhy help %s.", g->title, g->name);
	if (next)
		sentences_addf(&a->told, "See also: gpuwhy help %s.", next->name);
	if (find_command(&command, &a->question, g))
		sentences_addf(&a->told, "For example: %s", command.s);
	asking_head_evidence(a);
}
