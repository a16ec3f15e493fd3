/* What does an analysis say to a question? */
#include "ask/asked_analysis.h"

#include "ask/step_window.h"
#include "base/mem.h"
#include "options/parse.h"
#include "text/shell_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUE_BYTES = 80 };

static bool takes(const struct analysis *a, const char *name)
{
	const struct option_parts parts = {.count = a->options ? 1 : 0,
					   .all = {{a->options, NULL}}};

	return a->options && parts_find(&parts, name, strlen(name));
}

/* The value lives as long as the report; what the analysis has no parameter for is left to rows. */
static int set(struct asked_analysis *a, const char *name, const char *value, struct err *e)
{
	const char *kept;

	if (!takes(a->analysis, name))
		return 0;
	kept = arena_strdup(&a->report.arena, value);
	if (group_set(a->analysis->options, a->args, a->analysis->name, name, kept, e) < 0)
		return -1;
	buf_addf(&a->command, " --%s ", name);
	/* Two values are two words. */
	if (strcmp(name, "trim") == 0)
		buf_adds(&a->command, value);
	else
		word_add_quoted(&a->command, value);
	return 0;
}

static int set_number(struct asked_analysis *a, const char *name, uint64_t value, struct err *e)
{
	char text[VALUE_BYTES];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return set(a, name, text, e);
}

static int set_trim(struct asked_analysis *a, struct span window, struct err *e)
{
	char text[VALUE_BYTES];

	snprintf(text, sizeof(text), "%" PRId64 ".%09" PRId64 " %" PRId64 ".%09" PRId64,
		 window.start_ns / 1000000000, window.start_ns % 1000000000,
		 window.end_ns / 1000000000, window.end_ns % 1000000000);
	return set(a, "trim", text, e);
}

static int set_window(struct asked_analysis *a, const struct trace *t, const struct question *q,
		      struct err *e)
{
	const int64_t span_ns = t->meta.has_span ? t->meta.span_ns : INT64_MAX;
	const bool is_tail = q->from_ns < 0;
	int64_t from_ns = q->from_ns, to_ns = q->to_ns > span_ns ? span_ns : q->to_ns;

	if (is_tail && !t->meta.has_span) {
		a->ignores = "window";
		return 0;
	}
	if (is_tail) {
		from_ns = span_ns + q->from_ns > 0 ? span_ns + q->from_ns : 0;
		to_ns = span_ns;
	}
	return set_trim(a, (struct span){from_ns, to_ns}, e);
}

/* "after step 3", "steps 2 to 4", "leaving out step 0": from the first to the last that is meant.
 */
static int set_steps(struct asked_analysis *a, struct trace *t, const struct question *q,
		     struct err *e)
{
	struct span window;
	const int result = takes(a->analysis, "trim") ? step_window_find(t, q, &window, e) : 1;

	if (result == 0 && window.start_ns >= 0 && window.end_ns > window.start_ns)
		return set_trim(a, window, e);
	a->ignores = "stretch of steps";
	return result < 0 ? -1 : 0;
}

/* Whether rows of the topic's table tell the steps apart: then none is a window. */
static bool is_table_of_steps(const struct topic *t)
{
	return t->table && strcmp(t->table, "iterations") == 0;
}

/* Whether rows tell what a place is by a column: then those that are meant are chosen by it. */
static bool has_column(const struct topic *t, const char *key)
{
	SCOPED_BUF b = {0};

	buf_addf(&b, "{%s}", key);
	return t->row && strstr(t->row, b.s);
}

/* Whether rows can be grouped by that. */
static bool groups_by(const struct analysis *a, const char *what)
{
	const struct option_parts parts = {.count = a->options ? 1 : 0,
					   .all = {{a->options, NULL}}};
	const struct option *by = a->options ? parts_find(&parts, "by", strlen("by")) : NULL;

	for (const struct option_word *w = by ? by->words : NULL; w && w->word; w++) {
		if (strcmp(w->word, what) == 0)
			return true;
	}
	return false;
}

