/* What did nsys record of a run, and what does it say? */
#include "base/mem.h"
#include "capture/nsys_output.h"
#include "cli/say.h"
#include "commands/runs/profile.h"
#include "input/input.h"
#include "input/interrupt.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_EXPLAINED = 16, MODE_FOR_ALL = 0666 };

static int find_reports(struct running *u, struct nsys_output *out, struct err *e)
{
	const struct nsys_request *q = &profile_args(u->inv)->request;
	char *folder = run_folder_file(&u->folder, "nsys");
	char *log = run_folder_file(&u->folder, "nsys/log");
	int result = nsys_output_read(out, folder, e);

	if (result == 0)
		profile_guard_reports(u, out);
	if (result == 0 && !out->report_count) {
		const struct nsys_fate fate = {
			.folder = folder,
			.log = log,
			.range = q->range,
			.profiler_api = q->profiler_api,
			.delay_s = q->delay_s,
			.elapsed_s = u->record->elapsed_s,
			.unstarted = !u->record->has_ended && !u->record->nsys_signal,
			.signal = u->record->nsys_signal,
			.starved = u->starved,
			.given_up = u->given_up,
			.output = out,
		};

		result = nsys_explain_missing(&fate, e);
	}
	free(folder);
	free(log);
	return result;
}

/* Ctrl-C while nsys exports ends the export, and with it the run; the report stays. */
static int export_report(struct running *u, const char *report, const char *trace, struct err *e)
{
	/* Until it is clean it is nobody else's. */
	const mode_t usual = umask(S_IRWXG | S_IRWXO);
	bool ignored;
	int result, number;

	interrupt_hold();
	result = nsys_export(report, trace, u->job->nsys, e);
	umask(usual);
	if (result == 0)
		result = profile_clean_export(u->record, trace, e);
	if (result == 0)
		chmod(trace, MODE_FOR_ALL & ~usual);
	while ((number = interrupt_take(&ignored)))
		u->record->gave_up = number;
	interrupt_release();
	if (result == 0)
		return 0;
	unlink(trace);
	if (!u->record->gave_up)
		return -1;
	err_set(e, ERR_SYSTEM, "interrupted while nsys exported '%s'", report);
	return err_hint(e, "the report exists: run gpuwhy %s", report);
}

/* Without its ending: run.1 of run.1.nsys-rep. */
static struct str stem_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return (struct str){name, dot ? (size_t)(dot - name) : strlen(name)};
}

static void drop_report(const struct running *u, struct run_report *one, const char *report)
{
	if (profile_args(u->inv)->drop_report && unlink(report) == 0)
		one->report = NULL;
}

static int explain_report(struct running *u, struct run_report *one, struct str stem, bool several,
			  struct err *e)
{
	struct run_record *r = u->record;
	char *report = run_folder_file(&u->folder, one->report), *trace, *folder;
	const char *inside, *out;
	int result;

	inside = arena_printf(&r->arena, "nsys/%.*s.sqlite", STR_FMT(stem));
	out = several ? arena_printf(&r->arena, "report/%.*s", STR_FMT(stem)) : "report";
	trace = run_folder_file(&u->folder, inside);
	folder = run_folder_file(&u->folder, out);
	profile_enter(u, STAGE_EXPORT);
	result = export_report(u, report, trace, e);
	if (result == 0) {
		one->trace = inside;
		result = profile_explain(u, trace, folder, several, e);
	}
	if (result == 0) {
		one->explanation = out;
		drop_report(u, one, report);
	}
	free(report);
	free(trace);
	free(folder);
	return result;
}

/*
 * One that fails does not keep the others from being explained, and the first failure is told; an
 * interrupt does.
 */
static int explain_all(struct running *u, const struct nsys_output *out, struct err *e)
{
	struct run_record *r = u->record;
	const bool several = out->report_count > 1;
	enum run_stage failed_at = STAGE_DONE;
	struct err one;
	int result = several ? run_folder_add(&u->folder, "report", e) : 0;

	for (size_t i = 0; i < out->report_count; i++) {
		MEM_GROW(r->reports, r->report_cap, r->report_count + 1);
		r->reports[r->report_count++] = (struct run_report){
			.report = arena_printf(&r->arena, "nsys/%s", out->reports[i])};
	}
	for (size_t i = 0; i < out->report_count && i < MOST_EXPLAINED && result == 0; i++) {
		if (r->gave_up)
			break;
		if (explain_report(u, &r->reports[i], stem_of(out->reports[i]), several, &one) == 0)
			continue;
		if (failed_at == STAGE_DONE) {
			failed_at = r->stage;
			*e = one;
		} else {
			say_error(&one);
		}
	}
	if (out->report_count > MOST_EXPLAINED)
		say_warning(
			"there are more reports than shown here: use gpuwhy report for the others");
	if (failed_at == STAGE_DONE)
		return result;
	r->stage = failed_at;
	return -1;
}

int profile_reports(struct running *u, struct err *e)
{
	struct nsys_output out;
	int result = find_reports(u, &out, e);

	if (result == 0)
		result = explain_all(u, &out, e);
	nsys_output_free(&out);
	return result;
}
