/* Which kernels and copies make up the GPU time of each row? */
#include "analysis/suggest/row_work.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* Kernels of one name in one row. */
struct name_sum {
	uint32_t row, name;
	int64_t ns;
	uint64_t count;
};

struct summing {
	const struct launched *l;
	const struct stretches *s;
	struct row_work *out;
	struct idmap numbers; /* row and name */
	struct name_sum *sums;
	size_t cap;
};

static void add_kernel(struct summing *m, uint32_t row, uint32_t name, int64_t ns)
{
	const size_t known = m->numbers.count;
	const uint32_t number = idmap_number_pair(&m->numbers, row, name);

	if (number == known) {
		MEM_GROW(m->sums, m->cap, known + 1);
		m->sums[number] = (struct name_sum){.row = row, .name = name};
	}
	m->sums[number].ns = sat_add(m->sums[number].ns, ns);
	m->sums[number].count++;
}

static int64_t *copy_sum(struct row_work *w, const struct events *ev, enum trace_kind kind,
			 uint64_t op)
{
	switch (op_part_of_copy(ev, kind, op)) {
	case OP_COPY_IN:
		return &w->to_device_ns;
	case OP_COPY_OUT:
		return &w->to_host_ns;
	default:
		return kind == TRACE_GRAPHS ? &w->graph_ns : &w->other_copy_ns;
	}
}

static void add_kind(struct summing *m, const struct gpu_work *g, enum trace_kind kind)
{
	const struct launches *l = &m->l->at.launches;
	const struct events *ev = &g->trace->events[kind];

	for (uint64_t i = 0; l->kinds & 1u << kind && i < ev->count; i++) {
		const uint32_t launch = l->launch_of_op[l->begin[kind] + i];
		const uint32_t row = launch == LAUNCH_NONE ? ROW_NONE : m->s->row_of_launch[launch];
		struct span part;
		int64_t ns, *to;

		if (row == ROW_NONE || !gpu_work_part(g, kind, i, &part))
			continue;
		ns = sat_sub(part.end_ns, part.start_ns);
		if (kind == TRACE_KERNELS) {
			add_kernel(m, row, ev->name ? ev->name[i] : NAME_NONE, ns);
			continue;
		}
		to = copy_sum(&m->out[row], ev, kind, i);
		*to = sat_add(*to, ns);
	}
}

static void show_part(struct shown_part *p, const struct name_sum *s)
{
	p->ns = sat_add(p->ns, s->ns);
	if (p->example == NAME_NONE || s->ns > p->example_ns) {
		p->example = s->name;
		p->example_ns = s->ns;
	}
}

static void rank_category(struct row_work *w, struct category_share c)
{
	for (size_t i = 0; i < TOP_CATEGORIES; i++) {
		if (!w->top[i].name.len || c.ns > w->top[i].ns) {
			const struct category_share less = w->top[i];

			w->top[i] = c;
			c = less;
		}
		if (!c.name.len)
			return;
	}
}

static void note_kernel(struct row_work *w, const struct name_sum *s, const struct op_sign *sign)
{
	show_part(&w->parts[sign->part], s);
	if (w->kernel != NAME_NONE && s->ns <= w->kernel_ns)
		return;
	w->kernel = s->name;
	w->kernel_ns = s->ns;
	w->kernel_count = s->count;
	w->kernel_category = sign->category;
}

/* A row and a category are a pair that has one sum. There are no more of them than of names. */
static int sum_names(struct summing *m, struct op_signs *signs, struct err *e)
{
	struct name_sum *sums = mem_zalloc(m->numbers.count, sizeof(*sums));
	struct strtab categories = {0};
	struct idmap numbers = {0};
	int result = 0;

	for (size_t i = 0; i < m->numbers.count && result == 0; i++) {
		const struct name_sum *s = &m->sums[i];
		const struct op_sign *sign;

		result = op_signs_find(signs, s->name, &sign, e);
		if (result == 0) {
			const uint32_t category = strtab_add(&categories, sign->category);
			struct name_sum *to = &sums[idmap_number_pair(&numbers, s->row, category)];

			note_kernel(&m->out[s->row], s, sign);
			*to = (struct name_sum){s->row, category, sat_add(to->ns, s->ns), 0};
		}
	}
	for (size_t i = 0; i < numbers.count; i++)
		rank_category(&m->out[sums[i].row],
			      (struct category_share){categories.items[sums[i].name], sums[i].ns});
	free(sums);
	idmap_free(&numbers);
	strtab_free(&categories);
	return result;
}

int row_work_read(const struct launched *l, const struct stretches *s, const struct scope *p,
		  struct op_signs *signs, struct row_work **ret, struct err *e)
{
	struct summing m = {.l = l, .s = s};
	struct gpu_work g;
	int result = gpu_work_open(&g, l->trace, ALL_GPU_KINDS, p, e);

	*ret = m.out = mem_zalloc(s->count, sizeof(*m.out));
	for (size_t i = 0; i < s->count; i++) {
		m.out[i].kernel = NAME_NONE;
		for (size_t k = 0; k < OP_PARTS; k++)
			m.out[i].parts[k].example = NAME_NONE;
	}
	for (int kind = 0; kind < TRACE_GPU_KINDS && result == 0; kind++)
		add_kind(&m, &g, (enum trace_kind)kind);
	if (result == 0)
		result = sum_names(&m, signs, e);
	gpu_work_close(&g);
	free(m.sums);
	idmap_free(&m.numbers);
	return result;
}
