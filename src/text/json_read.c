/* What does this small JSON document say? */
#include "text/json_read.h"

#include "base/file.h"

#include <jansson.h>

/* struct json is never defined: it is jansson's json_t under a name of ours. */
static struct json *ours(json_t *v)
{
	return (struct json *)v;
}

static json_t *theirs(const struct json *v)
{
	return (json_t *)v;
}

int json_read_text(struct json **ret, struct str text, const char *name, struct err *e)
{
	/* A byte order mark, which some editors write, is no part of the document. */
	static const char mark[] = "\xef\xbb\xbf";
	const size_t skipped = text.len >= 3 && memcmp(text.s, mark, 3) == 0 ? 3 : 0;
	json_error_t where;
	json_t *v = json_loadb(text.s ? text.s + skipped : "", text.len - skipped,
			       JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);

	*ret = ours(v);
	if (v)
		return 0;
	/* Which JSON allows, and which no two programs read alike. */
	return err_set(e, ERR_INPUT, "'%s' %s: line %d, column %d: %s", name,
		       json_error_code(&where) == json_error_duplicate_key ? "has a duplicate key"
									   : "is not JSON",
		       where.line, where.column, where.text);
}

int json_read_file(struct json **ret, const char *path, struct err *e)
{
	SCOPED_BUF b = {0};

	*ret = NULL;
	if (file_read_stream(&b, path, JSON_LARGEST_BYTES, e) < 0)
		return -1;
	return json_read_text(ret, buf_str(&b), path, e);
}

void json_read_free(struct json *document)
{
	json_decref(theirs(document));
}

enum json_kind json_read_kind(const struct json *v)
{
	static const enum json_kind kinds[] = {
		[JSON_OBJECT] = JSON_KIND_OBJECT, [JSON_ARRAY] = JSON_KIND_ARRAY,
		[JSON_STRING] = JSON_KIND_TEXT,	  [JSON_INTEGER] = JSON_KIND_NUMBER,
		[JSON_REAL] = JSON_KIND_NUMBER,	  [JSON_TRUE] = JSON_KIND_BOOL,
		[JSON_FALSE] = JSON_KIND_BOOL,	  [JSON_NULL] = JSON_KIND_NULL,
	};

	return kinds[json_typeof(theirs(v))];
}

const char *json_read_kind_name(const struct json *v)
{
	static const char *const names[] = {
		[JSON_KIND_NULL] = "null",	 [JSON_KIND_BOOL] = "true or false",
		[JSON_KIND_NUMBER] = "a number", [JSON_KIND_TEXT] = "a text",
		[JSON_KIND_ARRAY] = "an array",	 [JSON_KIND_OBJECT] = "an object",
	};

	return names[json_read_kind(v)];
}

struct str json_read_string(const struct json *v)
{
	if (!json_is_string(theirs(v)))
		return STR_LIT("");
	return (struct str){json_string_value(theirs(v)), json_string_length(theirs(v))};
}

double json_read_number(const struct json *v)
{
	return json_number_value(theirs(v));
}

bool json_read_whole(const struct json *v, int64_t *ret)
{
	double x = json_number_value(theirs(v));

	*ret = json_is_integer(theirs(v)) ? json_integer_value(theirs(v)) : 0;
	if (!json_is_real(theirs(v)))
		return json_is_integer(theirs(v));
	if (!(x > -0x1p63 && x < 0x1p63) || x != (double)(int64_t)x)
		return false;
	*ret = (int64_t)x;
	return true;
}

bool json_read_is_true(const struct json *v)
{
	return json_is_true(theirs(v));
}

const struct json *json_read_member(const struct json *object, const char *key)
{
	return ours(json_object_get(theirs(object), key));
}

size_t json_read_length(const struct json *v)
{
	return json_array_size(theirs(v));
}

const struct json *json_read_element(const struct json *v, size_t i)
{
	return ours(json_array_get(theirs(v), i));
}

bool json_read_next(const struct json *object, struct json_member *m)
{
	json_t *v = theirs(object);

	m->cursor = m->cursor ? json_object_iter_next(v, m->cursor) : json_object_iter(v);
	if (!m->cursor)
		return false;
	m->key = (struct str){json_object_iter_key(m->cursor), json_object_iter_key_len(m->cursor)};
	m->value = ours(json_object_iter_value(m->cursor));
	return true;
}
