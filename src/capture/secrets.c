/* What must not be written down? */
#include "capture/secrets.h"

#include "base/mem.h"

#include <ctype.h>

/* A name that has one of these words is a secret's. */
static const char anywhere[] =
	"secret secrets password passwords passwd passphrase credential credentials apikey "
	"apikeys bearer authtoken accesskey secretkey privatekey cookie jwt authorization";

/* A name whose last word is one of these, as well: --api-key, HF_TOKEN. */
static const char last[] = "token key keys pass auth pwd pw pat sig signature";

/* Before these a token is one of text, a key is one of data, a pass one of a model. */
static const char plain_before[] =
	"eos bos pad unk sep cls mask stop start end image audio video text json label input "
	"output column field sort index primary foreign fn prompt reward target response "
	"answer first next per num n max min forward backward";

/* With these at its end a name is still that of the secret: --token-file. */
static const char carriers[] = "file value header";

/* How a word ends that has more before it: dbpassword, hftoken. */
static const char *const endings[] = {"password", "passwd", "passphrase",
				      "secret",	  "token",  "apikey"};

static bool ends_like_secret(struct str word)
{
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		const size_t len = strlen(endings[i]);

		if (word.len > len && strncasecmp(word.s + word.len - len, endings[i], len) == 0)
			return true;
	}
	return false;
}

/* "apiToken" and "HFToken" are two words. */
static bool is_boundary(struct str name, size_t at)
{
	return isupper((unsigned char)name.s[at]) &&
	       (islower((unsigned char)name.s[at - 1]) ||
		(at + 1 < name.len && islower((unsigned char)name.s[at + 1])));
}

/* The word that begins at `from` or later; empty at the end. */
static struct str word_from(struct str name, size_t from)
{
	size_t len = 0;

	while (from < name.len && !isalnum((unsigned char)name.s[from]))
		from++;
	while (from + len < name.len && isalnum((unsigned char)name.s[from + len]) &&
	       !(len && is_boundary(name, from + len)))
		len++;
	return (struct str){name.s + from, len};
}

/* The second of them, api_key2, is one as well. */
static struct str without_number(struct str word)
{
	while (word.len > 1 && isdigit((unsigned char)word.s[word.len - 1]))
		word.len--;
	return word;
}

bool secret_name(struct str name)
{
	struct str before = {0}, word = {0}, next = word_from(name, 0);

	while (next.len) {
		if (!str_is_listed_any_case(next, carriers)) {
			before = word;
			word = without_number(next);
		}
		if (str_is_listed_any_case(word, anywhere) || ends_like_secret(word))
			return true;
		next = word_from(name, (size_t)(next.s - name.s) + next.len);
	}
	return str_is_listed_any_case(word, last) && !str_is_listed_any_case(before, plain_before);
}

static const char spaces[] = " \t\n", spaces_or_quotes[] = " \t\n'\"";

/* How tokens begin that are secrets whatever they are called. */
static const char *const beginnings[] = {
	"hf_",	  "api_org_", "sk-",	"sk_live_",    "rk_live_", "ghp_",  "gho_",
	"ghs_",	  "ghu_",     "ghr_",	"github_pat_", "glpat-",   "AKIA",  "ASIA",
	"AIza",	  "ya29.",    "xoxa-",	"xoxb-",       "xoxp-",	   "xoxr-", "eyJ",
	"nvapi-", "gsk_",     "r8_",	"xai-",	       "pplx-",	   "lsv2_", "npm_",
	"pypi-",  "SG.",      "shpat_", "dckr_pat_",   "wandb_v1_"};

enum { TOKEN_BYTES = 12 }; /* what follows a beginning, at least */

/* The letters, digits, _, - and . with which it begins: a name, or a token. */
static struct str run_at(const char *s)
{
	size_t len = 0;

	while (isalnum((unsigned char)s[len]) || (s[len] && strchr("_-.", s[len])))
		len++;
	return (struct str){s, len};
}

static bool is_token(struct str run)
{
	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++) {
		if (str_starts(run, beginnings[i]) &&
		    run.len >= strlen(beginnings[i]) + TOKEN_BYTES)
			return true;
	}
	return false;
}

/* Behind --token: -x and --verbose are options, -Vh3qKx is a secret. */
static bool is_option(const char *s)
{
	return s[0] == '-' && (s[1] == '-' || strcspn(s, spaces) <= 2);
}

