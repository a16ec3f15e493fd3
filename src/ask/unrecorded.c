/* What has a capture not recorded, and which flag would have? */
#include "ask/asking.h"

#include "options/args.h"

/* The question of `doctor` that says whether it was recorded: its row, or -1. */
static int64_t find_doctor_row(const struct table *t, const char *question)
{
	for (uint64_t i = 0; t && i < t->rows; i++) {
		if (str_eq(table_cell(t, i, "question").s, str_of(question)))
			return (int64_t)i;
	}
	return -1;
}

static bool is_missing(const struct topic *topic, struct str verdict)
{
	return str_eq(verdict, STR_LIT("no")) ||
	       (topic->needs_all && str_eq(verdict, STR_LIT("partly")));
}

bool asking_tell_unrecorded(struct asking *a, const struct topic *topic)
{
	const struct analysis *doctor = analysis_find("doctor", false);
	struct report r = {.command = doctor->name};
	void *args = arena_zalloc(&r.arena, 1, doctor->options->size);
	struct err ignored = {0};
	bool is_unrecorded = false;

	args_init(doctor->options, args);
	if (topic->needs && analysis_run(doctor, a->trace, args, &r, &ignored) == 0) {
		const struct table *t = report_find_table(&r, "questions");
		const int64_t row = find_doctor_row(t, topic->needs);

		if (row >= 0 && is_missing(topic, table_cell(t, (uint64_t)row, "verdict").s)) {
			const struct cell why = table_cell(t, (uint64_t)row, "why");
			const struct cell flags = table_cell(t, (uint64_t)row, "flags");

			is_unrecorded = true;
			sentences_addf(&a->told, "This capture cannot tell: %.*s.", STR_FMT(why.s));
			if (flags.kind == CELL_TEXT)
				sentences_addf(&a->told, "Capture with %.*s.", STR_FMT(flags.s));
		}
	}
	report_free(&r);
	args_free(doctor->options, args);
	return is_unrecorded;
}

void asking_tell_failure(struct asking *a, const struct asked_analysis *asked)
{
	a->answer->status = "cannot_tell";
	if (asked->topic->needs && asking_tell_unrecorded(a, asked->topic))
		return;
	sentences_addf(&a->told, "%s: %s.",
		       asked->failure.absent ? "This capture cannot tell" : "There is no answer",
		       asked->failure.message);
	if (asked->failure.hint[0])
		sentences_addf(&a->told, "%s.", asked->failure.hint);
}
