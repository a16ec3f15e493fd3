/* What must not be written down? */
#include "capture/secrets.h"

#include "base/mem.h"

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

/* A whole word of an option's name: --max-tokens and --tokenizer are no secrets. */
static const char *const words[] = {
	"token",      "key",	   "secret",	 "password",  "passwd",	 "pass",
	"passphrase", "auth",	   "credential", "apikey",    "bearer",	 "credentials",
	"authtoken",  "accesskey", "pwd",	 "cookie",    "jwt",	 "authorization",
	"pw",	      "pat",	   "sig",	 "signature", "session", "license"};

/* How values begin that are secrets whatever they are called. */
static const char *const beginnings[] = {"hf_",	 "sk-",	 "ghp_",  "gho_",  "github_pat_", "glpat-",
					 "AKIA", "ASIA", "xoxb-", "xoxp-", "eyJ",	  "nvapi-"};

static const char masked[] = "***";
static const char spaces[] = " \t\n";

enum { TOKEN_BYTES = 12 }; /* what follows a beginning, at least */

static bool is_secret_word(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (s.len == strlen(words[i]) && strncasecmp(s.s, words[i], s.len) == 0)
			return true;
	}
	return false;
}

/* "key-value-heads" and the like are of attention; what ends in "api-key-value" is a secret. */
static bool is_attention(struct str name, size_t behind_key)
{
	struct str rest = {name.s + behind_key, name.len - behind_key};

	return rest.len > 7 && strncasecmp(rest.s + 1, "value", 5) == 0;
}

/* --api-key, hub.token, HF_TOKEN, {"api_key"; not --num-key-value-heads. */
static bool names_secret(struct str name)
{
	size_t at = 0;

	while (at < name.len) {
		size_t len = 0;
		struct str word;

		while (at + len < name.len && isalnum((unsigned char)name.s[at + len]))
			len++;
		word = (struct str){name.s + at, len};
		if (is_secret_word(word) && !(len == 3 && is_attention(name, at + len)))
			return true;
		at += len + 1;
	}
	return false;
}

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
	return found && !names_secret(name);
}

/* -u, --user, --proxy-user: a password follows behind a colon. */
static bool names_user(struct str name)
{
	return str_eq(name, STR_LIT("-u")) || (name.len > 4 && name.s[0] == '-' &&
					       strncasecmp(name.s + name.len - 4, "user", 4) == 0 &&
					       !isalnum((unsigned char)name.s[name.len - 5]));
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

/* user:password@ of an address goes; a password may have an @. */
static void add_value(struct buf *b, struct str value)
{
	const char *scheme = value.len ? memmem(value.s, value.len, "://", 3) : NULL;
	const char *host =
		scheme ? memrchr(scheme, '@', value.len - (size_t)(scheme - value.s)) : NULL;

	if (!host) {
		add_without_tokens(b, value);
		return;
	}
	buf_add(b, value.s, (size_t)(scheme - value.s) + 3);
	buf_adds(b, masked);
	add_without_tokens(b, (struct str){host, value.len - (size_t)(host - value.s)});
}

void secrets_add_named(struct buf *b, const char *name, const char *value)
{
	struct mask m = {0};

	if (names_secret(str_of(name)))
		buf_adds(b, masked);
	else
		secrets_add_word(b, &m, value);
}

/* Behind which = or : of the piece a secret stands; 0: none does. */
static size_t secret_at(struct str s, bool user)
{
	size_t name = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (strchr("=:", s.s[i])) {
			struct str before = {s.s + name, i - name};

			if (names_secret(before) || (user && s.s[i] == ':'))
				return i + 1;
			user = s.s[i] == '=' && names_user(before);
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

/* What is known to be a secret by the name before it. Returns as add_piece() does. */
static bool add_behind_name(struct buf *b, struct mask *m, struct str s, size_t at)
{
	const char sign = s.s[at - 1];

	/* There may be another one before it: user:password@ of an address. */
	add_value(b, (struct str){s.s, at});
	if (at < s.len) {
		buf_adds(b, masked);
		return true;
	}
	/* "Authorization: Basic x": what follows is one value, spaces and all. */
	if (sign == ':')
		buf_adds(b, " ***");
	m->next = sign == '=';
	return sign != ':';
}

/* One piece between spaces. Returns false when the rest of the word is a secret's. */
static bool add_piece(struct buf *b, struct mask *m, struct str s)
{
	const size_t at = secret_at(s, m->user);

	if (add_awaited(b, m, s))
		return true;
	m->user = names_user(s);
	if (at)
		return add_behind_name(b, m, s, at);
	add_value(b, s);
	m->next = (s.s[0] == '-' && !memchr(s.s, '=', s.len) && names_secret(s)) ||
		  (s.len == 6 && strncasecmp(s.s, "bearer", 6) == 0);
	return true;
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

void secrets_add_word(struct buf *b, struct mask *m, const char *word)
{
	if (add_awaited(b, m, str_of(word)))
		return;
	while (*word) {
		size_t space = strspn(word, spaces), len = piece_length(word + space);

		buf_add(b, word, space);
		if (len && !add_piece(b, m, (struct str){word + space, len}))
			return;
		word += space + len;
	}
}
