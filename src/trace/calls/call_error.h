/* What a CUDA API function returns, where that is no success. */
#ifndef TRACE_CALL_ERROR_H
#define TRACE_CALL_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a value means that the call did not do what it was for; INT_NONE does not. */
bool call_error_is(int64_t code);
/* In a few words; NULL: not known. */
const char *call_error_text(int64_t code);

#endif