bool asked_knows_streams(const struct analysis *a, const struct topic *topic)
{
	return topic->filters || has_column(topic, "stream") || takes(a, "stream") ||
	       groups_by(a, "stream");
}

/* The process that a rank is; ERR_INPUT, marked absent, where there is no such rank. */
static int find_pid(struct trace *t, uint32_t rank, uint64_t *ret, struct err *e)
{
	const struct analysis *a = analysis_find("ranks", false);
	struct report r = {.command = a->name};
	void *args = arena_zalloc(&r.arena, 1, a->options->size);
	int result;

	args_init(a->options, args);
	result = analysis_run(a, t, args, &r, e);
	if (result == 0) {
		const struct table *ranks = report_find_table(&r, "ranks");

		result = err_set(e, ERR_INPUT, "there is no rank %" PRIu32 " in it", rank);
		e->absent = true;
		for (uint64_t i = 0; ranks && i < ranks->rows; i++) {
			if (table_cell(ranks, i, "rank").i != (int64_t)rank)
				continue;
			*ret = (uint64_t)table_cell(ranks, i, "pid").i;
			result = 0;
		}
	}
	report_free(&r);
	args_free(a->options, args);
	return result;
}

static int set_rank(struct asked_analysis *a, struct trace *t, uint32_t rank, struct err *e)
{
	uint64_t pid = 0;

	if (takes(a->analysis, "rank"))
		return set_number(a, "rank", rank, e);
	if (!takes(a->analysis, "pid")) {
		a->ignores = "rank";
		return 0;
	}
	return find_pid(t, rank, &pid, e) < 0 ? -1 : set_number(a, "pid", pid, e);
}

/* One by a parameter, several by a grouping, or by rows that tell them apart. */
static int set_place(struct asked_analysis *a, const char *name, const struct asked_ids *ids,
		     struct err *e)
{
	if (!ids->count || has_column(a->topic, name))
		return ids->count == 1 && takes(a->analysis, name)
			       ? set_number(a, name, ids->all[0], e)
			       : 0;
	if (ids->count == 1 && takes(a->analysis, name))
		return set_number(a, name, ids->all[0], e);
	if (takes(a->analysis, "by") && set(a, "by", name, e) == 0)
		return 0;
	a->ignores = name;
	return 0;
}

/* "per GPU": where rows do not tell it anyway. */
static int set_group(struct asked_analysis *a, const struct question *q, struct err *e)
{
	const char *by = question_group(q);

	if (!by || !groups_by(a->analysis, by) || has_column(a->topic, by))
		return 0;
	return set(a, "by", by, e);
}

static int set_scope(struct asked_analysis *a, struct trace *t, const struct question *q,
		     size_t step, struct err *e)
{
	struct err ignored = {0};

	if (set_place(a, "device", &q->devices, e) < 0 || set_place(a, "pid", &q->pids, e) < 0)
		return -1;
	if (q->streams.count && !a->topic->filters &&
	    set_place(a, "stream", &q->streams, &ignored) < 0)
		a->ignores = "stream";
	if (set_group(a, q, e) < 0)
		return -1;
	if (q->ranks.count == 1 && !has_column(a->topic, "rank") &&
	    set_rank(a, t, q->ranks.all[0], e) < 0)
		return -1;
	if (step < q->steps.count && !is_table_of_steps(a->topic)) {
		if (!takes(a->analysis, "iteration"))
			a->ignores = "step";
		return set_number(a, "iteration", q->steps.all[step], e);
	}
	if (q->has_window) {
		if (!takes(a->analysis, "trim"))
			a->ignores = "window";
		return set_window(a, t, q, e);
	}
	if ((q->step_span.is_given || q->not_steps.count) && !q->steps.count &&
	    !has_column(a->topic, "iteration"))
		return set_steps(a, t, q, e);
	/* The trace has no steps. */
	if (q->step_edge.is_given)
		a->ignores = "stretch of steps";
	if (q->wants_all)
		return set(a, "span", "all", e);
	/* Others leave the warm-up out anyway. */
	return q->wants_warm && a->analysis->span == SPAN_ALL ? set(a, "span", "warm", e) : 0;
}

