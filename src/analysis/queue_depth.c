/* How many launches wait for their GPU, over time? */
#include "analysis/queue_depth.h"

#include "analysis/cells.h"
#include "analysis/depth_walk.h"
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

/* Launches are read in pieces, which are nearly in order of time. */
enum { PIECES = 64 };

/* The waiting launches of one GPU. */
struct lane {
	uint32_t device;
	bool any;
	struct depth_walk walk;
};

struct depth {
	const struct params *p;
	const struct launch_list *list;
	uint32_t *lane_of_place;
	struct lane *lanes;
	size_t lane_count, lane_cap;
	struct steps steps;
	/* By piece: no launch of this one or a later one waits before that. */
	int64_t earliest_ns[PIECES + 1];
};

/* The part of a launch's wait in the window; false when it did not wait there. */
static bool waiting_part(const struct params *p, struct one_launch *launch)
{
	if (p->has_trim && launch->called_ns < p->from_ns)
		launch->called_ns = p->from_ns;
	if (p->has_trim && launch->began_ns > p->to_ns)
		launch->began_ns = p->to_ns;
	return launch->began_ns > launch->called_ns;
}

static void number_lanes(struct depth *d, const struct places *places)
{
	struct idmap lane_of = {0};

	d->lane_of_place = mem_alloc(places->count, sizeof(*d->lane_of_place));
	for (size_t i = 0; i < places->count; i++) {
		uint32_t device = places->all[i].device;

		d->lane_of_place[i] = idmap_number_pair(&lane_of, device, 0);
		if (d->lane_of_place[i] == d->lane_count) {
			MEM_GROW(d->lanes, d->lane_cap, d->lane_count + 1);
			d->lanes[d->lane_count++] = (struct lane){.device = device};
		}
	}
	idmap_free(&lane_of);
}

/* Calls `take` for the launches of a piece that waited. */
static void walk_piece(struct depth *d, size_t piece,
		       void (*take)(struct depth *d, size_t piece, struct lane *lane,
				    const struct one_launch *launch))
{
	size_t size = launch_list_size(d->list), each = size / PIECES + 1;
	size_t begin = piece * each < size ? piece * each : size;
	size_t end = size - begin < each ? size : begin + each;
	struct place_cursor cursor = PLACE_CURSOR_START;
	struct one_launch launch;

	for (size_t i = begin; i < end; i++) {
		if (launch_list_at(d->list, i, &cursor, &launch) && waiting_part(d->p, &launch))
			take(d, piece, &d->lanes[d->lane_of_place[launch.place]], &launch);
	}
}

static void look_at(struct depth *d, size_t piece, struct lane *lane,
		    const struct one_launch *launch)
{
	lane->any = true;
	if (launch->called_ns < d->earliest_ns[piece])
		d->earliest_ns[piece] = launch->called_ns;
	if (launch->began_ns > d->steps.to_ns)
		d->steps.to_ns = launch->began_ns;
}

/* Which GPUs have launches that waited, and when. */
static void look_at_all(struct depth *d)
{
	size_t busy = 0;

	d->steps.to_ns = INT64_MIN;
	d->earliest_ns[PIECES] = INT64_MAX;
	for (size_t i = PIECES; i-- > 0;) {
		d->earliest_ns[i] = d->earliest_ns[i + 1];
		walk_piece(d, i, look_at);
	}
	d->steps.from_ns = d->earliest_ns[0];
	if (d->p->has_trim) {
		d->steps.from_ns = d->p->from_ns;
		d->steps.to_ns = d->p->to_ns;
	}
	for (size_t i = 0; i < d->lane_count; i++)
		busy += d->lanes[i].any;
	d->steps.count = steps_count(d->p, busy);
}

static void add_wait(struct depth *d, size_t piece, struct lane *lane,
		     const struct one_launch *launch)
{
	(void)d;
	(void)piece;
	depth_walk_add(&lane->walk, launch->called_ns, launch->began_ns);
}

static void count_all(struct depth *d)
{
	for (size_t i = 0; i < d->lane_count; i++) {
		if (d->lanes[i].any)
			depth_walk_begin(&d->lanes[i].walk, &d->steps);
	}
	for (size_t piece = 0; piece < PIECES; piece++) {
		walk_piece(d, piece, add_wait);
		for (size_t i = 0; i < d->lane_count; i++) {
			if (d->lanes[i].any)
				depth_walk_pass(&d->lanes[i].walk, d->earliest_ns[piece + 1]);
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

void queue_depth_report(struct report *r, const struct params *p, const struct launch_list *l)
{
	struct depth d = {.p = p, .list = l};
	struct rows *rows = report_new_rows(r, "queue_depth", "Launches waiting for the GPU",
					    columns, ARRAY_LEN(columns));

	number_lanes(&d, &l->places);
	look_at_all(&d);
	count_all(&d);
	sort_stable(d.lanes, d.lane_count, sizeof(*d.lanes), compare_lanes, NULL);
	for (size_t i = 0; i < d.lane_count; i++) {
		if (d.lanes[i].any)
			add_lane(rows, &d.steps, &d.lanes[i]);
	}
	free(d.lanes);
	free(d.lane_of_place);
}
