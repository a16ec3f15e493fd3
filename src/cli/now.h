/* Today, as answers have it that bear a date. */
#ifndef CLI_NOW_H
#define CLI_NOW_H

#include "base/err.h"

#include <stddef.h>

/*
 * The time in UTC as strftime() writes it. SOURCE_DATE_EPOCH takes its place, so that what bears it
 * is reproducible to the byte; ERR_USAGE where that is no time.
 */
int now_text(char *text, size_t size, const char *format, struct err *e);

#endif
