/* What is the time? */
#include "cli/now.h"

#include <stdlib.h>
#include <time.h>

/* The end of the year 9999, which is the last that the text has room for. */
#define LAST_SECOND 253402300799LL

int now_text(char *text, size_t size, const char *format, struct err *e)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	time_t when = time(NULL);
	struct tm tm;

	if (fixed && *fixed) {
		char *end;
		long long seconds = strtoll(fixed, &end, 10);

		if (*fixed < '0' || *fixed > '9' || *end || seconds > LAST_SECOND)
			return err_set(e, ERR_USAGE,
				       "SOURCE_DATE_EPOCH is '%s': it must be seconds since 1970",
				       fixed);
		when = (time_t)seconds;
	}
	gmtime_r(&when, &tm);
	strftime(text, size, format, &tm);
	return 0;
}