enum { LISTED_BESIDE = 20 };

/* All rows: those that are meant are chosen from them. Where a few sum up all, the list beside them
 * is not looked at, which may have millions; but means, and which row is first, are of all of its
 * rows. */
static void set_rows(struct asked_analysis *a, const struct question *q)
{
	const bool needs_list = !a->topic->is_total || q->threshold.is_given || q->wants_rows ||
				q->nth || q->names.count || q->measures >> MEASURE_MEAN & 1;
	struct row_choice *rows =
		a->args ? args_part(a->analysis->options, a->args, &limit_options) : NULL;

	if (rows) {
		rows->limit = needs_list ? 0 : LISTED_BESIDE;
		rows->has_limit = true;
	}
}

/* "sample ranges longer than 1 ms": the word before them; of all ranges any name. */
static struct str range_said(const struct question *q)
{
	for (size_t i = 1; i < q->words.count; i++) {
		if (strcmp(q->words.all[i].stem, "rang") == 0 && !q->words.all[i - 1].is_stop &&
		    strcmp(q->words.all[i - 1].text, "nvtx") != 0)
			return q->words.all[i - 1].said;
	}
	return STR_LIT("/./");
}

/* What is searched for; empty: it is not said. */
static struct str pattern_said(const struct question *q)
{
	const size_t last = q->words.count - 1;

	if (q->names.count)
		return q->names.all[0];
	if (q->work.each == EACH_RANGE)
		return range_said(q);
	if (q->work.each == EACH_CALL)
		return STR_LIT("/./");
	return q->words.count && !q->words.all[last].is_stop && !q->is_used[last]
		       ? q->words.all[last].said
		       : (struct str){0};
}

/* `search` looks for what is named, or for the words that nothing else means. */
static int set_pattern(struct asked_analysis *a, const struct question *q, struct err *e)
{
	struct str said;
	char text[VALUE_BYTES];

	if (strcmp(a->analysis->name, "search") != 0)
		return 0;
	said = pattern_said(q);
	if (!said.len)
		return err_set(e, ERR_USAGE, "it is not said what to search for");
	snprintf(text, sizeof(text), "%.*s",
		 (int)(said.len < VALUE_BYTES - 1 ? said.len : VALUE_BYTES - 1), said.s);
	return set(a, "pattern", text, e);
}

static void add_condition(struct buf *b, const char *condition)
{
	buf_addf(b, "%s%s", b->len ? " && " : "", condition);
}

/* "type==kernel", or any of several. */
static void add_kinds(struct buf *b, unsigned kinds)
{
	static const char *const names[] = {"kernel", "memcpy", "memset"};
	const bool is_several = (kinds & (kinds - 1)) != 0;
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!(kinds >> i & 1))
			continue;
		buf_addf(b, "%stype==%s", any ? " || " : is_several ? "(" : "", names[i]);
		any = true;
	}
	buf_adds(b, is_several ? ")" : "");
}

/* "stream==7", or any of several. */
static void add_streams(struct buf *filter, const struct asked_ids *streams)
{
	SCOPED_BUF part = {0};

	for (size_t i = 0; i < streams->count; i++)
		buf_addf(&part, "%sstream==%" PRIu32,
			 i		      ? " || "
			 : streams->count > 1 ? "("
					      : "",
			 streams->all[i]);
	buf_adds(&part, streams->count > 1 ? ")" : "");
	if (streams->count)
		add_condition(filter, part.s);
}

