/* What do the names of this program's ranges mean? */
#include "analysis/ranks/preset.h"

#include "analysis/ranks/preset_files.h"
#include "base/mem.h"
#include "text/json_read.h"

#include <stdlib.h>
#include <unistd.h>

/* Every name is tried with every pattern: nobody needs more by hand. */
enum {
	MOST_RULES = 1000,
	LONGEST_NAME = 4096, /* of longer ones the beginning counts */
	LONGEST_SHOWN = 100,
};

static const struct {
	const char *name, *text;
} built_in[] = {{"pithtrain", preset_pithtrain}};

#define DEFAULT_PRESET "pithtrain"

static int shown(struct str s)
{
	return (int)(s.len < LONGEST_SHOWN ? s.len : LONGEST_SHOWN);
}

static int bad_label(struct str pattern, const char *wanted, const struct json *v, struct err *e)
{
	return err_set(e, ERR_INPUT, "'%.*s' maps to %s, not to %s", shown(pattern), pattern.s,
		       json_read_kind_name(v), wanted);
}

static int add_rule(struct preset *p, struct preset_rules *rules, const struct json_member *m,
		    bool may_capture, struct err *e)
{
	struct preset_rule *rule = &rules->items[rules->count];
	bool captures = may_capture && json_read_kind(m->value) == JSON_KIND_NULL;

	if (!m->key.len)
		return err_set(e, ERR_INPUT, "an empty pattern would match every range");
	if (!captures && !json_read_string(m->value).len)
		return bad_label(m->key, may_capture ? "a string or null" : "a text", m->value, e);
	if (pattern_compile(&rule->pattern, m->key, 0, e) < 0)
		return -1;
	rules->count++;
	if (captures && !pattern_groups(rule->pattern))
		return err_set(e, ERR_INPUT, "'%.*s' has no group to take the name from",
			       shown(m->key), m->key.s);
	if (!captures)
		rule->label = arena_str(&p->arena, json_read_string(m->value));
	return 0;
}

static int add_rules(struct preset *p, struct preset_rules *rules, const struct json *object,
		     bool may_capture, struct err *e)
{
	struct json_member m = {0};
	size_t count = 0;

	if (json_read_kind(object) != JSON_KIND_OBJECT)
		return err_set(e, ERR_INPUT, "it is %s, not an object of patterns",
			       json_read_kind_name(object));
	while (json_read_next(object, &m))
		count++;
	if (count > MOST_RULES)
		return err_set(e, ERR_INPUT, "it has more than %d patterns", MOST_RULES);
	rules->items = arena_zalloc(&p->arena, count, sizeof(*rules->items));
	m = (struct json_member){0};
	while (json_read_next(object, &m)) {
		if (add_rule(p, rules, &m, may_capture, e) < 0)
			return -1;
	}
	return 0;
}

static int set_anchor(struct preset *p, const struct json *v, struct err *e)
{
	struct str text = json_read_string(v);
	struct pattern *pattern;

	if (!text.len)
		return err_set(e, ERR_INPUT, "it is %s, not a pattern", json_read_kind_name(v));
	if (pattern_compile(&pattern, text, 0, e) < 0)
		return -1;
	pattern_free(pattern);
	p->anchor = arena_str(&p->arena, text).s;
	return 0;
}

static int take_member(struct preset *p, const struct json_member *m, struct err *e)
{
	if (str_eq(m->key, STR_LIT("anchor")))
		return set_anchor(p, m->value, e);
	if (str_eq(m->key, STR_LIT("purposes")))
		return add_rules(p, &p->purposes, m->value, false, e);
	if (str_eq(m->key, STR_LIT("stages")))
		return add_rules(p, &p->stages, m->value, true, e);
	return err_set(e, ERR_INPUT, "a preset has anchor, purposes and stages");
}

static int take_document(struct preset *p, const struct json *document, struct err *e)
{
	struct json_member m = {0};

	if (json_read_kind(document) != JSON_KIND_OBJECT)
		return err_set(e, ERR_INPUT, "'%s' is not a preset: it is %s, not an object",
			       p->name, json_read_kind_name(document));
	while (json_read_next(document, &m)) {
		if (take_member(p, &m, e) < 0)
			return err_wrap(e, "'%s', '%.*s'", p->name, shown(m.key), m.key.s);
	}
	if (!p->anchor && !p->purposes.count && !p->stages.count)
		return err_set(e, ERR_INPUT, "'%s' is not a preset: it is empty", p->name);
	return 0;
}

static int read_document(struct json **ret, const char *name, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(built_in); i++) {
		if (strcmp(name, built_in[i].name) == 0)
			return json_read_text(ret, str_of(built_in[i].text), name, e);
	}
	if (!strpbrk(name, "/.") && access(name, F_OK) < 0) {
		err_set(e, ERR_USAGE, "there is no preset or file named '%s'", name);
		return err_hint(e, "'" DEFAULT_PRESET "' is built in; your own file names ranges "
				   "as its anchor, purposes and stages");
	}
	return json_read_file(ret, name, e);
}

/* Who wrote one that is none needs to see one. */
static int show_shape(struct err *e)
{
	if (e->code != ERR_SYSTEM && !e->hint[0])
		err_hint(e, "a preset is {\"anchor\": \"REGEX\", \"purposes\": {\"REGEX\": "
			    "\"purpose\"}, \"stages\": {\"REGEX\": \"stage\", \"REGEX with a "
			    "(group)\": null}}, any of them");
	return -1;
}

int preset_read(struct preset *ret, const char *name, struct err *e)
{
	struct json *document = NULL;
	int result;

	*ret = (struct preset){.name = name ? name : DEFAULT_PRESET};
	if (read_document(&document, ret->name, e) < 0)
		return show_shape(e);
	result = take_document(ret, document, e);
	json_read_free(document);
	if (result < 0) {
		preset_free(ret);
		return show_shape(e);
	}
	return 0;
}

static void free_rules(struct preset_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		pattern_free(rules->items[i].pattern);
}

void preset_free(struct preset *p)
{
	free_rules(&p->purposes);
	free_rules(&p->stages);
	arena_free(&p->arena);
	*p = (struct preset){0};
}

int preset_label(const struct preset_rules *rules, struct str name, bool *ret_found,
		 struct str *ret, struct err *e)
{
	*ret_found = false;
	if (name.len > LONGEST_NAME)
		name.len = LONGEST_NAME;
	for (size_t i = 0; i < rules->count && !*ret_found; i++) {
		const struct preset_rule *rule = &rules->items[i];
		struct str captured;
		int found = pattern_capture(rule->pattern, name, "stage", &captured, e);

		if (found < 0)
			return -1;
		*ret = rule->label.s ? rule->label : captured;
		*ret_found = found && ret->len;
	}
	return 0;
}
