/* The scripts in completions/, which tools/embed makes part of the program. */
#ifndef CLI_COMPLETION_SCRIPTS_H
#define CLI_COMPLETION_SCRIPTS_H

extern const char completion_bash[], completion_zsh[], completion_fish[];

#endif
