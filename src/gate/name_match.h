/*
 * Names in rules: a name as it is; the short name of a kernel or copy, which without template
 * arguments is all instances of the template; with * and ? a pattern of all of it; or a regular
 * expression between slashes.
 */
#ifndef GATE_NAME_MATCH_H
#define GATE_NAME_MATCH_H

#include "diff/account.h"
#include "text/pattern.h"

struct name_match {
	const char *text;	 /* as it was written */
	struct pattern *pattern; /* NULL: the name itself */
};

/* `text` must outlive it. For name_match_free() whether this fails or not. */
int name_match_make(struct name_match *ret, const char *text, struct err *e);
void name_match_free(struct name_match *m);
/* 1, 0, or -1: ERR_USAGE, finding out takes too long. */
int name_matches(const struct name_match *m, const char *name, struct err *e);
/* The same for the op of a leaf, by any of its names; what is idle has none. */
int name_matches_op(const struct name_match *m, const struct leaf *l, struct err *e);

#endif
