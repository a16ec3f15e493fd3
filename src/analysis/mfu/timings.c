/* How long does each part of the run take, and how much does that vary? */
#include "analysis/cell_values.h"
#include "analysis/mfu/mfu_part.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdlib.h>

static int compare_starts(const void *a, const void *b, void *ctx)
{
	const struct mfu_instance *x = *(const struct mfu_instance *const *)a;
	const struct mfu_instance *y = *(const struct mfu_instance *const *)b;

	(void)ctx;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* The instances of all parts, by process and when their own time begins. */
static const struct mfu_instance **list_all(const struct mfu_phases *p, size_t *ret_count)
{
	const struct mfu_instance **all;
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		count += p->all[i].part.count;
	all = mem_alloc(count, sizeof(struct mfu_instance *));
	*ret_count = 0;
	for (size_t i = 0; i < p->count; i++) {
		for (size_t k = 0; k < p->all[i].part.count; k++)
			all[(*ret_count)++] = &p->all[i].part.instances[k];
	}
	sort_stable(all, count, sizeof(struct mfu_instance *), compare_starts, NULL);
	return all;
}

/*
 * How many times as long as the parts take together their times are when added up, process by
 * process: what two processes do at once is no overlap. 1 where no two go on at the same time, or
 * nothing has a time.
 */
static double mfu_phases_overlap(const struct mfu_phases *p)
{
	int64_t added = 0, together = 0, reach = INT64_MIN;
	size_t count;
	const struct mfu_instance **all = list_all(p, &count);

	for (size_t i = 0; i < count; i++) {
		const struct mfu_instance *x = all[i];

		if (i && all[i - 1]->process != x->process)
			reach = INT64_MIN;
		added = sat_add(added, sat_sub(x->to_ns, x->from_ns));
		if (x->to_ns <= reach)
			continue;
		together = sat_add(together,
				   sat_sub(x->to_ns, x->from_ns > reach ? x->from_ns : reach));
		reach = x->to_ns;
	}
	free(all);
	return together > 0 ? (double)added / (double)together : 1;
}

/* Less than this is the last kernels of one part beside the first calls of the next. */
#define OVERLAP_TIMES 1.05

static const struct column columns[] = {
	TIMING_COLUMNS,
	{"wall_ns", "Wall", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"busy_ns", "Busy time", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"devices", "GPUs", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"processes", "Processes", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
};

static struct rows *new_table(struct report *r)
{
	struct rows *rows = report_new_rows(r, "timings", NULL, columns, ARRAY_LEN(columns));

	rows->table.kind = "stage";
	return rows;
}

/* Of the time in which an instance goes on, on all devices that it uses. */
static struct cell busy_cell(const struct mfu_part *s)
{
	double possible = (double)s->wall_ns * (double)s->device_count;

	return possible > 0 ? cell_real(100 * (double)s->busy_ns / possible) : cell_null();
}

/* A row, where anything is left to be one of. */
static void add_part(struct rows *rows, struct str name, const struct mfu_part *s)
{
	struct mfu_walls w;

	if (!s->count)
		return;
	w = mfu_walls_of(s);
	rows_add(rows, cell_str(arena_str(rows->arena, name)));
	rows_add(rows, cell_int((int64_t)s->count));
	rows_add(rows, cell_real(w.mean));
	rows_add(rows, cell_real(w.p50));
	rows_add(rows, cell_int(w.min));
	rows_add(rows, cell_int(w.max));
	rows_add(rows, s->count > 1 ? cell_real(w.stddev) : cell_null());
	rows_add(rows, busy_cell(s));
	rows_add(rows, cell_int(s->wall_ns));
	rows_add(rows, cell_int(s->busy_ns));
	rows_add(rows, cell_int((int64_t)s->device_count));
	rows_add(rows, cell_int((int64_t)s->processes));
}

/* A time of nothing is none: it would be the least, and often the median. */
static void leave_out_timeless(struct report *r, struct mfu_part *s, struct str name)
{
	const size_t count = mfu_part_drop_timeless(s);

	if (count)
		report_note(r,
			    "Left out: %zu '%.*s' that ended while earlier ones in the same "
			    "process were still running, so no separate time remains.",
			    count, STR_FMT(name));
}

/* A reader adds up what a table has below one another. */
static void note_overlap(struct report *r, const struct mfu_phases *ph)
{
	const double times = mfu_phases_overlap(ph);

	if (times >= OVERLAP_TIMES)
		report_note(r,
			    "Phases overlap: one is nested in another, or the host starts it while "
			    "earlier work is still running. Their times add up to %.1f times the "
			    "time they take together.",
			    times);
}

static void note_warm_ups(struct report *r, const struct mfu_phases *ph)
{
	struct buf found = {0};

	for (size_t i = 0; i < ph->count; i++) {
		if (ph->all[i].part.count)
			mfu_add_warm_up(&found, &ph->all[i].part, ph->all[i].name);
	}
	mfu_note_warm_ups(r, &found, "");
}

static void note_counted(struct report *r, const struct mfu_phases *ph, const struct scope *p)
{
	for (size_t i = 0; i < ph->count; i++)
		mfu_note_counted(r, &ph->all[i].part, ph->all[i].name, p);
}

static void note_phases(struct report *r, struct mfu_phases *ph, const struct scope *p)
{
	if (ph->guessed)
		report_note(
			r,
			"Phases are guessed from range names; use --phase-map FILE to set them.");
	note_counted(r, ph, p);
	for (size_t i = 0; i < ph->count; i++)
		leave_out_timeless(r, &ph->all[i].part, ph->all[i].name);
	note_warm_ups(r, ph);
	note_overlap(r, ph);
}

static int answer_phases(struct report *r, struct mfu_phases *ph, const struct table_args *a,
			 struct err *e)
{
	struct rows *rows;

	note_phases(r, ph, &a->scope);
	rows = new_table(r);
	for (size_t i = 0; i < ph->count; i++)
		add_part(rows, ph->all[i].name, &ph->all[i].part);
	return rows_arrange(rows, &a->rows, NULL, e);
}

/* Whether the trace has phases, and the window none of them whole. */
static int refuse_cut(const struct mfu_phases *ph, const struct trace *t, struct err *e)
{
	for (size_t i = 0; i < ph->count; i++) {
		const struct mfu_phase *phase = &ph->all[i];

		if (!phase->part.cut)
			continue;
		err_set(e, ERR_INPUT,
			"no phase is entirely inside that window of '%s': it cuts %.*s", t->path,
			(int)(phase->name.len < 100 ? phase->name.len : 100), phase->name.s);
		e->absent = true;
		return err_hint(e, "gpuwhy timings without --trim shows all of them");
	}
	return 0;
}

/* Why it is steps that are timed. */
static const char *why_steps(const struct mfu_phases *ph, const struct scope *p)
{
	bool on_other_devices = false;

	for (size_t i = 0; i < ph->count; i++)
		on_other_devices |= ph->all[i].part.on_other_devices > 0;
	return p->marker	  ? "Steps"
	       : on_other_devices ? "No phase launched work on that device; steps"
				  : "No range name matches a phase; steps";
}

static int answer_steps(struct report *r, const struct mfu_phases *ph, struct trace *t,
			const struct table_args *a, struct err *e)
{
	const struct scope *p = &a->scope;
	struct buf warm_up = {0};
	struct mfu_part steps;
	struct rows *rows;
	const char *how;
	int result;

	if (mfu_part_of_steps(&steps, t, p, &how, e) < 0) {
		mfu_part_free(&steps);
		return -1;
	}
	report_note(r, "%s: %s.", why_steps(ph, p), how);
	note_counted(r, ph, p);
	mfu_note_counted(r, &steps, STR_LIT("step"), p);
	leave_out_timeless(r, &steps, STR_LIT("step"));
	if (steps.count)
		mfu_add_warm_up(&warm_up, &steps, STR_LIT("step"));
	mfu_note_warm_ups(r, &warm_up, "");
	rows = new_table(r);
	add_part(rows, STR_LIT("step"), &steps);
	result = rows_arrange(rows, &a->rows, NULL, e);
	mfu_part_free(&steps);
	return result;
}

/* A trace without ranges, or without calls that tell their work, may have steps nevertheless. */
static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct table_args *a = args;
	const struct scope *p = &a->scope;
	struct mfu_phases ph = {0};
	size_t instances = 0;
	int result;

	if (window_report(r, self, t, p, &a->rows, e) < 0 ||
	    (!p->marker && mfu_phases_measure(&ph, t, p, e) < 0 && !e->absent))
		return -1;
	for (size_t i = 0; i < ph.count; i++)
		instances += ph.all[i].part.count;
	if (instances)
		result = answer_phases(r, &ph, a, e);
	else
		result = refuse_cut(&ph, t, e) < 0 ? -1 : answer_steps(r, &ph, t, a, e);
	mfu_phases_free(&ph);
	return result;
}

static const struct option_group timings_options =
	OPTIONS(struct table_args, OPT_SAME(step_table_options),
		OPT_INCLUDE(struct table_args, scope, struct scope, phase_options));

static const struct topic topics_timings[] = {
	{.table = "timings",
	 .subject = "latency prefill decode",
	 .words = "timing timings duration variation prefill decode latency ttft tpot token time "
		  "to first per each instance jitter",
	 .questions = "how long is one prefill\n"
		      "how long does a decode step take\n"
		      "decode latency\n"
		      "how much does the duration of decode vary\n"
		      "mean duration of a prefill\n",
	 .row = "{stage}: {instances} times|, {mean_ns} on average|, {p50_ns} at the median|, from "
		"{min_ns} to {max_ns}|, the GPU busy {busy_pct} of it",
	 .by = "mean_ns"},
	{0},
};

const struct analysis analysis_timings = {
	.name = "timings",
	.span = SPAN_GPU,
	.title = "Duration of phases and steps",
	.summary = "duration and variation of each prefill, decode, … or step",
	.example = "gpuwhy timings trace.sqlite --span all -o timings.csv",
	.detail =
		"A phase is found by NVTX range name (--phase-map FILE defines phases); of "
		"nested ranges, the outermost counts. Without phases, the rows are the steps of "
		"the "
		"run, or the steps named by --marker. An instance starts at its start on the host, "
		"or at the end of the previous instance of its phase, and ends at its end on the "
		"host or at the end of its last GPU op. Phases can overlap, because the host runs "
		"ahead of the GPU or because they are nested: then their times do not add up, and "
		"a note reports it. GPU busy is the share of that time in which the GPUs ran ops "
		"of the phase. Instances that the window cuts or that never closed are left out "
		"and reported. `gpuwhy mfu` adds tokens and FLOPs to the same times.",
	.needs_any = NEEDS_GPU_WORK,
	.options = &timings_options,
	.run = run,
	.topics = topics_timings,
};
