/* Which word of a question has the answer not heeded? */
#include "ask/asking.h"

#include "ask/named_rows.h"
#include "base/mem.h"

#include <ctype.h>

/* Words that say which ones are meant, and that no topic is about. */
static const char relations[] =
	"before after during while until except excluding without besides not never neither nor "
	"outside";

/* Words that change nothing of what is asked: what all things do, units, manners of speaking. */
static const char harmless[] =
	"them cost costs costly speed effective achieved reach reached finish finishes go geht "
	"gehen carry carries burn burns pay pays dominate dominates dominating dominant summed "
	"steal via thru through traffic "
	"cent print gb mb kb gib mib tb inside period warm steady frequent frequently hot whose "
	"wait waits issue issues perform performed make makes made keep keeps worse better worth "
	"occupy occupies last lasts lasted exceed actual apart leaving out add hit fire fires "
	"saturate saturates saturated blame fault";

/* Words that say which rows are meant, though topics have them: where no row is called so, they are
 * not heeded. */
static const char row_words[] =
	"allreduce allgather reducescatter alltoall broadcast sendrecv pageable pinned";

/* Whether any topic of the analysis is about the word. */
static bool is_of_analysis(const struct corpus *c, const struct analysis *a, const char *stem)
{
	const int64_t term = corpus_term(c, stem);

	for (size_t d = 0; term != TERM_NONE && d < c->count; d++) {
		if (c->documents[d].analysis == a && corpus_weight(c, term, d) > 0)
			return true;
	}
	return false;
}

static bool is_of_columns(const struct table *t, const char *stem)
{
	bool found = false;

	for (size_t c = 0; c < t->column_count && !found; c++) {
		SCOPED_BUF text = {0};
		struct words w;

		buf_addf(&text, "%s ", t->columns[c].title);
		for (const char *k = t->columns[c].key; *k; k++)
			buf_addc(&text, *k == '_' ? ' ' : *k);
		words_read(&w, buf_str(&text));
		for (size_t i = 0; i < w.count && !found; i++)
			found = strcmp(w.all[i].stem, stem) == 0;
		words_free(&w);
	}
	return found;
}

/* Topics have no words of grammar as terms: they are looked for in their questions. */
static bool is_in_questions(const struct topic *t, const char *word)
{
	struct words w;
	bool found = false;

	words_read(&w, str_of(t->questions));
	for (size_t i = 0; i < w.count && !found; i++)
		found = strcmp(w.all[i].text, word) == 0;
	words_free(&w);
	return found;
}

static bool is_read(const struct asking *a, const struct asked_analysis *asked,
		    const struct chosen_rows *r, size_t i)
{
	const struct question *q = &a->question;
	const struct word *w = &q->words.all[i];

	if (q->is_used[i] || q->is_place[i] || w->is_quoted || r->reads[i])
		return true;
	if (isdigit((unsigned char)w->text[0]))
		return !question_is_unread_number(q, i);
	if ((word_is_kernel_family(w->text) || str_is_listed(str_of(w->text), row_words)) &&
	    rows_name_column(r->table) >= 0)
		return q->intent == ASKS_WHY;
	if (str_is_listed(str_of(w->text), relations))
		return is_in_questions(asked->topic, w->text);
	return w->is_stop || strlen(w->text) < 3 || word_is_common(w) ||
	       str_is_listed(str_of(w->text), harmless) ||
	       is_of_analysis(&a->corpus, asked->analysis, w->stem) ||
	       is_of_columns(r->table, w->stem);
}

const struct word *asking_unread_word(const struct asking *a, const struct asked_analysis *asked,
				      const struct chosen_rows *r)
{
	for (size_t i = 0; i < a->question.words.count; i++) {
		if (!is_read(a, asked, r, i))
			return &a->question.words.all[i];
	}
	return NULL;
}
