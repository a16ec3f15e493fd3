/* What does SQL that somebody wrote say of a trace? */
#include "commands/query/query_run.h"

#include "base/mem.h"
#include "cli/say.h"
#include "commands/query/query_tables.h"
#include "input/interrupt.h"
#include "sqlitefile/sql.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* How often it is looked, and how often a query is found late before it is the end. */
enum { LOOK_MS = 50, PATIENCE = 20 };

/* What ends a query that SQLite cannot be told to end: the program does. */
struct query_watch {
	const struct sqlitefile *file;
	double timeout_s;
	double until_s; /* when its time is up; 0: never */
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t change;
	bool ended;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Nothing else is left behind: answers are written when a query is over. */
static void end_program(const struct query_watch *w)
{
	struct err e;
	bool shared;
	int number;

	sqlitefile_remove_copy(w->file);
	number = interrupt_take(&shared);
	if (number) {
		signal(number, SIG_DFL);
		raise(number);
	}
	sql_say_late(w->timeout_s, &e);
	say_error(&e);
	_exit(ERR_SYSTEM);
}

static void wait_a_little(struct query_watch *w)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&w->change, &w->lock, &until);
}

static void *watch(void *ctx)
{
	struct query_watch *w = ctx;
	int late = 0;

	pthread_mutex_lock(&w->lock);
	while (!w->ended) {
		wait_a_little(w);
		late += interrupt_pending() || (w->until_s > 0 && now_s() >= w->until_s);
		if (late > PATIENCE && !w->ended)
			end_program(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void free_watch(struct query_watch *w)
{
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/*
 * From here on, a query that goes on for a second beyond its time (0: it has any), or beyond a
 * signal that is held (input/interrupt.h), ends the program: with exit code 4 and a message, or of
 * that signal. The file's private copy goes first. Without a thread to be had nothing is watched.
 */
static struct query_watch *watch_begin(const struct sqlitefile *f, double timeout_s)
{
	struct query_watch *w = mem_zalloc(1, sizeof(*w));
	pthread_condattr_t steady;

	w->file = f;
	w->timeout_s = timeout_s;
	w->until_s = timeout_s > 0 ? now_s() + timeout_s : 0;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&w->change, &steady);
	pthread_condattr_destroy(&steady);
	if (pthread_create(&w->thread, NULL, watch, w) == 0)
		return w;
	free_watch(w);
	return NULL;
}

static void watch_end(struct query_watch *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->ended = true;
	pthread_cond_signal(&w->change);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	free_watch(w);
}

enum { MOST_MADE_UP = 200, HUMAN_ROWS = 1000 };

/* Captured environments and program output may hold secrets: no query reads them. */
static const struct sql_hidden hidden[] = {
	{.table = "META_DATA_CAPTURE", .column = "value"},
	{.table = "TARGET_INFO_SYSTEM_ENV", .column = "value"},
	{.table = "ProcessStreams", .column = "contentId"},
	{"StringIds", "value", "id", "ProcessStreams", "contentId"},
};

struct running {
	struct trace *trace;
	struct report *report;
	const struct query_job *job;
	struct sql *sql;
	struct query_tables tables;
	struct sql_query *query;
};

/* What a skill says of a column that its SQL does not return, nobody would ever see. */
static int check_said(const char *where, const struct sql_query *q, const struct column_said *said,
		      size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		size_t c = 0;

		while (c < sql_column_count(q) &&
		       strcasecmp(sql_column_name(q, c), said[i].name) != 0)
			c++;
		if (c < sql_column_count(q))
			continue;
		err_set(e, ERR_INPUT,
			"%s: the SQL does not return the column '%s' described in the comment",
			where, said[i].name);
		return err_hint(e, "add it: … AS %s; or remove -- column: %s", said[i].name,
				said[i].name);
	}
	return 0;
}

static int prepare_text(struct running *run, bool plan, struct err *e)
{
	const struct query_job *job = run->job;
	struct sql_problem problem;
	int result = plan ? sql_prepare_plan(run->sql, job->text, &run->query, &problem)
			  : sql_prepare(run->sql, job->text, &run->query, &problem);

	return result < 0 ? query_problem_say(&problem, job->where, job->text, run->trace, e) : 0;
}

static int prepare(struct running *run, struct err *e)
{
	const struct query_job *job = run->job;
	int result;

	if (!job->explain || !job->shape.said_count)
		return prepare_text(run, job->explain, e);
	if (prepare_text(run, false, e) < 0)
		return -1;
	result = check_said(job->where, run->query, job->shape.said, job->shape.said_count, e);
	sql_free(run->query);
	run->query = NULL;
	return result < 0 ? -1 : prepare_text(run, true, e);
}

static int bind(struct running *run, struct err *e)
{
	const char *name;

	/* A plan is the same whatever the values are. */
	if (run->job->explain || !sql_parameter_count(run->query))
		return 0;
	if (run->job->bind)
		return run->job->bind(run->job->ctx, run->query, e);
	name = sql_parameter_name(run->query, 0);
	err_set(e, ERR_USAGE, "%s has a parameter %s%s without a value", run->job->where,
		name ? ":" : "?", name ? name : "");
	return err_hint(
		e, "make it a skill, and set its parameters with -p KEY=VALUE: docs/skills.md");
}

static const struct column plan_columns[] = {
	{"step", "Query plan", UNIT_NAME, 0, NULL, SHOW},
	{"id", "Id", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"parent", "Parent", UNIT_ID, 0, NULL, MACHINE_ONLY},
};

struct plan_step {
	int64_t id;
	size_t depth;
};

static size_t depth_below(const struct plan_step *steps, size_t count, int64_t parent)
{
	while (count--) {
		if (steps[count].id == parent)
			return steps[count].depth + 1;
	}
	return 0;
}

/* Of a table of ours SQLite shows how it was planned: what follows the '#' is for the program. */
static const char *plain_step(struct arena *a, struct str detail)
{
	static const char ours[] = " VIRTUAL TABLE INDEX ";
	char *text = (char *)arena_str(a, detail).s, *begin = strstr(text, ours);
	char *words = begin ? strchr(begin, ':') : NULL, *end = words ? strchr(words, '#') : NULL;

	if (!end)
		return text;
	while (end > words + 1 && end[-1] == ' ')
		end--;
	*end = '\0';
	return arena_printf(a, "%.*s%s%s", (int)(begin - text), text, words[1] ? " " : "",
			    words + 1);
}

/* Steps come after those that they are part of. */
static int add_plan(struct running *run, struct err *e)
{
	struct rows *rows = REPORT_ROWS(run->report, "query_plan", NULL, plan_columns);
	struct plan_step *steps = NULL;
	size_t count = 0, cap = 0;
	int more;

	while ((more = sql_step(run->query, e)) > 0) {
		int64_t id = sql_column(run->query, 0).i, parent = sql_column(run->query, 1).i;
		struct sql_value detail = sql_column(run->query, 3);
		size_t depth = depth_below(steps, count, parent);
		struct str step = str_of(plain_step(&run->report->arena, detail.s));

		MEM_GROW(steps, cap, count + 1);
		steps[count++] = (struct plan_step){id, depth};
		ROWS_ADD(rows, cell_str_in_tree(step, depth), cell_int(id), cell_int(parent));
	}
	free(steps);
	return more;
}

static int answer(struct running *run, bool (*stop)(void), struct err *e)
{
	struct query_shape shape = run->job->shape;

	sql_set_timeout(run->sql, run->job->timeout_s);
	sql_set_stop(run->sql, stop);
	if (sql_hide(run->sql, hidden, ARRAY_LEN(hidden), e) < 0 ||
	    query_tables_add(&run->tables, run->sql, run->trace, e) < 0 || prepare(run, e) < 0 ||
	    bind(run, e) < 0)
		return -1;
	if (run->job->explain && sql_column_count(run->query) == 4)
		return add_plan(run, e);
	shape.names_are_kernels = query_tables_name_kernels(run->query);
	if (query_rows_read(run->report, run->query, &shape, e) < 0)
		return -1;
	query_tables_warn(&run->tables, run->query, run->report);
	if (sql_met_hidden(run->query))
		report_note(run->report, "captured environments and output are never shown: "
					 "META_DATA_CAPTURE.value, TARGET_INFO_SYSTEM_ENV.value, "
					 "ProcessStreams.contentId and its texts in StringIds "
					 "read as NULL");
	return 0;
}

static void end(struct running *run)
{
	sql_free(run->query);
	sql_close(run->sql);
	query_tables_free(&run->tables);
}

static int run_held(struct running *run, struct err *e)
{
	int result = sql_open(&run->sql, run->trace->file, e);
	struct query_watch *watch = NULL;

	if (result == 0) {
		watch = watch_begin(run->trace->file, run->job->timeout_s);
		result = answer(run, interrupt_pending, e);
	}
	watch_end(watch);
	end(run);
	return result;
}

int query_answer(struct trace *t, struct report *r, const struct query_job *job, bool (*stop)(void),
		 struct err *e)
{
	struct running run = {.trace = t, .report = r, .job = job};
	int result = sql_open(&run.sql, t->file, e);

	if (result == 0)
		result = sql_refuse_costly(run.sql, e);
	if (result == 0)
		result = answer(&run, stop, e);
	end(&run);
	return result;
}

uint64_t query_row_limit(struct invocation *inv)
{
	const struct row_choice *rows = invocation_rows(inv);
	const char *format = invocation_format(inv);

	if (rows && rows->has_limit)
		return rows->limit;
	return strcmp(format, "json") == 0 || strcmp(format, "csv") == 0 ? 0 : HUMAN_ROWS;
}

/* A private copy of a trace with a log beside it must not stay behind: the signal waits. */
int query_run(struct invocation *inv, const struct query_job *job, struct err *e)
{
	struct running run = {.trace = inv->trace, .report = &inv->report, .job = job};
	bool shared;
	int result;

	interrupt_hold();
	result = run_held(&run, e);
	/* An interrupt while rows are only being counted still leaves an answer. */
	while (result == 0 && interrupt_take(&shared))
		continue;
	if (interrupt_pending()) {
		trace_close(inv->trace);
		inv->trace = NULL;
	}
	interrupt_release();
	return result;
}

int query_run_file(struct invocation *inv, const struct query_job *job, struct err *e)
{
	if (query_run(inv, job, e) == 0)
		return 0;
	if (e->code == ERR_USAGE)
		e->code = ERR_INPUT;
	return -1;
}

/* A table that is not there now may be in a trace, with any columns: then it is made up. */
static int prepare_unseen(struct sql *sql, struct str text, struct sql_query **ret,
			  struct sql_problem *p, bool *ret_made_up)
{
	static const char ambiguous[] = "ambiguous column name";
	int made = 0, result;

	while ((result = sql_prepare(sql, text, ret, p)) < 0 && made < MOST_MADE_UP &&
	       sql_make_up(sql, p))
		made++;
	*ret_made_up = made > 0;
	/* Of columns that are made up none is ambiguous. */
	return result < 0 && made < MOST_MADE_UP &&
			       !(made && strncmp(p->what, ambiguous, strlen(ambiguous)) == 0)
		       ? -1
		       : 0;
}

int query_check(const char *where, struct str text, const struct column_said *said,
		size_t said_count, struct err *e)
{
	struct query_tables tables = {0};
	struct sql_query *query = NULL;
	struct sql_problem problem;
	bool made_up;
	struct sql *sql;
	int result;

	if (sql_open(&sql, NULL, e) < 0)
		return -1;
	result = query_tables_add(&tables, sql, NULL, e);
	if (result == 0 && prepare_unseen(sql, text, &query, &problem, &made_up) < 0)
		result = query_problem_say(&problem, where, text, NULL, e);
	else if (result == 0 && query && !made_up)
		result = check_said(where, query, said, said_count, e);
	sql_free(query);
	sql_close(sql);
	query_tables_free(&tables);
	return result;
}
