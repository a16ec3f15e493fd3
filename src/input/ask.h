/* Short questions to other programs: what they answer, within a few seconds. */
#ifndef INPUT_ASK_H
#define INPUT_ASK_H

#include "base/buf.h"

/*
 * Appends what the program prints to standard output; argv[0] is its path. False where it cannot be
 * started, fails or takes too long: what it printed by then is there all the same.
 */
bool ask_program(char *const *argv, struct buf *ret);

/*
 * What `nsys COMMAND --help` prints. What an nsys can do is asked of itself: it differs by version
 * and by platform, and a table of versions would be wrong for those yet to come.
 */
void ask_nsys_help(const char *nsys, const char *command, struct buf *ret);
/* Whether a help text has the option "--NAME", and not only longer ones. */
bool help_names_option(struct str help, const char *name);

#endif
