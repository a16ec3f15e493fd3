/* profile: what does a program do on the GPU? The one tool that runs anything. */
#include "base/mem.h"
#include "mcp/call.h"
#include "mcp/tools/run_self.h"
#include "text/decimal.h"

#include <stdlib.h>

enum { MOST_WORDS = 256, MOST_SECONDS = 3600, SECONDS_OTHERWISE = 600 };

static const struct column columns[] = {
	{"exit_code", "Exit code", UNIT_ID, 0, "", SHOW},
	{"folder", "Runs are in", UNIT_NAME, 0, NULL, SHOW},
	{"output_end", "Its last output", UNIT_NAME, 0, NULL, SHOW},
};

/* gpuwhy profile --timeout S [--name LABEL] -- COMMAND… */
static void make_words(struct call *c, struct string_list *ret)
{
	const struct json *command = json_read_member(c->arguments, "command");
	const char *name = argument_text(c->arguments, "name");
	struct buf seconds = {0};

	decimal_add_int(&seconds, argument_int(c->arguments, "timeout_s", SECONDS_OTHERWISE));
	string_list_add(ret, "gpuwhy");
	string_list_add(ret, "profile");
	string_list_add(ret, "--timeout");
	string_list_add(ret, arena_strdup(&c->arena, seconds.s));
	buf_free(&seconds);
	if (name) {
		string_list_add(ret, "--name");
		string_list_add(ret, name);
	}
	string_list_add(ret, "--");
	for (size_t i = 0; i < json_read_length(command); i++)
		string_list_add(ret, json_read_string(json_read_element(command, i)).s);
}

/* What gpuwhy itself said last, where nothing came of the run; its lines end in "\\n" here. */
static int check_end(const struct self_end *end, struct err *e)
{
	static const char ours[] = "gpuwhy: ";
	const char *found = NULL, *at = end->exit_code && end->said.len ? end->said.s : NULL;

	for (; at && (at = strstr(at, ours)); found = at)
		at += strlen(ours);
	return found ? err_set(e, ERR_SYSTEM, "%.*s", (int)strcspn(found, "\\\n"), found) : 0;
}

static int run(struct call *c, struct err *e)
{
	const char *folder = c->mcp->roots.all.all[0];
	struct report *r = &c->inv.report;
	struct string_list words = {0};
	struct self_end end;
	struct rows *rows;
	int result;

	make_words(c, &words);
	call_reproduce(c, "profile", NULL);
	for (size_t i = 2; i < words.count; i++)
		call_reproduce_add(c, words.all[i]);
	result = run_self((char *const *)words.all, folder, &end, e);
	if (result == 0)
		result = check_end(&end, e);
	if (result == 0) {
		rows = REPORT_ROWS(r, "run", NULL, columns);
		ROWS_ADD(rows, cell_int(end.exit_code),
			 cell_text(arena_printf(&r->arena, "%s/runs", folder)),
			 report_take_cell(r, &end.said));
		report_note(r, "call trace_info without `trace`: the new trace is below runs/");
	}
	buf_free(&end.said);
	string_list_free(&words);
	return result;
}

static const struct tool_param params[] = {
	{.type = PARAM_TEXTS,
	 .name = "command",
	 .is_required = true,
	 .least = 1,
	 .most = MOST_WORDS,
	 .help = "The program and its arguments, a text each; no shell reads them."},
	{.type = PARAM_INT,
	 .name = "timeout_s",
	 .least = 1,
	 .most = MOST_SECONDS,
	 .help = "Ends the program after so many seconds; 600 unless said."},
	{.type = PARAM_TEXT, .name = "name", .help = "A label in the name of the run's folder."},
	PARAM_LAST(),
};

const struct mcp_tool tool_profile = {
	.name = "profile",
	.title = "Record a run",
	.description = "Runs a program under nsys in the first root and analyses what it did; the "
		       "trace and its report are then below runs/ there. Runs what it is told, "
		       "with the rights of who started the server.",
	.params = params,
	.next = "call trace_info without `trace`: it lists the traces that are there already",
	.runs_programs = true,
	.run = run,
};
