/* How do checks look different whose ids are the same, or whose kernels have the same short name?
 */
#include "base/mem.h"
#include "base/sort.h"
#include "gate/checks.h"
#include "report/tell_apart.h"

#include <string.h>

static int by_brief(const void *p, const void *q, void *ctx)
{
	const struct gate_check *a = *(struct gate_check *const *)p,
				*b = *(struct gate_check *const *)q;

	(void)ctx;
	return strcmp(a->brief, b->brief);
}

static int by_id(const void *p, const void *q, void *ctx)
{
	const struct gate_check *a = *(struct gate_check *const *)p,
				*b = *(struct gate_check *const *)q;

	(void)ctx;
	return strcmp(a->id, b->id);
}

/* Names as whole as they are tell what words do. */
static void tell_group(struct arena *arena, struct gate_check **checks, size_t count)
{
	SCOPED struct str *names = mem_alloc(count, sizeof(*names));
	SCOPED const char **texts = mem_alloc(count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		names[i] = str_of(checks[i]->name);
	tell_apart(names, count, arena, texts);
	for (size_t i = 0; i < count; i++) {
		if (texts[i][0])
			checks[i]->brief =
				arena_printf(arena, "%s [%s]", checks[i]->brief, texts[i]);
	}
}

/* Whether the rule names what the check is about: no pattern, and not "new", found it. */
static bool is_named(const struct gate_check *c)
{
	const char *name = strchr(c->id, ':');

	return !c->rule->names.text || !name || strcmp(name + 1, c->rule->names.text) == 0;
}

/* Several rules may ask for one thing: a rule that names it has its plain name; the others are told
 * by what they say. */
static void tell_rules(struct arena *arena, struct gate_check **checks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *rule = checks[i]->rule->names.text;
		size_t earlier = 0;

		for (size_t k = 0; k < i; k++)
			earlier += checks[k]->rule == checks[i]->rule;
		if (!is_named(checks[i])) {
			checks[i]->name = arena_printf(arena, "%s [rule %s]", checks[i]->id, rule);
			checks[i]->brief =
				arena_printf(arena, "%s [rule %s]", checks[i]->brief, rule);
		}
		if (earlier)
			checks[i]->name =
				arena_printf(arena, "%s #%zu", checks[i]->name, earlier + 1);
	}
}

/* Groups of checks that `order` takes for the same, each as it comes. */
static void tell_groups(struct gate *g, int (*order)(const void *p, const void *q, void *ctx),
			void (*tell)(struct arena *arena, struct gate_check **checks, size_t count))
{
	SCOPED struct gate_check **all = mem_alloc(g->count, sizeof(void *));

	for (size_t i = 0; i < g->count; i++)
		all[i] = &g->all[i];
	sort_stable(all, g->count, sizeof(void *), order, NULL);
	for (size_t i = 0, end; i < g->count; i = end) {
		for (end = i + 1; end < g->count && order(&all[i], &all[end], NULL) == 0; end++)
			;
		if (end - i > 1)
			tell(&g->arena, &all[i], end - i);
	}
}

void gate_tell_apart(struct gate *g)
{
	tell_groups(g, by_id, tell_rules);
	tell_groups(g, by_brief, tell_group);
}
