/* What has each stage of a pipeline to do in a step? */
#include "fleet/answer/answer.h"

#include "base/mem.h"
#include "fleet/answer/rank_words.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"stage", "Stage", UNIT_ID, 0, "stage:", SHOW},
	{"ranks", "Ranks", UNIT_NAME, 0, NULL, SHOW},
	{"work_ns", "Work a step", UNIT_NS, 0, NULL, SHOW},
	{"compute_ns", "Compute", UNIT_NS, 0, NULL, SHOW},
	{"copy_ns", "Exposed copy", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"idle_ns", "Idle", UNIT_NS, 0, NULL, SHOW},
	{"comm_ns", "Exposed comm", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"kernels", "Kernels a step", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
};

static const char *ranks_of(const struct fleet_answer *a, uint32_t role)
{
	const size_t n = a->job.member_count;
	bool *chosen = mem_alloc(n, sizeof(*chosen));
	struct buf b = {0};

	for (size_t i = 0; i < n; i++)
		chosen[i] = a->stragglers.replay.roles.of[i] == role;
	ranks_add(&b, &a->job, chosen);
	free(chosen);
	return report_take_text(a->report, &b);
}

static struct cell kernels_of(const struct part_member *m)
{
	double count = 0;

	for (size_t i = 0; i < m->kernel_count; i++)
		count += m->kernels[i].communicates ? 0 : (double)m->kernels[i].count;
	return cell_int(sat_of_double(count / member_steps(m)));
}

void fleet_stages_table(struct fleet_answer *a)
{
	struct stages x;
	struct rows *rows;

	stages_measure(&a->stragglers, &x);
	if (!x.count)
		return;
	rows = REPORT_ROWS(a->report, "stages", "Stages of the pipeline", columns);
	rows->table.kind = "stage";
	rows->table.drops_empty = true;
	for (uint32_t i = 0; i < x.count; i++) {
		const struct stage *g = &x.all[i];
		const struct part_member *m = a->job.members[g->member].is;

		ROWS_ADD(rows, cell_int(g->number), cell_text(ranks_of(a, i)),
			 cell_real(g->work_ns), cell_real(g->ns[MEMBER_COMPUTE]),
			 cell_real(g->ns[MEMBER_COPY]), cell_real(g->ns[MEMBER_IDLE]),
			 cell_real(g->ns[MEMBER_COMM]), kernels_of(m));
	}
	stages_free(&x);
}
