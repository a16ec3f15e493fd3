/* The parameters that a skill's SQL speaks of, found without running it. */
#ifndef CLI_SKILL_WORDS_H
#define CLI_SKILL_WORDS_H

#include "commands/skills/skill_file.h"

/* ERR_INPUT where the SQL has a parameter that the comment does not declare, or the other way. */
int skill_words_check(const struct skill_file *s, const char *where, struct err *e);

#endif
