/* Which time is meant? */
#include "tui/duration.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int duration_parse(const char *text, int64_t *ret_ns, struct err *e)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"µs", 1e3}, {"ns", 1}};
	char *end;
	const double number = strtod(text, &end);

	while (*end == ' ')
		end++;
	for (size_t i = 0; end != text && i < ARRAY_LEN(units); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		if (!(number > -9e9 && number < 9e9))
			break;
		*ret_ns = (int64_t)(number * units[i].ns);
		return 0;
	}
	return err_set(e, ERR_USAGE, "'%s' is no time: 1.234s, 250ms, 90us or 17ns", text);
}
