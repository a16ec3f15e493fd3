/* POST /query: what does the trace say to a question in SQL? */
#include "base/mem.h"
#include "cli/named_analysis.h"
#include "commands/query/query_run.h"
#include "report/present.h"
#include "text/json_read.h"
#include "web/routes.h"

#include <string.h>

enum { ROWS_OTHERWISE = 1000, MOST_ROWS = 100000, SECONDS_OTHERWISE = 20, MOST_SECONDS = 600 };

/* A whole number of the object; `otherwise` where it has none. */
static int read_number(const struct json *asked, const char *key, int64_t least, int64_t most,
		       int64_t otherwise, int64_t *ret, struct err *e)
{
	const struct json *v = json_read_member(asked, key);

	*ret = otherwise;
	if (!v || (json_read_whole(v, ret) && *ret >= least && *ret <= most))
		return 0;
	return err_set(e, ERR_USAGE, "%s takes a whole number from %lld to %lld", key,
		       (long long)least, (long long)most);
}

/* A key that nobody reads was meant to change something. */
static int refuse_others(const struct json *asked, struct err *e)
{
	static const char *const known[] = {"sql", "capture", "limit", "timeout_s"};
	struct json_member m = {0};

	while (json_read_next(asked, &m)) {
		bool is_known = false;

		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			is_known |= str_eq(m.key, str_of(known[i]));
		if (!is_known)
			return err_set(e, ERR_USAGE,
				       "/query has no '%.*s': sql, capture, limit and "
				       "timeout_s are what it takes",
				       m.key.len < 80 ? (int)m.key.len : 80, m.key.s);
	}
	return 0;
}

static int read_job(const struct site *s, const struct json *asked, struct query_job *job,
		    int64_t *ret_capture, struct err *e)
{
	const struct json *sql = json_read_member(asked, "sql");
	int64_t limit, timeout;

	if (!sql || json_read_kind(sql) != JSON_KIND_TEXT)
		return err_set(e, ERR_USAGE, "/query takes {\"sql\": \"SELECT …\"}");
	if (refuse_others(asked, e) < 0 ||
	    read_number(asked, "limit", 1, MOST_ROWS, ROWS_OTHERWISE, &limit, e) < 0 ||
	    read_number(asked, "timeout_s", 1, MOST_SECONDS, SECONDS_OTHERWISE, &timeout, e) < 0 ||
	    read_number(asked, "capture", 0, (int64_t)s->traces->count - 1, 0, ret_capture, e) < 0)
		return -1;
	*job = (struct query_job){.where = "the query",
				  .text = json_read_string(sql),
				  .timeout_s = (double)timeout,
				  .shape = {.name = "query", .limit = (uint64_t)limit}};
	return 0;
}

/* The command's hint speaks of its options. */
static void hint_late(struct err *e)
{
	err_hint(e, "ask about less of it, with WHERE start BETWEEN … AND …; `gpuwhy query TRACE "
		    "--timeout SECONDS` gives it more time, POST /query takes \"timeout_s\"");
}

/* What is wrong with a query is wrong with what was asked; so is one that takes too long. */
static void refuse(struct reply *ret, struct err *e)
{
	if (e->late)
		hint_late(e);
	reply_fail(ret, e->late || reply_status(e) == 422 ? 400 : 0, e);
}

/* The same envelope as the command has. */
static int answer(const struct site *s, struct trace *t, const struct query_job *job,
		  struct reply *ret, struct err *e)
{
	const struct style words = {.with_words = true};
	struct report r = {.command = "query"};
	struct err failure = {0};
	int result = 0, answered;

	route_set_head(s, &r, t);
	answered = query_answer(t, &r, job, site_is_given_up, &failure);
	/* The query has taken away what gives up reading. */
	trace_set_stop(t, site_is_given_up);
	if (answered < 0)
		refuse(ret, &failure);
	else
		result = report_add_json(&ret->body, &r, 0, NULL, &words, e);
	report_free(&r);
	return result;
}

int route_query(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct query_job job;
	struct json *asked;
	int64_t capture = 0;
	int result;

	if (json_read_text(&asked, r->body, "the request", e) < 0) {
		e->code = ERR_USAGE;
		return -1;
	}
	result = read_job(s, asked, &job, &capture, e);
	if (result == 0)
		result = answer(s, s->traces->all[capture].trace, &job, ret, e);
	json_read_free(asked);
	return result;
}
