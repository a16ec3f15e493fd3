/* Which names announce a secret: of options, settings, headers, members of JSON. */
#ifndef CAPTURE_SECRET_NAMES_H
#define CAPTURE_SECRET_NAMES_H

#include "base/str.h"

/*
 * --api-key, hub.token, HF_TOKEN, {"api_keys"; not --max-tokens, --num-key-value-heads,
 * --pad-token-id, --text-key. Where a name may mean either, it does.
 */
bool secret_name(struct str name);
/* Of such a name: whether it may have several values, --api-keys a b. */
bool secret_names_many(struct str name);
/* HF_TOKEN, hub.token, password: a word by itself, whose value is the next. */
bool secret_bare_name(struct str name);
/* -u, --user, --proxy-user: a password follows behind a colon. */
bool secret_user_name(struct str name);

#endif
