/* How does a call of a tool become a result? */
#include "mcp/tools_call.h"

#include "base/mem.h"
#include "cli/named_analysis.h"
#include "mcp/call.h"
#include "mcp/json_line.h"
#include "mcp/untrusted.h"
#include "mcp/work.h"
#include "report/present.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	MOST_COMMAND = 1500, /* bytes of a command line to show */
	MOST_KEPT = 1 << 16, /* bytes of arguments to remember */
	BESIDE_BYTES = 900,  /* of `mcp`, without its command line */
	MOST_ERROR_TEXT = 2000,
};

/* What tells calls apart: the tool, and what it was asked. */
static uint64_t key_of(const struct mcp_tool *t, struct str arguments)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (const char *s = t->name; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
	for (size_t i = 0; i < arguments.len; i++)
		hash = (hash ^ (unsigned char)arguments.s[i]) * 0x100000001b3u;
	return hash;
}

/* The call as it was asked, without the cursor: to be kept, and to tell cursors apart. */
static void add_arguments(struct buf *b, const struct json *arguments)
{
	if (arguments)
		json_line_add_value(b, arguments, "cursor");
	else
		buf_adds(b, "{}");
}

static int read_cursor(struct call *c, uint64_t key, struct err *e)
{
	const char *cursor = argument_text(c->arguments, "cursor");

	return cursor ? page_place_read(&c->from, cursor, key, e) : 0;
}

/* evidence_get of the id of an answer is the call that made it, with the cursor of this one. */
static int settle_tool(struct call *c, struct err *e)
{
	const char *id = argument_text(c->arguments, "id");
	SCOPED_BUF arguments = {0};
	const struct mcp_tool *t = c->tool == &tool_evidence_get && id
					   ? kept_calls_find(&c->mcp->kept, id, &arguments)
					   : NULL;

	if (!t)
		return 0;
	c->tool = t;
	return json_read_text(&c->kept_arguments, buf_str(&arguments), "the call", e);
}

/* What the tool must be passed: "trace, question". */
static void add_required(struct buf *b, const struct mcp_tool *t)
{
	bool any = false;

	for (const struct tool_param *p = t->params; p->type; p++) {
		if (p->is_required)
			buf_addf(b, "%s`%s`", any ? ", " : "with ", p->name);
		any |= p->is_required;
	}
	if (!any)
		buf_adds(b, "without arguments");
}

/* Agents have no command line: what to call next takes the place of what to type. */
static void hint_call(const struct call *c, struct err *e)
{
	const struct str hint = str_of(e->hint);
	const bool is_typed = str_holds(hint, "gpuwhy ") && !str_holds(hint, "gpuwhy://");
	SCOPED_BUF all = {0};

	if (str_holds(hint, "call "))
		return;
	if (hint.len && !is_typed)
		buf_addf(&all, "%.*s%s ", (int)(hint.len - str_ends(hint, ".")), hint.s,
			 str_ends(hint, "?") ? "" : ";");
	if (c->has_invocation) {
		buf_adds(&all, c->next ? c->next : c->tool->next);
	} else {
		buf_addf(&all, "call %s ", c->tool->name);
		add_required(&all, c->tool);
	}
	err_hint(e, "%s", all.s);
}

static void explain_failure(const struct call *c, struct err *e)
{
	if (work_was_too_large()) {
		err_set(e, ERR_SYSTEM,
			"it took more than %" PRIu64 " MB of memory and was given up",
			work_memory() >> 20);
		err_hint(e, "ask for less: query with GROUP BY and WHERE on the export's own "
			    "tables (skill_run schema lists them), which reads row by row; or a "
			    "person runs the command, which has no limit of memory");
		return;
	}
	if (!work_was_too_long()) {
		hint_call(c, e);
		return;
	}
	err_set(e, ERR_SYSTEM, "it took longer than %d s and was given up", WORK_MOST_S);
	err_hint(e, "ask for less: a window (trim), one device, a limit; or a person runs the "
		    "command, which has no limit of time");
}

/* `untrusted` as JSON; empty: there is nothing of that kind. */
static void add_beside(struct buf *b, const struct call *c, uint64_t number,
		       const struct report_page *p, struct str untrusted)
{
	buf_adds(b, ",\"mcp\":{\"tool\":");
	text_add_json(b, str_of(c->tool->name));
	if (number)
		buf_addf(b, ",\"id\":\"A%" PRIu64 "\"", number);
	if (c->reproduce.len && c->reproduce.len <= MOST_COMMAND) {
		SCOPED_BUF command = {0};

		text_add_json(&command, buf_str(&c->reproduce));
		buf_adds(b, ",\"command\":");
		json_line_add_answer(b, buf_str(&command), MOST_COMMAND);
	}
	if (p && p->cursor.len) {
		buf_adds(b, ",\"next_cursor\":");
		text_add_json(b, buf_str(&p->cursor));
	}
	if (p && p->left_out.len) {
		buf_adds(b, ",\"left_out\":{");
		buf_addstr(b, buf_str(&p->left_out));
		buf_addc(b, '}');
	}
	if (untrusted.len) {
		buf_adds(b, ",\"untrusted\":");
		json_line_add_answer(b, untrusted, MOST_COMMAND);
	}
	buf_addc(b, '}');
}

