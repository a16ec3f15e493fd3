/* What questions in words are about besides the analyses: skills that ship, and categories. */
#ifndef COMMANDS_ASKED_BESIDES_H
#define COMMANDS_ASKED_BESIDES_H

#include "analysis/analysis.h"

/* Up to a NULL. They are no commands of their own: their topics say which command shows them. */
extern const struct analysis *const asked_besides[];

extern const struct analysis asked_categories, asked_os_calls;

#endif
