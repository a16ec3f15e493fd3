/* How did a run under ncu end, and what is to be done about it? */
#include "cli/say.h"
#include "commands/inspect/inspect.h"
#include "ncu/outcome.h"
#include "text/text.h"
#include "text/units.h"

#include <signal.h>

/* ncu ends as the program did; only where it complains, or is of no use, is a code its own. */
static bool program_failed(const struct look_end *end)
{
	const struct str said = buf_str(&end->said);

	if (ncu_said_exit(said))
		return true;
	return end->code && !end->died &&
	       (ncu_outcome_of(said) == NCU_NOTHING ||
		(end->measured && !ncu_said_error(said).len));
}

static bool was_stopped(const struct look_end *end)
{
	return end->timed_out || end->interrupted;
}

bool inspect_end_is_programs(const struct look_end *end)
{
	return was_stopped(end) || program_failed(end);
}

bool inspect_end_is_final(const struct look_end *end)
{
	return inspect_end_is_programs(end) || ncu_outcome_of(buf_str(&end->said)) != NCU_NOTHING;
}

/* What programs die of by themselves: 1, for one, is hardly ever a SIGHUP. */
static bool is_deadly(int number)
{
	return number == SIGILL || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
	       number == SIGKILL || number == SIGSEGV;
}

static void add_code(struct buf *b, const struct look_end *end)
{
	buf_addf(b, "exit code %d", end->code);
	if (end->code > 128 && sigabbrev_np(end->code - 128))
		buf_addf(b, " (SIG%s)", sigabbrev_np(end->code - 128));
	else if (program_failed(end) && is_deadly(end->code))
		buf_addf(b, " (or SIG%s: ncu reports a signal as its number)",
			 sigabbrev_np(end->code));
}

static void add_end(struct buf *b, const struct look_end *end)
{
	if (end->timed_out) {
		buf_adds(b, "the time limit of ");
		units_add_ns(b, end->limit_s * 1e9);
		buf_adds(b, " ended the program");
	} else if (end->interrupted) {
		buf_adds(b, "the program was interrupted");
	} else {
		buf_adds(b, program_failed(end) ? "the program ended" : "ncu ended");
	}
	if (end->code && was_stopped(end)) {
		buf_addf(b, " (exit code %d)", end->code);
	} else if (end->code) {
		buf_adds(b, " with ");
		add_code(b, end);
	}
}

char *inspect_end_warn(const struct look_end *end, struct arena *a)
{
	struct buf b = {0};
	char *said;

	if (!end->code && !was_stopped(end))
		return NULL;
	add_end(&b, end);
	buf_adds(&b, ": what ncu measured until then is shown");
	say_warning(b.s);
	said = arena_strdup(a, b.s);
	buf_free(&b);
	return said;
}

static int explain_program(const struct look_end *end, struct err *e)
{
	const struct str error = ncu_said_error(buf_str(&end->said));
	struct buf b = {0};

	add_end(&b, end);
	buf_adds(&b, " before ncu had measured anything");
	/* What ncu has to say of itself may be why. */
	if (error.len && !ncu_said_exit(error)) {
		buf_adds(&b, ": ");
		text_add_safe(&b, error);
	}
	err_set(e, ERR_INPUT, "%s", b.s);
	buf_free(&b);
	if (end->timed_out)
		return err_hint(e,
				"under ncu it starts slowly, and each launch runs many times: "
				"increase --timeout; its output is in %s",
				end->log);
	return err_hint(e, "its output is in %s; does it run without ncu, with these arguments?",
			end->log);
}

static int explain_ncu(const struct look_end *end, struct err *e)
{
	const struct str error = ncu_said_error(buf_str(&end->said));
	struct buf b = {0};

	if (error.len) {
		buf_adds(&b, "ncu left no report: ");
		text_add_safe(&b, error);
	} else {
		add_end(&b, end);
		buf_adds(&b, " and left no report");
	}
	err_set(e, ERR_SYSTEM, "%s", b.s);
	buf_free(&b);
	return err_hint(e, "its output is in %s", end->log);
}

int inspect_end_explain(const struct look_end *end, struct err *e)
{
	const struct ncu_refusal *refusal = ncu_refusal_of(buf_str(&end->said));

	if (refusal) {
		err_set(e, ERR_SYSTEM, "%s", refusal->means);
		return err_hint(e, "%s", refusal->hint);
	}
	if (inspect_end_is_programs(end))
		return explain_program(end, e);
	if (ncu_outcome_of(buf_str(&end->said)) != NCU_NOTHING)
		return explain_ncu(end, e);
	err_set(e, ERR_INPUT, "the program launched none of the selected kernels");
	return err_hint(e, "run it as for the trace: same arguments, same number of steps");
}
