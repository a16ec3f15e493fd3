/* Does any text make those crash, hang or eat memory who read command lines and what nsys says? */
#include "base/mem.h"
#include "capture/facts.h"
#include "capture/matrix.h"
#include "capture/nsys_log.h"
#include "capture/record.h"
#include "capture/secrets.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_WORDS = 32 };

static void read_matrix(const char *const *words, size_t count)
{
	struct matrix m;
	struct err e = {0};

	if (matrix_read(&m, words, 1, words + 1, count - 1, &e) < 0) {
		if (e.code != ERR_USAGE)
			abort();
	} else {
		const char **labels = mem_alloc(m.runs, sizeof(*labels));

		matrix_labels(&m, NULL, &m.arena, labels);
		for (size_t i = 0; i < m.runs; i++) {
			struct setting settings[MATRIX_NAMES];
			struct string_list made = {0};

			matrix_settings(&m, i, settings);
			matrix_command(settings, m.count, words + 1, count - 1, &m.arena, &made);
			if (made.count != count - 1 || strlen(labels[i]) > 80)
				abort();
			string_list_free(&made);
		}
		free(labels);
	}
	matrix_free(&m);
}

static void mask(const char *const *words, size_t count)
{
	struct known_secrets known = {0};
	struct arena arena = {0};
	struct string_list shown = {0};

	manifest_shown_words(words, count, NULL, 0, &known, &arena, &shown);
	if (shown.count != count)
		abort();
	string_list_free(&shown);
	arena_free(&arena);
	known_secrets_free(&known);
}

/* What was cleaned once is clean. */
static void clean_environment(struct str text)
{
	struct buf once = {0}, twice = {0};

	secrets_hide_variables(&once, text);
	secrets_hide_variables(&twice, buf_str(&once));
	if (!str_eq(buf_str(&once), buf_str(&twice)))
		abort();
	buf_free(&once);
	buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1, 1), *rest = text, *word;
	struct arena arena = {0};
	struct string_list words = {0};
	int code = 0, number = 0;
	struct str line;

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	nsys_said_exit((struct str){text, size}, &code, &number);
	nsys_said_refusal((struct str){text, size}, &line);
	facts_nsys_version(&arena, (struct str){text, size});
	clean_environment((struct str){text, size});
	while (words.count < MOST_WORDS && (word = strsep(&rest, "\n")))
		string_list_add(&words, word);
	mask(words.all, words.count);
	read_matrix(words.all, words.count);
	string_list_free(&words);
	arena_free(&arena);
	free(text);
	return 0;
}
