/* Is what has this name a secret? */
#include "capture/secret_names.h"

#include "base/mem.h"

#include <ctype.h>
#include <strings.h>

/* A whole word of an option's name: --max-tokens and --tokenizer are no secrets. */
static const char *const words[] = {
	"token",     "key",	"secret",  "password",	 "passwd",     "pass",
	"auth",	     "apikey",	"bearer",  "authtoken",	 "passphrase", "accesskey",
	"pwd",	     "cookie",	"jwt",	   "pw",	 "pat",	       "sig",
	"signature", "session", "license", "credential", "pgpassword", "authorization"};

/* The same at the end of a word that has something before it: dbpassword, hftoken. */
static const char *const endings[] = {"password", "passwd", "secret", "token",
				      "apikey",	  "key",    "pass",   "passphrase"};

/* Words that only end so. */
static const char *const no_secrets[] = {"monkey", "turkey", "hotkey",
					 "donkey", "bypass", "compass"};

/* What a model's vocabulary calls a token, before that word: --eos-token. */
static const char *const kinds_of_token[] = {
	"eos",	 "bos",	  "pad", "unk", "sep",	 "cls",	 "mask", "stop",  "start", "image",
	"audio", "video", "end", "per", "first", "next", "last", "inter", "think"};

/* What is asked of a token of text, behind the word: --token-drop-policy, max_token_len_per_gpu. */
static const char *const of_tokens[] = {"type",	     "len",	  "length", "drop",  "map",
					"index",     "latency",	  "ids",    "quant", "level",
					"mixer",     "embedding", "choice", "limit", "budget",
					"threshold", "dispatcher"};

/* Whose tokens are no text, where there are several: --hf-tokens. */
static const char *const owners_of_tokens[] = {"api",	  "access",  "auth",   "hf",
					       "hub",	  "bearer",  "secret", "refresh",
					       "session", "private", "github", "gitlab"};

/* Where a key is a name of what is in a file: --text-key, --json-keys. */
static const char *const kinds_of_key[] = {
	"json",	   "text",    "image",	  "audio",  "video",  "label",	   "input",   "output",
	"column",  "field",   "sort",	  "dict",   "target", "prompt",	   "feature", "index",
	"primary", "foreign", "reward",	  "fn",	    "tool",   "metadata",  "chosen",  "rejected",
	"rng",	   "ckpt",    "response", "answer", "query",  "multimodal"};

/* With what names begin that ask how many: --num-key-heads. */
static const char *const counts[] = {"num", "n", "max", "min", "total", "number"};

/*
 * How names end that ask for a measure or a kind, whatever of: --key-dim, --auth-type. An id is
 * none of them: that of a session or of a secret is as good as the thing itself.
 */
static const char *const measures[] = {"dim",	 "dims", "size",  "count",  "len",     "length",
				       "type",	 "mode", "kind",  "method", "timeout", "threshold",
				       "budget", "rate", "ratio", "heads",  "limit",   "interval"};

static bool is_one_of(struct str s, const char *const *words_of, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (s.len == strlen(words_of[i]) && strncasecmp(s.s, words_of[i], s.len) == 0)
			return true;
	}
	return false;
}

static bool is_word(struct str s, const char *word)
{
	return is_one_of(s, &word, 1);
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

static struct str word_after(struct str name, struct str word)
{
	return word_from(name, (size_t)(word.s - name.s) + word.len);
}

static struct str last_word(struct str name)
{
	struct str last = word_from(name, 0), next = last;

	while (next.len) {
		last = next;
		next = word_after(name, next);
	}
	return last;
}

/* "key-value-heads" and the like are of attention; what ends in "api-key-value" is a secret. */
static bool is_attention(struct str name, struct str word)
{
	struct str next = word_after(name, word);

	return is_word(word, "key") && is_word(next, "value") && word_after(name, next).len;
}

/* A token of text: --eos-token, --pad-token-id, --stop_token_ids, --token-type-ids. */
static bool is_of_text(struct str name, struct str before, struct str word)
{
	struct str next = word_after(name, word);

	if (!is_word(word, "token"))
		return false;
	return is_one_of(next, of_tokens, ARRAY_LEN(of_tokens)) ||
	       (is_one_of(before, kinds_of_token, ARRAY_LEN(kinds_of_token)) &&
		(!next.len || is_word(next, "id")));
}

/* --pass-at-k, --forward-pass */
static bool is_pass(struct str name, struct str before, struct str word)
{
	return is_word(word, "pass") && (is_word(word_after(name, word), "at") ||
					 is_word(before, "forward") || is_word(before, "backward"));
}

static bool ends_like_secret(struct str word)
{
	if (is_one_of(word, no_secrets, ARRAY_LEN(no_secrets)))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		const size_t len = strlen(endings[i]);

		if (word.len > len && strncasecmp(word.s + word.len - len, endings[i], len) == 0)
			return true;
	}
	return false;
}

static struct str singular(struct str word)
{
	const bool many = word.len > 1 && tolower((unsigned char)word.s[word.len - 1]) == 's';

	return (struct str){word.s, word.len - many};
}

static bool is_plural(struct str word)
{
	return !is_one_of(word, words, ARRAY_LEN(words)) &&
	       is_one_of(singular(word), words, ARRAY_LEN(words));
}

/* The second of them, api_key2, is one as well. */
static struct str without_number(struct str word)
{
	size_t len = word.len;

	while (len && isdigit((unsigned char)word.s[len - 1]))
		len--;
	return len ? (struct str){word.s, len} : word;
}

/* Tokens are text unless somebody owns them. */
static bool is_secret(struct str name, struct str before, struct str numbered)
{
	const struct str word = without_number(numbered);
	const bool many = is_plural(word);

	if (!many && !is_one_of(word, words, ARRAY_LEN(words)))
		return ends_like_secret(word);
	if (many && is_word(word, "tokens"))
		return is_one_of(before, owners_of_tokens, ARRAY_LEN(owners_of_tokens));
	if (is_word(singular(word), "key") &&
	    is_one_of(before, kinds_of_key, ARRAY_LEN(kinds_of_key)))
		return false;
	return !is_attention(name, numbered) && !is_of_text(name, before, numbered) &&
	       !is_pass(name, before, numbered);
}

bool secret_name(struct str name)
{
	struct str before = {0}, word = word_from(name, 0);

	if (is_one_of(last_word(name), measures, ARRAY_LEN(measures)) ||
	    is_one_of(word, counts, ARRAY_LEN(counts)))
		return false;
	while (word.len) {
		if (is_secret(name, before, word))
			return true;
		before = word;
		word = word_after(name, word);
	}
	return false;
}

bool secret_names_many(struct str name)
{
	return is_plural(last_word(name));
}

/* One of several words, or one that means nothing else; token and key alone may be a command. */
bool secret_bare_name(struct str name)
{
	const struct str last = last_word(name);

	for (size_t i = 0; i < name.len; i++) {
		if (!isalnum((unsigned char)name.s[i]) && (!name.s[i] || !strchr("_.", name.s[i])))
			return false;
	}
	return secret_name(name) && is_one_of(last, words, ARRAY_LEN(words)) &&
	       (last.len < name.len || str_starts(last, "passw"));
}

bool secret_user_name(struct str name)
{
	return str_eq(name, STR_LIT("-u")) || (name.len > 4 && name.s[0] == '-' &&
					       strncasecmp(name.s + name.len - 4, "user", 4) == 0 &&
					       !isalnum((unsigned char)name.s[name.len - 5]));
}
