/* Which kernels of a trace did Nsight Compute measure? */
#include "analysis/counters/ncu_join.h"

#include "analysis/counters/ncu_shapes.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_CANDIDATES = 256 }; /* kernels of one form that shapes are asked about */

struct joining {
	struct ncu_join *join;
	const struct ncu_groups *groups;
	struct ncu_shapes shapes;
	uint32_t *claimed_by; /* by traced kernel: a group; ID_NONE: free */
	uint32_t *next;	      /* by traced kernel: another of the same form */
};

/* The kernels of the trace by one form of their names. */
struct form_index {
	struct strtab forms;
	struct arena arena;
	uint32_t *first; /* by form */
	size_t cap;
};

static uint32_t form_number(struct form_index *x, struct str name, enum ncu_form form)
{
	struct buf b = {0};
	size_t known = x->forms.count;
	uint32_t number;

	ncu_name_add_form(&b, name, form);
	number = strtab_add(&x->forms, buf_str(&b));
	if (x->forms.count > known) {
		x->forms.items[number] = arena_str(&x->arena, buf_str(&b));
		MEM_GROW(x->first, x->cap, number + 1);
		x->first[number] = ID_NONE;
	}
	buf_free(&b);
	return number;
}

static void index_traced(struct form_index *x, struct joining *j, enum ncu_form form)
{
	for (size_t i = j->join->traced_count; i-- > 0;) {
		uint32_t number;

		if (j->claimed_by[i] != ID_NONE)
			continue;
		number = form_number(x, j->join->traced[i].name, form);
		j->next[i] = x->first[number];
		x->first[number] = (uint32_t)i;
	}
}

/* Without template arguments names agree only where one of them has none to begin with. */
static bool may_fit(const struct joining *j, uint32_t traced, struct str name, enum ncu_form form)
{
	return form != NCU_FORM_NO_ARGS || !ncu_name_has_args(name) ||
	       !ncu_name_has_args(j->join->traced[traced].name);
}

/* The one that fits; where several do, the one that has the group's grids and blocks. */
static void propose(struct joining *j, size_t group, uint32_t first, enum ncu_form form)
{
	struct ncu_match *m = &j->join->of_group[group];
	size_t fitting = 0, alike = 0, tried = 0;
	uint32_t one = ID_NONE, same_shape = ID_NONE, i = first;

	for (; i != ID_NONE && tried < MOST_CANDIDATES; i = j->next[i], tried++) {
		if (!may_fit(j, i, j->groups->all[group].name, form))
			continue;
		fitting++;
		one = i;
		if (ncu_shapes_agree(&j->shapes, group, i)) {
			alike++;
			same_shape = i;
		}
	}
	if (!fitting && i == ID_NONE)
		return;
	m->form = form;
	/* Of those that nobody asked about one more may fit. */
	m->fit = i == ID_NONE && (fitting == 1 || alike == 1) ? NCU_FIT_ONE : NCU_FIT_SEVERAL;
	m->traced = fitting == 1 ? one : same_shape;
}

/* Two groups that would be the same kernel: nobody knows which of them it is. */
static void settle(struct joining *j, enum ncu_form form)
{
	for (size_t g = 0; g < j->join->group_count; g++) {
		struct ncu_match *m = &j->join->of_group[g], *other;

		if (m->fit != NCU_FIT_ONE || m->form != form)
			continue;
		if (j->claimed_by[m->traced] == ID_NONE) {
			j->claimed_by[m->traced] = (uint32_t)g;
			continue;
		}
		other = &j->join->of_group[j->claimed_by[m->traced]];
		other->fit = m->fit = NCU_FIT_SEVERAL;
	}
}

static void match_form(struct joining *j, enum ncu_form form)
{
	struct form_index x = {0};

	index_traced(&x, j, form);
	for (size_t g = 0; g < j->join->group_count; g++) {
		uint32_t number;

		if (j->join->of_group[g].fit != NCU_FIT_NONE)
			continue;
		number = form_number(&x, j->groups->all[g].name, form);
		propose(j, g, x.first[number], form);
	}
	settle(j, form);
	strtab_free(&x.forms);
	arena_free(&x.arena);
	free(x.first);
}

static void sum_up(struct joining *j)
{
	struct ncu_join *join = j->join;

	for (size_t i = 0; i < join->traced_count; i++)
		join->total_ns = sat_add(join->total_ns, join->traced[i].total_ns);
	for (size_t g = 0; g < join->group_count; g++) {
		const struct ncu_traced *t = ncu_join_traced(join, g);

		if (!t)
			continue;
		join->joined_ns = sat_add(join->joined_ns, t->total_ns);
		join->of_group[g].measured_ns =
			ncu_shapes_time(&j->shapes, g, join->of_group[g].traced);
	}
}

int ncu_join_make(struct ncu_join *j, const struct ncu_report *r, const struct ncu_groups *by_name,
		  struct trace *t, const struct scope *p, struct err *e)
{
	struct joining x = {.join = j, .groups = by_name};

	*j = (struct ncu_join){.group_count = by_name->count};
	if (ncu_shapes_read(&x.shapes, t, p, j, e) < 0)
		return -1;
	ncu_shapes_add_groups(&x.shapes, r, by_name);
	j->of_group = mem_zalloc(j->group_count, sizeof(*j->of_group));
	x.claimed_by = mem_alloc(j->traced_count, sizeof(*x.claimed_by));
	x.next = mem_alloc(j->traced_count, sizeof(*x.next));
	memset(x.claimed_by, 0xff, j->traced_count * sizeof(*x.claimed_by));
	for (int form = 0; form < NCU_FORMS; form++)
		match_form(&x, (enum ncu_form)form);
	sum_up(&x);
	ncu_shapes_free(&x.shapes);
	free(x.claimed_by);
	free(x.next);
	return 0;
}

void ncu_join_free(struct ncu_join *j)
{
	free(j->of_group);
	free(j->traced);
}
