/* What would a browser be told? */
#include "web/ask_self.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 16 };

void ask_self(struct site *s, const char *url, struct reply *ret)
{
	SCOPED char *text = mem_strdup(url);
	struct request_value values[MOST_VALUES];
	struct request r = {.method = "GET", .path = text, .values = values, .connection = -1};
	char *at = strchr(text, '?');

	*ret = (struct reply){0};
	while (at && r.value_count < MOST_VALUES) {
		char *is;

		*at++ = '\0';
		is = strchr(at, '=');
		values[r.value_count].name = at;
		at = strchr(at, '&');
		if (is && at && is > at)
			is = NULL;
		if (is)
			*is++ = '\0';
		values[r.value_count++].value = is ? is : "";
	}
	routes_answer(s, &r, ret);
}
