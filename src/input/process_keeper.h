/*
 * The process between us and a program that we run. What the program leaves behind becomes the
 * keeper's, which therefore knows all of it; and it learns of our death, however sudden, and ends
 * all of it then. For process.c alone.
 */
#ifndef INPUT_PROCESS_KEEPER_H
#define INPUT_PROCESS_KEEPER_H

#include "input/process.h"

#include <string.h>
#include <sys/types.h>

/*
 * What the keeper tells: first that the program was started or failed to be, last that it has
 * ended; after KEPT_FAILED and KEPT_ENDED nothing follows. In between KEPT_SIGNALLED: a signal to
 * the whole process group, of which the keeper of an attended program is a member.
 */
enum kept { KEPT_STARTED, KEPT_FAILED, KEPT_SIGNALLED, KEPT_ENDED };

struct keeper_news {
	enum kept what;
	pid_t pid;		  /* KEPT_STARTED */
	int error;		  /* KEPT_FAILED: an errno */
	int signal;		  /* KEPT_SIGNALLED */
	int status;		  /* KEPT_ENDED: as from waitpid */
	bool had_child;		  /* KEPT_ENDED: see struct process_end */
	bool outlived;		  /* the same */
	int own_status;		  /* the same */
	unsigned ended;		  /* KEPT_ENDED: processes that had to be ended */
	struct process_left left; /* KEPT_ENDED */
};

struct keeper {
	pid_t pid;
	int news;   /* to be read; at its end the keeper is gone */
	int orders; /* anything written there ends the run */
};

/* Whether it is a profiler itself that is started, and not a launcher of one. */
static inline bool keeper_has_profiler(const struct process *p)
{
	return p->attended && (!p->profiler || strcmp(p->profiler, p->argv[0]) == 0);
}

/*
 * Starts the program with these for stdout and stderr. errno is set on failure; else both ends are
 * the caller's to close.
 */
int keeper_start(struct keeper *k, const struct process *p, int out_fd, int err_fd);
/* Ends all of the run; what cannot be ended is given up soon, and told. */
void keeper_order_end(const struct keeper *k);

#endif
