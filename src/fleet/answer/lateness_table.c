/* How late is each rank by itself, how often is it the last, and how long do others wait for it? */
#include "fleet/answer/answer.h"

#include "analysis/cell_values.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"node", "Node", UNIT_ID, 0, NULL, SHOW_IF_ROOM},
	{"collectives", "Collectives", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"last", "Last in", UNIT_COUNT, 0, NULL, SHOW},
	{"imposed_ns", "Others wait for it", UNIT_NS, 0, NULL, SHOW},
	{"waited_ns", "It waits", UNIT_NS, 0, NULL, SHOW},
	{"late_step_ns", "Own delay a step", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"late_pct", "Own delay %", UNIT_CHANGE, 0, NULL, SHOW},
	{"late_steps", "Steps late", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"worst_step", "Worst step", UNIT_ID, 0, NULL, SHOW_IF_ROOM},
	{"worst_ns", "Delay there", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
};

struct lateness {
	uint32_t member;
	uint64_t collectives, last;
	int64_t imposed_ns, waited_ns;
	double late_ns; /* of a step */
	size_t late_steps, worst_step;
};

/* Of a step: what is less is no delay to speak of. The heat map begins there, too. */
static const double least_late = 0.01;

static struct lateness *sum_lateness(const struct fleet_answer *a)
{
	const struct stragglers *s = &a->stragglers;
	struct lateness *all = mem_zalloc(a->job.member_count, sizeof(*all));

	for (size_t i = 0; i < s->replay.count; i++) {
		const struct replay_visit *v = &s->replay.visits[i];

		for (uint32_t k = v->first; k < v->first + v->count && !v->lost; k++) {
			const struct replay_entry *is = &s->replay.stops[k].is;
			struct lateness *l = &all[is->member];

			l->collectives++;
			l->waited_ns = sat_add(l->waited_ns, replay_wait_ns(v, is));
		}
		if (s->last[i] == UINT32_MAX)
			continue;
		all[s->last[i]].last++;
		all[s->last[i]].imposed_ns = sat_add(all[s->last[i]].imposed_ns, s->wait_ns[i]);
	}
	return all;
}

static void add_delays(const struct stragglers *s, struct lateness *to)
{
	const double *late_ns = &s->late_ns[to->member * s->steps];

	for (size_t k = 0; k < s->steps; k++) {
		to->late_ns += late_ns[k] / (double)s->steps;
		to->late_steps += late_ns[k] >= least_late * s->step_ns;
		to->worst_step = late_ns[k] > late_ns[to->worst_step] ? k : to->worst_step;
	}
}

/* Of a thousand ranks people see the first ones: those are to be the latest. */
static int by_delay(const void *a, const void *b, void *ctx)
{
	const struct lateness *x = a, *y = b;

	(void)ctx;
	return (x->late_ns < y->late_ns) - (x->late_ns > y->late_ns);
}

static void add_row(const struct fleet_answer *a, struct rows *rows, const struct lateness *l)
{
	const struct stragglers *s = &a->stragglers;
	const struct job_member *m = &a->job.members[l->member];
	const double worst_ns = s->late_ns[l->member * s->steps + l->worst_step];

	ROWS_ADD(rows, cell_int(m->is->rank), id_cell(m->node), cell_int((int64_t)l->collectives),
		 cell_int((int64_t)l->last), cell_int(l->imposed_ns), cell_int(l->waited_ns),
		 cell_int(sat_of_double(l->late_ns)), cell_real(100 * l->late_ns / s->step_ns),
		 cell_int((int64_t)l->late_steps),
		 l->late_steps ? cell_int((int64_t)(s->first_step + l->worst_step)) : cell_null(),
		 l->late_steps ? cell_int(sat_of_double(worst_ns)) : cell_null());
}

void fleet_lateness_table(struct fleet_answer *a)
{
	const struct stragglers *s = &a->stragglers;
	struct rows *rows;
	struct lateness *all;

	if (!s->replay.count || s->in_doubt)
		return;
	rows = REPORT_ROWS(a->report, "stragglers", "Who is late", columns);
	rows->table.kind = "rank";
	rows->table.drops_empty = true;
	rows->table.sorted_by = "late_step_ns";
	all = sum_lateness(a);
	for (uint32_t i = 0; i < a->job.member_count; i++) {
		all[i].member = i;
		add_delays(s, &all[i]);
	}
	sort_stable(all, a->job.member_count, sizeof(*all), by_delay, NULL);
	for (size_t i = 0; i < a->job.member_count; i++)
		add_row(a, rows, &all[i]);
	free(all);
}
