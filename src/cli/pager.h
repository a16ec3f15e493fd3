/*
 * Long answers on a terminal, through the user's pager as git shows them: GPUWHY_PAGER, else PAGER,
 * else less. An answer that fits the screen is printed as it is; one that does not goes to the
 * pager from its first line on. Standard error goes there, too, until the pager has ended.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>

/* --no-pager: what comes after does nothing. */
void pager_forbid(void);
/* From now on what is written to standard output may be paged; nothing where it is no terminal. */
void pager_begin(void);
/* Whether standard output, as the user sees it, is a terminal: of which size, or none. */
bool pager_is_open(struct winsize *ret);
/* -1 with errno; the user who quits the pager early makes it EPIPE. */
int pager_write(const char *bytes, size_t len);
/* Prints what is held back, or waits until the user has quit the pager. */
void pager_end(void);
/* Whether the user has quit before all was written: that is no failure. */
bool pager_was_quit(void);

#endif
