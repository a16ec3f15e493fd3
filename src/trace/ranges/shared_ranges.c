/* What is known of a trace's ranges already? */
#include "trace/ranges/shared_ranges.h"

#include "base/mem.h"

#include <stdlib.h>

struct shared_ranges {
	struct range_forest forests[FOREST_KINDS];
	struct range_names names;
	struct folded_names folded_ranges, folded_names;
};

static struct shared_ranges *get(struct trace *t)
{
	if (!t->ranges)
		t->ranges = mem_zalloc(1, sizeof(*t->ranges));
	return t->ranges;
}

int shared_forest(struct trace *t, enum forest_kind kind, struct range_forest *ret, struct err *e)
{
	struct range_forest *f;
	int result = 0;

	trace_lock(t);
	f = &get(t)->forests[kind];
	if (!f->shared)
		result = range_forest_build_anew(t, kind, f, e);
	if (result == 0) {
		f->shared = true;
		*ret = *f;
	}
	trace_unlock(t);
	return result;
}

int shared_range_names(struct trace *t, struct range_names *ret, struct err *e)
{
	struct range_names *n;
	int result = 0;

	trace_lock(t);
	n = &get(t)->names;
	if (!n->shared)
		result = range_names_read_anew(t, n, e);
	if (result == 0) {
		n->shared = true;
		*ret = *n;
	}
	trace_unlock(t);
	return result;
}

static void fold(const struct strtab *names, struct folded_names *f, struct folded_names *ret)
{
	if (!f->shared)
		folded_names_make(names, f);
	f->shared = true;
	*ret = *f;
}

bool shared_folded_ranges(struct trace *t, const struct range_names *n, struct folded_names *ret)
{
	if (!n->shared)
		return false;
	trace_lock(t);
	fold(&n->names, &get(t)->folded_ranges, ret);
	trace_unlock(t);
	return true;
}

/* Names that are met later are not among those that were folded. */
bool shared_folded_names(struct trace *t, struct folded_names *ret)
{
	if (!t->shares_joins)
		return false;
	trace_lock(t);
	fold(&t->names, &get(t)->folded_names, ret);
	trace_unlock(t);
	return ret->count == t->names.count;
}

void shared_ranges_free(struct trace *t)
{
	struct shared_ranges *s = t->ranges;

	if (!s)
		return;
	for (int kind = 0; kind < FOREST_KINDS; kind++) {
		s->forests[kind].shared = false;
		range_forest_free(&s->forests[kind]);
	}
	s->names.shared = s->folded_ranges.shared = s->folded_names.shared = false;
	range_names_free(&s->names);
	folded_names_free(&s->folded_ranges);
	folded_names_free(&s->folded_names);
	free(s);
	t->ranges = NULL;
}
