/*
 * What became of a task that made no part: in a word for the status file, in words for people, and
 * whether trying again may help.
 */
#ifndef FLEET_SLURM_FATE_H
#define FLEET_SLURM_FATE_H

#include "base/str.h"

#include <stdbool.h>

enum fate {
	FATE_UNKNOWN,	  /* nobody says */
	FATE_NODE_LOST,	  /* the node went away, or did not start */
	FATE_NO_MEMORY,	  /* it needed more than it was given */
	FATE_NO_TIME,	  /* the same of time */
	FATE_CANCELLED,	  /* somebody ended it */
	FATE_PREEMPTED,	  /* a job that may do so took its place */
	FATE_KILLED,	  /* by a signal, nobody says whose */
	FATE_BAD_CAPTURE, /* gpuwhy read it, and it is no use */
	FATE_SYSTEM,	  /* the system refused gpuwhy something: a full disk, a limit */
	FATE_NO_PROGRAM,  /* gpuwhy cannot be run on that node */
	FATE_FAILED,	  /* gpuwhy ended with another code */
	FATES,
};

/* Of a job's state as squeue writes it; FATE_UNKNOWN for those that are no failure, or FAILED. */
enum fate fate_of_state(struct str state);
/* Of the exit code of a shell that ran gpuwhy, which is not 0. */
enum fate fate_of_exit_code(int code);
/* "node_lost"; and back, FATE_UNKNOWN where it is none. */
const char *fate_word(enum fate f);
enum fate fate_of_word(struct str word);
/* "its node was lost" */
const char *fate_text(enum fate f);
bool fate_may_pass(enum fate f);

#endif
