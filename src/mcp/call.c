/* What do all tools have at hand? */
#include "mcp/call.h"

#include "base/mem.h"
#include "cli/named_analysis.h"
#include "mcp/json_line.h"
#include "mcp/revision.h"
#include "text/shell_words.h"
#include "text/text.h"

#include <stdarg.h>
#include <stdlib.h>

void call_begin(struct call *c, const char *name, const struct command *command,
		const struct analysis *a)
{
	if (c->has_invocation)
		invocation_free(&c->inv);
	c->has_invocation = true;
	invocation_init(&c->inv, name, command, a);
	/* What the command does for machines. */
	c->inv.output.format = "json";
}

int call_find_file(struct call *c, const char *name, const char **ret, struct err *e)
{
	SCOPED char *real = NULL;

	if (roots_find_trace(&c->mcp->roots, name, &real, e) < 0)
		return -1;
	*ret = arena_strdup(&c->arena, real);
	return 0;
}

int call_open_trace(struct call *c, const char *comm, struct open_trace **ret, struct err *e)
{
	const char *path;
	struct report *r = &c->inv.report;

	if (call_find_file(c, argument_text(c->arguments, "trace"), &path, e) < 0)
		return -1;
	r->has_trace = true;
	r->trace.path = path;
	if (open_traces_get(c->traces, path, comm, ret, e) < 0)
		return -1;
	named_analysis_head(r, open_trace_of(*ret), path);
	return 0;
}

const char *call_trace_word(struct call *c)
{
	const char *name = argument_text(c->arguments, "trace"), *path;
	struct err ignored = {0};

	return call_find_file(c, name, &path, &ignored) == 0 ? path : name;
}

uint64_t call_rows(struct call *c)
{
	c->limits_rows = true;
	return page_place_most(&c->from) + PAGE_ROWS;
}

/*
 * Where nobody says how many rows, as many as the page needs: a table may have millions. Those of a
 * tree are the same for all its pages, or what was seen would not be what comes before the rest.
 */
static void limit_rows(struct call *c)
{
	struct invocation *inv = &c->inv;
	struct row_choice *rows =
		inv->asked ? args_part(inv->analysis->options, inv->asked, &limit_options) : NULL;

	if (rows && !rows->has_limit && !inv->analysis->is_tree)
		rows->limit = call_rows(c);
}

int call_run_analysis(struct call *c, struct err *e)
{
	struct invocation *inv = &c->inv;
	const struct comm_args *comm =
		inv->asked ? args_part(inv->analysis->options, inv->asked, &comm_options) : NULL;
	struct open_trace *t;

	limit_rows(c);
	if (call_open_trace(c, comm ? comm->comm : NULL, &t, e) < 0)
		return -1;
	return named_analysis_run(inv, open_trace_of(t), e);
}

void call_reproduce_add(struct call *c, const char *word)
{
	buf_addc(&c->reproduce, ' ');
	word_add_quoted(&c->reproduce, word);
}

void call_reproduce(struct call *c, ...)
{
	va_list words;
	const char *word;

	buf_clear(&c->reproduce);
	buf_adds(&c->reproduce, "gpuwhy");
	va_start(words, c);
	while ((word = va_arg(words, const char *)))
		call_reproduce_add(c, word);
	va_end(words);
}

void call_reproduce_call(struct call *c)
{
	const char *trace = argument_text(c->arguments, "trace") ? call_trace_word(c) : NULL;
	const char *slash = trace ? strrchr(trace, '/') : NULL;
	SCOPED_BUF others = {0}, message = {0};

	if (c->arguments)
		json_line_add_value(&others, c->arguments, "trace");
	buf_addf(&message,
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
		 "\"%s\",\"arguments\":{",
		 c->tool->name);
	if (trace) {
		buf_adds(&message, "\"trace\":");
		text_add_json(&message, str_of(trace));
	}
	if (others.len > 2)
		buf_addf(&message, "%s%.*s", trace ? "," : "", (int)others.len - 2, others.s + 1);
	buf_addf(&message,
		 "},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"%s\","
		 "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
		 revision_at(0)->name);
	buf_clear(&c->reproduce);
	/* echo of some shells reads backslashes. */
	buf_adds(&c->reproduce, "printf '%s\\n' ");
	word_add_quoted(&c->reproduce, message.s);
	buf_adds(&c->reproduce, " | gpuwhy mcp --once");
	if (slash) {
		const size_t len = slash == trace ? 1 : (size_t)(slash - trace);

		call_reproduce_add(c, "--root");
		call_reproduce_add(c, arena_str(&c->arena, (struct str){trace, len}).s);
	}
}
