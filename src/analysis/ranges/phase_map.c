/* Which phase does a range's name stand for? */
#include "analysis/ranges/phase_map.h"

#include "base/buf.h"
#include "base/mem.h"
#include "text/json_read.h"

#include <stdlib.h>

/* Every name is tried with every pattern: nobody needs more by hand. */
enum {
	MOST_PATTERNS = 1000,
	LONGEST_NAME = 4096, /* of longer ones the beginning counts */
	MOST_TOLD = 20,	     /* phases that an error lists */
};

#define UNMAPPED "unmapped"

struct guess {
	const char *phase, *pattern;
};

/* Whole words, since "encode", "upsample" and "adapt" are others. */
static const struct guess guesses[] = {
	{"prefill", "re:prefill|context[ _]phase"},
	{"decode", "re:(?<![a-z])decod(e|ing)(?![a-z])|generation[ _]phase"},
	{"sampling", "re:(?<![a-z])(sampl(e|er|ing)|logits[ _]processor)(?![a-z])"},
	{"forward", "re:(?<![a-z])(forward|fwd)(?![a-z])"},
	{"backward", "re:(?<![a-z])(backward|bwd)(?![a-z])"},
	{"optimizer", "re:(?<![a-z])(optimi[sz]er|optim|opt)(?![a-z])"},
	{"data loading",
	 "re:data[ _]?load|(?<![a-z])(collate|next[ _]batch|get[ _]batch)(?![a-z])"},
};

static int add_pattern(struct phase_map *m, uint32_t phase, struct str text, struct err *e)
{
	unsigned flags = PATTERN_ANY_CASE;

	if (!text.len)
		return err_set(e, ERR_INPUT, "an empty pattern would match every range");
	if (m->pattern_count == MOST_PATTERNS)
		return err_set(e, ERR_INPUT, "it has more than %d patterns", MOST_PATTERNS);
	if (str_starts(text, "re:"))
		text = (struct str){text.s + 3, text.len - 3};
	else
		flags |= PATTERN_LITERAL;
	MEM_GROW(m->patterns, m->pattern_cap, m->pattern_count + 1);
	m->patterns[m->pattern_count] = (struct phase_pattern){.phase = phase};
	if (pattern_compile(&m->patterns[m->pattern_count].pattern, text, flags, e) < 0)
		return -1;
	m->pattern_count++;
	return 0;
}

static int add_texts(struct phase_map *m, uint32_t phase, const struct json *v, struct err *e)
{
	if (json_read_kind(v) == JSON_KIND_TEXT)
		return add_pattern(m, phase, json_read_string(v), e);
	if (json_read_kind(v) != JSON_KIND_ARRAY)
		return err_set(e, ERR_INPUT, "its patterns are %s, not strings",
			       json_read_kind_name(v));
	for (size_t i = 0; i < json_read_length(v); i++) {
		const struct json *text = json_read_element(v, i);

		if (json_read_kind(text) != JSON_KIND_TEXT)
			return err_set(e, ERR_INPUT, "pattern %zu is %s, not a string", i + 1,
				       json_read_kind_name(text));
		if (add_pattern(m, phase, json_read_string(text), e) < 0)
			return -1;
	}
	return 0;
}

static void add_phase(struct phase_map *m, struct str name)
{
	m->names = mem_resize(m->names, m->count + 1, sizeof(*m->names));
	m->names[m->count++] = arena_str(&m->arena, name);
}

static int add_phases(struct phase_map *m, const struct json *document, const char *path,
		      struct err *e)
{
	struct json_member member = {0};

	if (json_read_kind(document) != JSON_KIND_OBJECT) {
		err_set(e, ERR_INPUT, "'%s' is not a phase map: it is %s, not an object", path,
			json_read_kind_name(document));
		return err_hint(e,
				"{\"prefill\": [\"text\", \"re:^regex$\"], \"decode\": \"text\"}");
	}
	while (json_read_next(document, &member)) {
		if (!member.key.len)
			return err_set(e, ERR_INPUT, "'%s': a phase has an empty name", path);
		if (str_eq(member.key, STR_LIT(UNMAPPED)))
			return err_set(e, ERR_INPUT,
				       "'%s': '" UNMAPPED
				       "' is reserved for work outside all phases",
				       path);
		add_phase(m, member.key);
		if (add_texts(m, (uint32_t)(m->count - 1), member.value, e) < 0)
			return err_wrap(e, "'%s', phase '%.*s'", path,
					(int)(member.key.len < 100 ? member.key.len : 100),
					member.key.s);
	}
	if (!m->pattern_count)
		return err_set(e, ERR_INPUT, "'%s' has no phase with a pattern", path);
	return 0;
}

static int add_guesses(struct phase_map *m, struct err *e)
{
	m->guessed = true;
	for (size_t i = 0; i < ARRAY_LEN(guesses); i++) {
		add_phase(m, str_of(guesses[i].phase));
		if (add_pattern(m, (uint32_t)i, str_of(guesses[i].pattern), e) < 0)
			return -1;
	}
	return 0;
}

int phase_map_read(struct phase_map *ret, const char *path, struct err *e)
{
	struct json *document;
	int result;

	*ret = (struct phase_map){0};
	if (!path) {
		result = add_guesses(ret, e);
	} else {
		if (json_read_file(&document, path, e) < 0)
			return -1;
		result = add_phases(ret, document, path, e);
		json_read_free(document);
	}
	if (result < 0)
		phase_map_free(ret);
	return result;
}

void phase_map_free(struct phase_map *m)
{
	for (size_t i = 0; i < m->pattern_count; i++)
		pattern_free(m->patterns[i].pattern);
	free(m->patterns);
	free(m->names);
	arena_free(&m->arena);
	*m = (struct phase_map){0};
}

static int no_such_phase(const struct phase_map *m, const char *phase, struct err *e)
{
	struct buf names = {0};

	for (size_t i = 0; i < m->count && i < MOST_TOLD; i++)
		buf_addf(&names, "%s%.*s", i ? ", " : "", STR_FMT(m->names[i]));
	err_set(e, ERR_USAGE, "there is no phase '%s': %s %.600s", phase,
		m->guessed ? "phases detected from names are" : "the map has",
		names.s ? names.s : "none");
	buf_free(&names);
	return err_hint(
		e, "--phase-map FILE defines your own phases, --range NAME selects ranges by name");
}

int phase_map_number(const struct phase_map *m, const char *phase, uint32_t *ret, struct err *e)
{
	for (size_t i = 0; i < m->count; i++) {
		if (str_eq(m->names[i], str_of(phase))) {
			*ret = (uint32_t)i;
			return 0;
		}
	}
	return no_such_phase(m, phase, e);
}

int phase_map_find(const struct phase_map *m, struct str name, uint32_t *ret, struct err *e)
{
	*ret = PHASE_NONE;
	if (name.len > LONGEST_NAME)
		name.len = LONGEST_NAME;
	for (size_t i = 0; i < m->pattern_count; i++) {
		int found = pattern_match(m->patterns[i].pattern, name, e);

		if (found < 0)
			return -1;
		if (!found)
			continue;
		if (*ret != PHASE_NONE) {
			*ret = PHASE_NONE;
			return 0;
		}
		*ret = m->patterns[i].phase;
		if (!m->guessed)
			return 0;
	}
	return 0;
}
