/* Does this look like a secret? */
#include "capture/secret_values.h"

#include "base/mem.h"

#include <ctype.h>
#include <strings.h>

/* How values begin that are secrets whatever they are called. */
static const char *const beginnings[] = {
	"hf_",	  "api_org_", "sk-",	"sk_live_",    "rk_live_", "ghp_",  "gho_",
	"ghs_",	  "ghu_",     "ghr_",	"github_pat_", "glpat-",   "AKIA",  "ASIA",
	"AIza",	  "ya29.",    "xoxa-",	"xoxb-",       "xoxp-",	   "xoxr-", "eyJ",
	"nvapi-", "gsk_",     "r8_",	"xai-",	       "pplx-",	   "lsv2_", "npm_",
	"pypi-",  "SG.",      "shpat_", "dckr_pat_",   "wandb_v1_"};

enum {
	TOKEN_BYTES = 12,  /* what follows a beginning, at least */
	RANDOM_BYTES = 32, /* of a text without a beginning that is known */
	MADE_UP_BYTES = 8,
};

static bool is_of(char c, const char *others)
{
	return isalnum((unsigned char)c) || (c && strchr(others, c));
}

size_t secret_token_length(struct str s)
{
	size_t len = 0;

	while (len < s.len && is_of(s.s[len], "_-."))
		len++;
	return len;
}

struct look {
	bool upper, lower, digit, other;
};

static struct look look_at(struct str s)
{
	struct look l = {0};

	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.s[i];

		l.upper |= isupper(c) != 0;
		l.lower |= islower(c) != 0;
		l.digit |= isdigit(c) != 0;
		l.other |= !isalnum(c);
	}
	return l;
}

bool secret_looks_made_up(struct str s)
{
	const struct look l = look_at(s);

	return s.len >= MADE_UP_BYTES && secret_token_length(s) == s.len &&
	       !memchr(s.s, '.', s.len) && l.digit && (l.upper || l.lower);
}

bool secret_is_answer(struct str s)
{
	static const char *const answers[] = {"true", "false", "yes",  "no",  "on",
					      "off",  "none",  "null", "auto"};

	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		if (s.len == strlen(answers[i]) && strncasecmp(s.s, answers[i], s.len) == 0)
			return true;
	}
	return false;
}

/* 32 letters and digits of all kinds; a commit and a checksum have no capitals. */
static bool is_random(struct str s)
{
	const struct look l = look_at(s);

	return s.len >= RANDOM_BYTES && l.upper && l.lower && l.digit && !l.other;
}

/* How long the secret is that begins here; 0 where none does. */
static size_t secret_length(struct str s)
{
	size_t len = secret_token_length(s);

	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++) {
		if (str_starts(s, beginnings[i]) && len >= strlen(beginnings[i]) + TOKEN_BYTES)
			return len;
	}
	return is_random((struct str){s.s, len}) ? len : 0;
}

static void add_without_tokens(struct buf *b, struct str s)
{
	for (size_t at = 0, len; at < s.len; at += len) {
		struct str rest = {s.s + at, s.len - at};

		len = secret_length(rest);
		if (len) {
			buf_adds(b, SECRET_MASK);
			continue;
		}
		/* Beginnings count where words do. */
		len = secret_token_length(rest);
		len += len < rest.len;
		buf_add(b, rest.s, len);
	}
}

/* Before a : and an @ that is no host's: an address for letters, packages, a repository. */
static const char *const no_users[] = {"mailto", "npm", "pkg", "git@"};

/* An address for letters may be a user's name: bob@corp.com:password@host. */
static size_t user_length(struct str s)
{
	size_t len = 0;

	while (len < s.len && is_of(s.s[len], "._%+-@"))
		len++;
	for (size_t i = 0; i < ARRAY_LEN(no_users); i++) {
		const size_t no = strlen(no_users[i]);

		if (str_starts((struct str){s.s, len}, no_users[i]) &&
		    (no == len || no_users[i][no - 1] == '@'))
			return 0;
	}
	return len;
}

/* Behind an @; the 3 of worker:29500@3 and the sha256:… of an image's name are none. */
static bool is_host(struct str s)
{
	size_t len = secret_token_length(s), digits = 0;

	while (digits < len && isdigit((unsigned char)s.s[digits]))
		digits++;
	if (len < s.len && s.s[len] == ':' && str_starts(s, "sha"))
		return false;
	return digits < len || (s.len && s.s[0] == '[');
}

/* Where the first user of the text begins, and where the password behind it. */
static bool find_user(struct str s, size_t *ret_from, size_t *ret_password)
{
	for (size_t i = 0; i < s.len; i++) {
		size_t len;

		if (i && !strchr("=,;&?{([|'\"", s.s[i - 1]))
			continue;
		len = user_length((struct str){s.s + i, s.len - i});
		if (len && i + len < s.len && s.s[i + len] == ':') {
			*ret_from = i;
			*ret_password = i + len + 1;
			return true;
		}
	}
	return false;
}

/* user:password@host without a scheme before it. A password may have an @: the last one counts. */
static bool find_plain_login(struct str s, size_t *ret_from, size_t *ret_at)
{
	size_t password;

	if (!find_user(s, ret_from, &password))
		return false;
	for (size_t at = s.len; at-- > password + 1;) {
		*ret_at = at;
		if (s.s[at] == '@' && is_host((struct str){s.s + at + 1, s.len - at - 1}))
			return true;
	}
	return false;
}

/*
 * user:password@host, with or without a scheme before it: from *ret_from to the @ at *ret_at; of
 * several all of them. The range that nsys is asked for, NAME@DOMAIN, looks alike.
 */
static bool find_login(struct str s, size_t *ret_from, size_t *ret_at)
{
	const char *scheme = s.len ? memmem(s.s, s.len, "://", 3) : NULL;
	const char *host = scheme ? memrchr(scheme, '@', s.len - (size_t)(scheme - s.s)) : NULL;
	size_t ignored;

	if (str_starts(s, "--nvtx-capture="))
		return false;
	if (!host)
		return find_plain_login(s, ret_from, ret_at);
	*ret_at = (size_t)(host - s.s);
	if (!find_plain_login((struct str){s.s, (size_t)(scheme - s.s)}, ret_from, &ignored))
		*ret_from = (size_t)(scheme - s.s) + 3;
	return true;
}

void secret_value_add(struct buf *b, struct str value)
{
	size_t from, at;

	if (!find_login(value, &from, &at)) {
		add_without_tokens(b, value);
		return;
	}
	add_without_tokens(b, (struct str){value.s, from});
	buf_adds(b, SECRET_MASK);
	add_without_tokens(b, (struct str){value.s + at, value.len - at});
}
