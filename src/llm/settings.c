/* Which model is asked, where, and as whom? */
#include "llm/settings.h"

#include "base/file.h"
#include "base/mem.h"
#include "llm/http.h"
#include "text/json_read.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TIMEOUT_S = 300, MAX_TOKENS = 4096, TOKEN_BUDGET = 400000, MOST_KEY = 4096 };

/* Nobody else may read it: it may hold a key. */
static int check_file(const char *path, bool *ret_is_there, struct err *e)
{
	struct stat st;

	*ret_is_there = lstat(path, &st) == 0;
	if (!*ret_is_there)
		return 0;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return err_set(e, ERR_INPUT, "'%s' is no plain file of yours", path);
	if (st.st_mode & 077) {
		err_set(e, ERR_INPUT, "others may read '%s'", path);
		return err_hint(e, "chmod 600 '%s'", path);
	}
	return 0;
}

static const char *member_text(struct model_settings *s, const struct json *doc, const char *key)
{
	const struct json *v = doc ? json_read_member(doc, key) : NULL;
	const struct str text = v ? json_read_string(v) : STR_LIT("");

	return text.len ? arena_str(&s->arena, text).s : NULL;
}

static double member_number(const struct json *doc, const char *key, double otherwise)
{
	const struct json *v = doc ? json_read_member(doc, key) : NULL;
	const double x = v ? json_read_number(v) : 0;

	return x > 0 ? x : otherwise;
}

/* A word that is none of these is a slip, and may be one that matters. */
static int check_members(const struct json *doc, const char *file, struct err *e)
{
	static const char known[] = "url model wire key key_env timeout_s max_tokens token_budget "
				    "redact_names";
	struct json_member m = {0};

	while (doc && json_read_next(doc, &m)) {
		if (!str_is_listed(m.key, known))
			return err_set(e, ERR_INPUT, "'%s' has a member '%.40s'; there are %s",
				       file, m.key.s, known);
	}
	return 0;
}

/* "/v1" where the address has no path, then the format's own. */
static void settle_url(struct model_settings *s, const struct http_address *a, const char *url)
{
	struct str base = str_of(url);
	bool has_path;

	while (base.len && base.s[base.len - 1] == '/')
		base.len--;
	has_path = a->path.len > 1;
	if (str_ends(base, wire_openai.path) || str_ends(base, wire_anthropic.path))
		s->url = arena_str(&s->arena, base).s;
	else
		s->url = arena_printf(&s->arena, "%.*s%s%s", STR_FMT(base), has_path ? "" : "/v1",
				      s->wire->path);
}

static int settle_wire(struct model_settings *s, const struct http_address *a, const char *name,
		       struct err *e)
{
	if (name) {
		s->wire = wire_find(str_of(name));
		return s->wire ? 0
			       : err_set(e, ERR_INPUT, "wire is openai or anthropic, not '%.40s'",
					 name);
	}
	s->wire = str_ends(a->path, wire_anthropic.path) || str_ends(a->host, "anthropic.com")
			  ? &wire_anthropic
			  : &wire_openai;
	return 0;
}

static bool is_same_server(const char *a, const char *b)
{
	struct http_address x, y;
	struct err ignored = {0};

	return http_address_read(&x, a, &ignored) == 0 && http_address_read(&y, b, &ignored) == 0 &&
	       str_eq(x.scheme, y.scheme) && str_eq(x.host, y.host) && str_eq(x.port, y.port);
}

static int settle_key(struct model_settings *s, const struct json *doc, struct err *e)
{
	const char *variable = member_text(s, doc, "key_env");
	const char *key = member_text(s, doc, "key");

	if (!key)
		key = getenv(variable ? variable : s->wire->key_variable);
	if (!key || !*key) {
		if (variable)
			return err_set(e, ERR_INPUT,
				       "the variable %s, which holds the key, is not set",
				       variable);
		return 0;
	}
	for (const char *c = key; *c; c++) {
		if (!isgraph((unsigned char)*c) || c - key > MOST_KEY)
			return err_set(e, ERR_INPUT, "the key is none: it has spaces or the like");
	}
	s->key = arena_strdup(&s->arena, key);
	return 0;
}

static int settle(struct model_settings *s, const char *url, const char *model,
		  const struct json *doc, const char *file, struct err *e)
{
	const char *kept_url = member_text(s, doc, "url");
	struct http_address a;

	if (strcmp(url, SETTINGS_CONFIGURED) == 0) {
		if (!kept_url) {
			err_set(e, ERR_INPUT, "--llm config: '%s' says no url", file);
			return err_hint(e, "pass --llm URL --model NAME");
		}
		url = kept_url;
	} else if (!kept_url || !is_same_server(url, kept_url)) {
		/* Its key is for another server. */
		doc = NULL;
	}
	if (http_address_read(&a, url, e) < 0 ||
	    settle_wire(s, &a, member_text(s, doc, "wire"), e) < 0)
		return -1;
	s->is_loopback = a.is_loopback;
	s->limits_completion = str_ends(a.host, "openai.com");
	settle_url(s, &a, url);
	s->model = model ? arena_strdup(&s->arena, model) : member_text(s, doc, "model");
	if (!s->model)
		return err_set(e, ERR_USAGE, "--llm needs --model NAME");
	return settle_key(s, doc, e);
}

int settings_read(struct model_settings *ret, const char *url, const char *model, const char *file,
		  struct err *e)
{
	struct json *doc = NULL;
	bool is_there = false;
	int result = file ? check_file(file, &is_there, e) : 0;

	*ret = (struct model_settings){0};
	if (result == 0 && is_there)
		result = json_read_file(&doc, file, e);
	if (result == 0)
		result = check_members(doc, file, e);
	if (result == 0) {
		ret->timeout_s = member_number(doc, "timeout_s", TIMEOUT_S);
		ret->max_tokens = (uint64_t)member_number(doc, "max_tokens", MAX_TOKENS);
		ret->token_budget = (uint64_t)member_number(doc, "token_budget", TOKEN_BUDGET);
		ret->redacts = doc && json_read_member(doc, "redact_names") &&
			       json_read_is_true(json_read_member(doc, "redact_names"));
		result = settle(ret, url, model, doc, file ? file : "the configuration file", e);
	}
	json_read_free(doc);
	return result;
}

void settings_free(struct model_settings *s)
{
	if (s->key)
		explicit_bzero((char *)s->key, strlen(s->key));
	arena_free(&s->arena);
	*s = (struct model_settings){0};
}
