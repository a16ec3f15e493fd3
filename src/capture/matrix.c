/* Which combinations of values is a command to be run with? */
#include "capture/matrix.h"

#include "capture/placeholders.h"
#include "capture/secrets.h"

#include <ctype.h>

enum { SETTINGS_BYTES = 60, NUMBER_BYTES = sizeof("-256") - 1 };

static bool uses(const char *const *argv, size_t argc, const char *name)
{
	struct placeholder p;

	for (size_t i = 0; i < argc; i++) {
		for (const char *at = argv[i]; placeholder_next(at, &p); at = p.end) {
			if (!p.literal && str_eq(p.name, str_of(name)))
				return true;
		}
	}
	return false;
}

static const struct matrix_axis *find_axis(const struct matrix *m, struct str name)
{
	for (size_t i = 0; i < m->count; i++) {
		if (str_eq(name, str_of(m->axes[i].name)))
			return &m->axes[i];
	}
	return NULL;
}

static bool has_value(const struct matrix_axis *axis, const char *value)
{
	for (size_t i = 0; i < axis->values.count; i++) {
		if (strcmp(axis->values.all[i], value) == 0)
			return true;
	}
	return false;
}

static int read_values(struct matrix *m, struct matrix_axis *axis, char *list,
		       const struct known_secrets *known, struct err *e)
{
	const char *value;

	while ((value = strsep(&list, ","))) {
		SCOPED_BUF shown = {0};

		if (has_value(axis, value))
			return err_set(e, ERR_USAGE, "--matrix gives %s the value '%s' twice",
				       axis->name, value);
		if (axis->values.count == MATRIX_RUNS / m->runs)
			return err_set(e, ERR_USAGE, "--matrix gives more than %d combinations",
				       MATRIX_RUNS);
		secrets_add_named(&shown, axis->name, value);
		known_secrets_hide(known, &shown);
		string_list_add(&axis->values, value);
		string_list_add(&axis->shown, arena_str(&m->arena, buf_str(&shown)).s);
	}
	return 0;
}

static int read_axis(struct matrix *m, const char *text, const struct known_secrets *known,
		     struct err *e)
{
	const char *equals = strchr(text, '=');
	struct matrix_axis *axis;

	if (!equals || !equals[1] || placeholder_name_length(text) != (size_t)(equals - text)) {
		err_set(e, ERR_USAGE, "--matrix takes NAME=V1,V2, not '%s'", text);
		return err_hint(e, "--matrix batch=1,8 with {batch} in the command");
	}
	if (str_eq((struct str){text, (size_t)(equals - text)}, STR_LIT(PLACEHOLDER_RUN))) {
		err_set(e, ERR_USAGE, "--matrix cannot define 'run': {run} is the run's folder");
		return err_hint(e, "use another name, also in the command");
	}
	if (m->count == MATRIX_NAMES)
		return err_set(e, ERR_USAGE, "--matrix takes at most %d names", MATRIX_NAMES);
	if (find_axis(m, (struct str){text, (size_t)(equals - text)}))
		return err_set(e, ERR_USAGE, "--matrix gives '%.*s' twice: list all values in one",
			       (int)(equals - text), text);
	axis = &m->axes[m->count++];
	axis->name = arena_str(&m->arena, (struct str){text, (size_t)(equals - text)}).s;
	if (read_values(m, axis, arena_strdup(&m->arena, equals + 1), known, e) < 0)
		return -1;
	m->runs *= axis->values.count;
	return 0;
}

static int check_words(const struct matrix *m, const char *const *argv, size_t argc, struct err *e)
{
	struct placeholder p;

	for (size_t i = 0; i < argc; i++) {
		for (const char *at = argv[i]; placeholder_next(at, &p); at = p.end) {
			if (p.literal || placeholder_is_run(&p) || find_axis(m, p.name))
				continue;
			err_set(e, ERR_USAGE, "the command has {%.*s}, but no --matrix defines it",
				STR_FMT(p.name));
			return err_hint(e, "--matrix %.*s=V1,V2; or {{%.*s}} for the literal text",
					STR_FMT(p.name), STR_FMT(p.name));
		}
	}
	return 0;
}

static size_t count_in(const char *text, const char *placeholder)
{
	size_t count = 0;

	for (; (text = strstr(text, placeholder)); text += strlen(placeholder))
		count++;
	return count;
}

/* Whether the command has it where a secret stands, whatever it is called itself. */
static bool stands_for_secret(const char *const *argv, size_t argc, const char *name)
{
	SCOPED_BUF placeholder = {0}, shown = {0};
	struct mask m = {0};

	buf_addf(&placeholder, "{%s}", name);
	for (size_t i = 0; i < argc; i++) {
		buf_clear(&shown);
		secrets_add_word(&shown, &m, argv[i]);
		if (count_in(buf_str(&shown).s, placeholder.s) < count_in(argv[i], placeholder.s))
			return true;
	}
	return false;
}

