/* What must not be written down? */
#include "capture/secrets.h"

#include "base/mem.h"
#include "capture/secret_names.h"

#include <ctype.h>
#include <strings.h>

/* A prefix ends in _; others are whole names. */
static const char *const allowed[] = {
	"CUDA_",
	"NCCL_",
	"OMP_",
	"MKL_",
	"KMP_",
	"PYTORCH_",
	"TORCH_",
	"TORCHINDUCTOR_",
	"TRITON_",
	"VLLM_",
	"SGLANG_",
	"SGL_",
	"TRTLLM_",
	"NVTE_",
	"NVSHMEM_",
	"TRANSFORMERS_",
	"ACCELERATE_",
	"DS_",
	"RAY_",
	"SLURM_",
	"NSYS_",
	"GPUWHY_",
	"NVIDIA_VISIBLE_DEVICES",
	"PYTHONHASHSEED",
	"HF_HOME",
	"HF_HUB_OFFLINE",
	"HF_DATASETS_OFFLINE",
	"CUBLAS_WORKSPACE_CONFIG",
	"CUBLASLT_WORKSPACE_SIZE",
	"WORLD_SIZE",
	"RANK",
	"LOCAL_RANK",
	"LOCAL_WORLD_SIZE",
	"NODE_RANK",
	"LD_BIND_NOW",
};

/* Anywhere in a variable's name, in capitals. */
static const char *const smells[] = {"TOKEN", "KEY",	   "SECRET", "PASS",	"AUTH", "CRED",
				     "CERT",  "SIGNATURE", "COOKIE", "PRIVATE", "JWT"};

/* How values begin that are secrets whatever they are called. */
static const char *const beginnings[] = {"hf_",	 "sk-",	 "ghp_",  "gho_",  "github_pat_", "glpat-",
					 "AKIA", "ASIA", "xoxb-", "xoxp-", "eyJ",	  "nvapi-"};

static const char masked[] = "***";
static const char spaces[] = " \t\n";

enum { TOKEN_BYTES = 12 }; /* what follows a beginning, at least */

bool secrets_allow_variable(struct str name)
{
	bool found = false;

	for (size_t i = 0; i < name.len; i++) {
		if (!isalnum((unsigned char)name.s[i]) && name.s[i] != '_')
			return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(allowed) && !found; i++) {
		size_t len = strlen(allowed[i]);

		found = allowed[i][len - 1] == '_' ? str_starts(name, allowed[i])
						   : str_eq(name, str_of(allowed[i]));
	}
	for (size_t i = 0; i < ARRAY_LEN(smells) && found; i++)
		found = !str_holds(name, smells[i]);
	return found && !secret_name(name);
}

static size_t token_length(struct str s)
{
	size_t len = 0;

	while (len < s.len && (isalnum((unsigned char)s.s[len]) || strchr("_-.", s.s[len])))
		len++;
	return len;
}

/* How long the secret is that begins here; 0 where none does. */
static size_t secret_length(struct str s)
{
	size_t len = token_length(s);

	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++) {
		if (str_starts(s, beginnings[i]) && len >= strlen(beginnings[i]) + TOKEN_BYTES)
			return len;
	}
	return 0;
}

static void add_without_tokens(struct buf *b, struct str s)
{
	for (size_t at = 0, len; at < s.len; at += len) {
		struct str rest = {s.s + at, s.len - at};

		len = secret_length(rest);
		if (len) {
			buf_adds(b, masked);
			continue;
		}
		/* Beginnings count where words do. */
		len = token_length(rest);
		len += len < rest.len;
		buf_add(b, rest.s, len);
	}
}

/* Before a : and an @ that is no host's: an address for letters, packages. */
static const char *const no_users[] = {"mailto", "npm", "pkg"};

static size_t user_length(struct str s)
{
	size_t len = 0;

	while (len < s.len && (isalnum((unsigned char)s.s[len]) || strchr("._%+-", s.s[len])))
		len++;
	for (size_t i = 0; i < ARRAY_LEN(no_users); i++) {
		if (str_eq((struct str){s.s, len}, str_of(no_users[i])))
			return 0;
	}
	return len;
}

