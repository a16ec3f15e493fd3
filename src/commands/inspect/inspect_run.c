/* How are the kernels looked at, and what is done where nothing is seen? */
#include "base/file.h"
#include "cli/say.h"
#include "commands/inspect/inspect.h"
#include "input/process.h"
#include "input/program.h"
#include "ncu/outcome.h"
#include "text/text.h"
#include "text/units.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How one run of the program under ncu ended. */
struct ncu_run_end {
	struct buf said; /* by ncu and the program */
	const char *log; /* the file that has it */
	int code;	 /* ncu's, as a shell has it */
	double limit_s;	 /* --timeout */
	bool timed_out, interrupted;
	bool measured; /* there is a report */
	bool died;     /* ncu itself, of a signal */
};

/* ncu ends as the program did; only where it complains, or is of no use, is a code its own. */
static bool program_failed(const struct ncu_run_end *end)
{
	const struct str said = buf_str(&end->said);

	if (ncu_said_exit(said))
		return true;
	return end->code && !end->died &&
	       (ncu_outcome_of(said) == NCU_NOTHING ||
		(end->measured && !ncu_said_error(said).len));
}

static bool was_stopped(const struct ncu_run_end *end)
{
	return end->timed_out || end->interrupted;
}

/* Whether the end was the program's, not ncu's: it failed, or was stopped; so is the exit code. */
static bool end_is_programs(const struct ncu_run_end *end)
{
	return was_stopped(end) || program_failed(end);
}

/* Whether another run, that asks for less, would end in the same way. */
static bool end_is_final(const struct ncu_run_end *end)
{
	return end_is_programs(end) || ncu_outcome_of(buf_str(&end->said)) != NCU_NOTHING;
}

/* What programs die of by themselves: 1, for one, is hardly ever a SIGHUP. */
static bool is_deadly(int number)
{
	return number == SIGILL || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
	       number == SIGKILL || number == SIGSEGV;
}

static void add_code(struct buf *b, const struct ncu_run_end *end)
{
	buf_addf(b, "exit code %d", end->code);
	if (end->code > 128 && sigabbrev_np(end->code - 128))
		buf_addf(b, " (SIG%s)", sigabbrev_np(end->code - 128));
	else if (program_failed(end) && is_deadly(end->code))
		buf_addf(b, " (or SIG%s: ncu reports a signal as its number)",
			 sigabbrev_np(end->code));
}

static void add_end(struct buf *b, const struct ncu_run_end *end)
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

/* Of a run that measured something: says that it ended early, and returns that; NULL where it did
 * not. */
static char *end_warn(const struct ncu_run_end *end, struct arena *a)
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

static int explain_program(const struct ncu_run_end *end, struct err *e)
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
	return err_hint(e,
			"check that the program runs without ncu, with these arguments; its output "
			"is in %s",
			end->log);
}

static int explain_ncu(const struct ncu_run_end *end, struct err *e)
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

/* Of a run that measured nothing: an error that says why, and what to do. */
static int end_explain(const struct ncu_run_end *end, struct err *e)
{
	const struct ncu_refusal *refusal = ncu_refusal_of(buf_str(&end->said));

	if (refusal) {
		err_set(e, ERR_SYSTEM, "%s", refusal->means);
		return err_hint(e, "%s", refusal->hint);
	}
	if (end_is_programs(end))
		return explain_program(end, e);
	if (ncu_outcome_of(buf_str(&end->said)) != NCU_NOTHING)
		return explain_ncu(end, e);
	err_set(e, ERR_INPUT, "the program launched none of the selected kernels");
	return err_hint(e, "run it as for the trace: same arguments, same number of steps");
}

/* Of longer logs the end is read: what ncu says comes after what the program does. */
enum { LOG_MOST = 64 << 20 };

/* Reading a report, and asking for metrics, take seconds. */
enum { IMPORT_MOST_S = 600, QUERY_MOST_S = 60 };

/* Why the selection is relaxed, as people are told: a guess that the next try puts to the test. */
static const char *const reasons[ATTEMPTS] = {
	[TRY_FROM_START] = "the program launches too few of them: trying from the first launch on",
	[TRY_ANYWHERE] = "none is launched inside the range: trying anywhere",
	[TRY_BY_FUNCTION] = "none has that name: trying by function name only",
};

static char *file_of(struct inspection *x, const struct ncu_run *l, const char *ending)
{
	return arena_printf(&x->arena, "%s/%s%s", x->folder, l->name, ending);
}

