/* Does any text whatever make the reader of questions, or what routes them, crash or hang? */
#include "ask/respell.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct question *q, const struct route *r)
{
	if (q->words.count > WORDS_MOST || q->names.count > ASKED_MOST ||
	    q->steps.count > ASKED_MOST || (q->has_window && q->to_ns <= q->from_ns))
		abort();
	for (size_t i = 0; i < q->words.count; i++) {
		if (!q->words.all[i].text[0] || !q->words.all[i].stem)
			abort();
	}
	for (size_t i = 1; i < r->count; i++) {
		if (r->all[i].score > r->all[i - 1].score)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct corpus corpus;
	/* As large as it is, and no byte more: what reads on is found. */
	char *text = mem_alloc(size, 1);
	SCOPED_BUF meant = {0};
	struct question q;
	struct route r;

	if (!corpus.count)
		corpus_make(&corpus, NULL);
	if (size)
		memcpy(text, data, size);
	respell(&meant, (struct str){text, size}, &corpus, NULL, NULL);
	question_read(&q, buf_str(&meant));
	route_make(&r, &corpus, &q, NULL, NULL);
	check(&q, &r);
	for (size_t i = 0; i < r.count; i++)
		route_nearest_question(&r, &corpus, &q, i);
	question_free(&q);
	question_read(&q, (struct str){text, size});
	question_free(&q);
	free(text);
	return 0;
}
