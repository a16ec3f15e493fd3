/*
 * One error, owned by the caller, filled where the failure is understood and given context on the
 * way up. Functions that can fail return 0 or -1 and take `struct err *` last; only the outermost
 * layer shows it. The code is the process's exit code.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

enum err_code {
	ERR_NONE = 0,
	ERR_GATE = 1,	     /* a gate or finding failed the run */
	ERR_USAGE = 2,	     /* the command line is wrong */
	ERR_INPUT = 3,	     /* the input is bad or lacks what was asked */
	ERR_SYSTEM = 4,	     /* the system refused: permissions, disk, memory */
	ERR_CANNOT_TELL = 5, /* a gate could not be judged: too few runs */
};

struct err {
	enum err_code code;
	bool absent; /* ERR_INPUT only because the trace has no such data: nothing is broken */
	bool late; /* ERR_SYSTEM only because its time was up: with more time it may have an answer
		    */
	bool output; /* the answer could not be written: nothing more should be */
	char message[1024];
	char hint[1024]; /* what to do about it; may be empty */
};

/* All of these return -1, so that `return err_set(...)` reads naturally. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ERR_SYSTEM with strerror(errno) appended. */
int err_set_errno(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prepends context: "context: message". */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* For what may be missing: 0, and no error any more, where it is absent; else -1. */
int err_forgive_absent(struct err *e);

/* Sets the hint, replacing any earlier one. */
int err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
