/* Which model is asked, where, and as whom: what the command line, a file and the environment say.
 */
#ifndef LLM_SETTINGS_H
#define LLM_SETTINGS_H

#include "base/arena.h"
#include "llm/wire.h"

struct model_settings {
	struct arena arena; /* of all below */
	const char *url;    /* of the request itself */
	const char *model;
	const char *key; /* NULL: the server wants none */
	const struct wire *wire;
	bool is_loopback;
	bool limits_completion; /* see struct conversation */
	bool redacts;		/* the file says so */
	double timeout_s;	/* of the whole conversation */
	uint64_t max_tokens;	/* of a reply */
	uint64_t token_budget;	/* of all requests and replies */
};

/* What stands in place of an address where the file has it. */
#define SETTINGS_CONFIGURED "config"

/*
 * `url` and `model` as on the command line, `model` may be NULL; `file` is the configuration file,
 * which need not be there. Refuses a file that others may read, and a key of one server for
 * another.
 */
int settings_read(struct model_settings *ret, const char *url, const char *model, const char *file,
		  struct err *e);
void settings_free(struct model_settings *s);

#endif
