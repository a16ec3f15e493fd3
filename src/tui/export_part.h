/* :export: what is selected, or the window, as a file for other viewers. */
#ifndef TUI_EXPORT_PART_H
#define TUI_EXPORT_PART_H

#include "tui/app.h"

int export_part(struct app *a, const char *path, struct err *e);

#endif
