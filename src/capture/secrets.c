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
static const char *const smells[] = {"TOKEN", "KEY",  "SECRET",	   "PASS",   "AUTH",
				     "CRED",  "CERT", "SIGNATURE", "COOKIE", "PRIVATE"};

/* A whole word of an option's name: --max-tokens and --tokenizer are no secrets. */
static const char *const words[] = {"token",	  "key",       "secret",     "password",
				    "passwd",	  "pass",      "passphrase", "auth",
				    "credential", "apikey",    "bearer",     "credentials",
				    "authtoken",  "accesskey", "pwd",	     "cookie"};

/* How values begin that are secrets whatever they are called. */
static const char *const beginnings[] = {"hf_",	 "sk-",	 "ghp_",  "gho_",  "github_pat_", "glpat-",
					 "AKIA", "ASIA", "xoxb-", "xoxp-", "eyJhbGciOi",  "nvapi-"};

static const char masked[] = "***";

bool secrets_allow_variable(struct str name)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(allowed) && !found; i++) {
		size_t len = strlen(allowed[i]);

		found = allowed[i][len - 1] == '_' ? str_starts(name, allowed[i])
						   : str_eq(name, str_of(allowed[i]));
	}
	for (size_t i = 0; i < ARRAY_LEN(smells) && found; i++)
		found = !str_holds(name, smells[i]);
	return found;
}

static bool is_secret_word(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (s.len == strlen(words[i]) && strncasecmp(s.s, words[i], s.len) == 0)
			return true;
	}
	return false;
}

/* --api-key, hub.token, HF_TOKEN; not --num-key-value-heads. */
static bool names_secret(struct str name)
{
	size_t at = 0;

	while (at < name.len) {
		size_t len = 0;

		while (at + len < name.len && isalnum((unsigned char)name.s[at + len]))
			len++;
		if (is_secret_word((struct str){name.s + at, len}) &&
		    !(name.len > at + len + 5 &&
		      strncasecmp(name.s + at + len + 1, "value", 5) == 0))
			return true;
		at += len + 1;
	}
	return false;
}

static bool begins_as_secret(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++) {
		if (str_starts(s, beginnings[i]) && s.len >= strlen(beginnings[i]) + 12)
			return true;
	}
	return false;
}

/* user:password@ of an address goes. */
void secrets_add_value(struct buf *b, struct str value)
{
	const char *scheme, *host;

	if (begins_as_secret(value)) {
		buf_adds(b, masked);
		return;
	}
	scheme = value.len ? memmem(value.s, value.len, "://", 3) : NULL;
	host = scheme ? memchr(scheme, '@', value.len - (size_t)(scheme - value.s)) : NULL;
	if (!host) {
		buf_addstr(b, value);
		return;
	}
	buf_add(b, value.s, (size_t)(scheme - value.s) + 3);
	buf_adds(b, masked);
	buf_add(b, host, value.len - (size_t)(host - value.s));
}

/* One piece between spaces. */
static void add_piece(struct buf *b, struct mask *m, struct str s)
{
	const char *equals = memchr(s.s, '=', s.len);
	struct str name = {s.s, equals ? (size_t)(equals - s.s) : s.len};
	bool option = s.s[0] == '-';

	if (m->next && !option) {
		buf_adds(b, masked);
	} else if (equals && names_secret(name)) {
		buf_addstr(b, name);
		buf_addf(b, "=%s", masked);
	} else if (equals) {
		buf_addstr(b, name);
		buf_addc(b, '=');
		secrets_add_value(b, (struct str){equals + 1, s.len - name.len - 1});
	} else {
		secrets_add_value(b, s);
	}
	/* "Authorization: Bearer x" has the word before the value, too, and then another. */
	m->next = (option && !equals && names_secret(name)) ||
		  (s.len == 6 && strncasecmp(s.s, "bearer", 6) == 0) ||
		  (s.len == 14 && strncasecmp(s.s, "authorization:", 14) == 0);
}

void secrets_add_word(struct buf *b, struct mask *m, const char *word)
{
	while (*word) {
		size_t space = strspn(word, " \t\n"), len = strcspn(word + space, " \t\n");

		buf_add(b, word, space);
		if (len)
			add_piece(b, m, (struct str){word + space, len});
		word += space + len;
	}
}
