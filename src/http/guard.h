/*
 * Who may ask. Other users of the machine, and pages of any site in the user's own browser, can
 * reach a server on loopback: each request says the token, and comes from our own page or no page.
 */
#ifndef HTTP_GUARD_H
#define HTTP_GUARD_H

#include "http/request.h"

enum { TOKEN_LENGTH = 32 };

struct guard {
	char token[TOKEN_LENGTH + 1];
};

/* A token that nobody can guess. */
int guard_begin(struct guard *g, struct err *e);
/* Whether it says the token; in the same time whatever it says. */
bool guard_has_token(const struct guard *g, const struct request *r);
/* false: refused, and the reply says so. `is_open`: what is asked for tells nothing of a trace. */
bool guard_admit(const struct guard *g, const struct request *r, bool is_open, struct reply *ret);

#endif
