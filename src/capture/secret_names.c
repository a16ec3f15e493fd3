/* Is what has this name a secret? */
#include "base/mem.h"
#include "capture/secrets.h"

#include <ctype.h>
#include <strings.h>

/* A name that has one of these words is a secret's. */
static const char *const anywhere[] = {
	"secret",     "secrets",     "password",   "passwords", "passwd", "passphrase",
	"credential", "credentials", "apikey",	   "apikeys",	"bearer", "authtoken",
	"accesskey",  "secretkey",   "privatekey", "cookie",	"jwt",	  "authorization"};

/* A name whose last word is one of these, as well: --api-key, HF_TOKEN. */
static const char *const last[] = {"token", "key", "keys", "pass", "auth",
				   "pwd",   "pw",  "pat",  "sig",  "signature"};

/* Before these a token is one of text, a key is one of data, a pass one of a model. */
static const char *const plain[] = {
	"eos",	 "bos",	   "pad",    "unk",    "sep",	   "cls",     "mask",	 "stop",
	"start", "end",	   "image",  "audio",  "video",	   "text",    "json",	 "label",
	"input", "output", "column", "field",  "sort",	   "index",   "primary", "foreign",
	"fn",	 "prompt", "reward", "target", "response", "answer",  "first",	 "next",
	"per",	 "num",	   "n",	     "max",    "min",	   "forward", "backward"};

/* With these at its end a name is still that of the secret: --token-file. */
static const char *const carriers[] = {"file", "value", "header"};

/* How a word ends that has more before it: dbpassword, hftoken. */
static const char *const endings[] = {"password", "passwd", "passphrase",
				      "secret",	  "token",  "apikey"};

static bool is_one_of(struct str s, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (s.len == strlen(words[i]) && strncasecmp(s.s, words[i], s.len) == 0)
			return true;
	}
	return false;
}

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
		if (!is_one_of(next, carriers, ARRAY_LEN(carriers))) {
			before = word;
			word = without_number(next);
		}
		if (is_one_of(word, anywhere, ARRAY_LEN(anywhere)) || ends_like_secret(word))
			return true;
		next = word_from(name, (size_t)(next.s - name.s) + next.len);
	}
	return is_one_of(word, last, ARRAY_LEN(last)) &&
	       !is_one_of(before, plain, ARRAY_LEN(plain));
}
