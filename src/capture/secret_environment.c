/* Which variables hold secrets? */
#include "capture/secrets.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

/* A prefix ends in _; others are whole names. */
static const char allowed[] =
	"CUDA_ NCCL_ OMP_ MKL_ KMP_ PYTORCH_ TORCH_ TORCHINDUCTOR_ TRITON_ VLLM_ SGLANG_ SGL_ "
	"TRTLLM_ NVTE_ NVSHMEM_ TRANSFORMERS_ ACCELERATE_ DS_ RAY_ SLURM_ NSYS_ GPUWHY_ "
	"NVIDIA_VISIBLE_DEVICES PYTHONHASHSEED HF_HOME HF_HUB_OFFLINE HF_DATASETS_OFFLINE "
	"CUBLAS_WORKSPACE_CONFIG CUBLASLT_WORKSPACE_SIZE WORLD_SIZE RANK LOCAL_RANK "
	"LOCAL_WORLD_SIZE NODE_RANK OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE "
	"OMPI_COMM_WORLD_LOCAL_RANK PMI_RANK PMI_SIZE LD_BIND_NOW";

/* Anywhere in a variable's name, in capitals. */
static const char *const smells[] = {"TOKEN", "KEY",	 "SECRET",    "PASS",	"AUTH",
				     "CRED",  "CERT",	 "SIGNATURE", "COOKIE", "PRIVATE",
				     "JWT",   "SESSION", "LICENSE"};

enum { KNOWN_BYTES = 8 }; /* what a value has at least that is one wherever it stands */

static bool is_identifier(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (!isalnum((unsigned char)name.s[i]) && name.s[i] != '_')
			return false;
	}
	return name.len > 0;
}

static bool smells_of_secret(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(smells); i++) {
		if (str_holds(name, smells[i]))
			return true;
	}
	return secret_name(name);
}

bool secrets_allow_variable(struct str name)
{
	const char *list = allowed;
	struct str word;
	bool found = false;

	while (!found && (word = str_next_word(&list)).len) {
		found = str_ends(word, "_")
				? name.len >= word.len && memcmp(name.s, word.s, word.len) == 0
				: str_eq(name, word);
	}
	return found && is_identifier(name) && !smells_of_secret(name);
}

static bool holds_secret(struct str value)
{
	SCOPED_BUF shown = {0}, copy = {0};

	buf_addstr(&copy, value);
	secrets_add_named(&shown, "", buf_str(&copy).s);
	return !str_eq(buf_str(&shown), value);
}

bool secret_variable(struct str name, struct str value)
{
	const bool is_folder = str_eq(name, STR_LIT("PWD")) || str_eq(name, STR_LIT("OLDPWD"));

	return value.len && (holds_secret(value) || (secret_name(name) && !is_folder));
}

/* "NAME=value" in two, without quotes around the value; false: it is none. */
static bool split(struct str entry, struct str *ret_name, struct str *ret_value)
{
	const char *equals = entry.len ? memchr(entry.s, '=', entry.len) : NULL;

	if (!equals)
		return false;
	*ret_name = (struct str){entry.s, (size_t)(equals - entry.s)};
	*ret_value = (struct str){equals + 1, entry.len - ret_name->len - 1};
	if (ret_value->len > 1 && ret_value->s[0] == '"' && str_ends(*ret_value, "\""))
		*ret_value = (struct str){ret_value->s + 1, ret_value->len - 2};
	return is_identifier(*ret_name);
}

/* The longest comes first: one may be a part of another. */
static void add_known(struct known_secrets *k, struct str value)
{
	size_t at = 0;

	if (value.len < KNOWN_BYTES)
		return;
	while (at < k->count && k->all[at].len >= value.len)
		at++;
	MEM_GROW(k->all, k->cap, k->count + 1);
	memmove(k->all + at + 1, k->all + at, (k->count - at) * sizeof(*k->all));
	k->all[at] = value;
	k->count++;
}

void known_secrets_read(struct known_secrets *k)
{
	struct str name, value;

	*k = (struct known_secrets){0};
	for (char **entry = environ; *entry; entry++) {
		if (split(str_of(*entry), &name, &value) && secret_name(name) &&
		    secret_variable(name, value))
			add_known(k, value);
	}
}

void known_secrets_add(struct known_secrets *k, const char *word, const char *shown)
{
	const size_t len = strlen(shown), before = len - strlen(SECRET_MASK);

	if (str_ends((struct str){shown, len}, SECRET_MASK) && strlen(word) > before &&
	    strncmp(word, shown, before) == 0 && strcmp(word, shown) != 0)
		add_known(k, str_of(word + before));
}

void known_secrets_free(struct known_secrets *k)
{
	free(k->all);
	*k = (struct known_secrets){0};
}

static void replace_all(struct buf *b, struct str what)
{
	struct str rest = buf_str(b);
	SCOPED_BUF changed = {0};
	const char *at;

	while (rest.len && (at = memmem(rest.s, rest.len, what.s, what.len))) {
		buf_add(&changed, rest.s, (size_t)(at - rest.s));
		buf_adds(&changed, SECRET_MASK);
		rest.len -= (size_t)(at - rest.s) + what.len;
		rest.s = at + what.len;
	}
	if (changed.len) {
		buf_addstr(&changed, rest);
		buf_clear(b);
		buf_addstr(b, buf_str(&changed));
	}
}

void known_secrets_hide(const struct known_secrets *k, struct buf *b)
{
	for (size_t i = 0; i < k->count; i++)
		replace_all(b, k->all[i]);
}

/* A piece without a name belongs to the value before it, which has a separator in it. */
bool secrets_hide_variables(struct buf *b, struct str text)
{
	const char between = text.len && memchr(text.s, '\0', text.len) ? '\0' : ';';
	bool hides = false, any = false;

	for (size_t at = 0, len; at <= text.len; at += len + 1) {
		const char *end =
			at < text.len ? memchr(text.s + at, between, text.len - at) : NULL;
		struct str entry = {text.s + at, 0}, name, value;
		bool named;

		len = end ? (size_t)(end - entry.s) : text.len - at;
		entry.len = len;
		named = split(entry, &name, &value);
		if (named)
			hides = !secrets_allow_variable(name) || holds_secret(value);
		if (at && (named || !hides))
			buf_addc(b, between);
		if (!hides)
			buf_addstr(b, entry);
		else if (named)
			buf_addf(b, "%.*s=" SECRET_MASK, STR_FMT(name));
		any |= hides;
	}
	return any;
}
