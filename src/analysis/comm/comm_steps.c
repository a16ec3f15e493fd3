/* Is communication hidden in every step alike? */
#include "analysis/comm/comm_steps.h"

#include "analysis/comm/comm_parts.h"
#include "analysis/ranks/rank_places.h"
#include "analysis/time_table.h"
#include "base/mem.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"iteration", "Step", UNIT_ID, 0, "iter:", SHOW},
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW_IF_ROOM},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"start_ns", "Start", UNIT_TIME_NS, 0, NULL, SHOW_PREFERRED},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	COMM_PART_COLUMNS,
	{"end_ns", "End", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

int comm_steps_find(struct trace *t, const struct scope *p, struct comm_steps *ret, struct err *e)
{
	struct iterations *it = &ret->it;

	*ret = (struct comm_steps){0};
	if (iterations_read(t, p, it, e) < 0)
		return -1;
	ret->marks = mem_zalloc(it->lane_count, sizeof(*ret->marks));
	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration_lane *lane = &it->lanes[i];
		const struct iteration *steps = lane_steps(it, lane);
		struct comm_marks *marks = &ret->marks[i];

		*marks = (struct comm_marks){lane->process, 2 * lane->count, NULL};
		marks->at_ns = mem_alloc(marks->count, sizeof(*marks->at_ns));
		for (size_t k = 0; k < lane->count; k++) {
			marks->at_ns[2 * k] = steps[k].from_ns;
			marks->at_ns[2 * k + 1] = steps[k].to_ns;
		}
	}
	return 0;
}

void comm_steps_free(struct comm_steps *s)
{
	for (size_t i = 0; s->marks && i < s->it.lane_count; i++)
		free(s->marks[i].at_ns);
	free(s->marks);
	iterations_free(&s->it);
}

struct view {
	const struct comm_steps *steps;
	const struct comm_walk *walk;
	const struct rank_map *ranks;
	const struct scope *p;
	size_t cut; /* steps that lie in the window in part */
};

static bool is_outside(const struct scope *p, const struct iteration *s)
{
	/* Of several processes the window goes from the first one's step to the last one's. */
	if (p->in_iteration)
		return s->number != p->iteration;
	return p->has_trim && (s->to_ns <= p->from_ns || s->from_ns >= p->to_ns);
}

/* A step that --trim cuts is none. */
static bool is_cut(const struct scope *p, const struct iteration *s)
{
	return p->has_trim && (s->from_ns < p->from_ns || s->to_ns > p->to_ns);
}

static void add_step(struct rows *rows, const struct view *v, uint32_t place,
		     const struct iteration *s, const int64_t (*kept)[COMM_PARTS])
{
	int64_t ns[COMM_PARTS], busy_ns = 0;

	for (int part = 0; part < PART_IDLE; part++) {
		ns[part] = kept[1][part] - kept[0][part];
		busy_ns += ns[part];
	}
	/* A step may begin before the first op, and end after the last. */
	ns[PART_IDLE] = iteration_ns(s) - busy_ns;
	rows_add(rows, cell_int(s->number));
	rows_add(rows, rank_place_cell(v->ranks, &v->walk->places, place));
	rows_add(rows, process_gpu_device_cell(&v->walk->places, place));
	rows_add(rows, process_gpu_pid_cell(&v->walk->places, place));
	rows_add(rows, cell_int(s->from_ns));
	rows_add(rows, cell_int(iteration_ns(s)));
	comm_parts_cells(rows, ns, iteration_ns(s));
	rows_add(rows, cell_int(s->to_ns));
}

/* Returns how many steps lie in the window. */
static size_t add_place(struct rows *rows, struct view *v, uint32_t place)
{
	const struct comm_place *x = &v->walk->at[place];
	const struct iterations *it = &v->steps->it;
	const struct iteration_lane *lane = &it->lanes[x->marks - v->steps->marks];
	size_t added = 0;

	for (size_t i = 0; i < lane->count; i++) {
		const struct iteration *s = &lane_steps(it, lane)[i];

		if (is_outside(v->p, s))
			continue;
		if (is_cut(v->p, s)) {
			v->cut++;
			continue;
		}
		add_step(rows, v, place, s, (const int64_t(*)[COMM_PARTS]) & x->kept[2 * i]);
		added++;
	}
	return added;
}

static int no_step_inside(const struct trace *t, struct err *e)
{
	err_set(e, ERR_INPUT, "none of the steps of '%s' is inside that window", t->path);
	return err_hint(e, "gpuwhy iters lists them all");
}

int comm_steps_report(struct report *r, const struct comm_steps *s, const struct comm_walk *w,
		      const struct rank_map *ranks, const struct table_args *a, struct err *e)
{
	struct view v = {s, w, ranks, &a->scope, 0};
	struct rows *rows = report_new_rows(r, "overlap_iterations", "Step by step", columns,
					    ARRAY_LEN(columns));
	uint32_t *order = rank_places_order(ranks, &w->places);
	size_t added = 0, without = 0;

	rows->table.kind = "overlap_iteration";
	for (size_t i = 0; i < w->places.count; i++) {
		if (!comm_walk_has(w, order[i]))
			continue;
		if (w->at[order[i]].marks)
			added += add_place(rows, &v, order[i]);
		else
			without++;
	}
	free(order);
	if (!added)
		return no_step_inside(w->places.trace, e);
	report_note(r, "Steps: %s.", s->it.how);
	if (v.cut)
		report_note(r, "%zu steps are only partly inside the window and are left out",
			    v.cut);
	if (without)
		report_note(r, "%zu of the rows above belong to processes without steps", without);
	return rows_arrange(rows, &a->rows, NULL, e);
}
