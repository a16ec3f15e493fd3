/*
 * Does any request make the server's routes misbehave? The bytes are a request's lines: method and
 * target, then headers, an empty line, and a body. It is asked without a server, on the site of a
 * small trace that is read once; in headers, $ is the token, so that what is behind it is reached.
 */
#include "base/mem.h"
#include "traces/traces.h"
#include "web/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_VALUES = 64, MOST_BYTES = 4096 };

static const char trace_path[] = "tests/fuzz/corpus/trace/train-1024.sqlite";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *why)
{
	fprintf(stderr, "fuzz_web: %s\n", why);
	abort();
}

static struct site *open_site(void)
{
	static const char *const paths[] = {trace_path};
	static const struct input_args in = {0};
	static struct traces traces;
	static struct site site = {.input = &in};
	static bool is_open;
	const struct scope all = {0};
	struct err e = {0};

	if (is_open)
		return &site;
	is_open = true;
	if (traces_open(&traces, paths, 1, &in, NULL, &e) < 0 || traces_ask(&traces, &all, &e) < 0)
		fail(e.message);
	site_open(&site, &traces);
	if (site_start(&site, &e) < 0 || site_read_all(&site, &e) < 0)
		fail(e.message);
	return &site;
}

/* The text up to `end`, or to its own end, ended there; *at is what follows. */
static char *take(char **at, const char *end)
{
	char *text = *at, *found = strpbrk(text, end);

	*at = found ? found + 1 : text + strlen(text);
	if (found)
		*found = '\0';
	return text;
}

static void take_values(char *query, struct request *r, struct request_value *values)
{
	while (*query && r->value_count < MOST_VALUES) {
		char *value = take(&query, "&");
		const char *name = take(&value, "=");

		values[r->value_count++] = (struct request_value){name, value};
	}
	r->has_too_many_values = *query != '\0';
}

/* "Authorization: Bearer $" */
static void take_header(char *line, struct request *r, const char *token, struct buf *kept)
{
	const char *name = take(&line, ":");
	const struct {
		const char *name, **value;
	} known[] = {{"Host", &r->host},
		     {"Origin", &r->origin},
		     {"Authorization", &r->authorization},
		     {"Content-Type", &r->content_type}};

	line += strspn(line, " ");
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (strcasecmp(name, known[i].name) != 0)
			continue;
		r->is_ambiguous |= *known[i].value != NULL;
		*known[i].value = line;
		if (known[i].value == &r->authorization && strcmp(line, "Bearer $") == 0) {
			buf_addf(kept, "Bearer %s", token);
			*known[i].value = kept->s;
		}
	}
}

static bool holds_token(const struct site *s, const void *bytes, size_t count)
{
	return memmem(bytes, count, s->guard.token, TOKEN_LENGTH);
}

static void check(const struct reply *ret)
{
	if (ret->status < 200 || ret->status > 503 || !ret->type || !ret->body.len)
		fail("a reply that is none");
}

static void ask(struct site *s, const struct request *r, bool knows_token)
{
	struct reply ret = {0};
	struct admission how;

	if (routes_admit(s, r, &ret, &how))
		routes_answer(s, r, &ret);
	check(&ret);
	if (!knows_token && holds_token(s, ret.body.s, ret.body.len))
		fail("the token is told");
	reply_pack(&ret);
	reply_free(&ret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct site *s = open_site();
	struct request_value values[MOST_VALUES];
	struct request r = {.values = values, .connection = -1};
	SCOPED_BUF kept = {0};
	char *text, *at, *target;

	if (!size || size > MOST_BYTES)
		return 0;
	at = text = mem_zalloc(size + 1, 1);
	memcpy(text, data, size);
	target = take(&at, "\n");
	r.method = take(&target, " ");
	r.path = take(&target, "?");
	take_values(target, &r, values);
	while (*at && *at != '\n')
		take_header(take(&at, "\n"), &r, s->guard.token, &kept);
	at += *at == '\n';
	r.body = (struct str){at, size - (size_t)(at - text)};
	/* libFuzzer sees what its bytes are compared with, so it finds the token; a path is
	 * repeated. */
	ask(s, &r, holds_token(s, data, size));
	free(text);
	return 0;
}
