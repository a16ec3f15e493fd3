/* Words to the person at the terminal: on stderr, made safe, whatever a trace put into them. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include "base/err.h"

/* "gpuwhy: message", and the hint below it. */
void say_error(const struct err *e);
/* "warning: text", for answers that have no place for one. */
void say_warning(const char *text);
/* "wrote path: what", on stdout. */
void say_wrote(const char *path, const char *what);
/* "SKIPPED what: why" */
void say_skipped(const char *what, const char *why);

#endif
