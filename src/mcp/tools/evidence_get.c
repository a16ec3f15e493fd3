/* evidence_get: what is a finding made of? The id of an answer is asked again by tools_call.c. */
#include "base/mem.h"
#include "mcp/call.h"
#include "report/finding.h"

static const struct column place_columns[] = {
	{"place", "Place", UNIT_ID, 0, "", SHOW},
	{"start_ns", "Start", UNIT_TIME_NS, 0, NULL, SHOW},
	{"end_ns", "End", UNIT_TIME_NS, 0, NULL, SHOW},
	{"duration_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
};

static int refuse_id(const struct report *r, const char *id, struct err *e)
{
	SCOPED_BUF there = {0};

	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING)
			buf_addf(&there, "%s%s", there.len ? ", " : "", r->blocks[i].finding->id);
	}
	err_set(e, ERR_INPUT, "there is no finding and no answer '%.80s'", id);
	return there.len ? err_hint(e, "findings of this trace: %s; ids of answers are A1, A2, …",
				    there.s)
			 : err_hint(e, "this trace has no findings; ids of answers are A1, A2, …");
}

/* Of what findings says, the one alone; false: it is not there. */
static bool keep_finding(struct report *r, const char *id, const struct finding **ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != BLOCK_FINDING || strcmp(r->blocks[i].finding->id, id) != 0)
			continue;
		*ret = r->blocks[i].finding;
		r->blocks[kept++] = r->blocks[i];
	}
	if (kept)
		r->block_count = kept;
	return kept > 0;
}

static void add_places(struct report *r, const struct finding *f)
{
	struct rows *rows;

	if (!f->place_count)
		return;
	rows = REPORT_ROWS(r, "places", NULL, place_columns);
	rows->table.kind = "place";
	for (size_t i = 0; i < f->place_count; i++)
		ROWS_ADD(rows, cell_int((int64_t)i), cell_int(f->places[i].start_ns),
			 cell_int(f->places[i].end_ns),
			 cell_int(f->places[i].end_ns - f->places[i].start_ns));
	rows->table.total_rows = f->place_total > f->place_count ? f->place_total : f->place_count;
}

/* The rows that it is about, by the analysis that looks closer. */
static int add_rows(struct call *c, const struct finding *f, struct trace *t, struct err *e)
{
	const struct finding_kind *kind = finding_kind(f->id);
	const struct analysis *a = kind && kind->look ? analysis_find(kind->look, false) : NULL;
	struct row_choice *rows;
	void *args;

	if (!a || !a->options)
		return 0;
	args = arena_zalloc(&c->inv.report.arena, 1, a->options->size);
	args_init(a->options, args);
	rows = args_part(a->options, args, &limit_options);
	if (rows)
		rows->limit = call_rows(c);
	report_note(&c->inv.report, "looked at closer by: gpuwhy %s TRACE", a->name);
	return analysis_run(a, t, args, &c->inv.report, e) < 0 ? err_forgive_absent(e) : 0;
}

/* "E1" in the words of ask and analyze. */
static int refuse_evidence(const char *id, struct err *e)
{
	err_set(e, ERR_USAGE, "'%.80s' is evidence within an answer of ask or analyze", id);
	return err_hint(e, "its member of answer.evidence names the analysis: call skill_run with "
			   "that as skill");
}

static int run(struct call *c, struct err *e)
{
	const char *id = argument_text(c->arguments, "id");
	const struct analysis *findings = analysis_find("findings", false);
	const struct finding *f = NULL;
	struct open_trace *t;

	if (id[0] == 'E')
		return refuse_evidence(id, e);
	if (!argument_text(c->arguments, "trace")) {
		err_set(e, ERR_USAGE, "there is no answer '%.80s'", id);
		return err_hint(e, "ids of answers are in mcp.id (A1, A2, …) of this server's last "
				   "answers; the id of a finding needs `trace`, too");
	}
	call_begin(c, findings->name, NULL, findings);
	call_reproduce(c, "findings", call_trace_word(c), NULL);
	if (call_open_trace(c, NULL, &t, e) < 0 ||
	    analysis_run(findings, open_trace_of(t), c->inv.asked, &c->inv.report, e) < 0)
		return -1;
	if (!keep_finding(&c->inv.report, id, &f))
		return refuse_id(&c->inv.report, id, e);
	add_places(&c->inv.report, f);
	return add_rows(c, f, open_trace_of(t), e);
}

static const struct tool_param params[] = {
	{.type = PARAM_TEXT,
	 .name = "id",
	 .is_required = true,
	 .help = "The id of a finding (host_stall), with `trace`; or of an answer of this server "
		 "(mcp.id, A3): that answer again, or its next page with `cursor`."},
	{.type = PARAM_TEXT, .name = "trace", .help = "The trace that the finding is about."},
	PARAM_CURSOR,
	PARAM_LAST(),
};

const struct mcp_tool tool_evidence_get = {
	.name = "evidence_get",
	.title = "Evidence",
	.description = "What a finding rests on: its evidence, its places in time, and the rows "
		       "that it is about; or an earlier answer by its id.",
	.params = params,
	.next = "call analyze with this trace: its findings have ids",
	.run = run,
};
