/* What did each kernel do, and what does it spend its time on? */
#include "analysis/cell_values.h"
#include "analysis/counters/ncu_study.h"
#include "analysis/time_table.h"
#include "base/mem.h"

#include <stdlib.h>

/* Where there is no trace, or a row is a launch, some have nothing to say. */
static const struct column columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"id", "ID", UNIT_ID, 0, "id:", SHOW},
	{"run_ns", "In run", UNIT_NS, 0, NULL, SHOW},
	{"run_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"duration_ns", "ncu time", UNIT_NS, 0, NULL, SHOW},
	{"bound", "Bound", UNIT_NAME, 0, NULL, SHOW},
	{"margin_pct", "Margin", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"sm_pct", "SM", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"dram_pct", "DRAM", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"flops_per_s", "FLOP/s", UNIT_FLOPS_PER_S, 0, NULL, SHOW_PREFERRED},
	{"dram_bytes_per_s", "DRAM rate", UNIT_BYTES_PER_S, 0, NULL, SHOW_IF_ROOM},
	{"intensity", "FLOP/B", UNIT_RATIO, 0, NULL, SHOW_IF_ROOM},
	{"occupancy_pct", "Occupancy", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"limiter", "Limited by", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"flops", "FLOPs", UNIT_FLOPS, 0, NULL, SHOW_IF_ROOM},
	{"dram_bytes", "DRAM bytes", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"path", "Path", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"memory_pct", "Memory", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"l2_pct", "L2", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"l1_pct", "L1", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"theoretical_occupancy_pct", "Theoretical occupancy", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"registers", "Registers", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"shared_bytes", "Shared memory", UNIT_BYTES, 0, NULL, MACHINE_ONLY},
	{"waves", "Waves", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"grid", "Grid", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"block", "Block", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"stream", "Stream", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"pid", "Process", UNIT_NAME, 0, "pid:", MACHINE_ONLY},
	{"device", "Device", UNIT_NAME, 0, "dev:", MACHINE_ONLY},
	{"nvtx", "NVTX", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"run_count", "Launches in run", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"measured_pct", "Shapes measured", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"joined_by", "Joined by", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

enum {
	FIXED = ARRAY_LEN(columns), /* then one for each path */
	COLUMNS = FIXED + NCU_PATHS,
};

/* A row of the table, on its way into cells. */
struct line {
	const struct ncu_study *s;
	struct report *r;
	const struct ncu_group *g;
	size_t group; /* by name: what the trace knows */
	bool launch;
};

static struct cell dim_cell(const struct line *l, struct ncu_dim d)
{
	if (!ncu_dim_known(d))
		return cell_null();
	return cell_text(arena_printf(&l->r->arena, "%u,%u,%u", d.x, d.y, d.z));
}

static struct cell count_cell(double n)
{
	return n - n == 0 && n < 9e18 ? cell_int((int64_t)n) : cell_null();
}

static void add_what_it_is(struct rows *t, const struct line *l)
{
	const struct ncu_traced *traced =
		l->s->joined && !l->launch ? ncu_join_traced(&l->s->join, l->group) : NULL;

	rows_add(t, cell_str(l->g->name));
	rows_add(t, l->launch ? text_or_null(l->g->longest->id) : cell_null());
	rows_add(t, traced ? cell_int(traced->total_ns) : cell_null());
	rows_add(t, traced ? pct_cell(traced->total_ns, l->s->join.total_ns) : cell_null());
	rows_add(t, known_cell(l->g->duration_ns));
	rows_add(t, cell_text(ncu_bound_name(l->g->bound)));
	rows_add(t, known_cell(l->g->margin));
}

static void add_figures(struct rows *t, const struct ncu_group *g)
{
	enum ncu_path path = ncu_main_path(g->ops);

	rows_add(t, known_cell(g->pct.sm));
	rows_add(t, known_cell(g->pct.dram));
	rows_add(t, rate_cell(g->flops, g->duration_ns));
	rows_add(t, rate_cell(g->dram_bytes, g->duration_ns));
	rows_add(t, known_cell(ncu_intensity(g->flops, g->dram_bytes)));
	rows_add(t, known_cell(g->occupancy_pct));
	rows_add(t, word_or_null(ncu_limiter_name(g->longest->limiter)));
	rows_add(t, known_cell(g->flops));
	rows_add(t, known_cell(g->dram_bytes));
	rows_add(t, cell_int((int64_t)g->launches));
	rows_add(t, path < NCU_PATHS ? cell_text(ncu_path_name(path)) : cell_null());
	rows_add(t, known_cell(g->pct.memory));
	rows_add(t, known_cell(g->pct.l2));
	rows_add(t, known_cell(g->pct.l1));
	rows_add(t, known_cell(g->theoretical_pct));
}

/* Of the launch that took longest. */
static void add_launch(struct rows *t, const struct line *l)
{
	const struct ncu_kernel *k = l->g->longest;

	rows_add(t, count_cell(k->registers));
	rows_add(t, known_cell(k->shared_bytes));
	rows_add(t, known_cell(k->waves));
	rows_add(t, dim_cell(l, k->grid));
	rows_add(t, dim_cell(l, k->block));
	rows_add(t, text_or_null(k->stream));
	rows_add(t, text_or_null(k->process));
	rows_add(t, text_or_null(k->device_name));
	rows_add(t, text_or_null(k->nvtx));
}

static void add_traced(struct rows *t, const struct line *l)
{
	static const char *const forms[NCU_FORMS] = {"name", "name without namespaces",
						     "name without parameters",
						     "name without arguments"};
	const struct ncu_traced *traced =
		l->s->joined && !l->launch ? ncu_join_traced(&l->s->join, l->group) : NULL;
	const struct ncu_match *m = traced ? &l->s->join.of_group[l->group] : NULL;

	rows_add(t, traced ? cell_int((int64_t)traced->count) : cell_null());
	rows_add(t, traced ? ncu_grids_cell(l->s, l->group) : cell_null());
	rows_add(t, m ? cell_text(forms[m->form]) : cell_null());
}

static void add_paths(struct rows *t, const struct ncu_group *g)
{
	for (int p = 0; p < NCU_PATHS; p++)
		rows_add(t, known_cell(g->ops[p]));
}

static bool is(const struct column *c, const char *key)
{
	return strcmp(c->key, key) == 0;
}

static bool is_shown(const struct ncu_study *s, bool each_launch, const struct column *c)
{
	if (is(c, "id"))
		return each_launch;
	return (!is(c, "run_ns") && !is(c, "run_pct")) || (s->joined && !each_launch);
}

static const struct column *shown_columns(const struct ncu_study *s, bool each_launch,
					  struct report *r)
{
	struct column *copy = arena_alloc(&r->arena, COLUMNS, sizeof(*copy));

	memcpy(copy, columns, sizeof(columns));
	for (int p = 0; p < NCU_PATHS; p++)
		copy[FIXED + p] = (struct column){
			.key = arena_printf(&r->arena, "flops_%s", ncu_path_key((enum ncu_path)p)),
			.title = ncu_path_name((enum ncu_path)p),
			.unit = UNIT_FLOPS,
			.show = MACHINE_ONLY,
		};
	for (size_t i = 0; i < FIXED; i++) {
		if (!is_shown(s, each_launch, &copy[i]))
			copy[i].show = MACHINE_ONLY;
		/* A kernel is the same one in another run, whatever its process. */
		if (!each_launch && (is(&copy[i], "id") || is(&copy[i], "pid")))
			copy[i].id = NULL;
	}
	return copy;
}

static void add_rows(struct rows *t, const struct ncu_study *s, const struct ncu_groups *groups,
		     const uint32_t *order, uint64_t limit, bool each_launch, struct report *r)
{
	size_t shown = limit && limit < groups->count ? limit : groups->count;

	for (size_t i = 0; i < shown; i++) {
		const struct line l = {s, r, &groups->all[order[i]], order[i], each_launch};

		add_what_it_is(t, &l);
		add_figures(t, l.g);
		add_launch(t, &l);
		add_traced(t, &l);
		add_paths(t, l.g);
	}
	t->table.total_rows = groups->count;
}

/* The most time in the run first; what the trace does not have comes after. Launches stay. */
static uint32_t *order_rows(const struct ncu_study *s, size_t count, bool each_launch)
{
	double *ns = mem_alloc(count, sizeof(*ns));
	uint32_t *order;

	for (size_t i = 0; i < count; i++)
		ns[i] = each_launch ? 0 : ncu_study_time(s, i);
	order = ncu_order(ns, count);
	free(ns);
	return order;
}

void ncu_kernels_add(const struct ncu_study *s, uint64_t limit, bool each_launch, struct report *r)
{
	struct rows *t = report_new_rows(r, each_launch ? "ncu_launches" : "ncu_kernels",
					 each_launch ? "Launches" : "Kernels",
					 shown_columns(s, each_launch, r), COLUMNS);
	const struct ncu_groups *groups = &s->groups;
	struct ncu_groups launches = {0};
	uint32_t *order;

	if (each_launch) {
		ncu_groups_make(&launches, s->ncu, true);
		groups = &launches;
	}
	order = order_rows(s, groups->count, each_launch);
	add_rows(t, s, groups, order, limit, each_launch, r);
	rows_hide_empty(t);
	ncu_groups_free(&launches);
	free(order);
}