/* "name~Host-to-Device", or either of two. */
static void add_directions(struct buf *filter, const struct asked_work *w)
{
	SCOPED_BUF part = {0};

	if (w->other_direction)
		buf_addf(&part, "(name~%s || name~%s)", w->direction, w->other_direction);
	else if (w->direction)
		buf_addf(&part, "name~%s", w->direction);
	if (part.len)
		add_condition(filter, part.s);
}

/* What is said of each op: its kind, where it is copied, how long or large it is. */
static int set_filter(struct asked_analysis *a, const struct question *q, struct err *e)
{
	const struct threshold *h = &q->threshold;
	SCOPED_BUF filter = {0}, part = {0};

	if (!a->topic->filters)
		return 0;
	if (q->work.each == EACH_CALL || q->work.each == EACH_RANGE)
		buf_adds(&filter, q->work.each == EACH_CALL ? "type==api" : "type==range");
	else
		add_kinds(&filter, q->work.kinds);
	add_streams(&filter, &q->streams);
	for (size_t i = 0; i < q->work.part_count; i++) {
		buf_addf(&part, "name~/%.*s/i", STR_FMT(q->work.parts[i]));
		add_condition(&filter, part.s);
		buf_clear(&part);
	}
	if (q->work.each == EACH_SPREAD && q->names.count) {
		buf_addf(&part, "name~/\\b%.*s\\b/", STR_FMT(q->names.all[0]));
		add_condition(&filter, part.s);
		buf_clear(&part);
	}
	add_directions(&filter, &q->work);
	if (h->is_given) {
		buf_addf(&part, "%s%s%s%.0f", h->is_bytes ? "bytes" : "duration_ns",
			 h->is_below ? "<" : ">", h->has_equal ? "=" : "", h->value);
		add_condition(&filter, part.s);
	}
	return filter.len ? set(a, "filter", filter.s, e) : 0;
}

static int set_flag(struct asked_analysis *a, struct err *e)
{
	if (!a->topic->flag)
		return 0;
	buf_addf(&a->command, " --%s", a->topic->flag);
	return group_set(a->analysis->options, a->args, a->analysis->name, a->topic->flag, "true",
			 e);
}

/* "request 0": names that differ by a number alone are told as one elsewhere. */
static int set_no_fold(struct asked_analysis *a, const struct question *q, struct err *e)
{
	if (!q->names.are_numbered || !takes(a->analysis, "no-fold"))
		return 0;
	buf_adds(&a->command, " --no-fold");
	return group_set(a->analysis->options, a->args, a->analysis->name, "no-fold", "true", e);
}

int asked_run(struct asked_analysis *ret, struct trace *t, const struct analysis *a,
	      const struct topic *topic, const struct question *q, size_t step, struct err *e)
{
	*ret = (struct asked_analysis){.analysis = a, .topic = topic, .report.command = a->name};
	if (a->options) {
		/* Not the report's: they are asked for what they own when it is gone. */
		ret->args = mem_zalloc(1, a->options->size);
		args_init(a->options, ret->args);
	}
	buf_addf(&ret->command, "gpuwhy %s ", topic->command ? topic->command : a->name);
	word_add_quoted(&ret->command, t->path);
	set_rows(ret, q);
	ret->failed = set_flag(ret, &ret->failure) < 0 || set_no_fold(ret, q, &ret->failure) < 0 ||
		      set_filter(ret, q, &ret->failure) < 0 ||
		      set_scope(ret, t, q, step, &ret->failure) < 0 ||
		      set_pattern(ret, q, &ret->failure) < 0 ||
		      analysis_run(a, t, ret->args, &ret->report, &ret->failure) < 0;
	if (ret->failed && ret->failure.code == ERR_SYSTEM) {
		*e = ret->failure;
		return -1;
	}
	return 0;
}

void asked_free(struct asked_analysis *a)
{
	report_free(&a->report);
	if (a->args)
		args_free(a->analysis->options, a->args);
	free(a->args);
	buf_free(&a->command);
}
