/* Is it the user who asks? */
#include "http/guard.h"

#include <string.h>
#include <strings.h>
#include <sys/random.h>

int guard_begin(struct guard *g, struct err *e)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned char random[TOKEN_LENGTH];

	_Static_assert(sizeof(letters) == 64 + 1, "6 bits choose a letter");
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_set_errno(e, "no random numbers for a token");
	for (size_t i = 0; i < TOKEN_LENGTH; i++)
		g->token[i] = letters[random[i] & 63];
	g->token[TOKEN_LENGTH] = '\0';
	return 0;
}

/* Names of this machine alone: another one that leads here is an attack by DNS. */
static bool is_own_host(const char *host)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

	for (size_t i = 0; host && i < sizeof(names) / sizeof(*names); i++) {
		const size_t len = strlen(names[i]);
		const char *port = host + len;

		if (strncasecmp(host, names[i], len) != 0)
			continue;
		if (!*port)
			return true;
		if (*port == ':' && port[1] && strspn(port + 1, "0123456789") == strlen(port + 1))
			return true;
	}
	return false;
}

static bool is_own_origin(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return strncasecmp(origin, scheme, strlen(scheme)) == 0 &&
	       strcasecmp(origin + strlen(scheme), host) == 0;
}

/* As long for any text: how much of it is right cannot be measured. */
bool guard_has_token(const struct guard *g, const struct request *r)
{
	static const char scheme[] = "Bearer ";
	const char *said = r->authorization;
	unsigned difference = 0;

	if (!said || strncasecmp(said, scheme, strlen(scheme)) != 0)
		return false;
	said += strlen(scheme);
	if (strlen(said) != TOKEN_LENGTH)
		return false;
	for (size_t i = 0; i < TOKEN_LENGTH; i++)
		difference |= (unsigned char)said[i] ^ (unsigned char)g->token[i];
	return !difference;
}

bool guard_admit(const struct guard *g, const struct request *r, bool is_open, struct reply *ret)
{
	if (r->is_ambiguous)
		reply_refuse(ret, 400, "a header that may be there once is there twice");
	else if (!is_own_host(r->host))
		reply_refuse(ret, 403, "the Host must be this machine");
	else if (r->origin && !is_own_origin(r->origin, r->host))
		reply_refuse(ret, 403, "another site's page may not ask");
	else if (!is_open && !guard_has_token(g, r))
		reply_refuse(ret, 401,
			     "the token is missing or wrong: open the URL that gpuwhy printed");
	return !ret->status;
}