/* Behind an @; the 3 of worker:29500@3 and the sha256:… of an image's name are none. */
static bool is_host(struct str s)
{
	size_t len = token_length(s), digits = 0;

	while (digits < len && isdigit((unsigned char)s.s[digits]))
		digits++;
	if (len < s.len && s.s[len] == ':' && str_starts(s, "sha"))
		return false;
	return digits < len || (s.len && s.s[0] == '[');
}

/* Where the user begins whose password ends before `at`; false: none does. */
static bool find_user(struct str s, size_t at, size_t *ret)
{
	for (size_t i = 0; i < at; i++) {
		size_t len;

		if (i && !strchr("=,;&?{([|'\"", s.s[i - 1]))
			continue;
		len = user_length((struct str){s.s + i, at - i});
		if (len && i + len + 1 < at && s.s[i + len] == ':') {
			*ret = i;
			return true;
		}
	}
	return false;
}

/*
 * user:password@host, with or without a scheme before it: from *ret_from to the @ at *ret_at. A
 * password may have an @. The range that nsys is asked for, NAME@DOMAIN, looks alike.
 */
static bool find_login(struct str s, size_t *ret_from, size_t *ret_at)
{
	const char *scheme = s.len ? memmem(s.s, s.len, "://", 3) : NULL;
	const char *host = scheme ? memrchr(scheme, '@', s.len - (size_t)(scheme - s.s)) : NULL;

	if (host) {
		*ret_from = (size_t)(scheme - s.s) + 3;
		*ret_at = (size_t)(host - s.s);
		return true;
	}
	if (str_starts(s, "--nvtx-capture="))
		return false;
	for (size_t at = s.len; at-- > 0;) {
		*ret_at = at;
		if (s.s[at] == '@' && is_host((struct str){s.s + at + 1, s.len - at - 1}) &&
		    find_user(s, at, ret_from))
			return true;
	}
	return false;
}

static void add_value(struct buf *b, struct str value)
{
	size_t from, at;

	if (!find_login(value, &from, &at)) {
		add_without_tokens(b, value);
		return;
	}
	add_without_tokens(b, (struct str){value.s, from});
	buf_adds(b, masked);
	add_without_tokens(b, (struct str){value.s + at, value.len - at});
}

/* Behind which = or : of the piece a secret stands; 0: none does. */
static size_t secret_at(struct str s, bool user)
{
	size_t name = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (strchr("=:", s.s[i])) {
			struct str before = {s.s + name, i - name};

			if (secret_name(before) || (user && s.s[i] == ':'))
				return i + 1;
			user = s.s[i] == '=' && secret_user_name(before);
			name = i + 1;
		} else if (strchr(",{&?", s.s[i])) {
			name = i + 1;
		}
	}
	return 0;
}

/* Behind --token: -x and --verbose are options, -Vh3qKx is a secret. */
static bool is_option(struct str s)
{
	return s.len && s.s[0] == '-' && (s.len <= 2 || s.s[1] == '-');
}

/* Where it is the value of an option that takes a secret, it is one, and nothing else. */
static bool add_awaited(struct buf *b, struct mask *m, struct str s)
{
	const bool is = m->next && !is_option(s);

	m->next = false;
	if (is) {
		m->user = false;
		buf_adds(b, masked);
	}
	return is;
}

/*
 * How long the value of a JSON member is, spaces before it included, when it is a string, a number
 * or a word and the next member or the end follows; else 0.
 */
static size_t member_length(const char *s)
{
	size_t len = strspn(s, spaces);
	const char quote = s[len];
	char next;

	if (quote == '"' || quote == '\'') {
		for (len++; s[len] && s[len] != quote; len++)
			len += s[len] == '\\' && s[len + 1];
		len += s[len] == quote;
	} else {
		len += token_length(str_of(s + len));
	}
	next = s[len + strspn(s + len, spaces)];
	return next && strchr(",}]", next) ? len : 0;
}

/* What is known to be a secret by the name before it. Returns as add_piece() does. */
static size_t add_behind_name(struct buf *b, struct mask *m, struct str s, size_t at)
{
	const char sign = s.s[at - 1];
	const bool is_member = sign == ':' && at > 1 && strchr("'\"", s.s[at - 2]);
	const size_t value = is_member ? member_length(s.s + at) : 0;

	/* There may be another one before it: user:password@ of an address. */
	add_value(b, (struct str){s.s, at});
	if (value && (at == s.len || at + value <= s.len)) {
		buf_add(b, s.s + at, strspn(s.s + at, spaces));
		buf_adds(b, "\"***\"");
		return at + value;
	}
	if (at < s.len) {
		buf_adds(b, masked);
		return s.len;
	}
	m->next = sign == '=';
	if (m->next)
		return s.len;
	/* "Authorization: Basic x": what follows is one value, spaces and all. */
	buf_adds(b, " ***");
	return strlen(s.s);
}

