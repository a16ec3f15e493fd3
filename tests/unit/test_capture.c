/* Does src/capture keep the promises of its headers, and SHA-256 those of its standard? */
#include "base/mem.h"
#include "base/sha256.h"
#include "capture/facts.h"
#include "capture/inputs.h"
#include "capture/matrix.h"
#include "capture/nsys_log.h"
#include "capture/secrets.h"
#include "groups.h"
#include "text/json_write.h"
#include "text/shell_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_hash(const void *bytes, size_t len, size_t times, const char *wanted)
{
	char text[SHA256_TEXT_BYTES];
	struct sha256 s;

	sha256_begin(&s);
	for (size_t i = 0; i < times; i++)
		sha256_add(&s, bytes, len);
	sha256_end(&s, text);
	assert_string_equal(text, wanted);
}

/* The examples of FIPS 180-4, and lengths around those of a block. */
static void sha256_is_the_standards(void **state)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

	(void)state;
	expect_hash("abc", 3, 1,
		    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_hash("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_hash(two_blocks, strlen(two_blocks), 1,
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect_hash("a", 1, 1000000,
		    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	expect_hash("a", 1, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	expect_hash("a", 1, 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
	expect_hash("a", 1, 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
	expect_hash("a", 1, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	assert_int_equal(fclose(f), 0);
}

/* Whether what the file holds now is what it is said to. */
static bool is_read_anew(struct file_hashes *h, const char *path, const struct stat *st)
{
	char told[SHA256_TEXT_BYTES], now[SHA256_TEXT_BYTES];
	struct err e;

	assert_int_equal(file_hashes_get(h, path, st, told, &e), 0);
	assert_int_equal(sha256_file(path, now, &e), 0);
	return strcmp(told, now) == 0;
}

static void files_are_hashed_once_unless_they_change(void **state)
{
	char path[] = "/tmp/gpuwhy-hash-XXXXXX";
	struct stat st, old, changed;
	struct file_hashes h = {0};

	(void)state;
	close(mkstemp(path));
	write_text(path, "one");
	assert_int_equal(stat(path, &st), 0);
	/* As if it had lain there for a while. */
	old = st;
	old.st_ctim.tv_sec -= 100;
	assert_true(is_read_anew(&h, path, &old));
	write_text(path, "two");
	assert_false(is_read_anew(&h, path, &old));
	changed = old;
	changed.st_mtim.tv_nsec ^= 1;
	assert_true(is_read_anew(&h, path, &changed));
	changed = old;
	changed.st_ctim.tv_nsec ^= 1;
	assert_true(is_read_anew(&h, path, &changed));
	changed = old;
	changed.st_size++;
	assert_true(is_read_anew(&h, path, &changed));
	changed = old;
	changed.st_ino++;
	assert_true(is_read_anew(&h, path, &changed));
	/* One that was written just now may be written again without looking so. */
	assert_true(is_read_anew(&h, path, &st));
	write_text(path, "six");
	assert_true(is_read_anew(&h, path, &st));
	unlink(path);
	file_hashes_free(&h);
}

static void words_are_quoted_for_shells(void **state)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{"plain", "plain"},
		{"a-b_c.d/e=f,g:h@i%j+k", "a-b_c.d/e=f,g:h@i%j+k"},
		{"", "''"},
		{"a b", "'a b'"},
		{"it's", "'it'\\''s'"},
		{"$HOME", "'$HOME'"},
		{"~", "'~'"},
		{"{a,b}", "'{a,b}'"},
		{"a\nb", "'a\nb'"},
		{"ü", "'ü'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = {0};

		word_add_quoted(&b, cases[i].word);
		assert_string_equal(b.s, cases[i].quoted);
		buf_free(&b);
	}
}

static void variables_are_named_by_a_list(void **state)
{
	static const char *const yes[] = {
		"CUDA_VISIBLE_DEVICES", "NCCL_DEBUG", "OMP_NUM_THREADS", "PYTORCH_CUDA_ALLOC_CONF",
		"VLLM_USE_V1",		"CUDA_PATH",  "HF_HOME",	 "PYTHONHASHSEED"};
	static const char *const no[] = {"HF_TOKEN",
					 "VLLM_API_KEY",
					 "NCCL_SECRET",
					 "HOME",
					 "PATH",
					 "TORCH_PASSWORD",
					 "RAY_AUTH",
					 "CUDA",
					 "HF_HOMES",
					 "DS_CREDENTIAL",
					 "",
					 "SLURM_JWT",
					 "CUDA_\xff",
					 "VLLM_HOST_PW",
					 "VLLM_SESSION",
					 "CUDA_LICENSE",
					 "LD_PRELOAD"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		assert_true(secrets_allow_variable(str_of(yes[i])));
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		assert_false(secrets_allow_variable(str_of(no[i])));
}

static void secrets_are_masked(void **state)
{
	static const struct {
		const char *words[4], *shown;
	} cases[] = {
		{{"--api-key", "abc", "x"}, "--api-key|***|x|"},
		{{"--api-key=abc", "x"}, "--api-key=***|x|"},
		{{"--api-key", "--verbose", "x"}, "--api-key|--verbose|x|"},
		{{"a.token=abc"}, "a.token=***|"},
		{{"--max-tokens", "5"}, "--max-tokens|5|"},
		{{"--tokenizer=x"}, "--tokenizer=x|"},
		{{"--num-key-value-heads", "8"}, "--num-key-value-heads|8|"},
		{{"sh", "-c", "A_KEY=b c --pwd d"}, "sh|-c|A_KEY=*** c --pwd ***|"},
		{{"Authorization: Bearer abc"}, "Authorization: ***|"},
		{{"-H", "Authorization: Basic dXNlcjpwYXNz", "x"}, "-H|Authorization: ***|x|"},
		{{"-H", "X-Api-Key: abc"}, "-H|X-Api-Key: ***|"},
		{{"--password", "correct horse battery", "x"}, "--password|***|x|"},
		{{"sh", "-c", "p --pwd 'a b' --n 3"}, "sh|-c|p --pwd '***' --n 3|"},
		{{"sh", "-c", "curl -H 'Auth: Basic x' y"}, "sh|-c|curl -H 'Auth: ***' y|"},
		{{"{\"n\": 3, \"api_key\": \"abc\"}"}, "{\"n\": 3, \"api_key\": \"***\"}|"},
		{{"{\"n\":3,\"api_key\":\"abc\"}"}, "{\"n\":3,\"api_key\":\"***\"}|"},
		{{"--secret-value=abc", "--token-file", "abc"},
		 "--secret-value=***|--token-file|***|"},
		{{"num_key_value_heads=8"}, "num_key_value_heads=8|"},
		{{"x=eyJ0eXAiOiJKV1QiLCJhbGc"}, "x=***|"},
		{{"a,hf_0123456789abcdef;b"}, "a,***;b|"},
		{{"http://h/x?n=1&token=abc"}, "http://h/x?n=1&token=***|"},
		{{"http://h:80/x", "a:b", "12:30"}, "http://h:80/x|a:b|12:30|"},
		{{"--lr=1e-4", "model.path=/a/b"}, "--lr=1e-4|model.path=/a/b|"},
		{{"https://a:b@c/d"}, "https://***@c/d|"},
		{{"sk-0123456789abcdef"}, "***|"},
		{{"sk-learn"}, "sk-learn|"},
		{{"postgres://u:abc@h/db?password=p"}, "postgres://***@h/db?password=***|"},
		{{"--db=pg://u:a@b@h/db?password=p&x=1"}, "--db=pg://***@h/db?password=***|"},
		{{"--token", "-abc", "x"}, "--token|***|x|"},
		{{"--token", "-v", "x"}, "--token|-v|x|"},
		{{"--token=", "abc", "x"}, "--token=|***|x|"},
		{{"--token= abc", "x"}, "--token=***|x|"},
		{{"python", "-u", "train.py", "a:b"}, "python|-u|train.py|a:b|"},
		{{"--pw", "abc", "--pat", "abc"}, "--pw|***|--pat|***|"},
		{{"Cookie: session=abc"}, "Cookie: ***|"},
		{{"https://h/x?sig=abc"}, "https://h/x?sig=***|"},
		{{"--path", "/x", "--pattern", "y"}, "--path|/x|--pattern|y|"},
		{{"--password=correct horse", "x y"}, "--password=***|x y|"},
		{{"{\"token\" : \"abc\"}"}, "{\"token\" : \"***\"}|"},
		{{"password = abc", "a : b = c"}, "password = ***|a : b = c|"},
		{{"--apiToken", "abc", "--hfToken=abc"}, "--apiToken|***|--hfToken=***|"},
		{{"--secret-id", "abc", "--pad-token-id", "0"},
		 "--secret-id|***|--pad-token-id|0|"},
		{{"--numKeyValueHeads=8", "PGPASSWORD=abc"},
		 "--numKeyValueHeads=8|PGPASSWORD=***|"},
		{{"git@github.com:org/repo@v1"}, "git@github.com:org/repo@v1|"},
		{{"bob@corp.com", "mailto:bob@corp.com"}, "bob@corp.com|mailto:bob@corp.com|"},
		{{"{\"api_keys\": [\"a\", \"b\"], \"n\": 1}"}, "{\"api_keys\": ***|"},
		{{"{\"secrets\":{\"a\":[\"]\"]},\"n\":1}"}, "{\"secrets\":***|"},
		{{"serve.api_keys=[a, b]", "x"}, "serve.api_keys=***|x|"},
		{{"{\"tokens\": [1, 2]}"}, "{\"tokens\": [1, 2]}|"},
		{{"--api-keys", "a", "b", "-v"}, "--api-keys|***|***|-v|"},
		{{"--max-new-tokens=5", "--access-keys=c"},
		 "--max-new-tokens=5|--access-keys=***|"},
		{{"--api-key1", "a", "--token2=b", "password1=c"},
		 "--api-key1|***|--token2=***|password1=***|"},
		{{"HFToken=abc", "numKeyValueHeads=8"}, "HFToken=***|numKeyValueHeads=8|"},
		{{"x,http://a:b@c/d", "git+https://t@h"}, "x,http://***@c/d|git+https://***@h|"},
		{{"--dbpassword=a", "--hftoken=b", "-Dpassword=c"},
		 "--dbpassword=***|--hftoken=***|-Dpassword=***|"},
		{{"--secretkey", "a", "--monkey", "b"}, "--secretkey|***|--monkey|b|"},
		{{"a.ppo_max_token_len_per_gpu=1", "reward_fn_key=b", "--pass-at-k=4"},
		 "a.ppo_max_token_len_per_gpu=1|reward_fn_key=b|--pass-at-k=4|"},
		{{"--moe-token-drop-policy", "a", "--think-end-token=b"},
		 "--moe-token-drop-policy|a|--think-end-token=b|"},
		{{"--image_token_index", "3", "--key-dim", "64"},
		 "--image_token_index|3|--key-dim|64|"},
		{{"mpirun", "-genv", "HF_TOKEN", "abc"}, "mpirun|-genv|HF_TOKEN|***|"},
		{{"aws configure set aws_secret_access_key abc x"},
		 "aws configure set aws_secret_access_key *** x|"},
		{{"--token:", "abc", "token", "list"}, "--token:|***|token|list|"},
		{{"python", "test_auth.py", "abc"}, "python|test_auth.py|abc|"},
		{{"hub.token", "abc", "password", "d"}, "hub.token|***|password|***|"},
		{{"--num-key-heads", "8"}, "--num-key-heads|8|"},
		{{"--token-type-ids", "0"}, "--token-type-ids|0|"},
		{{"--long-prefill-token-threshold", "9"}, "--long-prefill-token-threshold|9|"},
		{{"--text-key", "a", "--json-keys", "b"}, "--text-key|a|--json-keys|b|"},
		{{"--revision", "0123456789abcdef0123456789abcdef01234567"},
		 "--revision|0123456789abcdef0123456789abcdef01234567|"},
		{{"--x", "from-the-environment", "y"}, "--x|***|y|"},
		{{"url?v=from-the-environment&n=1"}, "url?v=***&n=1|"},
		{{""}, "|"},
	};

	(void)state;
	setenv("GPUWHY_TEST_TOKEN", "from-the-environment", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct known_secrets known;
		struct mask m = {0};
		struct buf b = {0};

		for (size_t k = 0; k < ARRAY_LEN(cases[i].words) && cases[i].words[k]; k++) {
			secrets_add_word(&b, &m, cases[i].words[k]);
			buf_addc(&b, '|');
		}
		known_secrets_read(&known);
		known_secrets_hide(&known, &b);
		known_secrets_free(&known);
		assert_string_equal(b.s, cases[i].shown);
		buf_free(&b);
	}
	unsetenv("GPUWHY_TEST_TOKEN");
}

static void environments_of_profilers_are_cleaned(void **state)
{
	static const struct {
		struct str text, shown; /* shown: nothing where it has no secret */
	} cases[] = {
		{STR_LIT("HF_TOKEN=\"abc\""), STR_LIT("HF_TOKEN=***")},
		{STR_LIT("DB_URL=\"pg://u:abc@h/x\""), STR_LIT("DB_URL=***")},
		{STR_LIT("RANK=1;MY_PASSWORD=ab;c;d;HF_HOME=/root;"),
		 STR_LIT("RANK=1;MY_PASSWORD=***;HF_HOME=/root;")},
		{STR_LIT("MY_PASS=;abc;RANK=1"), STR_LIT("MY_PASS=***;RANK=1")},
		{STR_LIT("RANK=1\0WANDB_API_KEY=ab;c\0CUDA_X=2;3"),
		 STR_LIT("RANK=1\0WANDB_API_KEY=***\0CUDA_X=2;3")},
		{STR_LIT("RANK=hf_0123456789abcdef\0CUDA_X=2"), STR_LIT("RANK=***\0CUDA_X=2")},
		{STR_LIT("DATABASE_URL=abc"), STR_LIT("DATABASE_URL=***")},
		{STR_LIT("RANK=1;NCCL_DEBUG=INFO"), {0}},
		{STR_LIT("void kernel<a=b>(int)"), {0}},
		{STR_LIT(""), {0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const bool has = cases[i].shown.len > 0;
		struct buf b = {0};

		assert_int_equal(secrets_hide_variables(&b, cases[i].text), has);
		assert_true(str_eq(buf_str(&b), has ? cases[i].shown : cases[i].text));
		buf_free(&b);
	}
}

/* One value is the beginning of another: neither leaves anything. */
static void known_values_are_hidden_whole(void **state)
{
	struct known_secrets known;
	struct buf b = {0};

	(void)state;
	setenv("GPUWHY_A_TOKEN", "abcdefgh1", 1);
	setenv("GPUWHY_B_TOKEN", "abcdefgh1ijklmno2", 1);
	known_secrets_read(&known);
	buf_adds(&b, "x abcdefgh1ijklmno2 abcdefgh1 y");
	known_secrets_hide(&known, &b);
	assert_string_equal(b.s, "x *** *** y");
	known_secrets_free(&known);
	buf_free(&b);
	unsetenv("GPUWHY_A_TOKEN");
	unsetenv("GPUWHY_B_TOKEN");
}

/* A word of any length takes a moment. */
static void long_words_are_masked_in_time(void **state)
{
	struct buf word = {0}, shown = {0};
	struct mask m = {0};

	(void)state;
	for (int i = 0; i < 65000; i++)
		buf_adds(&word, "@a");
	secrets_add_word(&shown, &m, word.s);
	assert_true(str_eq(buf_str(&shown), buf_str(&word)));
	buf_free(&word);
	buf_free(&shown);
}

static void nsys_tells_how_the_program_ended(void **state)
{
	static const struct {
		const char *log;
		bool said;
		int code, number;
	} cases[] = {
		{"The target application terminated with signal 4 (SIGILL)\n", true, 132, 4},
		{"x\nThe target application returned non-zero exit code 3\ny", true, 3, 0},
		{"The target application terminated. One or more process re-parented.", false, 0,
		 0},
		{"The target application terminated with signal", false, 0, 0},
		{"The target application terminated with signal 11\n", false, 0, 0},
		{"The target application terminated with signal 11 (SIGKILL)\n", false, 0, 0},
		{"log: The target application terminated with signal 9 (SIGKILL)", false, 0, 0},
		{"The target application returned non-zero exit code 3, it seems", false, 0, 0},
		{"The target application terminated with signal 9 (SIGKILL)\r\nGenerated:", true,
		 137, 9},
		{"The target application returned non-zero exit code 3\nThe target application "
		 "terminated with signal 9 (SIGKILL)\n",
		 true, 137, 9},
		{"The target application terminated with signal 99999", false, 0, 0},
		{"", false, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int code = 0, number = 0;

		assert_int_equal(nsys_said_exit(str_of(cases[i].log), &code, &number),
				 cases[i].said);
		assert_int_equal(code, cases[i].code);
		assert_int_equal(number, cases[i].number);
	}
}

static void nsys_refuses_what_it_does_not_know(void **state)
{
	static const struct {
		const char *log, *line;
	} cases[] = {
		{"unrecognised option '--x'\n\nusage: nsys profile [<args>] [application]\nTry "
		 "it\n",
		 "unrecognised option '--x'"},
		{"a warning\r\nIllegal --t argument: z\r\n\r\nusage: nsys profile",
		 "Illegal --t argument: z"},
		{"Executable 'x' not found in current directory or standard search paths\n",
		 "Executable 'x' not found in current directory or standard search paths"},
		{"usage: nsys profile", ""},
		/* Words of a program that ran. */
		{"Collecting data...\nunrecognised option '--x'\nusage: nsys profile\n", NULL},
		{"unrecognised option '--x'\nusage: nsys profile\nGenerated:\n\t/x", NULL},
		{"unrecognised option '--x'\nusage: prog [options]\n", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str line = {0};

		assert_int_equal(nsys_said_refusal(str_of(cases[i].log), &line),
				 cases[i].line != NULL);
		if (cases[i].line)
			assert_true(str_eq(line, str_of(cases[i].line)));
	}
}

static void versions_are_found(void **state)
{
	struct arena a = {0};

	(void)state;
	assert_string_equal(facts_nsys_version(&a, STR_LIT("NVIDIA Nsight Systems version "
							   "2025.3.2.474-253236389321v0")),
			    "2025.3.2.474");
	assert_null(facts_nsys_version(&a, STR_LIT("no version 7 at all")));
	assert_null(facts_nsys_version(&a, STR_LIT("")));
	arena_free(&a);
}

static void combinations_are_counted_in_order(void **state)
{
	static const char *const axes[] = {"a=1,2,3", "b=x,y"};
	static const char *const argv[] = {"p", "{a}{b}", "{{a}}"};
	struct matrix m;
	struct err e;

	(void)state;
	assert_int_equal(matrix_read(&m, axes, 2, argv, 3, &e), 0);
	assert_int_equal(m.runs, 6);
	for (size_t i = 0; i < m.runs; i++) {
		const char wanted[] = {(char)('1' + i / 2), (char)('x' + i % 2), '\0'};
		struct setting settings[2];
		struct string_list made = {0};

		matrix_settings(&m, i, settings);
		matrix_command(settings, 2, argv, 3, &m.arena, &made);
		assert_string_equal(made.all[1], wanted);
		assert_string_equal(made.all[2], "{a}");
		string_list_free(&made);
	}
	matrix_free(&m);
}

static void json_is_written_as_people_read_it(void **state)
{
	struct buf b = {0};
	struct json_writer w = {.out = &b};

	(void)state;
	json_write_open(&w, NULL, '{');
	json_write_text(&w, "a", "x\"y");
	json_write_text(&w, "b", NULL);
	json_write_open(&w, "c", '[');
	json_write_int(&w, NULL, -3);
	json_write_real(&w, NULL, 0.0 / 0.0);
	json_write_bool(&w, NULL, true);
	json_write_close(&w, ']');
	json_write_open(&w, "d", '{');
	json_write_close(&w, '}');
	json_write_close(&w, '}');
	assert_string_equal(b.s, "{\n  \"a\": \"x\\\"y\",\n  \"b\": null,\n  \"c\": [\n    -3,\n"
				 "    null,\n    true\n  ],\n  \"d\": {}\n}\n");
	buf_free(&b);
}

/* What stands where a secret does is one, whatever the axis is called. */
static void values_in_the_place_of_secrets_are_hidden(void **state)
{
	const char *const axes[] = {"x=abc,def", "n=1,2"};
	const char *const argv[] = {"prog", "--api-key", "{x}", "--steps={n}"};
	struct err e = {0};
	struct matrix m;

	(void)state;
	assert_int_equal(matrix_read(&m, axes, 2, argv, ARRAY_LEN(argv), &e), 0);
	assert_string_equal(m.axes[0].shown.all[1], "***");
	assert_string_equal(m.axes[0].values.all[1], "def");
	assert_string_equal(m.axes[1].shown.all[1], "2");
	matrix_free(&m);
}

int capture_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_is_the_standards),
		cmocka_unit_test(files_are_hashed_once_unless_they_change),
		cmocka_unit_test(words_are_quoted_for_shells),
		cmocka_unit_test(variables_are_named_by_a_list),
		cmocka_unit_test(secrets_are_masked),
		cmocka_unit_test(environments_of_profilers_are_cleaned),
		cmocka_unit_test(known_values_are_hidden_whole),
		cmocka_unit_test(long_words_are_masked_in_time),
		cmocka_unit_test(values_in_the_place_of_secrets_are_hidden),
		cmocka_unit_test(nsys_tells_how_the_program_ended),
		cmocka_unit_test(nsys_refuses_what_it_does_not_know),
		cmocka_unit_test(versions_are_found),
		cmocka_unit_test(combinations_are_counted_in_order),
		cmocka_unit_test(json_is_written_as_people_read_it),
	};

	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
