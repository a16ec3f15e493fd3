/* May anything be sent to this address? */
#include "llm/http.h"

#include <ctype.h>
#include <stdlib.h>

/* Only what every reader of addresses reads alike. */
static bool is_plain(struct str s, const char *also)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!isalnum((unsigned char)s.s[i]) && !strchr(also, s.s[i]))
			return false;
	}
	return true;
}

static bool is_loopback(struct str host)
{
	unsigned parts = 1;

	if (str_eq_any_case(host, "localhost") || str_eq(host, STR_LIT("[::1]")))
		return true;
	for (size_t i = 0; i < host.len; i++) {
		if (host.s[i] == '.')
			parts++;
		else if (!isdigit((unsigned char)host.s[i]))
			return false;
	}
	return parts == 4 && str_starts(host, "127.");
}

static bool read_host(struct http_address *a, struct str rest)
{
	const char *end = rest.len && rest.s[0] == '[' ? memchr(rest.s, ']', rest.len) : NULL;
	const char *colon = end ? end + 1 : rest.len ? memchr(rest.s, ':', rest.len) : NULL;
	const size_t len = colon ? (size_t)(colon - rest.s) : rest.len;
	struct str inside = {rest.s, len};

	a->host = inside;
	if (end)
		inside = (struct str){rest.s + 1, len - 2};
	if (colon && len < rest.len) {
		a->port = (struct str){colon + 1, rest.len - len - 1};
		if (*colon != ':' || !a->port.len || a->port.len > 5)
			return false;
		for (size_t i = 0; i < a->port.len; i++) {
			if (!isdigit((unsigned char)a->port.s[i]))
				return false;
		}
	}
	return inside.len && is_plain(inside, end ? ":." : ".-");
}

int http_address_read(struct http_address *ret, const char *url, struct err *e)
{
	const char *begin = strstr(url, "://");
	struct str rest;
	size_t len;

	*ret = (struct http_address){0};
	if (!begin || (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0))
		return err_set(e, ERR_USAGE, "a model's address begins with https:// or http://");
	ret->scheme = (struct str){url, (size_t)(begin - url)};
	rest = str_of(begin + 3);
	len = strcspn(rest.s, "/");
	ret->path = (struct str){rest.s + len, rest.len - len};
	if (strpbrk(url, "@?#"))
		return err_set(e, ERR_USAGE,
			       "a model's address has no user, query or fragment: keys come from "
			       "the environment or the configuration file");
	if (!read_host(ret, (struct str){rest.s, len}) || !is_plain(ret->path, "/._~-%+:"))
		return err_set(e, ERR_USAGE, "this is no address of a server: '%.200s'", url);
	ret->is_loopback = is_loopback(ret->host);
	if (str_eq(ret->scheme, STR_LIT("http")) && !ret->is_loopback)
		return err_set(e, ERR_USAGE,
			       "plain http:// is for this machine alone (127.0.0.1, localhost): "
			       "use https://");
	return 0;
}