/* 'a line for a shell' */
static bool is_quoted(struct str s)
{
	return s.len > 1 && strchr("'\"", s.s[0]) &&
	       memchr(s.s + 1, s.s[0], s.len - 1) == s.s + s.len - 1;
}

static void add_quoted(struct buf *b, const struct mask *m, struct str s)
{
	struct mask inside = {.user = m->user};
	struct buf line = {0};

	buf_add(&line, s.s + 1, s.len - 2);
	buf_addc(b, s.s[0]);
	secrets_add_word(b, &inside, buf_str(&line).s);
	buf_addc(b, s.s[0]);
	buf_free(&line);
}

/* One piece between spaces, of a word that ends with it or later. Returns how much is added. */
static size_t add_piece(struct buf *b, struct mask *m, struct str s)
{
	const size_t at = secret_at(s, m->user);

	if (add_awaited(b, m, s))
		return s.len;
	if (is_quoted(s)) {
		add_quoted(b, m, s);
		m->user = false;
		return s.len;
	}
	m->user = secret_user_name(s);
	if (at)
		return add_behind_name(b, m, s, at);
	add_value(b, s);
	m->next = (s.s[0] == '-' && !memchr(s.s, '=', s.len) && secret_name(s)) ||
		  (s.len == 6 && strncasecmp(s.s, "bearer", 6) == 0);
	return s.len;
}

/* Up to a space that is in no quotes: a word may be a line for a shell. */
static size_t piece_length(const char *s)
{
	size_t len = 0;

	while (s[len] && !strchr(spaces, s[len])) {
		const char *close = strchr("'\"", s[len]) ? strchr(s + len + 1, s[len]) : NULL;

		len = close ? (size_t)(close - s) + 1 : len + 1;
	}
	return len;
}

/* Whether a name of a secret ends here, and its = or : comes next, behind a space. */
static bool is_named_before(struct str before, const char *next)
{
	size_t name = before.len;

	while (name && !strchr(",{&?", before.s[name - 1]))
		name--;
	return next[0] && strchr("=:", next[0]) &&
	       secret_name((struct str){before.s + name, before.len - name});
}

/* An option with its value: no line for a shell, however many spaces the value has. */
static size_t option_length(const char *word)
{
	const size_t name = strcspn(word, "= \t\n'\"");

	return word[0] == '-' && word[name] == '=' && secret_name((struct str){word, name})
		       ? name + 1
		       : 0;
}

void secrets_add_word(struct buf *b, struct mask *m, const char *word)
{
	struct str before = {word, 0};
	const size_t option = option_length(word);

	if (add_awaited(b, m, str_of(word)))
		return;
	if (option && word[option]) {
		buf_add(b, word, option);
		buf_adds(b, masked);
		return;
	}
	while (*word) {
		size_t space = strspn(word, spaces), len = piece_length(word + space), done = 0;

		buf_add(b, word, space);
		word += space;
		/* How far the secret goes nobody knows. */
		if (is_named_before(before, word)) {
			buf_addc(b, word[0]);
			buf_adds(b, " ***");
			return;
		}
		before = (struct str){word, len};
		/* Behind a member of JSON the rest of the piece follows: its quotes are paired. */
		while (done < len)
			done += add_piece(b, m, (struct str){word + done, len - done});
		word += done;
	}
}

/* A value is no line for a shell: behind the name of a secret all of it is one. */
static bool ends_in_secret(struct buf *b, const char *value)
{
	const size_t at = secret_at(str_of(value), false);
	const bool is = at && value[at] && strpbrk(value + at, spaces) && !strchr("{[", value[0]);

	if (is) {
		buf_add(b, value, at);
		buf_adds(b, masked);
	}
	return is;
}

void secrets_add_named(struct buf *b, const char *name, const char *value)
{
	struct mask m = {0};

	if (secret_name(str_of(name)))
		buf_adds(b, masked);
	else if (!ends_in_secret(b, value))
		secrets_add_word(b, &m, value);
}
