/* Times and durations that people type. */
#ifndef TUI_DURATION_H
#define TUI_DURATION_H

#include "base/err.h"

#include <stdint.h>

/* "1.234" and "1.234s", "250ms", "90us", "17ns"; ERR_USAGE says so. */
int duration_parse(const char *text, int64_t *ret_ns, struct err *e);

#endif
