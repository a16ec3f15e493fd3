/* Which formats are there, and what do they have in common? */
#include "llm/wire.h"

#include "base/mem.h"
#include "text/json_read.h"
#include "text/text.h"

enum { MOST_ERROR = 200 };

const struct wire *wire_find(struct str name)
{
	static const struct wire *const all[] = {&wire_openai, &wire_anthropic};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (str_eq(name, str_of(all[i]->name)))
			return all[i];
	}
	return NULL;
}

struct str wire_text(const struct json *object, const char *key)
{
	const struct json *v = object ? json_read_member(object, key) : NULL;

	return v ? json_read_string(v) : STR_LIT("");
}

int64_t wire_whole(const struct json *object, const char *key)
{
	const struct json *v = object ? json_read_member(object, key) : NULL;
	int64_t n;

	return v && json_read_whole(v, &n) ? n : 0;
}

int wire_fail(const struct json *error, struct err *e)
{
	const struct str said = error ? wire_text(error, "message") : STR_LIT("");
	SCOPED_BUF safe = {0};

	text_add_safe(&safe, (struct str){said.s, said.len < MOST_ERROR ? said.len : MOST_ERROR});
	return err_set(e, ERR_INPUT, "the server reports an error%s%s", safe.len ? ": " : "",
		       safe.len ? safe.s : "");
}
