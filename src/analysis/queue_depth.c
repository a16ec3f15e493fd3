/* How many launches wait for their GPU, over time? */
#include "analysis/queue_depth.h"

#include "analysis/cells.h"
#include "analysis/steps.h"
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

/* The waiting launches of one GPU: from[i] and to[i] are sorted each for itself. */
struct lane {
	uint32_t device;
	size_t count;
	int64_t *from_ns, *to_ns;
};

struct depth {
	const struct params *p;
	uint32_t *lane_of_place;
	struct lane *lanes;
	size_t lane_count, lane_cap;
	struct steps steps;
	bool has_any;
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

static void count_one(struct depth *d, struct lane *lane, const struct one_launch *launch)
{
	lane->count++;
	if (!d->has_any || launch->called_ns < d->steps.from_ns)
		d->steps.from_ns = launch->called_ns;
	if (!d->has_any || launch->began_ns > d->steps.to_ns)
		d->steps.to_ns = launch->began_ns;
	d->has_any = true;
}

/* Counts, or, once lanes have room, keeps. */
static void walk_launches(struct depth *d, const struct launch_list *l, bool keep)
{
	struct place_cursor cursor = PLACE_CURSOR_START;
	struct one_launch launch;

	for (size_t i = 0; i < launch_list_size(l); i++) {
		struct lane *lane;

		if (!launch_list_at(l, i, &cursor, &launch) || !waiting_part(d->p, &launch))
			continue;
		lane = &d->lanes[d->lane_of_place[launch.place]];
		if (!keep) {
			count_one(d, lane, &launch);
			continue;
		}
		lane->from_ns[lane->count] = launch.called_ns;
		lane->to_ns[lane->count++] = launch.began_ns;
	}
}

/* Slots are in the order of calls, and ops usually begin in that order. */
static void sort_times(int64_t *times, size_t count)
{
	int64_t *scratch;
	size_t sorted = 1;

	while (sorted < count && times[sorted - 1] <= times[sorted])
		sorted++;
	if (sorted >= count)
		return;
	scratch = mem_alloc(count, sizeof(*scratch));
	sort_i64(times, scratch, count);
	free(scratch);
}

static void fill_lanes(struct depth *d, const struct launch_list *l)
{
	for (size_t i = 0; i < d->lane_count; i++) {
		struct lane *lane = &d->lanes[i];

		lane->from_ns = mem_alloc_large(lane->count * sizeof(*lane->from_ns));
		lane->to_ns = mem_alloc_large(lane->count * sizeof(*lane->to_ns));
		lane->count = 0;
	}
	walk_launches(d, l, true);
	for (size_t i = 0; i < d->lane_count; i++) {
		sort_times(d->lanes[i].from_ns, d->lanes[i].count);
		sort_times(d->lanes[i].to_ns, d->lanes[i].count);
	}
}

/* Where in time a walk over a lane is, and what it met in the present step. */
struct walk {
	const struct lane *lane;
	int64_t now_ns;
	size_t begun, ended; /* waits that did so by now */
	unsigned __int128 waited_ns;
	size_t most;
};

static void take_events(struct walk *w)
{
	const struct lane *lane = w->lane;

	while (w->ended < lane->count && lane->to_ns[w->ended] <= w->now_ns)
		w->ended++;
	while (w->begun < lane->count && lane->from_ns[w->begun] <= w->now_ns)
		w->begun++;
	if (w->begun - w->ended > w->most)
		w->most = w->begun - w->ended;
}

static int64_t next_event(const struct walk *w, int64_t until_ns)
{
	const struct lane *lane = w->lane;

	if (w->ended < lane->count && lane->to_ns[w->ended] < until_ns)
		until_ns = lane->to_ns[w->ended];
	if (w->begun < lane->count && lane->from_ns[w->begun] < until_ns)
		until_ns = lane->from_ns[w->begun];
	return until_ns;
}

static void walk_step(struct walk *w, int64_t to_ns)
{
	w->waited_ns = 0;
	w->most = 0;
	do {
		int64_t next_ns;

		take_events(w);
		next_ns = next_event(w, to_ns);
		w->waited_ns += (unsigned __int128)(w->begun - w->ended) *
				(unsigned __int128)((__int128)next_ns - w->now_ns);
		w->now_ns = next_ns;
	} while (w->now_ns < to_ns);
}

static void add_lane(struct rows *rows, const struct steps *steps, const struct lane *lane)
{
	struct walk w = {.lane = lane};

	for (size_t i = 0; i < steps->count; i++) {
		int64_t from_ns = steps_edge(steps, i), to_ns = steps_edge(steps, i + 1);
		double length = (double)to_ns - (double)from_ns;

		w.now_ns = from_ns;
		walk_step(&w, to_ns);
		rows_add(rows, id_cell(lane->device));
		rows_add(rows, cell_int(from_ns));
		rows_add(rows, cell_int(to_ns));
		rows_add(rows, length > 0 ? cell_real((double)w.waited_ns / length) : cell_null());
		rows_add(rows, cell_int((int64_t)w.most));
	}
}

static int compare_lanes(const void *a, const void *b, void *ctx)
{
	const struct lane *x = a, *y = b;

	(void)ctx;
	return (x->device > y->device) - (x->device < y->device);
}

void queue_depth_report(struct report *r, const struct params *p, const struct launch_list *l)
{
	struct depth d = {.p = p};
	struct rows *rows = report_new_rows(r, "queue_depth", "Launches waiting for the GPU",
					    columns, ARRAY_LEN(columns));
	size_t busy = 0;

	number_lanes(&d, &l->places);
	walk_launches(&d, l, false);
	fill_lanes(&d, l);
	if (p->has_trim) {
		d.steps.from_ns = p->from_ns;
		d.steps.to_ns = p->to_ns;
	}
	for (size_t i = 0; i < d.lane_count; i++)
		busy += d.lanes[i].count > 0;
	d.steps.count = steps_count(p, busy);
	sort_stable(d.lanes, d.lane_count, sizeof(*d.lanes), compare_lanes, NULL);
	for (size_t i = 0; i < d.lane_count; i++) {
		if (d.lanes[i].count)
			add_lane(rows, &d.steps, &d.lanes[i]);
		free(d.lanes[i].from_ns);
		free(d.lanes[i].to_ns);
	}
	free(d.lanes);
	free(d.lane_of_place);
}
