/* Is this member what it should be? */
#include "baseline/fields.h"

#include "text/date.h"

#include <stdarg.h>
#include <stdio.h>

int fields_hint(const struct fields *f)
{
	return err_hint(f->e, "take it back from version control, or remove it and save a new one");
}

int fields_refuse(const struct fields *f, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	err_set(f->e, ERR_INPUT, "'%s' is damaged, or no baseline: %s", f->file, what);
	return fields_hint(f);
}

int fields_check_keys(const struct fields *f, const struct json *object, const char *keys)
{
	struct json_member m = {0};
	const char *at = keys;
	struct str key;

	if (!object || json_read_kind(object) != JSON_KIND_OBJECT)
		return fields_refuse(f, "an object with the keys %s is missing", keys);
	while (json_read_next(object, &m)) {
		if (!str_is_listed(m.key, keys))
			return fields_refuse(f, "unknown key \"%.*s\"",
					     (int)(m.key.len < 40 ? m.key.len : 40), m.key.s);
	}
	while ((key = str_next_word(&at)).len) {
		char name[64];

		snprintf(name, sizeof(name), "%.*s", STR_FMT(key));
		if (!json_read_member(object, name))
			return fields_refuse(f, "\"%s\" is missing", name);
	}
	return 0;
}

int fields_text(const struct fields *f, const struct json *object, const char *key, size_t most,
		const char **ret)
{
	const struct json *v = json_read_member(object, key);
	struct str s;

	if (!v || json_read_kind(v) != JSON_KIND_TEXT)
		return fields_refuse(f, "\"%s\" is no text", key);
	s = json_read_string(v);
	if (s.len > most || (s.len && memchr(s.s, 0, s.len)))
		return fields_refuse(f, "\"%s\" is too long, or has a zero in it", key);
	*ret = arena_str(f->arena, s).s;
	return 0;
}

int fields_date(const struct fields *f, const struct json *object, const char *key,
		const char **ret)
{
	if (fields_text(f, object, key, 10, ret) < 0)
		return -1;
	return !(*ret)[0] || date_is_day(*ret) ? 0 : fields_refuse(f, "\"%s\" is no day", key);
}

int fields_whole(const struct fields *f, const struct json *object, const char *key, int64_t least,
		 int64_t most, int64_t *ret)
{
	const struct json *v = json_read_member(object, key);

	if (!v || !json_read_whole(v, ret) || *ret < least || *ret > most)
		return fields_refuse(f, "\"%s\" is no whole number, or out of bounds", key);
	return 0;
}

int fields_bool(const struct fields *f, const struct json *object, const char *key, bool *ret)
{
	const struct json *v = json_read_member(object, key);

	if (!v || json_read_kind(v) != JSON_KIND_BOOL)
		return fields_refuse(f, "\"%s\" is neither true nor false", key);
	*ret = json_read_is_true(v);
	return 0;
}

int fields_array(const struct fields *f, const struct json *object, const char *key, size_t least,
		 size_t most, const struct json **ret)
{
	*ret = json_read_member(object, key);
	if (!*ret || json_read_kind(*ret) != JSON_KIND_ARRAY || json_read_length(*ret) < least ||
	    json_read_length(*ret) > most)
		return fields_refuse(f, "\"%s\" is no list, or has too few or too many rows", key);
	return 0;
}

int fields_numbers(const struct fields *f, const struct json *array, size_t count, int64_t *ret)
{
	if (json_read_kind(array) != JSON_KIND_ARRAY || json_read_length(array) != count)
		return fields_refuse(f, "a row does not have %zu numbers", count);
	for (size_t i = 0; i < count; i++) {
		const struct json *v = json_read_element(array, i);

		if (!json_read_whole(v, &ret[i]) || ret[i] < 0)
			return fields_refuse(f, "a row has what is no number of nanoseconds, steps "
						"or calls");
	}
	return 0;
}
