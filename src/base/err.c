/* How does a failure travel from where it happened to the one place that shows it? */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void start(struct err *e, enum err_code code,
							const char *fmt, va_list ap)
{
	*e = (struct err){.code = code};
	vsnprintf(e->message, sizeof(e->message), fmt, ap);
}

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	start(e, code, fmt, ap);
	va_end(ap);
	return -1;
}

int err_set_errno(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	start(e, ERR_SYSTEM, fmt, ap);
	va_end(ap);
	len = strlen(e->message);
	snprintf(e->message + len, sizeof(e->message) - len, ": %s", strerror(saved));
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char context[sizeof(e->message)];
	char inner[sizeof(e->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	memcpy(inner, e->message, sizeof(inner));
	snprintf(e->message, sizeof(e->message), "%.480s: %.540s", context, inner);
	return -1;
}

int err_forgive_absent(struct err *e)
{
	if (!e->absent)
		return -1;
	*e = (struct err){0};
	return 0;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->hint, sizeof(e->hint), fmt, ap);
	va_end(ap);
	return -1;
}
