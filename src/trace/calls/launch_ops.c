/* Which launch is each GPU op of? */
#include "trace/calls/launch_join.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

int launches_one_process(struct trace *t, unsigned kinds, bool *ret, struct err *e)
{
	*ret = false;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		*ret |= kinds & 1u << kind && t->events[kind].count && !t->events[kind].process;
	if (!*ret || !t->events[TRACE_API].table)
		return 0;
	if (trace_load(t, TRACE_API, COL_BIT(COL_THREAD), e) < 0)
		return -1;
	if (t->process_keys.count <= 1)
		return 0;
	err_set(e, ERR_INPUT, "'%s': its GPU work is not linked to any of its %zu processes",
		t->path, t->process_keys.count);
	e->absent = true;
	return err_hint(e, "export the report again with a recent Nsight Systems");
}

static int load_ops(struct launch_join *j, struct err *e)
{
	struct trace *t = j->trace;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (!(j->out->kinds & 1u << kind))
			continue;
		if (trace_load(t, kind, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION), e) < 0 ||
		    trace_require_column(t, kind, COL_CORRELATION, e) < 0)
			return -1;
	}
	return launches_one_process(t, j->out->kinds, &j->one_process, e);
}

/* Whether the op says what launched it. */
static bool op_pair(const struct launch_join *j, const struct events *ops, uint64_t i,
		    uint32_t *ret_process)
{
	*ret_process = j->one_process ? 0 : ops->process[i];
	return ops->correlation[i] != ID_NONE && *ret_process != ID_NONE;
}

/* What is done with the ops of one kind, by many workers. */
struct kind_of_ops {
	const struct launch_join *join;
	const struct events *ops;
	struct pair_list *lists; /* one for PARALLEL_ROWS ops each */
	uint32_t *launch_of_op;
};

static void list_launches(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct kind_of_ops *k = ctx;
	struct pair_list *list = &k->lists[begin / PARALLEL_ROWS];
	uint32_t process;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (op_pair(k->join, k->ops, i, &process))
			pair_list_add(list, process, k->ops->correlation[i]);
	}
	pair_list_settle(list);
}

static void find_launches(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct kind_of_ops *k = ctx;
	const struct launch_join *j = k->join;
	struct launch_cursor c = {0};
	uint32_t process;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		k->launch_of_op[i] = op_pair(j, k->ops, i, &process)
					     ? launch_numbers_find(&j->numbers, &c, process,
								   k->ops->correlation[i])
					     : LAUNCH_NONE;
}

static uint64_t ops_of_kind(const struct launch_join *j, int kind)
{
	return j->out->kinds & 1u << kind ? j->trace->events[kind].count : 0;
}

static uint64_t count_ops(const struct launch_join *j)
{
	uint64_t count = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		count += ops_of_kind(j, kind);
	return count;
}

static void for_ops_of_kind(struct launch_join *j, int kind, parallel_each_fn *fn,
			    struct pair_list *lists)
{
	struct launches *l = j->out;
	struct kind_of_ops k = {j, &j->trace->events[kind], lists,
				l->launch_of_op ? l->launch_of_op + l->begin[kind] : NULL};

	parallel_each(ops_of_kind(j, kind), PARALLEL_ROWS, fn, &k);
}

static void list_all_launches(struct launch_join *j)
{
	size_t most = count_ops(j) / PARALLEL_ROWS + TRACE_GPU_KINDS, count = 0;
	struct pair_list *lists = mem_zalloc(most, sizeof(*lists));

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		for_ops_of_kind(j, kind, list_launches, lists + count);
		count += (ops_of_kind(j, kind) + PARALLEL_ROWS - 1) / PARALLEL_ROWS;
	}
	launch_numbers_make(&j->numbers, lists, count);
	free(lists);
}

int launch_join_ops(struct launch_join *j, struct err *e)
{
	struct launches *l = j->out;

	if (load_ops(j, e) < 0)
		return -1;
	if (count_ops(j) >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s' has more than 4 billion GPU ops",
			       j->trace->path);
	list_all_launches(j);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		l->begin[kind] = l->op_count;
		l->op_count += ops_of_kind(j, kind);
	}
	l->launch_count = j->numbers.count;
	l->launch_of_op = mem_alloc(l->op_count, sizeof(*l->launch_of_op));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		for_ops_of_kind(j, kind, find_launches, NULL);
	l->row_of_launch = mem_alloc(l->launch_count, sizeof(*l->row_of_launch));
	memset(l->row_of_launch, 0xff, l->launch_count * sizeof(*l->row_of_launch));
	return 0;
}