static bool has_report(struct inspection *x, const struct ncu_run *l)
{
	struct stat st;

	return stat(file_of(x, l, ".ncu-rep"), &st) == 0 && st.st_size > 0;
}

static uint64_t log_bytes(struct inspection *x, const struct ncu_run *l)
{
	struct stat st;

	return stat(file_of(x, l, ".log"), &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* What a try said; earlier ones are in the same log, before it. Unknown where it is gone. */
static void read_log(struct inspection *x, const struct ncu_run *l, uint64_t from, struct buf *ret)
{
	struct err ignored;

	file_read_end(ret, file_of(x, l, ".log"), from, LOG_MOST, &ignored);
}

/* Moves on to the next, less specific selection, past those that would ask for the same. */
static bool ask_for_less(struct ncu_run *l)
{
	/* Less than what the user named is not what the user wants. */
	if (l->id)
		return false;
	do
		l->next++;
	while ((l->next == TRY_FROM_START && !l->skip) || (l->next == TRY_ANYWHERE && !l->range));
	return l->next < ATTEMPTS;
}

static int try_run(struct inspection *x, const struct ncu_run *l, struct ncu_run_end *ret,
		   struct err *e)
{
	const struct inspect_args *o = inspect_args(x->inv);
	const uint64_t log_begins = log_bytes(x, l);
	struct string_list argv = {0};
	struct process run = {
		.attended = true,
		.log = file_of(x, l, ".log"),
		.timeout_s = o->timeout_s,
		.grace_s = o->grace_s,
	};
	struct process_end end;
	int result;

	*ret = (struct ncu_run_end){.log = run.log, .limit_s = o->timeout_s};
	inspect_argv(x, l, &argv);
	run.argv = (char *const *)argv.all;
	fflush(NULL);
	result = process_run(&run, &end, e);
	if (result == 0) {
		ret->code = process_exit_code(end.status);
		ret->timed_out = end.timed_out;
		ret->interrupted = end.interrupted;
		ret->measured = has_report(x, l);
		ret->died = WIFSIGNALED(end.status);
		read_log(x, l, log_begins, &ret->said);
	}
	process_end_free(&end);
	string_list_free(&argv);
	return result;
}

/* The first exit code that is not 0 counts: a later success does not hide a failure. */
static void keep_exit_code(struct inspection *x, int code)
{
	if (!x->inv->exit_code)
		x->inv->exit_code = code;
}

/* What one try has shown: 1 where another is to be made. */
static int judge(struct inspection *x, struct ncu_run *l, const struct ncu_run_end *end,
		 bool *ret_stopped, struct err *e)
{
	l->found = end->measured;
	*ret_stopped = end->timed_out || end->interrupted;
	if (l->found || end_is_programs(end))
		keep_exit_code(x, end->code);
	if (l->found) {
		l->warning = end_warn(end, &x->arena);
		return 0;
	}
	if (!end_is_final(end) && ask_for_less(l)) {
		fprintf(stderr, "gpuwhy: ncu measured nothing; perhaps %s\n", reasons[l->next]);
		return 1;
	}
	/* A program that fails does so in the next run as well. */
	*ret_stopped |= end_is_programs(end);
	return end_explain(end, e);
}

/* Until it has measured something, or there is no use in asking again. */
static int run_ncu(struct inspection *x, struct ncu_run *l, bool *ret_stopped, struct err *e)
{
	int result = 1;

	while (result > 0) {
		struct ncu_run_end end;

		result = try_run(x, l, &end, e);
		if (result == 0)
			result = judge(x, l, &end, ret_stopped, e);
		buf_free(&end.said);
	}
	return result;
}

/* Runs ncu for its answer; takes the words. */
static int run_tool(struct string_list *argv, double timeout_s, struct process_end *end,
		    struct err *e)
{
	const struct process p = {.argv = (char *const *)argv->all, .timeout_s = timeout_s};
	int result = process_run(&p, end, e);

	string_list_free(argv);
	return result;
}

static int make_csv(struct inspection *x, const struct ncu_run *l, const char *page, struct err *e)
{
	char *out = file_of(x, l, arena_printf(&x->arena, ".%s.csv", page));
	struct string_list argv = {0};
	struct process_end end;
	int result;

	ncu_import_argv(x->ncu, file_of(x, l, ".ncu-rep"), page, out, &x->arena, &argv);
	result = run_tool(&argv, IMPORT_MOST_S, &end, e);
	if (result == 0 && (end.status != 0 || access(out, R_OK) != 0)) {
		struct buf b = {0};

		text_add_safe(&b, buf_str(&end.said));
		err_set(e, ERR_SYSTEM, "ncu could not create '%s'%s: %s", out,
			end.timed_out ? " in ten minutes" : "", b.s ? b.s : "");
		buf_free(&b);
		result = err_hint(e, "is the disk full? the report itself is next to it");
	}
	process_end_free(&end);
	return result;
}

/* What ncu does not know it leaves out without a word: it is asked first. */
static int has_metric(struct inspection *x, struct str metric, bool *ret, struct err *e)
{
	struct string_list argv = {0};
	struct process_end end;
	int result;

	*ret = true;
	/* What a group or an expression means only ncu knows. */
	if (memchr(metric.s, ':', metric.len))
		return 0;
	ncu_query_argv(x->ncu, metric, &x->arena, &argv);
	result = run_tool(&argv, QUERY_MOST_S, &end, e);
	if (result == 0 && end.status == 0)
		*ret = ncu_query_lists(buf_str(&end.said), metric);
	process_end_free(&end);
	return result;
}

static int keep_known_metrics(struct inspection *x, struct err *e)
{
	const char *at = x->settings.metrics;
	struct buf known = {0}, warning = {0};
	int result = 0;

	while (result == 0 && at && *at) {
		struct str metric = {at, strcspn(at, ",")};
		bool has = false;

		result = metric.len ? has_metric(x, metric, &has, e) : 0;
		if (result == 0 && has)
			buf_addf(&known, "%s%.*s", known.len ? "," : "", STR_FMT(metric));
		else if (result == 0 && metric.len)
			buf_addf(&warning, "%s%.*s", warning.len ? ", " : "", STR_FMT(metric));
		at += metric.len + (at[metric.len] == ',');
	}
	if (warning.len) {
		buf_adds(&warning, ": not available on this device, left out");
		say_warning(warning.s);
	}
	x->settings.metrics = known.len ? arena_strdup(&x->arena, known.s) : NULL;
	buf_free(&known);
	buf_free(&warning);
	return result;
}

/* A report may hold nothing, which only its CSVs tell. */
static int check_csvs(struct inspection *x, const struct ncu_run *l, struct err *e)
{
	struct ncu_report ncu = {0};
	int result = inspect_read_run(x, l, &ncu, e);

	ncu_free(&ncu);
	return result;
}

/* 1: ncu found something, and nothing of it can be read. */
static int run_and_read(struct inspection *x, struct ncu_run *l, bool *ret_stopped, struct err *e)
{
	if (run_ncu(x, l, ret_stopped, e) < 0 || make_csv(x, l, "raw", e) < 0 ||
	    make_csv(x, l, "details", e) < 0)
		return -1;
	if (check_csvs(x, l, e) == 0)
		return 0;
	return e->code == ERR_INPUT ? 1 : -1;
}

/* One that sees nothing does not keep the others from being looked at; the first is told. */
int inspect_run_from(struct inspection *x, size_t from, struct err *e)
{
	size_t found = 0, failed = 0, put_off = 0;
	bool stopped = false;

	for (size_t i = from; i < x->ncu_run_count && !stopped; i++) {
		struct err one = {0};
		int result = run_and_read(x, &x->ncu_runs[i], &stopped, &one);

		x->ncu_runs[i].found = result == 0;
		found += result == 0;
		if (result > 0 && x->choice.runs[i].kernel_count > 1) {
			put_off++;
			x->unread = one;
		} else if (result && !failed++) {
			*e = one;
		} else if (result) {
			say_error(&one);
		}
		/* What one may not do, or cannot, the next cannot either. */
		stopped |= result < 0 && one.code == ERR_SYSTEM;
	}
	x->stopped = stopped;
	if (!found && !put_off)
		return -1;
	if (failed) {
		say_error(e);
		keep_exit_code(x, e->code);
	}
	return 0;
}

int inspect_run(struct inspection *x, struct err *e)
{
	char *program;
	int result;

	if (program_find(x->inv->words.all[0], &program, e) < 0)
		return -1;
	free(program);
	if (keep_known_metrics(x, e) < 0 || inspect_folder_open(x, e) < 0)
		return -1;
	result = inspect_run_from(x, 0, e);
	if (result < 0 && !e->hint[0])
		err_hint(e, "its output is in %s", x->folder);
	return result;
}
