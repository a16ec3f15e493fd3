/* Which ranks does a job have, and which kernels took the time of all of them? */
#include "fleet/fleet_tables.h"

#include "analysis/cell_values.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/kernel_merge.h"

#include <stdlib.h>
#include <string.h>

const char *const part_rank_source_keys[PART_RANK_SOURCES] = {
	[PART_RANK_GIVEN] = "given",	   [PART_RANK_LABEL] = "label",
	[PART_RANK_NCCL] = "nccl",	   [PART_RANK_RANGE] = "range",
	[PART_RANK_VARIABLE] = "variable", [PART_RANK_FILE_NAME] = "file_name",
	[PART_RANK_ASSUMED] = "assumed",
};
const char *const part_window_keys[PART_WINDOW_KINDS] = {
	[PART_WARM_STEPS] = "warm", [PART_GPU_WORK] = "gpu", [PART_WHOLE] = "all"};

static const struct column rank_columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"rank_source", "Rank from", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"node", "Node", UNIT_ID, 0, NULL, SHOW},
	{"device", "Device", UNIT_ID, 0, NULL, SHOW_IF_ROOM},
	{"gpu", "GPU", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"file", "File", UNIT_NAME, 0, NULL, SHOW},
	{"steps", "Steps", UNIT_COUNT, 0, NULL, SHOW},
	{"step_ns", "Median step", UNIT_NS, 0, NULL, SHOW},
	{"compute_pct", "Compute", UNIT_PERCENT, 0, NULL, SHOW},
	{"exposed_comm_pct", "Exposed comm", UNIT_PERCENT, 0, NULL, SHOW},
	{"exposed_copy_pct", "Exposed copy", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"idle_pct", "Idle", UNIT_PERCENT, 0, NULL, SHOW},
	{"collectives", "Collectives", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"pid", "PID", UNIT_ID, 0, "pid:", MACHINE_ONLY},
	{"window", "Window", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"window_start_ns", "Window start", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"window_ns", "Window length", UNIT_NS, 0, NULL, MACHINE_ONLY},
	/* The last: only where there are any. */
	{"page", "Own report", UNIT_PAGE, 0, NULL, SHOW_IF_ROOM},
};

/* A member and the part that it is of. */
struct listed {
	const struct part *part;
	const struct part_member *member;
};

static int compare_listed(const void *a, const void *b, void *ctx)
{
	const struct listed *x = a, *y = b;
	int order = (x->member->rank > y->member->rank) - (x->member->rank < y->member->rank);

	(void)ctx;
	if (!order)
		order = strcmp(x->part->file, y->part->file);
	if (!order)
		order = (x->member->pid > y->member->pid) - (x->member->pid < y->member->pid);
	return order ? order
		     : (x->member->device > y->member->device) -
			       (x->member->device < y->member->device);
}

static struct listed *list_members(const struct part *const *parts, size_t count, size_t *ret_count)
{
	struct listed *all;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += parts[i]->member_count;
	all = mem_alloc(n, sizeof(*all));
	n = 0;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < parts[i]->member_count; k++)
			all[n++] = (struct listed){parts[i], &parts[i]->members[k]};
	}
	if (n)
		sort_stable(all, n, sizeof(*all), compare_listed, NULL);
	*ret_count = n;
	return all;
}

static int64_t median_step(const struct part_member *m)
{
	int64_t *ns = mem_alloc(m->warm_count, sizeof(*ns)), *scratch, median;

	scratch = mem_alloc(m->warm_count, sizeof(*scratch));
	for (size_t i = 0; i < m->warm_count; i++)
		ns[i] = part_step_ns(&m->steps[m->first_warm + i]);
	sort_i64(ns, scratch, m->warm_count);
	median = sat_of_double(quantile(ns, m->warm_count, 0.5));
	free(scratch);
	free(ns);
	return median;
}

/* Hosts have no names here: nodes are counted as ranks have them. */
static struct cell node_cell(struct idmap *nodes, uint64_t node)
{
	return node ? cell_int(idmap_add(nodes, node, (uint32_t)nodes->count)) : cell_null();
}

/* Called after its first rank, which no other capture has. */
const char *fleet_page_of(struct arena *a, const struct part *p)
{
	return arena_printf(a, FLEET_PAGES "/" FLEET_PAGE "%u.html", p->members[0].rank);
}

static void add_member(struct rows *rows, struct idmap *nodes, const struct listed *x,
		       bool has_pages)
{
	const struct part_member *m = x->member;
	const int64_t window = span_ns(m->window);

	ROWS_ADD(rows, cell_int(m->rank), cell_text(part_rank_source_keys[m->rank_source]),
		 node_cell(nodes, x->part->node), id_cell(m->device),
		 m->gpu[0] ? cell_text(m->gpu) : cell_null(), cell_text(x->part->file),
		 m->step_count ? cell_int((int64_t)m->warm_count) : cell_null(),
		 m->warm_count ? cell_int(median_step(m)) : cell_null(),
		 pct_cell(m->window_ns[MEMBER_COMPUTE], window),
		 pct_cell(m->window_ns[MEMBER_COMM], window),
		 pct_cell(m->window_ns[MEMBER_COPY], window),
		 pct_cell(m->window_ns[MEMBER_IDLE], window),
		 cell_int((int64_t)(m->collective_count + m->collectives_before +
				    m->collectives_after)),
		 m->pid ? cell_int(m->pid) : cell_null(),
		 cell_text(part_window_keys[m->window_kind]), cell_int(m->window.start_ns),
		 cell_int(window));
	if (has_pages)
		rows_add(rows, cell_text(fleet_page_of(rows->arena, x->part)));
}

void fleet_ranks_table(struct report *r, const struct part *const *parts, size_t count,
		       bool has_pages)
{
	struct rows *rows = report_new_rows(r, "ranks", "Ranks", rank_columns,
					    ARRAY_LEN(rank_columns) - !has_pages);
	struct idmap nodes = {0};
	size_t members;
	struct listed *all = list_members(parts, count, &members);

	rows->table.kind = "rank";
	rows->table.drops_empty = true;
	for (size_t i = 0; i < members; i++)
		add_member(rows, &nodes, &all[i], has_pages);
	idmap_free(&nodes);
	free(all);
}

int fleet_kernels_table(struct report *r, const struct part *const *parts, size_t count,
			const struct row_choice *rows, struct err *e)
{
	static const struct column extra[] = {
		{"ranks", "Ranks", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	};
	const struct table_args args = {.rows = *rows};
	struct kernel_merge merged;
	struct time_table table = {
		.name = "kernels",
		.title = "Kernels of all ranks together",
		.kind = "kernel",
		.name_column = {"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
		.extra = extra,
		.extra_count = ARRAY_LEN(extra),
	};
	struct time_row *all;
	int result;

	kernel_merge_make(&merged, parts, count);
	table.rows = all = mem_zalloc(merged.count, sizeof(*all));
	table.count = merged.count;
	for (size_t i = 0; i < merged.count; i++) {
		all[i].name = str_of(merged.all[i].name);
		all[i].s = merged.all[i].summary;
		all[i].extra[0] = cell_int(merged.all[i].members);
	}
	result = time_table_report(r, NULL, &args, &table, e);
	free(all);
	kernel_merge_free(&merged);
	return result;
}
