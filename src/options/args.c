/* What were the options told? */
#include "options/args.h"

static bool find_nth(const struct option_group *g, size_t base, size_t *left,
		     struct option_place *ret)
{
	for (const struct option *o = g->options; o->type != OPTION_END; o++) {
		if (o->type == OPTION_INCLUDE) {
			if (find_nth(o->group, base + o->at, left, ret))
				return true;
		} else if ((*left)-- == 0) {
			*ret = (struct option_place){o, base};
			return true;
		}
	}
	return false;
}

bool group_option_at(const struct option_group *g, size_t i, struct option_place *ret)
{
	return find_nth(g, 0, &i, ret);
}

void args_init(const struct option_group *g, void *args)
{
	struct option_place p;
	struct err impossible;

	memset(args, 0, g->size);
	for (size_t i = 0; group_option_at(g, i, &p); i++) {
		if (p.opt->initial)
			option_set(p.opt, (char *)args + p.base, p.opt->initial, NULL, &impossible);
	}
}

void args_free(const struct option_group *g, void *args)
{
	for (const struct option *o = g->options; o->type != OPTION_END; o++) {
		void *at = (char *)args + o->at;

		if (o->type == OPTION_INCLUDE)
			args_free(o->group, at);
		else if (o->type == OPTION_LIST)
			string_list_free(at);
	}
	if (g->release)
		g->release(args);
}

int args_check(const struct option_group *g, const void *args, const char *command, struct err *e)
{
	for (const struct option *o = g->options; o->type != OPTION_END; o++) {
		if (o->type == OPTION_INCLUDE &&
		    args_check(o->group, (const char *)args + o->at, command, e) < 0)
			return -1;
	}
	return g->check ? g->check(args, command, e) : 0;
}

/* Where the part begins in the arguments; SIZE_MAX: nowhere. */
static size_t part_at(const struct option_group *g, const struct option_group *wanted)
{
	/* Two groups of one table differ in what they check. */
	if (g->options == wanted->options)
		return 0;
	for (const struct option *o = g->options; o->type != OPTION_END; o++) {
		size_t at = o->type == OPTION_INCLUDE ? part_at(o->group, wanted) : SIZE_MAX;

		if (at != SIZE_MAX)
			return o->at + at;
	}
	return SIZE_MAX;
}

bool group_has(const struct option_group *g, const struct option_group *wanted)
{
	return g && part_at(g, wanted) != SIZE_MAX;
}

const void *args_part_const(const struct option_group *g, const void *args,
			    const struct option_group *wanted)
{
	return group_has(g, wanted) ? (const char *)args + part_at(g, wanted) : NULL;
}

void *args_part(const struct option_group *g, void *args, const struct option_group *wanted)
{
	return (void *)args_part_const(g, args, wanted);
}

static bool find_same(const struct option_group *g, const struct option *opt,
		      struct option_place *ret)
{
	for (size_t i = 0; group_option_at(g, i, ret); i++) {
		if (ret->opt == opt)
			return true;
	}
	return false;
}

void args_copy_shared(const struct option_group *to, void *args, const struct option_group *from,
		      const void *others)
{
	struct option_place mine, theirs;

	for (size_t i = 0; group_option_at(to, i, &mine); i++) {
		const struct option *o = mine.opt;
		char *a = (char *)args + mine.base;
		const char *b;

		if (!find_same(from, o, &theirs))
			continue;
		b = (const char *)others + theirs.base;
		memcpy(a + o->at, b + o->at, o->size);
		if (o->size && o->given != OPTION_ALWAYS)
			a[o->given] = b[o->given];
	}
}

static void add_list(struct buf *b, const struct string_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		buf_addf(b, "%zu:%s", strlen(l->all[i]), l->all[i]);
}

void args_add_key(struct buf *b, const struct option_group *g, const void *args)
{
	struct option_place p;

	for (size_t i = 0; group_option_at(g, i, &p); i++) {
		const struct option *o = p.opt;
		const char *base = (const char *)args + p.base, *text;

		if (!o->size || (o->given != OPTION_ALWAYS && !*(const bool *)(base + o->given)))
			continue;
		buf_addf(b, "%s=", o->name);
		if (o->type == OPTION_LIST) {
			add_list(b, (const void *)(base + o->at));
		} else if (o->type >= OPTION_TEXT && o->type <= OPTION_FILE) {
			text = *(const char *const *)(base + o->at);
			buf_addf(b, "%zu:%s", text ? strlen(text) : 0, text ? text : "");
		} else {
			for (size_t k = 0; k < o->size; k++)
				buf_addf(b, "%02x", (unsigned char)base[o->at + k]);
		}
		buf_addc(b, ';');
	}
}
