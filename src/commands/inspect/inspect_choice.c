/* How are the chosen kernels told to people, and where they were looked at? */
#include "analysis/cell_values.h"
#include "base/mem.h"
#include "commands/inspect/inspect.h"
#include "text/units.h"

static const struct column kernel_columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"share_percent", "Share", UNIT_PERCENT, 1, NULL, SHOW},
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"mean_ns", "Mean", UNIT_NS, 0, NULL, SHOW},
	{"launch", "Launch no.", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"look", "Run", UNIT_ID, 0, NULL, SHOW_PREFERRED},
};

/* Where launches were looked at that ncu did not find as they were chosen. */
static void warn_of_less(const struct inspection *x, size_t run, struct report *r)
{
	const struct ncu_run *l = &x->ncu_runs[run];

	report_warning(r,
		       "run %zu: ncu found no launch with the planned selection, so it was "
		       "relaxed: from the first launch on, which is warm-up%s%s",
		       run + 1, l->next >= TRY_ANYWHERE && l->range ? ", outside the range" : "",
		       l->next >= TRY_BY_FUNCTION ? ", by function name only" : "");
}

static bool is_as_chosen(const struct inspection *x, size_t kernel)
{
	return !inspect_by_id(x) &&
	       x->ncu_runs[inspect_run_of(&x->choice, kernel)].next == TRY_AS_CHOSEN;
}

static size_t count_as_chosen(const struct inspection *x)
{
	size_t count = 0;

	for (size_t i = 0; i < x->choice.count; i++)
		count += is_as_chosen(x, i);
	return count;
}

static void note_where(const struct inspection *x, struct report *r)
{
	const struct kernel_choice *c = &x->choice;
	const size_t as_chosen = count_as_chosen(x);

	for (size_t i = 0; i < x->ncu_run_count; i++) {
		if (x->ncu_runs[i].found && x->ncu_runs[i].next != TRY_AS_CHOSEN)
			warn_of_less(x, i, r);
		if (x->ncu_runs[i].warning)
			report_warning(r, "run %zu: %s", i + 1, x->ncu_runs[i].warning);
	}
	if (inspect_by_id(x))
		report_note(r, "ncu profiles the launches that --kernel-id %s finds, %llu at most.",
			    inspect_args(x->inv)->id.text,
			    (unsigned long long)x->ncu_runs[0].count);
	else if (!as_chosen)
		report_note(r, "None was profiled where planned: see the warnings.");
	else if (as_chosen < c->count)
		report_note(r,
			    "%zu of %zu were profiled where planned, in the middle of %s; for the "
			    "others see the warnings.",
			    as_chosen, c->count,
			    c->steady_count ? "the warm steps" : "their launches");
	else if (!c->steady_count)
		report_note(r, "Each is profiled in the middle of its launches.");
	else if (c->steady_count == c->count)
		report_note(r, "Each is profiled in the middle of %s.", c->steady);
	else
		report_note(r,
			    "Profiled in the middle of %s: %zu of %zu, which "
			    "are launched there; the others in the middle of their launches.",
			    c->steady, c->steady_count, c->count);
}

static void note_comm(const struct kernel_choice *c, struct report *r)
{
	struct buf b = {0};

	if (!c->comm_names)
		return;
	units_add_ns(&b, (double)c->comm_ns);
	report_note(r,
		    "%llu kernel%s that communicate%s, %s, left out: ncu replays a launch in "
		    "isolation, so it would wait for its peers forever.",
		    (unsigned long long)c->comm_names, c->comm_names == 1 ? "" : "s",
		    c->comm_names == 1 ? "s" : "", b.s);
	buf_free(&b);
}

static void note_most(const struct kernel_choice *c, struct report *r)
{
	int64_t chosen = 0;
	struct buf b = {0};

	for (size_t i = 0; i < c->count; i++)
		chosen = sat_add(chosen, c->all[i].total_ns);
	buf_addf(&b, "Top %zu of %llu kernels by time: ", c->count, (unsigned long long)c->names);
	units_add_ns(&b, (double)chosen);
	buf_adds(&b, " of ");
	units_add_ns(&b, (double)c->kernel_ns);
	report_note(r, "%s.", b.s);
	buf_free(&b);
}

static void note_runs(const struct inspection *x, struct report *r)
{
	if (x->ncu_run_count == 1)
		report_note(r, "One run of the program under ncu measures all of them.");
	else if (inspect_args(x->inv)->each)
		report_note(r, "The program runs %zu times under ncu, once per kernel (--each).",
			    x->ncu_run_count);
	else if (x->again)
		report_note(r,
			    "The program ran %zu times under ncu: %zu kernel%s not measured "
			    "together with the others%s and needed %s own run.",
			    x->ncu_run_count, x->again, x->again == 1 ? " was" : "s were",
			    x->unread.code ? ""
					   : ", because the launch order differs from the trace,",
			    x->again == 1 ? "its" : "their");
	else
		report_note(r,
			    "The program runs %zu times under ncu: not all kernels are launched "
			    "close together.",
			    x->ncu_run_count);
}

static void note_choice(const struct inspection *x, struct report *r)
{
	const struct kernel_choice *c = &x->choice;

	note_most(c, r);
	launches_outside_note(r, &x->outside, inspect_ranges_asked(x), "not counted");
	note_comm(c, r);
	note_where(x, r);
	if (c->processes > 1)
		report_note(
			r,
			"%llu processes launch them: launches are counted in the profiled process.",
			(unsigned long long)c->processes);
	if (!inspect_by_id(x))
		note_runs(x, r);
}

size_t inspect_run_of(const struct kernel_choice *c, size_t kernel)
{
	for (size_t i = c->run_count; i-- > 0;) {
		for (size_t k = 0; k < c->runs[i].kernel_count; k++) {
			if (c->runs[i].kernels[k] == kernel)
				return i;
		}
	}
	return 0;
}

void inspect_report_choice(const struct inspection *x, struct report *r)
{
	const struct kernel_choice *c = &x->choice;
	struct rows *rows;

	note_choice(x, r);
	rows = REPORT_ROWS(r, "kernels", NULL, kernel_columns);
	for (size_t i = 0; i < c->count; i++) {
		const struct chosen_kernel *k = &c->all[i];

		ROWS_ADD(rows, cell_str(k->name), cell_int(k->total_ns),
			 pct_cell(k->total_ns, c->kernel_ns), cell_int((int64_t)k->launches),
			 cell_real((double)k->total_ns / (double)k->launches),
			 is_as_chosen(x, i) ? cell_int((int64_t)k->number + 1) : cell_null(),
			 cell_int((int64_t)inspect_run_of(c, i) + 1));
	}
}