/* The length of the quotes with which it begins and of what is between them. */
static size_t quoted_length(const char *s)
{
	size_t len = 1;

	while (s[len] && s[len] != s[0])
		len += s[len] == '\\' && s[len + 1] ? 2 : 1;
	return len + (s[len] != '\0');
}

static void add_masked(struct buf *b, const char *value, size_t len)
{
	const char quote = strchr("'\"", value[0]) ? value[0] : '\0';

	buf_addf(b, "%.1s" SECRET_MASK, quote ? value : "");
	if (quote && len > 1 && value[len - 1] == quote)
		buf_addc(b, quote);
}

/* Where a value ends that is in no quotes: in doubt with the word. */
static const char *value_end(const char *word, bool is_member, bool is_sentence)
{
	if (is_member)
		return ",}] \t\n";
	if (is_sentence) /* "Authorization: Basic x" */
		return "'\"";
	return strpbrk(word, spaces) ? spaces_or_quotes : "";
}

/* Whether a value may follow the name without a sign between them: --token X, HF_TOKEN X. */
static bool takes_next(const char *word, struct str name)
{
	if (name.s > word && !strchr(spaces_or_quotes, name.s[-1]))
		return false;
	return name.s[0] == '-' || str_is_listed_any_case(name, "password passwd bearer") ||
	       memchr(name.s, '_', name.len) || memchr(name.s, '.', name.len);
}

static void await_value(struct mask *m, struct str name)
{
	m->next = true;
	m->many = str_ends(name, "s") || str_ends(name, "S");
}

/* What follows the name of a secret, up to the end of its value. Returns how much that is. */
static size_t add_value(struct buf *b, struct mask *m, const char *word, struct str name)
{
	const char *after = name.s + name.len, *sign = after, *value;
	const bool is_member =
		name.s > word && *after && strchr("'\"", *after) && name.s[-1] == *after;
	size_t len;

	sign += is_member;
	sign += strspn(sign, spaces);
	value = sign;
	if (*sign == '=' || *sign == ':')
		value += 1 + strspn(sign + 1, spaces);
	else if (is_member || (*sign && sign == after) || is_option(sign) ||
		 !takes_next(word, name))
		return 0;
	buf_add(b, after, (size_t)(value - after));
	if (!*value) {
		await_value(m, name);
		return (size_t)(value - after);
	}
	if (strchr("'\"", *value))
		len = quoted_length(value);
	else if (strchr("[{", *value))
		len = strlen(value);
	else
		len = strcspn(value, value_end(word, is_member, value > sign + 1));
	add_masked(b, value, len);
	return (size_t)(value - after) + len;
}

/* "://user:password@host", up to the @; a password may have one: the last counts. */
static size_t add_login(struct buf *b, const char *s)
{
	const size_t len = strcspn(s, spaces_or_quotes);
	const char *host = strncmp(s, "://", 3) == 0 ? memrchr(s, '@', len) : NULL;

	if (!host)
		return 0;
	buf_adds(b, "://" SECRET_MASK);
	return (size_t)(host - s);
}

static size_t add_run(struct buf *b, struct mask *m, const char *word, struct str run)
{
	if (is_token(run)) {
		buf_adds(b, SECRET_MASK);
		return run.len;
	}
	buf_addstr(b, run);
	if (secret_name(run))
		return run.len + add_value(b, m, word, run);
	return run.len + add_login(b, run.s + run.len);
}

/* The name and sign of --api-key=X, whose value is all that follows; 0: it is none. */
static size_t option_length(const char *word)
{
	const struct str name = run_at(word);

	return word[0] == '-' && word[name.len] == '=' && word[name.len + 1] && secret_name(name)
		       ? name.len + 1
		       : 0;
}

void secrets_add_word(struct buf *b, struct mask *m, const char *word)
{
	const bool awaited = m->next && !is_option(word);
	const size_t option = option_length(word);

	m->next = awaited && m->many;
	if (awaited || option) {
		buf_add(b, word, awaited ? 0 : option);
		buf_adds(b, SECRET_MASK);
		return;
	}
	for (const char *at = word; *at;) {
		const struct str run = run_at(at);

		if (run.len)
			at += add_run(b, m, word, run);
		else
			buf_addc(b, *at++);
	}
}

void secrets_add_named(struct buf *b, const char *name, const char *value)
{
	struct mask m = {0};

	if (secret_name(str_of(name)))
		buf_adds(b, SECRET_MASK);
	else
		secrets_add_word(b, &m, value);
}