static void hide_values(struct matrix *m, struct matrix_axis *axis)
{
	for (size_t i = 0; i < axis->shown.count; i++)
		axis->shown.all[i] = arena_strdup(&m->arena, "***");
}

int matrix_read(struct matrix *m, const char *const *texts, size_t count, const char *const *argv,
		size_t argc, struct err *e)
{
	struct known_secrets known;
	int result = 0;

	*m = (struct matrix){.runs = 1};
	known_secrets_read(&known);
	for (size_t i = 0; i < count && result == 0; i++)
		result = read_axis(m, texts[i], &known, e);
	known_secrets_free(&known);
	if (result < 0)
		return -1;
	for (size_t i = 0; i < m->count; i++) {
		if (uses(argv, argc, m->axes[i].name)) {
			if (stands_for_secret(argv, argc, m->axes[i].name))
				hide_values(m, &m->axes[i]);
			continue;
		}
		err_set(e, ERR_USAGE, "--matrix defines '%s', but the command has no {%s}",
			m->axes[i].name, m->axes[i].name);
		return err_hint(e, "write {%s} where its values belong", m->axes[i].name);
	}
	return check_words(m, argv, argc, e);
}

void matrix_free(struct matrix *m)
{
	for (size_t i = 0; i < m->count; i++) {
		string_list_free(&m->axes[i].values);
		string_list_free(&m->axes[i].shown);
	}
	arena_free(&m->arena);
	*m = (struct matrix){0};
}

void matrix_settings(const struct matrix *m, size_t i, struct setting *ret)
{
	for (size_t k = m->count; k-- > 0;) {
		const struct matrix_axis *axis = &m->axes[k];
		size_t at = i % axis->values.count;

		ret[k] = (struct setting){axis->name, axis->values.all[at], axis->shown.all[at]};
		i /= axis->values.count;
	}
}

static const char *value_of(const struct setting *settings, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++) {
		if (str_eq(name, str_of(settings[i].name)))
			return settings[i].value;
	}
	return "";
}

void matrix_command(const struct setting *settings, size_t count, const char *const *argv,
		    size_t argc, struct arena *a, struct string_list *ret)
{
	SCOPED_BUF b = {0};
	struct placeholder p;

	for (size_t i = 0; i < argc; i++) {
		const char *at = argv[i];

		buf_clear(&b);
		for (; placeholder_next(at, &p); at = p.end) {
			buf_add(&b, at, (size_t)(p.at - at));
			/* There is no folder yet: that of each run is filled in when it begins. */
			if (placeholder_is_run(&p))
				buf_add(&b, p.at, (size_t)(p.end - p.at));
			else if (p.literal)
				buf_addf(&b, "{%.*s}", STR_FMT(p.name));
			else
				buf_adds(&b, value_of(settings, count, p.name));
		}
		buf_adds(&b, at);
		string_list_add(ret, arena_str(a, buf_str(&b)).s);
	}
}

static void cut(struct buf *b, size_t most)
{
	if (b->len <= most)
		return;
	b->len = most;
	b->s[most] = '\0';
}

/* "name_batch=8_mode=deep", cut where it gets long: a folder's name, whatever the values hold. */
static void add_label(struct buf *b, const char *name, const struct setting *settings, size_t count)
{
	size_t from;

	if (name)
		buf_addf(b, "%s_", name);
	from = b->len;
	for (size_t i = 0; i < count; i++)
		buf_addf(b, "%s%s=%s", i ? "_" : "", settings[i].name, settings[i].shown);
	for (size_t i = from; i < b->len; i++) {
		if (!isalnum((unsigned char)b->s[i]) && !strchr("._=-", b->s[i]))
			b->s[i] = '-';
	}
	cut(b, from + SETTINGS_BYTES);
	cut(b, RUN_LABEL_BYTES);
}

static bool is_taken(const char *const *labels, size_t count, const char *label)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(labels[i], label) == 0)
			return true;
	}
	return false;
}

/* What is the same once it is cut, or may be shown, is counted: two runs are never one folder's. */
static void tell_apart(struct buf *b, const char *const *labels, size_t count)
{
	const size_t room = RUN_LABEL_BYTES - NUMBER_BYTES, stem = b->len < room ? b->len : room;

	for (size_t n = 2; is_taken(labels, count, b->s); n++) {
		cut(b, stem);
		buf_addf(b, "-%zu", n);
	}
}

void matrix_labels(const struct matrix *m, const char *name, struct arena *a, const char **ret)
{
	struct setting settings[MATRIX_NAMES];
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < m->runs; i++) {
		buf_clear(&b);
		matrix_settings(m, i, settings);
		add_label(&b, name, settings, m->count);
		tell_apart(&b, ret, i);
		ret[i] = arena_str(a, buf_str(&b)).s;
	}
}