/* The answer's JSON ends in a brace: what is beside it goes before that. */
static void add_answer(struct buf *members, struct str json, struct str beside, bool is_error)
{
	SCOPED_BUF all = {0};

	buf_add(&all, json.s, json.len - 1);
	buf_addstr(&all, beside);
	buf_addc(&all, '}');
	buf_adds(members, "\"content\":[{\"type\":\"text\",\"text\":");
	text_add_json(members, buf_str(&all));
	buf_adds(members, "}],\"structuredContent\":");
	buf_addstr(members, buf_str(&all));
	buf_addf(members, ",\"isError\":%s", is_error ? "true" : "false");
}

/* As the command says it failed. */
static void add_failure(struct buf *members, const struct call *c, const struct err *failure)
{
	SCOPED_BUF pretty = {0}, line = {0}, beside = {0};
	struct report head = {.command = c->has_invocation ? c->inv.report.command : c->tool->name};
	struct err ignored = {0};

	if (c->has_invocation && c->inv.report.has_trace) {
		head.has_trace = true;
		head.trace = c->inv.report.trace;
	}
	(void)report_add_json(&pretty, &head, -1, failure, NULL, &ignored);
	json_line_add_answer(&line, buf_str(&pretty), MOST_ERROR_TEXT);
	add_beside(&beside, c, 0, NULL, (struct str){"", 0});
	add_answer(members, buf_str(&line), buf_str(&beside), true);
}

static int add_page(struct buf *members, struct call *c, uint64_t key, struct str arguments,
		    struct err *e)
{
	size_t room = BESIDE_BYTES + (c->reproduce.len <= MOST_COMMAND ? 2 * c->reproduce.len : 0);
	const uint64_t number = arguments.len <= MOST_KEPT
					? kept_calls_add(&c->mcp->kept, c->tool, arguments.s)
					: 0;
	SCOPED_BUF beside = {0}, untrusted = {0};
	struct report_page p = {0};
	int result;

	untrusted_add(&untrusted, &c->inv.report);
	room += 2 * untrusted.len;
	result = report_page_make(&p, &c->inv.report, &c->from, key, c->limits_rows, room, e);
	if (result == 0) {
		add_beside(&beside, c, number, &p, buf_str(&untrusted));
		add_answer(members, buf_str(&p.json), buf_str(&beside), false);
	}
	report_page_free(&p);
	return result;
}

static int answer(struct call *c, struct buf *members, struct err *e)
{
	SCOPED_BUF arguments = {0};
	uint64_t key;

	if (arguments_check(c->tool, c->arguments, e) < 0 || settle_tool(c, e) < 0)
		return -1;
	add_arguments(&arguments, c->kept_arguments ? c->kept_arguments : c->arguments);
	key = key_of(c->tool, buf_str(&arguments));
	if (read_cursor(c, key, e) < 0)
		return -1;
	if (c->kept_arguments)
		c->arguments = c->kept_arguments;
	call_begin(c, c->tool->name, NULL, NULL);
	if (c->tool->run(c, e) < 0)
		return -1;
	return add_page(members, c, key, buf_str(&arguments), e);
}

static void call_free(struct call *c)
{
	if (c->has_invocation)
		invocation_free(&c->inv);
	page_place_free(&c->from);
	buf_free(&c->reproduce);
	arena_free(&c->arena);
	json_read_free(c->kept_arguments);
}

static int find_tool(const struct mcp *m, struct str name, const struct mcp_tool **ret,
		     struct rpc_error *e)
{
	SCOPED_BUF all = {0};
	const struct mcp_tool *t;

	*ret = mcp_tool_find(name, m->may_run);
	if (*ret)
		return 0;
	for (size_t i = 0; (t = mcp_tool_at(i, m->may_run)); i++)
		buf_addf(&all, "%s%s", i ? ", " : "", t->name);
	return rpc_fail(e, RPC_PARAMS, "there is no tool '%.*s'; there are %s",
			(int)(name.len < 80 ? name.len : 80), name.s, all.s);
}

int tools_call(struct mcp_worker *w, const struct message *request, struct buf *members,
	       struct rpc_error *e)
{
	struct call c = {.mcp = w->mcp, .traces = &w->traces};
	struct err failure = {0};

	if (find_tool(w->mcp, message_text(request, "name"), &c.tool, e) < 0)
		return -1;
	c.arguments = json_read_member(request->params, "arguments");
	/* An analysis may make do without what could not be read: that is no answer then. */
	if (answer(&c, members, &failure) < 0 || work_was_too_large() || work_was_too_long()) {
		explain_failure(&c, &failure);
		buf_clear(members);
		add_failure(members, &c, &failure);
	}
	call_free(&c);
	/* What was read for it is of no use: the next call has that memory. */
	if (work_was_too_large()) {
		open_traces_close(&w->traces);
		mem_give_back();
	}
	open_traces_trim(&w->traces);
	return 0;
}
