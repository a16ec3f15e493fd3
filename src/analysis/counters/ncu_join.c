/* Which kernels of a trace did Nsight Compute measure? */
#include "analysis/counters/ncu_join.h"

#include "analysis/grouping.h"
#include "analysis/kernel_names.h"
#include "base/mem.h"
#include "base/pairs.h"

#include <stdlib.h>

/* Grids and blocks of kernels, in a trace and in a profile: what tells kernels of one name apart.
 */

struct ncu_shapes {
	struct pairs numbers[5]; /* six numbers, joined pair by pair, are a number */
	struct pairs traced;	 /* (kernel of the trace, shape) */
	int64_t *traced_ns;	 /* by number of such a pair */
	size_t traced_cap;
	uint32_t **of_group; /* by group: its different shapes, ID_NONE after the last */
	size_t group_count;
	struct arena arena;
};

enum { MOST_SHAPES = 64 }; /* of a group that are compared */

static uint32_t number_of(struct ncu_shapes *s, const uint32_t *dims)
{
	uint32_t number = dims[0];

	for (size_t i = 1; i < 6; i++)
		number = pairs_number(&s->numbers[i - 1], number, dims[i]);
	return number;
}

static bool has_shapes(const struct events *k)
{
	for (int i = 0; i < 3; i++) {
		if (!k->grid[i] || !k->block[i])
			return false;
	}
	return true;
}

static uint32_t shape_of(struct ncu_shapes *s, const struct events *k, uint64_t row)
{
	const uint32_t dims[6] = {k->grid[0][row],  k->grid[1][row],  k->grid[2][row],
				  k->block[0][row], k->block[1][row], k->block[2][row]};

	return number_of(s, dims);
}

static void add_traced(struct ncu_shapes *s, uint32_t traced, uint32_t shape, int64_t ns)
{
	size_t known = pairs_count(&s->traced);
	uint32_t number = pairs_number(&s->traced, traced, shape);

	if (pairs_count(&s->traced) > known) {
		MEM_GROW(s->traced_ns, s->traced_cap, number + 1);
		s->traced_ns[number] = 0;
	}
	s->traced_ns[number] = sat_add(s->traced_ns[number], ns);
}

static void sum_traced(struct ncu_shapes *s, const struct trace *t, const struct grouping *g,
		       struct ncu_join *j)
{
	const struct events *k = &t->events[TRACE_KERNELS];
	const bool shaped = has_shapes(k);

	j->traced_count = g->count;
	j->traced = mem_zalloc(g->count, sizeof(*j->traced));
	for (size_t i = 0; i < g->count; i++)
		j->traced[i].name = trace_name(t, g->keys[i].name);
	for (uint64_t row = 0; row < k->count; row++) {
		uint32_t of = g->group[row];

		if (of == GROUP_NONE)
			continue;
		j->traced[of].count++;
		j->traced[of].total_ns = sat_add(j->traced[of].total_ns, g->duration_ns[row]);
		if (shaped)
			add_traced(s, of, shape_of(s, k, row), g->duration_ns[row]);
	}
}

/* Reads the kernels of the trace, sums them up into j->traced, and notes their shapes. */
static int ncu_shapes_read(struct ncu_shapes *s, struct trace *t, const struct scope *p,
			   struct ncu_join *j, struct err *e)
{
	struct kernel_names names;
	struct grouping g;
	int result;

	*s = (struct ncu_shapes){0};
	if (trace_load(t, TRACE_KERNELS, COLS_GRID, e) < 0 ||
	    kernel_names_read(t, NULL, NULL, &names, e) < 0)
		return -1;
	result = grouping_make(t, TRACE_KERNELS, names.of_kernel, p, BY_NONE, &g, e);
	if (result == 0) {
		sum_traced(s, t, &g, j);
		grouping_free(&g);
	}
	kernel_names_free(&names);
	return result;
}

static void add_shape(uint32_t *shapes, uint32_t shape)
{
	size_t n = 0;

	for (; shapes[n] != ID_NONE && n + 1 < MOST_SHAPES; n++) {
		if (shapes[n] == shape)
			return;
	}
	if (n + 1 < MOST_SHAPES) {
		shapes[n] = shape;
		shapes[n + 1] = ID_NONE;
	}
}

static void ncu_shapes_add_groups(struct ncu_shapes *s, const struct ncu_report *r,
				  const struct ncu_groups *g)
{
	s->group_count = g->count;
	s->of_group = arena_zalloc(&s->arena, g->count, sizeof(*s->of_group));
	for (size_t i = 0; i < g->count; i++) {
		s->of_group[i] = arena_alloc(&s->arena, MOST_SHAPES, sizeof(**s->of_group));
		s->of_group[i][0] = ID_NONE;
	}
	for (size_t i = 0; i < r->count; i++) {
		const struct ncu_kernel *k = &r->kernels[i];
		const uint32_t dims[6] = {k->grid.x,  k->grid.y,  k->grid.z,
					  k->block.x, k->block.y, k->block.z};

		if (ncu_dim_known(k->grid) && ncu_dim_known(k->block))
			add_shape(s->of_group[g->of_kernel[i]], number_of(s, dims));
	}
}

static uint32_t pair_of(const struct ncu_shapes *s, uint32_t traced, uint32_t shape)
{
	return idmap_get(&s->traced.numbers, (uint64_t)traced << 32 | shape);
}

/* Whether the trace has launches of that kernel with every shape of the group, which has some. */
static bool ncu_shapes_agree(const struct ncu_shapes *s, size_t group, uint32_t traced)
{
	const uint32_t *shape = s->of_group[group];

	if (*shape == ID_NONE)
		return false;
	for (; *shape != ID_NONE; shape++) {
		if (pair_of(s, traced, *shape) == IDMAP_NONE)
			return false;
	}
	return true;
}

/* The time of that kernel in launches of the group's shapes; or NCU_UNSAID. */
static int64_t ncu_shapes_time(const struct ncu_shapes *s, size_t group, uint32_t traced)
{
	int64_t sum = 0;

	if (s->of_group[group][0] == ID_NONE || !pairs_count(&s->traced))
		return NCU_UNSAID;
	for (const uint32_t *shape = s->of_group[group]; *shape != ID_NONE; shape++) {
		uint32_t pair = pair_of(s, traced, *shape);

		if (pair != IDMAP_NONE)
			sum = sat_add(sum, s->traced_ns[pair]);
	}
	return sum;
}

static void ncu_shapes_free(struct ncu_shapes *s)
{
	for (size_t i = 0; i < ARRAY_LEN(s->numbers); i++)
		pairs_free(&s->numbers[i]);
	pairs_free(&s->traced);
	free(s->traced_ns);
	arena_free(&s->arena);
}

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
