/*
 * The process between us and a program that we run. What the program leaves behind becomes the
 * keeper's, which therefore knows all of it; and it learns of our death, however sudden, and ends
 * all of it then. For process.c alone.
 */
#ifndef INPUT_PROCESS_KEEPER_H
#define INPUT_PROCESS_KEEPER_H

#include "input/process.h"

#include <sys/types.h>

/* What the keeper tells, in this order; after KEPT_FAILED nothing follows. */
enum kept { KEPT_STARTED, KEPT_FAILED, KEPT_ENDED };

struct keeper_news {
	enum kept what;
	pid_t pid;		  /* KEPT_STARTED */
	int error;		  /* KEPT_FAILED: an errno */
	int status;		  /* KEPT_ENDED: as from waitpid */
	unsigned ended;		  /* KEPT_ENDED: processes that had to be ended */
	struct process_left left; /* KEPT_ENDED */
};

struct keeper {
	pid_t pid;
	int news;   /* to be read; at its end the keeper is gone */
	int orders; /* anything written there ends the run */
};

/*
 * Starts the program with these for stdout and stderr. errno is set on failure; else both ends are
 * the caller's to close.
 */
int keeper_start(struct keeper *k, const struct process *p, int out_fd, int err_fd);
/* Ends all of the run; what cannot be ended is given up soon, and told. */
void keeper_order_end(const struct keeper *k);

#endif
