/*
 * Does any reply of a server make the program misbehave? The first byte says in which format it is
 * and in which pieces it comes; what it comes to must not depend on these. The model's text is then
 * worded, and its calls are calculated, on a little evidence.
 */
#include "base/mem.h"
#include "llm/calc.h"
#include "llm/query_literals.h"
#include "llm/spoken.h"
#include "llm/sse.h"
#include "llm/wire.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 13, MOST_EVENT = 1 << 12 };

static const char document[] =
	"{\"verdict_text\":\"busy 94 %\",\"tables\":[{\"name\":\"kernels\",\"columns\":[{\"key\":"
	"\"kernel\",\"unit\":\"kernel\"},{\"key\":\"total_ns\",\"unit\":\"ns\"}],\"rows\":[{"
	"\"kernel\":\"gemm\",\"total_ns\":2000000},{\"kernel\":\"norm\",\"total_ns\":0.5}]}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *why)
{
	fprintf(stderr, "fuzz_llm_stream: %s\n", why);
	abort();
}

struct receiving {
	const struct wire *wire;
	struct model_reply reply;
};

static int take(void *ctx, const char *event, struct str data, struct err *e)
{
	struct receiving *r = ctx;

	if (strlen(event) >= SSE_NAME_MOST || data.len > MOST_EVENT)
		fail("an event that is too long");
	return r->wire->take(&r->reply, data, e);
}

static int receive(struct receiving *r, const char *bytes, size_t size, size_t piece)
{
	struct sse s = {.most = MOST_EVENT};
	struct err e = {0};
	int result = 0;

	for (size_t at = 0; at < size && result == 0; at += piece)
		result = sse_feed(&s, bytes + at, size - at < piece ? size - at : piece, take, r,
				  &e);
	sse_free(&s);
	return result;
}

static bool is_name(void *ctx, struct str text)
{
	(void)ctx;
	return str_eq(text, STR_LIT("gemm"));
}

static struct evidence_store *open_store(void)
{
	static struct evidence_store s;
	struct json *doc = NULL;
	struct err e = {0};

	if (!s.count &&
	    (json_read_text(&doc, str_of(document), "it", &e) < 0 ||
	     !evidence_add(&s, (struct evidence_item){"skill_run", "gpuwhy kernels", doc, false})))
		fail(e.message);
	return &s;
}

static void note_told(void *ctx, struct str text)
{
	buf_addstr(ctx, text);
}

/*
 * While it comes, whatever the pieces: what is shown is what is left in the end. What is struck out
 * begins and ends; each is said.
 */
static void word(struct str said, size_t piece)
{
	SCOPED_BUF told = {0};
	struct spoken s = {.terms = {open_store(), STR_LIT("step 17"), is_name, NULL},
			   .tell = note_told,
			   .ctx = &told};
	const struct wording *w = &s.wording;
	size_t marks = 0;

	for (size_t at = piece; at < said.len; at += 64 * piece)
		spoken_go_on(&s, (struct str){said.s, at}, false);
	spoken_go_on(&s, said, true);
	if (!str_eq(buf_str(&told), buf_str(&w->text)))
		fail("something else is shown than is said");
	for (const char *at = buf_str(&w->text).s; (at = strstr(at, "~~")); at += 2)
		marks++;
	if (marks != 2 * (w->struck.count + w->misplaced.count))
		fail("a number that is not struck out as a whole");
	spoken_free(&s);
}

static void calculate(struct str expression)
{
	struct calculated c;
	struct err e = {0};

	(void)calc(&c, open_store(), expression, &e);
	calculated_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct receiving whole = {0}, pieces = {0};
	SCOPED_BUF why = {0};
	const size_t piece = size ? data[0] % 16 + 1 : 1;
	char *bytes;

	if (size < 2 || size > MOST_BYTES)
		return 0;
	whole.wire = pieces.wire = data[0] & 0x80 ? &wire_anthropic : &wire_openai;
	/* As large as it is, and no byte more: what reads on is found. */
	bytes = mem_copy(data + 1, size - 1, 1);
	if (receive(&whole, bytes, size - 1, size) != receive(&pieces, bytes, size - 1, piece) ||
	    !str_eq(buf_str(&whole.reply.text), buf_str(&pieces.reply.text)) ||
	    whole.reply.call_count != pieces.reply.call_count)
		fail("pieces come to something else than the whole");
	word(buf_str(&whole.reply.text), piece);
	word((struct str){bytes, size - 1}, piece);
	for (size_t i = 0; i < whole.reply.call_count; i++)
		calculate(buf_str(&whole.reply.calls[i].arguments));
	calculate((struct str){bytes, size - 1});
	(void)query_makes_values((struct str){bytes, size - 1}, &why);
	model_reply_free(&whole.reply);
	model_reply_free(&pieces.reply);
	free(bytes);
	return 0;
}
