/* How long did each kernel of a member take, each time? */
#include "fleet/part_making.h"

#include "analysis/kernel_names.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/pairs.h"
#include "base/sort.h"
#include "fleet/kernel_merge.h"
#include "trace/ops/op_class.h"

#include <stdlib.h>
#include <string.h>

struct kernel_group {
	uint32_t member;
	const char *name;
	bool communicates;
	size_t begin, count; /* of the durations */
};

struct grouping_kernels {
	struct part_making *x;
	const uint32_t *names; /* by row */
	struct strtab texts;   /* names as the part has them: two may read the same */
	uint32_t *text_of;     /* by name; the last one is for NAME_NONE */
	bool *communicates;    /* by text */
	struct pairs numbers;  /* member, text */
	struct kernel_group *groups;
	size_t count, cap;
	uint32_t *group_of; /* by row; ID_NONE: it is nobody's, or not in the window */
	int64_t *ns;	    /* by row: inside the window */
};

static uint32_t text_of(struct grouping_kernels *g, const uint8_t *classes, uint32_t name)
{
	const struct trace *t = g->x->trace;
	uint32_t *known = &g->text_of[name == NAME_NONE ? t->names.count : name];

	if (*known != ID_NONE)
		return *known;
	*known = strtab_add(&g->texts, str_of(part_text(&g->x->part->arena, trace_name(t, name))));
	g->communicates[*known] |= name != NAME_NONE && classes[name] == OP_COMM;
	return *known;
}

/* Whose it is, and how long in that one's window; false: in none. */
static bool place(const struct grouping_kernels *g, struct process_gpu_cursor *at, uint64_t row,
		  uint32_t *member, int64_t *ns)
{
	const struct part_making *x = g->x;
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	uint32_t pair;

	if (ev->duration_ns[row] == DURATION_NONE)
		return false;
	pair = process_gpus_find(&x->comm.walk.gpus, at, ev, row);
	if (pair == ID_NONE)
		return false;
	*member = x->member_of_pair[pair];
	*ns = ev->duration_ns[row];
	return x->q->scope.span == SPAN_ALL ||
	       window_clip(&x->members[*member].place, ev->start_ns[row], *ns, ns);
}

static void group_rows(struct grouping_kernels *g, const uint8_t *classes)
{
	const struct events *ev = &g->x->trace->events[TRACE_KERNELS];
	struct process_gpu_cursor at = PROCESS_GPU_CURSOR_START;

	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t member, text, number;

		g->group_of[i] = ID_NONE;
		if (!place(g, &at, i, &member, &g->ns[i]))
			continue;
		g->ns[i] = part_time(g->ns[i]);
		text = text_of(g, classes, g->names[i]);
		number = pairs_number(&g->numbers, member, text);
		if (number == g->count) {
			MEM_GROW(g->groups, g->cap, g->count + 1);
			g->groups[g->count++] = (struct kernel_group){
				member, g->texts.items[text].s, g->communicates[text], 0, 0};
		}
		g->groups[number].count++;
		g->group_of[i] = number;
	}
}

/* The durations of each group, side by side. */
static int64_t *gather(struct grouping_kernels *g)
{
	const uint64_t rows = g->x->trace->events[TRACE_KERNELS].count;
	int64_t *all = mem_alloc(rows, sizeof(*all));
	size_t begin = 0;

	for (size_t i = 0; i < g->count; i++) {
		g->groups[i].begin = begin;
		begin += g->groups[i].count;
		g->groups[i].count = 0;
	}
	for (uint64_t i = 0; i < rows; i++) {
		struct kernel_group *of;

		if (g->group_of[i] == ID_NONE)
			continue;
		of = &g->groups[g->group_of[i]];
		all[of->begin + of->count++] = g->ns[i];
	}
	return all;
}

static struct part_kernel count_values(struct arena *arena, const struct kernel_group *of,
				       const int64_t *sorted)
{
	struct part_kernel k = {.name = of->name, .communicates = of->communicates};
	size_t different = 0;

	for (size_t i = 0; i < of->count; i++)
		different += !i || sorted[i] != sorted[i - 1];
	k.values = arena_alloc(arena, different, sizeof(*k.values));
	for (size_t i = 0; i < of->count; i++) {
		if (!i || sorted[i] != sorted[i - 1])
			k.values[k.value_count++] = (struct counted_value){sorted[i], 0};
		k.values[k.value_count - 1].count++;
	}
	part_kernel_sum(&k);
	return k;
}

static int by_member_and_name(const void *a, const void *b, void *ctx)
{
	const struct kernel_group *p = a, *q = b;

	(void)ctx;
	if (p->member != q->member)
		return p->member < q->member ? -1 : 1;
	return strcmp(p->name, q->name);
}

static void take_groups(struct grouping_kernels *g, int64_t *durations)
{
	const uint64_t rows = g->x->trace->events[TRACE_KERNELS].count;
	int64_t *scratch = mem_alloc(rows, sizeof(*scratch));
	struct part *p = g->x->part;

	if (g->count)
		sort_stable(g->groups, g->count, sizeof(*g->groups), by_member_and_name, NULL);
	for (size_t i = 0; i < g->count; i++)
		p->members[g->groups[i].member].kernel_count++;
	for (size_t i = 0; i < p->member_count; i++) {
		struct part_member *m = &p->members[i];

		m->kernels = arena_alloc(&p->arena, m->kernel_count, sizeof(*m->kernels));
		m->kernel_count = 0;
	}
	for (size_t i = 0; i < g->count; i++) {
		const struct kernel_group *of = &g->groups[i];
		struct part_member *m = &p->members[of->member];

		sort_i64(&durations[of->begin], scratch, of->count);
		m->kernels[m->kernel_count++] = count_values(&p->arena, of, &durations[of->begin]);
	}
	free(scratch);
}

static void count_without_times(const struct part_making *x)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];

	for (uint64_t i = 0; i < ev->count; i++)
		x->part->members[0].kernels_without_times += ev->duration_ns[i] == DURATION_NONE;
}

static void group_all(struct part_making *x, const uint32_t *names, const uint8_t *classes)
{
	const struct trace *t = x->trace;
	const uint64_t rows = t->events[TRACE_KERNELS].count;
	struct grouping_kernels g = {.x = x, .names = names};
	int64_t *durations;

	g.text_of = new_ids(t->names.count + 1);
	g.communicates = mem_zalloc(t->names.count + 1, sizeof(*g.communicates));
	g.group_of = mem_alloc(rows, sizeof(*g.group_of));
	g.ns = mem_alloc(rows, sizeof(*g.ns));
	group_rows(&g, classes);
	durations = gather(&g);
	free(g.group_of);
	free(g.ns);
	take_groups(&g, durations);
	free(durations);
	free(g.groups);
	free(g.text_of);
	free(g.communicates);
	pairs_free(&g.numbers);
	strtab_free(&g.texts);
}

int part_take_kernels(struct part_making *x, struct err *e)
{
	struct trace *t = x->trace;
	struct kernel_names names;
	uint8_t *classes;

	if (!t->events[TRACE_KERNELS].count || !x->count)
		return 0;
	if (trace_require_columns(t, TRACE_KERNELS, COLS_TIMES, e) < 0 ||
	    kernel_names_read(t, NULL, NULL, &names, e) < 0)
		return -1;
	if (op_class_of_names(t, &classes, e) < 0) {
		kernel_names_free(&names);
		return -1;
	}
	group_all(x, names.of_kernel, classes);
	count_without_times(x);
	free(classes);
	kernel_names_free(&names);
	return 0;
}
