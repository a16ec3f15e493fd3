/* How many launches wait for their GPU, over time? */
#include "analysis/host/queue_depth.h"

#include "analysis/cell_values.h"
#include "analysis/gpu/depth_walk.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"from_ns", "From", UNIT_TIME_NS, 0, "from:", SHOW},
	{"to_ns", "To", UNIT_TIME_NS, 0, NULL, SHOW},
	{"avg_depth", "Avg depth", UNIT_RATIO, 0, NULL, SHOW},
	{"max_depth", "Max depth", UNIT_COUNT, 0, NULL, SHOW},
};

/* The waiting launches of one GPU. */
struct lane {
	uint32_t device;
	bool any; /* it has launches */
	struct depth_walk walk;
};

struct depth {
	const struct scope *p;
	const struct row_choice *rows;
	const struct launch_list *list;
	uint32_t *lane_of_pair;
	struct lane *lanes;
	size_t lane_count;
	struct steps steps;
};

/* The part of a launch's wait in the window; false when it did not wait there. */
static bool waiting_part(const struct scope *p, struct one_launch *launch)
{
	if (p->has_trim && launch->called_ns < p->from_ns)
		launch->called_ns = p->from_ns;
	if (p->has_trim && launch->began_ns > p->to_ns)
		launch->began_ns = p->to_ns;
	return launch->began_ns > launch->called_ns;
}

static void number_lanes(struct depth *d, const struct process_gpus *pairs)
{
	struct idmap lane_of = {0};

	d->lane_of_pair = mem_alloc(pairs->count, sizeof(*d->lane_of_pair));
	d->lanes = mem_alloc(pairs->count, sizeof(*d->lanes));
	for (size_t i = 0; i < pairs->count; i++) {
		uint32_t device = pairs->all[i].device;

		d->lane_of_pair[i] = idmap_number_pair(&lane_of, device, 0);
		if (d->lane_of_pair[i] == d->lane_count)
			d->lanes[d->lane_count++] = (struct lane){.device = device};
	}
	idmap_free(&lane_of);
}

/* From the first call to the last begin, or what was asked for. */
static void choose_steps(struct depth *d)
{
	size_t busy = 0;

	d->steps = (struct steps){.from_ns = INT64_MAX, .to_ns = INT64_MIN};
	for (size_t i = 0; i < d->list->pairs.count; i++) {
		const struct launch_counts *at = &d->list->at[i];

		if (!at->launches)
			continue;
		d->lanes[d->lane_of_pair[i]].any = true;
		if (at->first_ns < d->steps.from_ns)
			d->steps.from_ns = at->first_ns;
		if (at->began_ns > d->steps.to_ns)
			d->steps.to_ns = at->began_ns;
	}
	/* In a damaged trace all may have begun before they were launched. */
	if (d->steps.to_ns < d->steps.from_ns)
		d->steps.to_ns = d->steps.from_ns;
	if (d->p->has_trim) {
		d->steps.from_ns = d->p->from_ns;
		d->steps.to_ns = d->p->to_ns;
	}
	for (size_t i = 0; i < d->lane_count; i++)
		busy += d->lanes[i].any;
	d->steps.count = steps_count(d->rows, busy);
}

static void add_waits(struct depth *d, size_t piece)
{
	size_t size = launch_list_size(d->list), begin = piece << d->list->piece_bits;
	size_t end = piece + 1 < LAUNCH_PIECES ? (piece + 1) << d->list->piece_bits : size;
	struct process_gpu_cursor cursor = PROCESS_GPU_CURSOR_START;
	struct one_launch launch;

	for (size_t i = begin; i < end && i < size; i++) {
		if (launch_list_at(d->list, i, &cursor, &launch) && waiting_part(d->p, &launch))
			depth_walk_add(&d->lanes[d->lane_of_pair[launch.pair]].walk,
				       launch.called_ns, launch.began_ns);
	}
}

static void count_all(struct depth *d)
{
	for (size_t i = 0; i < d->lane_count; i++) {
		if (d->lanes[i].any)
			depth_walk_begin(&d->lanes[i].walk, &d->steps);
	}
	for (size_t piece = 0; piece < LAUNCH_PIECES; piece++) {
		add_waits(d, piece);
		for (size_t i = 0; i < d->lane_count; i++) {
			if (d->lanes[i].any)
				depth_walk_pass(&d->lanes[i].walk, d->list->earliest_ns[piece + 1]);
		}
	}
}

static void add_lane(struct rows *rows, const struct steps *steps, struct lane *lane)
{
	depth_walk_end(&lane->walk);
	for (size_t i = 0; i < steps->count; i++) {
		int64_t from_ns = steps_edge(steps, i), to_ns = steps_edge(steps, i + 1);
		const struct depth_step *met = &lane->walk.met[i];
		double length = (double)to_ns - (double)from_ns;

		rows_add(rows, id_cell(lane->device));
		rows_add(rows, cell_int(from_ns));
		rows_add(rows, cell_int(to_ns));
		rows_add(rows,
			 length > 0 ? cell_real((double)met->waited_ns / length) : cell_null());
		rows_add(rows, cell_int((int64_t)met->most));
	}
	depth_walk_free(&lane->walk);
}

static int compare_lanes(const void *a, const void *b, void *ctx)
{
	const struct lane *x = a, *y = b;

	(void)ctx;
	return (x->device > y->device) - (x->device < y->device);
}

void queue_depth_report(struct report *r, const struct table_args *a, const struct launch_list *l)
{
	struct depth d = {.p = &a->scope, .rows = &a->rows, .list = l};
	struct rows *rows = report_new_rows(r, "queue_depth", "Launch queue depth", columns,
					    ARRAY_LEN(columns));

	number_lanes(&d, &l->pairs);
	choose_steps(&d);
	count_all(&d);
	sort_stable(d.lanes, d.lane_count, sizeof(*d.lanes), compare_lanes, NULL);
	for (size_t i = 0; i < d.lane_count; i++) {
		if (d.lanes[i].any)
			add_lane(rows, &d.steps, &d.lanes[i]);
	}
	free(d.lanes);
	free(d.lane_of_pair);
}
