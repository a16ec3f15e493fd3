/* Which baselines are there, and what do they hold? */
#include "baseline/folder.h"
#include "commands/diff/baseline_args.h"
#include "commands/diff/baseline_creep.h"
#include "statistics/run_spread.h"

#include <stdlib.h>

/* How far the means of runs are apart, as a share; NAN: there is one. */
static double spread_of(const struct baseline *b)
{
	struct run_steps *runs = mem_alloc(b->run_count, sizeof(*runs));
	struct run_spread spread;

	for (size_t r = 0; r < b->run_count; r++) {
		double *ns = mem_alloc(b->runs[r]->step_count, sizeof(*ns));

		for (size_t i = 0; i < b->runs[r]->step_count; i++)
			ns[i] = (double)b->runs[r]->steps[i].ns;
		runs[r] = (struct run_steps){ns, b->runs[r]->step_count};
	}
	spread = run_spread_of(runs, b->run_count);
	for (size_t r = 0; r < b->run_count; r++)
		free((void *)runs[r].ns);
	free(runs);
	return spread.of_means;
}

static struct cell text(struct report *r, const char *s)
{
	return s[0] ? cell_text(arena_strdup(&r->arena, s)) : cell_null();
}

static const struct column run_columns[] = {
	{"run", "Run", UNIT_ID, 0, "", SHOW},
	{"name", "Capture", UNIT_NAME, 0, NULL, SHOW},
	{"date", "Date", UNIT_NAME, 0, NULL, SHOW},
	{"steps", "Steps", UNIT_COUNT, 0, NULL, SHOW},
	{"step_ns", "Mean step", UNIT_NS, 0, NULL, SHOW},
	{"gpu", "GPU", UNIT_NAME, 0, NULL, SHOW},
	{"gpus", "GPUs", UNIT_COUNT, 0, NULL, SHOW},
	{"driver", "Driver", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"cuda", "CUDA", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"tool", "Profiler", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"schema", "Schema", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"recorded", "Recorded", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"steps_by", "Steps told by", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

void baseline_add_runs(struct report *r, const struct baseline *b)
{
	struct rows *rows = REPORT_ROWS(r, "runs", NULL, run_columns);

	for (size_t i = 0; i < b->run_count; i++) {
		const struct account *a = b->runs[i];
		const struct run_facts *f = &a->facts;

		ROWS_ADD(rows, cell_int((int64_t)i + 1), text(r, a->name), text(r, f->date),
			 cell_int((int64_t)a->step_count), cell_real(account_step_ns(a)),
			 text(r, f->gpu), cell_int(f->gpus), text(r, f->driver), text(r, f->cuda),
			 text(r, f->tool), text(r, f->schema), text(r, f->recorded),
			 text(r, a->how));
	}
}

static const struct column list_columns[] = {
	{"name", "Baseline", UNIT_NAME, 0, "", SHOW},
	{"runs", "Runs", UNIT_COUNT, 0, NULL, SHOW},
	{"step_ns", "Mean step", UNIT_NS, 0, NULL, SHOW},
	{"run_sd_pct", "Run spread", UNIT_PERCENT, 0, NULL, SHOW},
	{"gpu", "GPU", UNIT_NAME, 0, NULL, SHOW},
	{"oldest", "Oldest", UNIT_NAME, 0, NULL, SHOW},
	{"newest", "Newest", UNIT_NAME, 0, NULL, SHOW},
	{"accepted", "Changes accepted", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"options", "Options", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
};

static void add_baseline(struct report *r, struct rows *rows, const char *name,
			 const struct baseline *b)
{
	const double spread = spread_of(b);
	double mean = 0;

	for (size_t i = 0; i < b->run_count; i++)
		mean += account_step_ns(b->runs[i]) / (double)b->run_count;
	ROWS_ADD(rows, text(r, name), cell_int((int64_t)b->run_count), cell_real(mean),
		 cell_finite(100 * spread), text(r, b->runs[0]->facts.gpu),
		 text(r, baseline_date(b, false)), text(r, baseline_date(b, true)),
		 cell_int((int64_t)b->accepted_count), text(r, b->options));
}

int baseline_run_list(const struct baseline_request *q, struct err *e)
{
	struct report *r = &q->inv->report;
	struct arena arena = {0};
	struct string_list names;
	struct rows *rows;

	if (baseline_list(&names, &arena, e) < 0)
		return -1;
	rows = REPORT_ROWS(r, "baselines", NULL, list_columns);
	rows->table.drops_empty = true;
	for (size_t i = 0; i < names.count; i++) {
		struct kept_baseline kept;
		struct err why;

		/* One that is damaged hides no other. */
		if (kept_runs_open(&kept, names.all[i], &why) == 0)
			add_baseline(r, rows, names.all[i], &kept.is);
		else
			report_warning(r, "%s", why.message);
		baseline_free(&kept);
	}
	if (!names.count)
		report_note(r, "There is no baseline in " BASELINE_FOLDER
			       ": gpuwhy baseline save NAME TRACE… makes one.");
	string_list_free(&names);
	arena_free(&arena);
	return invocation_present(q->inv, e);
}

static const struct column accepted_columns[] = {
	{"date", "Accepted", UNIT_NAME, 0, "", SHOW},
	{"change_pct", "Change", UNIT_CHANGE, 0, NULL, SHOW},
	{"reason", "Reason", UNIT_NAME, 0, NULL, SHOW},
};

static void add_accepted(struct report *r, const struct baseline *b)
{
	struct rows *rows =
		REPORT_ROWS(r, "accepted", "Changes that were accepted", accepted_columns);

	for (size_t i = 0; i < b->accepted_count; i++)
		ROWS_ADD(rows, text(r, b->accepted[i].date), cell_real(b->accepted[i].change_pct),
			 text(r, b->accepted[i].reason));
}

static const struct column class_columns[] = {
	{"class", "Class", UNIT_NAME, 0, "", SHOW},
	{"step_ns", "Of a step", UNIT_NS, 0, NULL, SHOW},
	{"step_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
};

static void add_classes(struct report *r, const struct baseline *b)
{
	struct rows *rows =
		REPORT_ROWS(r, "classes", "Where the time of a step goes", class_columns);
	double ns[LEAF_CLASSES] = {0}, all = 0;
	size_t steps = 0;

	for (size_t i = 0; i < b->run_count; i++) {
		const struct account *a = b->runs[i];

		steps += a->step_count;
		all += (double)account_ns(a);
		for (size_t k = 0; k < a->leaf_count; k++)
			ns[a->leaves[k].class] += (double)leaf_total(a, &a->leaves[k]).ns;
	}
	for (int class = 0; class < LEAF_CLASSES; class ++)
		ROWS_ADD(rows, cell_text(leaf_class_words[class]),
			 cell_real(ns[class] / (double)steps), cell_real(100 * ns[class] / all));
}

int baseline_run_show(const struct baseline_request *q, struct err *e)
{
	struct report *r = &q->inv->report;
	struct kept_baseline kept;
	int result = kept_runs_open(&kept, q->name, e);

	if (result == 0) {
		struct rows *rows = REPORT_ROWS(r, "baselines", NULL, list_columns);

		rows->table.drops_empty = true;
		add_baseline(r, rows, q->name, &kept.is);
		baseline_add_runs(r, &kept.is);
		add_classes(r, &kept.is);
		if (kept.is.accepted_count)
			add_accepted(r, &kept.is);
		kept_runs_warn_old(r, q->name, &kept.is, q->today);
		baseline_warn_creep(r, q->name, &kept.is,
				    compare_args_tolerance(&q->args->gate.compare));
		result = invocation_present(q->inv, e);
	}
	baseline_free(&kept);
	return result;
}
