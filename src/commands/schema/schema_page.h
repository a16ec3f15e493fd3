/* gpuwhy schema --html: the tables of a trace as a page to look around in. */
#ifndef CLI_SCHEMA_PAGE_H
#define CLI_SCHEMA_PAGE_H

#include "cli/command.h"

/* The whole command: opens the trace, makes the page and writes it. */
int schema_page_run(struct invocation *inv, struct err *e);

#endif
