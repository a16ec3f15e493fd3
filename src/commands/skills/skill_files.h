/* The skills that ship, skills/NAME.sql, made part of the program by tools/embed. */
#ifndef COMMANDS_SKILL_FILES_H
#define COMMANDS_SKILL_FILES_H

extern const char skill_copies_by_range[], skill_copies_by_range_sha256[];
extern const char skill_first_vs_steady[], skill_first_vs_steady_sha256[];
extern const char skill_kernel_stragglers[], skill_kernel_stragglers_sha256[];

#endif
