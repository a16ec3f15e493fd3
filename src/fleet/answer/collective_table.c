/* The job's collectives: how long do they take once all are there, and how long does that take? */
#include "fleet/answer/answer.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"type", "Collective", UNIT_NAME, 0, "", SHOW},
	{"communicator", "Communicator", UNIT_NAME, 0, "comm:", SHOW_IF_ROOM},
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW_PREFERRED},
	{"ranks", "Ranks", UNIT_COUNT, 0, NULL, SHOW},
	{"first_rank", "First rank", UNIT_ID, 0, "rank:", SHOW_IF_ROOM},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"wait_ns", "Waits", UNIT_NS, 0, NULL, SHOW},
	{"skew_ns", "Mean skew", UNIT_NS, 0, NULL, SHOW},
	{"transfer_ns", "Mean transfer", UNIT_NS, 0, NULL, SHOW},
	{"last_rank", "Mostly last", UNIT_ID, 0, NULL, SHOW},
	{"last_pct", "Last %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"bytes", "Mean size", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
	{"bus_bytes_per_s", "Bus bandwidth", UNIT_BYTES_PER_S, 0, NULL, SHOW_PREFERRED},
	{"link", "Link", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"link_bytes_per_s", "Link peak", UNIT_BYTES_PER_S, 0, NULL, SHOW_IF_ROOM},
	{"link_pct", "% of peak", UNIT_UTILISATION, 0, NULL, SHOW_IF_ROOM},
	{"unsure", "Last unknown", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"incomplete", "Not in all captures", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
};

struct sums {
	const struct instance_class *class;
	uint64_t count, unsure, sized;
	double wait_ns, skew_ns, transfer_ns, bytes, sized_ns;
	uint64_t *last; /* by member of the class */
};

/* From the last entry until all have left. */
static double transfer_of(const struct replay *r, const struct replay_visit *v)
{
	int64_t longest_ns = INT64_MIN;

	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		if (r->stops[i].transfer_ns > longest_ns)
			longest_ns = r->stops[i].transfer_ns;
	}
	return longest_ns > 0 ? (double)longest_ns : 0;
}

static void add_visit(const struct fleet_answer *a, size_t number, struct sums *to)
{
	const struct stragglers *s = &a->stragglers;
	const struct replay_visit *v = &s->replay.visits[number];
	const struct replay_stop *stops = &s->replay.stops[v->first];
	const int64_t bytes = stops[0].is.bytes;
	const double transfer_ns = transfer_of(&s->replay, v);
	int64_t first_ns = INT64_MAX;

	for (uint32_t i = 0; i < v->count; i++) {
		first_ns = stops[i].is.enter_ns < first_ns ? stops[i].is.enter_ns : first_ns;
		to->last[i] += s->last[number] == stops[i].is.member;
	}
	to->count++;
	to->unsure += s->last[number] == UINT32_MAX;
	to->wait_ns += (double)s->wait_ns[number];
	to->skew_ns += (double)sat_sub(v->last_ns, first_ns);
	to->transfer_ns += transfer_ns;
	if (bytes >= 0) {
		to->sized++;
		to->bytes += (double)bytes;
		to->sized_ns += transfer_ns;
	}
}

static struct cell mean_cell(double sum, uint64_t count)
{
	return count ? cell_real(sum / (double)count) : cell_null();
}

static struct cell bandwidth_cell(const struct instance_class *c, const struct sums *s)
{
	if (!s->sized || s->sized_ns <= 0 || c->is->type == COLL_OTHER)
		return cell_null();
	return cell_real(collective_bus_bytes(c->is->type, s->bytes, (double)c->queue_count) /
			 (s->sized_ns / 1e9));
}

static uint64_t count_incomplete(const struct fleet_answer *a, const struct instance_class *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		n += a->x.all[c->first + i].present < c->queue_count;
	return n;
}

static void add_row(struct fleet_answer *a, struct rows *rows, const struct sums *s)
{
	const struct instance_class *c = s->class;
	const struct instance_queue *q = &a->x.queues[c->first_queue];
	const struct cell bandwidth = bandwidth_cell(c, s);
	const struct link_peak link = fleet_link_peak(a, c);
	const bool is_known = link.source && bandwidth.kind == CELL_REAL;
	const uint64_t sure = s->count - s->unsure;
	size_t last = 0;

	for (size_t i = 1; i < c->queue_count; i++)
		last = s->last[i] > s->last[last] ? i : last;
	ROWS_ADD(rows, cell_text(collective_type_name(c->is->type)),
		 c->is->has_communicator
			 ? cell_text(arena_printf(&a->report->arena, "0x%llx",
						  (unsigned long long)c->is->communicator))
			 : cell_null(),
		 *c->is->kernel ? cell_text(c->is->kernel) : cell_null(),
		 cell_int((int64_t)c->queue_count), cell_int(a->job.members[q[0].member].is->rank),
		 cell_int((int64_t)s->count), cell_real(s->wait_ns),
		 mean_cell(s->skew_ns, s->count), mean_cell(s->transfer_ns, s->count),
		 s->last[last] ? cell_int(a->job.members[q[last].member].is->rank) : cell_null(),
		 s->last[last] ? mean_cell(100 * (double)s->last[last], sure) : cell_null(),
		 mean_cell(s->bytes, s->sized), bandwidth,
		 is_known ? cell_text(link.source) : cell_null(),
		 is_known ? cell_real(link.bytes_per_s) : cell_null(),
		 is_known ? cell_real(100 * bandwidth.r / link.bytes_per_s) : cell_null(),
		 cell_int((int64_t)s->unsure), cell_int((int64_t)count_incomplete(a, c)));
}

static int by_wait(const void *a, const void *b, void *ctx)
{
	const struct sums *x = a, *y = b;

	(void)ctx;
	return (x->wait_ns < y->wait_ns) - (x->wait_ns > y->wait_ns);
}

static struct sums *sum_classes(const struct fleet_answer *a)
{
	const struct replay *r = &a->stragglers.replay;
	struct sums *all = mem_zalloc(a->x.class_count, sizeof(*all));

	for (size_t i = 0; i < a->x.class_count; i++) {
		all[i].class = &a->x.classes[i];
		all[i].last = mem_zalloc(a->x.classes[i].queue_count, sizeof(*all[i].last));
	}
	for (size_t i = 0; i < r->count; i++) {
		if (!r->visits[i].lost)
			add_visit(a, i, &all[r->visits[i].class]);
	}
	if (a->x.class_count)
		sort_stable(all, a->x.class_count, sizeof(*all), by_wait, NULL);
	return all;
}

void fleet_collectives_table(struct fleet_answer *a)
{
	struct sums *all = sum_classes(a);
	struct rows *rows = REPORT_ROWS(a->report, "collectives", "Collectives", columns);

	rows->table.kind = "collective";
	rows->table.drops_empty = true;
	rows->table.sorted_by = "wait_ns";
	for (size_t i = 0; i < a->x.class_count; i++) {
		/* Those of the start of a job alone are outside of all windows. */
		if (all[i].count || count_incomplete(a, all[i].class))
			add_row(a, rows, &all[i]);
		free(all[i].last);
	}
	free(all);
}
