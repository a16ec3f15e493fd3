/* Which parts of a command stand for something else? */
#include "capture/placeholders.h"

#include <ctype.h>

size_t placeholder_name_length(const char *s)
{
	size_t len = 0;

	if (!isalpha((unsigned char)*s) && *s != '_')
		return 0;
	while (isalnum((unsigned char)s[len]) || s[len] == '_')
		len++;
	return len;
}

bool placeholder_next(const char *s, struct placeholder *p)
{
	for (; (s = strchr(s, '{')); s++) {
		bool doubled = s[1] == '{';
		const char *name = s + 1 + doubled;
		size_t len = placeholder_name_length(name);

		if (!len || name[len] != '}' || (doubled && name[len + 1] != '}'))
			continue;
		*p = (struct placeholder){s, {name, len}, doubled, name + len + 1 + doubled};
		return true;
	}
	return false;
}

bool placeholder_is_run(const struct placeholder *p)
{
	return str_eq(p->name, STR_LIT(PLACEHOLDER_RUN));
}

void placeholders_fill_run(const char *const *argv, size_t argc, const char *folder,
			   struct arena *a, struct string_list *ret)
{
	SCOPED_BUF b = {0};
	struct placeholder p;

	for (size_t i = 0; i < argc; i++) {
		const char *at = argv[i];

		buf_clear(&b);
		for (; placeholder_next(at, &p); at = p.end) {
			buf_add(&b, at, (size_t)(p.at - at));
			if (!placeholder_is_run(&p))
				buf_add(&b, p.at, (size_t)(p.end - p.at));
			else
				buf_adds(&b, p.literal ? "{" PLACEHOLDER_RUN "}" : folder);
		}
		buf_adds(&b, at);
		string_list_add(ret, at == argv[i] ? at : arena_str(a, buf_str(&b)).s);
	}
}
