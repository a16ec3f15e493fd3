/* Which joins of a trace have been made already? */
#include "trace/ranges/shared_joins.h"

#include "base/mem.h"

#include <stdlib.h>

struct shared_joins {
	struct attribution all;
	bool has_ranges;
};

/* Kinds that the export lacks join with ease, those without correlation ids not at all. */
unsigned joinable_kinds(const struct trace *t)
{
	unsigned kinds = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct sqlite_table *table = t->events[kind].table;

		if (!table || sqlite_table_find_column(table, "correlationId") >= 0)
			kinds |= 1u << kind;
	}
	return kinds;
}

/* What cannot be joined as a whole may still be joined in part: then nothing is shared. */
static bool make(struct trace *t)
{
	struct err e = {0};

	if (t->joins || !t->shares_joins)
		return t->joins != NULL;
	t->joins = mem_zalloc(1, sizeof(*t->joins));
	if (launches_join_anew(t, joinable_kinds(t), true, &t->joins->all.launches, &e) == 0) {
		for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
			trace_unload(t, (enum trace_kind)kind, COL_BIT(COL_CORRELATION));
		return true;
	}
	free(t->joins);
	t->joins = NULL;
	t->shares_joins = false;
	return false;
}

static bool make_once(struct trace *t)
{
	bool made;

	trace_lock(t);
	made = make(t);
	trace_unlock(t);
	return made;
}

bool shared_launches(struct trace *t, unsigned kinds, struct launches *ret)
{
	if (!t->shares_joins || kinds & ~joinable_kinds(t) || !make_once(t))
		return false;
	*ret = t->joins->all.launches;
	ret->kinds = kinds;
	ret->shared = true;
	ret->op_count = 0;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (kinds & 1u << kind)
			ret->op_count = ret->begin[kind] + t->events[kind].count;
	}
	return true;
}

bool shared_calls(struct trace *t, struct calls *ret)
{
	if (!t->shares_joins || !t->events[TRACE_API].table || !make_once(t) ||
	    !t->joins->all.launches.has_all_calls)
		return false;
	*ret = t->joins->all.launches.calls;
	ret->shared = true;
	return true;
}

int shared_ranges(struct trace *t, struct attribution *a, struct err *e)
{
	struct shared_joins *j = t->joins;
	bool found;

	trace_lock(t);
	if (!j->has_ranges && attribution_find_ranges(t, &j->all, e) == 0)
		j->has_ranges = true;
	found = j->has_ranges;
	trace_unlock(t);
	if (!found)
		return -1;
	a->forest = j->all.forest;
	a->range_of_slot = j->all.range_of_slot;
	a->shared = true;
	return 0;
}

bool shared_joins_lend(struct trace *t)
{
	bool others = t->shares_joins;

	if (!others)
		t->shares_joins = true;
	return others;
}

/* Others may count by kind, and are given a join of their own. */
void shared_joins_return(struct trace *t, bool lent)
{
	if (lent)
		return;
	t->shares_joins = false;
	shared_joins_free(t);
}

void shared_joins_forget_calls(struct trace *t)
{
	struct launches *l = t->joins ? &t->joins->all.launches : NULL;

	if (l && l->has_all_calls)
		launches_forget_calls(l);
}

void shared_joins_free(struct trace *t)
{
	if (t->joins)
		attribution_free(&t->joins->all);
	free(t->joins);
	t->joins = NULL;
}
