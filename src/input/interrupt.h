/*
 * Ctrl-C while files are half made. Between hold and release SIGINT, SIGTERM and SIGHUP are only
 * noted, so that the work can stop and clean up; release then gives what was noted its usual
 * effect, which as a rule ends the program. Any number of threads may hold at once.
 */
#ifndef INPUT_INTERRUPT_H
#define INPUT_INTERRUPT_H

#include <stdbool.h>

void interrupt_hold(void);
bool interrupt_pending(void);
void interrupt_release(void);

/*
 * While a user's program runs that they may be for: SIGQUIT, SIGALRM, SIGUSR1 and SIGUSR2, which
 * would end us, are noted as well. They ask nobody to stop, so that interrupt_pending() does not
 * count them; those that nobody has taken are forgotten in the end.
 */
void interrupt_hold_messages(void);
void interrupt_release_messages(void);

/*
 * From now on whoever reads what we say may go away, as `| head` does, or tee at a Ctrl-C: writing
 * is then an error, and not our end. Programs that we start are not told.
 */
void interrupt_outlive_readers(void);

/*
 * Takes one noted signal away: its number, or 0. *ret_shared: it came from the terminal, which
 * sends it to every process in the foreground, and not to this one alone.
 */
int interrupt_take(bool *ret_shared);

#endif
