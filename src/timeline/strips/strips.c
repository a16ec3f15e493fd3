/* What does the timeline look like where a finding is at its worst? */
#include "timeline/strips/strips.h"

#include "base/mem.h"
#include "report/finding.h"
#include "timeline/op_source.h"
#include "timeline/strips/strip_plan.h"
#include "timeline/thread_rows.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* What may be missing is no reason to show nothing. */
static int open_ranges(struct strip_maker *m, struct err *e)
{
	if (!m->trace->events[TRACE_NVTX].table)
		return 0;
	if (range_forest_build(m->trace, FOREST_PUSH_POP, &m->forest, e) == 0)
		return 0;
	m->forest = (struct range_forest){0};
	return e->absent ? 0 : -1;
}

static int open_calls(struct strip_maker *m, struct err *e)
{
	if (!m->trace->events[TRACE_API].table)
		return 0;
	m->joined = launches_share_joined(m->trace, joinable_kinds(m->trace), &m->launches);
	if (calls_read(m->trace, &m->calls, e) < 0)
		return -1;
	return call_classes_read(m->trace, &m->classes, e);
}

static int open_ops(struct strip_maker *m, struct err *e)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const uint32_t named = kind == TRACE_MEMCPYS ? COL_BIT(COL_COPY_KIND) : 0;

		if (trace_load(m->trace, (enum trace_kind)kind, COL_BIT(COL_STREAM) | named, e) < 0)
			return -1;
		if (m->trace->events[kind].count > op_id_row(UINT32_MAX))
			return err_set(e, ERR_INPUT, "'%s' has more than a billion ops of one kind",
				       m->trace->path);
	}
	return ops_open(&m->ops, m->trace, e);
}

static void list_places(struct strip_maker *m, const struct report *answer)
{
	for (size_t i = 0; i < answer->block_count; i++) {
		struct block *block = &answer->blocks[i];
		struct span place = SPAN_NONE;

		if (block->kind == BLOCK_FINDING)
			place = finding_longest_place(block->finding);
		if (place.start_ns <= place.end_ns)
			m->plans[m->count++] = (struct strip_plan){.block = block, .place = place};
	}
}

static void make_strip(struct strip_maker *m, struct strip_plan *p, const struct host_names *names)
{
	if (p->window.end_ns <= p->window.start_ns)
		return;
	p->strip = arena_zalloc(m->arena, 1, sizeof(*p->strip));
	p->strip->window = p->window;
	p->strip->place = p->place;
	strip_add_host(m, p);
	if (p->strip->row_count)
		p->strip->thread = thread_label(m->arena, m->trace, names, p->thread);
	strip_add_gpu(m, p);
	if (!p->strip->row_count)
		p->strip = NULL;
}

static int make_strips(struct strip_maker *m, struct err *e)
{
	struct host_names names;

	if (open_ops(m, e) < 0 || open_calls(m, e) < 0 || open_ranges(m, e) < 0 ||
	    host_names_read(m->trace, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < m->count; i++)
		strip_plan_find(m, &m->plans[i]);
	strip_plans_find_events(m);
	for (size_t i = 0; i < m->count; i++) {
		strip_plan_trim(m, &m->plans[i]);
		make_strip(m, &m->plans[i], &names);
	}
	host_names_free(&names);
	return 0;
}

static void close_maker(struct strip_maker *m)
{
	for (size_t i = 0; i < m->count; i++) {
		for (int near = 0; near < NEARS; near++)
			free(m->plans[i].near[near].all);
	}
	free(m->plans);
	if (m->ops.trace)
		ops_close(&m->ops);
	launches_free(&m->launches);
	calls_free(&m->calls);
	call_classes_free(&m->classes);
	range_forest_free(&m->forest);
}

int strips_make(struct trace *t, struct report *answer, struct err *e)
{
	struct strip_maker m = {.trace = t, .arena = &answer->arena};
	int result;

	m.plans = mem_zalloc(answer->block_count, sizeof(*m.plans));
	list_places(&m, answer);
	result = m.count ? make_strips(&m, e) : 0;
	for (size_t i = 0; result == 0 && i < m.count; i++)
		m.plans[i].block->strip = m.plans[i].strip;
	close_maker(&m);
	return result;
}
