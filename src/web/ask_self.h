/* Asks a site without a server in between. */
#ifndef WEB_ASK_SELF_H
#define WEB_ASK_SELF_H

#include "web/routes.h"

/* "/api/kernels?limit=20": nothing in it is escaped. For reply_free(). */
void ask_self(struct site *s, const char *url, struct reply *ret);

#endif
