/* What is said about a file whose pages do not hold together? */
#include "sqlitefile/internal.h"

#include <stdarg.h>
#include <stdio.h>

void damage_say(const struct sqlitefile *f, const struct table *t, uint32_t page, struct err *e,
		const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (page)
		err_set(e, ERR_INPUT, "'%s' is damaged: table %.200s, page %u: %s", f->path,
			t->pub.name, page, what);
	else
		err_set(e, ERR_INPUT, "'%s' is damaged: table %.200s: %s", f->path, t->pub.name,
			what);
	err_hint(e, "copy the file again from where it was made, or export again with "
		    "nsys export --type sqlite");
}
