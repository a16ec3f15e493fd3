/* Which part of a program does a kernel's name show? */
#include "analysis/suggest/op_signs.h"

#include "analysis/workload/signs.h"
#include "base/mem.h"
#include "text/cxx.h"
#include "trace/system/labels.h"

#include <stdlib.h>

int op_signs_open(struct op_signs *s, const struct trace *t, struct err *e)
{
	enum category_missing missing;
	const struct category_map *map;

	*s = (struct op_signs){.trace = t, .name_count = t->names.count};
	s->of_name = mem_zalloc(s->name_count, sizeof(*s->of_name));
	if (category_maps_read(&s->maps, NULL, 0, e) < 0)
		return -1;
	map = category_maps_find(&s->maps, STR_LIT("default"), STR_LIT("default"), &missing);
	return categories_compile(&s->categories, map, e);
}

void op_signs_close(struct op_signs *s)
{
	categories_free(&s->categories);
	category_maps_free(&s->maps);
	free(s->of_name);
	*s = (struct op_signs){0};
}

static bool is_forward(struct str name)
{
	static const char *const texts[] = {"forward", "Forward", "_fwd", "fwd_", "fprop"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (str_holds(name, texts[i]))
			return true;
	}
	return false;
}

/* "flash_bwd_…": what a name says itself comes before what its category is. */
static enum op_part part_of(const struct sign_found *found, struct str name, struct str category)
{
	if (found[SIGN_OPTIMIZER].count || str_eq(category, STR_LIT("optimizer")))
		return OP_OPTIMIZER;
	if (found[SIGN_BACKWARD].count)
		return OP_BACKWARD;
	return is_forward(name) ? OP_FORWARD : OP_ANY;
}

static int look_at(struct op_signs *s, uint32_t name, struct op_sign *ret, struct err *e)
{
	struct sign_found found[SIGNS] = {0};
	const struct str text = trace_name(s->trace, name);

	if (categories_find(&s->categories, text, false, &ret->category, e) < 0)
		return -1;
	signs_add_name(found, PLACE_KERNEL, text, 1, 0);
	ret->torch = found[SIGN_PYTORCH].count > 0;
	ret->part = (uint8_t)part_of(found, text, ret->category);
	ret->known = true;
	return 0;
}

int op_signs_find(struct op_signs *s, uint32_t name, const struct op_sign **ret, struct err *e)
{
	static const struct op_sign nothing = {
		.known = true, .part = OP_ANY, .category = {"misc", 4}};

	*ret = name < s->name_count ? &s->of_name[name] : &nothing;
	return (*ret)->known ? 0 : look_at(s, name, &s->of_name[name], e);
}

static bool is_of_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

struct str op_signs_word(struct str name, enum op_part part)
{
	for (size_t from = 0, to; from < name.len; from = to + 1) {
		struct sign_found found[SIGNS] = {0};
		struct str word;

		for (to = from; to < name.len && is_of_word(name.s[to]);)
			to++;
		word = (struct str){name.s + from, to - from};
		signs_add_name(found, PLACE_KERNEL, word, 1, 0);
		if (part_of(found, word, STR_LIT("")) == part && part != OP_ANY)
			return word;
	}
	return cxx_qualified_name(name);
}

enum op_part op_part_of_copy(const struct events *ev, enum trace_kind kind, uint64_t op)
{
	switch (kind == TRACE_MEMCPYS && ev->copy_kind ? ev->copy_kind[op] : ID_NONE) {
	case COPY_HOST_TO_DEVICE:
	case COPY_PAGES_TO_DEVICE:
		return OP_COPY_IN;
	case COPY_DEVICE_TO_HOST:
	case COPY_PAGES_TO_HOST:
		return OP_COPY_OUT;
	default:
		return OP_NEUTRAL;
	}
}
