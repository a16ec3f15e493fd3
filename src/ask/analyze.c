/* What would somebody who knows GPUs say of this trace? */
#include "ask/analyze.h"

#include "analysis/scope.h"
#include "base/mem.h"
#include "options/args.h"
#include "report/answer.h"
#include "report/finding.h"
#include "text/prose.h"
#include "text/shell_words.h"
#include "text/text.h"
#include "text/units.h"

#include <inttypes.h>
#include <stdlib.h>

/* What is told of: causes, facts for each, commands to run next. */
enum { MOST_CAUSES = 5, MOST_FACTS = 3, MOST_COMMANDS = 6, MOST_EVIDENCE = 3 };

struct diagnosis {
	struct trace *trace;
	struct report *report;
	struct report findings, parts, doctor; /* what the analyses say */
	struct answer_evidence evidence[MOST_EVIDENCE];
	size_t evidence_count;
	const struct finding *causes[MOST_CAUSES];
	size_t cause_count;
	struct buf text; /* all of the prose, for machines */
};

static void add_trim(struct buf *b, struct span s)
{
	buf_addf(b, " --trim %" PRId64 ".%09" PRId64 " %" PRId64 ".%09" PRId64,
		 s.start_ns / 1000000000, s.start_ns % 1000000000, s.end_ns / 1000000000,
		 s.end_ns % 1000000000);
}

/* What part of the trace was asked about, as options. */
static void add_scope(struct buf *b, const struct scope *s)
{
	static const char *const spans[] = {
		[SPAN_WARM] = "warm", [SPAN_GPU] = "gpu", [SPAN_ALL] = "all"};

	if (!s)
		return;
	if (scope_is_trimmed(s))
		add_trim(b, (struct span){s->from_ns, s->to_ns});
	if (s->has_iteration)
		buf_addf(b, " --iteration %" PRIu64, s->iteration);
	if (s->span != SPAN_DEFAULT)
		buf_addf(b, " --span %s", spans[s->span]);
	if (s->has_device)
		buf_addf(b, " --device %" PRIu32, s->device);
	if (s->has_pid)
		buf_addf(b, " --pid %" PRIu32, s->pid);
	if (s->marker) {
		buf_adds(b, " --marker ");
		word_add_quoted(b, s->marker);
	}
}

/* Asks an analysis about the same part; a trace that has no answer to it leaves it empty. */
static int ask_one(struct diagnosis *d, const char *name, const struct option_group *options,
		   const void *args, struct report *ret, struct err *e)
{
	const struct analysis *a = analysis_find(name, false);
	struct answer_evidence *v = &d->evidence[d->evidence_count++];
	void *own = arena_zalloc(&d->report->arena, 1, a->options->size);
	struct err failure = {0};
	SCOPED_BUF command = {0};

	buf_addf(&command, "gpuwhy %s ", a->name);
	word_add_quoted(&command, d->trace->path);
	add_scope(&command, args_part_const(options, args, &scope_options));
	*v = (struct answer_evidence){.analysis = a->name,
				      .command = arena_str(&d->report->arena, buf_str(&command)).s};
	ret->command = a->name;
	args_init(a->options, own);
	args_copy_shared(a->options, own, options, args);
	if (analysis_run(a, d->trace, own, ret, &failure) == 0)
		return 0;
	v->failure = arena_strdup(&d->report->arena, failure.message);
	if (failure.absent)
		return 0;
	*e = failure;
	return -1;
}

static void say(struct diagnosis *d, enum block_kind kind, struct buf *b)
{
	SCOPED_BUF told = {0};

	if (!b->len)
		return;
	prose_add(&told, buf_str(b));
	if (d->text.len)
		buf_addc(&d->text, kind == BLOCK_HEADING ? '\n' : ' ');
	buf_addstr(&d->text, buf_str(&told));
	if (kind == BLOCK_HEADING)
		buf_addc(&d->text, ':');
	report_text(d->report, kind, "%s", told.s);
	buf_clear(b);
}

static void say_heading(struct diagnosis *d, const char *text)
{
	SCOPED_BUF b = {0};

	buf_adds(&b, text);
	say(d, BLOCK_HEADING, &b);
}

static void find_causes(struct diagnosis *d)
{
	for (size_t i = 0; i < d->findings.block_count && d->cause_count < MOST_CAUSES; i++) {
		if (d->findings.blocks[i].kind == BLOCK_FINDING)
			d->causes[d->cause_count++] = d->findings.blocks[i].finding;
	}
}

/* "GPU 0 computes 19.5 % of the window, waits for copies 0.1 %, is idle 80.4 %." */
static void say_parts(struct diagnosis *d)
{
	static const struct {
		const char *key, *words;
	} parts[] = {{"compute_pct", "computes"},
		     {"exposed_comm_pct", "communicates without computing"},
		     {"exposed_copy_pct", "copies without computing"},
		     {"idle_pct", "is idle"}};
	const struct table *t = report_find_table(&d->parts, "gpu_partition");

	for (uint64_t i = 0; t && i < t->rows && i < 4; i++) {
		SCOPED_BUF b = {0};

		buf_addf(&b, "GPU %" PRId64, table_cell(t, i, "device").i);
		for (size_t p = 0; p < ARRAY_LEN(parts); p++) {
			const struct cell c = table_cell(t, i, parts[p].key);
			const double pct = c.kind == CELL_REAL ? c.r : (double)c.i;

			if (pct < 0.05)
				continue;
			buf_addf(&b, "%s %s ", strchr(b.s, '%') ? "," : "", parts[p].words);
			units_add_fixed(&b, pct, 1);
			buf_adds(&b, " %");
		}
		buf_adds(&b, " of the window (E2).");
		say(d, BLOCK_NOTE, &b);
	}
}

static void say_what(struct diagnosis *d)
{
	SCOPED_BUF b = {0};

	if (d->findings.verdict_text)
		buf_adds(&b, d->findings.verdict_text);
	say(d, BLOCK_LEAD, &b);
	if (d->findings.workload && d->findings.workload->text) {
		buf_adds(&b, d->findings.workload->text);
		if (!str_ends(buf_str(&b), "."))
			buf_addc(&b, '.');
		say(d, BLOCK_NOTE, &b);
	}
	say_parts(d);
}

/* What was measured of it, in a few words. */
static void add_facts(struct buf *b, const struct finding *f)
{
	for (size_t i = 0; i < f->evidence_count && i < MOST_FACTS; i++) {
		SCOPED_BUF value = {0};

		evidence_add_value(&value, &f->evidence[i]);
		buf_adds(b, i ? "; " : " Measured: ");
		text_add_safe(b, str_of(f->evidence[i].label));
		buf_adds(b, " ");
		text_add_safe(b, buf_str(&value));
	}
	if (f->evidence_count)
		buf_addc(b, '.');
}

static void add_place_of_code(struct buf *b, const struct finding *f)
{
	const struct finding_code *c = f->code;

	if (!f->code_count || !c->function.len)
		return;
	buf_adds(b, " In the code: ");
	text_add_safe(b, c->function);
	if (c->file.len) {
		buf_adds(b, ", ");
		text_add_safe(b, c->file);
		if (c->line)
			buf_addf(b, ":%" PRIu32, c->line);
	}
	buf_addc(b, '.');
}

static void say_cause(struct diagnosis *d, const struct finding *f, size_t number)
{
	SCOPED_BUF b = {0}, gain = {0};

	buf_addf(&b, "%zu. ", number);
	text_add_safe(&b, str_of(f->title));
	buf_adds(&b, ".");
	finding_add_gain(&gain, f, &d->findings);
	if (gain.len)
		buf_addf(&b, " Without it: %s.", gain.s);
	buf_addf(&b, " Confidence: %s (E1).", confidence_name(f->confidence));
	add_facts(&b, f);
	add_place_of_code(&b, f);
	if (f->unless) {
		buf_adds(&b, " Ignore it if ");
		text_add_safe(&b, str_of(f->unless));
		buf_addc(&b, '.');
	}
	say(d, BLOCK_NOTE, &b);
}

static void say_why(struct diagnosis *d)
{
	if (d->cause_count)
		say_heading(d, "Why");
	for (size_t i = 0; i < d->cause_count; i++)
		say_cause(d, d->causes[i], i + 1);
}

static void say_actions(struct diagnosis *d)
{
	bool any = false;

	for (size_t i = 0; i < d->cause_count; i++) {
		const struct finding *f = d->causes[i];
		SCOPED_BUF b = {0};

		if (!f->advice_count || (!f->recoverable_ns && i))
			continue;
		if (!any)
			say_heading(d, "What to do");
		any = true;
		buf_addf(&b, "For %zu: ", i + 1);
		for (size_t j = 0; j < f->advice_count; j++) {
			/* Some begin with it. */
			buf_adds(&b, !j					       ? ""
				     : str_starts(str_of(f->advice[j]), "or ") ? "; "
									       : "; or ");
			text_add_safe(&b, str_of(f->advice[j]));
		}
		buf_addf(&b, ". (%s)", owner_name(f->owner));
		say(d, BLOCK_NOTE, &b);
	}
}

/* Where the longest place of a cause is, in the analysis that looks closer. */
static void say_command(struct diagnosis *d, const struct finding *f, size_t number)
{
	const struct finding_kind *kind = finding_kind(f->id);
	const struct span place = finding_longest_place(f);
	SCOPED_BUF b = {0};

	if (!kind || !kind->look)
		return;
	buf_addf(&b, "%zu: gpuwhy %s ", number, kind->look);
	word_add_quoted(&b, d->trace->path);
	if (place.end_ns > place.start_ns)
		add_trim(&b, place);
	say(d, BLOCK_NOTE, &b);
}

/* Questions that this capture cannot answer, and what would. */
static void say_missing(struct diagnosis *d)
{
	const struct table *t = report_find_table(&d->doctor, "questions");

	for (uint64_t i = 0; t && i < t->rows; i++) {
		const struct cell title = table_cell(t, i, "title"),
				  flags = table_cell(t, i, "flags");
		SCOPED_BUF b = {0};

		if (!str_eq(table_cell(t, i, "verdict").s, STR_LIT("no")) ||
		    flags.kind != CELL_TEXT || title.kind != CELL_TEXT)
			continue;
		buf_addf(&b, "Not in this capture: %.*s; capture with %.*s (E3).", STR_FMT(title.s),
			 STR_FMT(flags.s));
		say(d, BLOCK_NOTE, &b);
	}
}

static void say_next(struct diagnosis *d)
{
	say_heading(d, "What to check next");
	for (size_t i = 0; i < d->cause_count && i < MOST_COMMANDS; i++)
		say_command(d, d->causes[i], i + 1);
	say_missing(d);
}

static void show_evidence(struct diagnosis *d)
{
	struct report *r = d->report;
	struct report_answer *a = arena_zalloc(&r->arena, 1, sizeof(*a));
	struct answer_evidence *kept = arena_alloc(&r->arena, d->evidence_count, sizeof(*kept));

	memcpy(kept, d->evidence, d->evidence_count * sizeof(*kept));
	report_heading(r, "Evidence");
	for (size_t i = 0; i < d->evidence_count; i++)
		report_note(r, "E%zu: %s", i + 1, kept[i].command);
	for (size_t i = 0; i < d->cause_count; i++)
		report_finding(r, d->causes[i]);
	*a = (struct report_answer){.status = d->findings.verdict_text ? "answered" : "cannot_tell",
				    .text = arena_str(&r->arena, buf_str(&d->text)).s,
				    .evidence = kept,
				    .evidence_count = d->evidence_count};
	r->answer = a;
	r->findings_are_told = true;
	r->verdict = d->findings.verdict;
	r->verdict_text = d->findings.verdict_text;
	r->workload = d->findings.workload;
	r->has_window = d->findings.has_window;
	r->window_start_ns = d->findings.window_start_ns;
	r->window_end_ns = d->findings.window_end_ns;
	r->window_span = d->findings.window_span;
	r->window_words = d->findings.window_words;
	r->window_steps = d->findings.window_steps;
}

static void free_diagnosis(void *diagnosis)
{
	struct diagnosis *d = diagnosis;

	report_free(&d->findings);
	report_free(&d->parts);
	report_free(&d->doctor);
	buf_free(&d->text);
	free(d);
}

int analyze_answer(struct trace *t, const struct option_group *options, const void *args,
		   struct report *r, struct err *e)
{
	struct diagnosis *d = mem_zalloc(1, sizeof(*d));

	d->trace = t;
	d->report = r;
	report_on_free(r, free_diagnosis, d);
	t->keeps_answers = true;
	if (ask_one(d, "findings", options, args, &d->findings, e) < 0 ||
	    ask_one(d, "summary", options, args, &d->parts, e) < 0 ||
	    ask_one(d, "doctor", options, args, &d->doctor, e) < 0)
		return -1;
	find_causes(d);
	say_what(d);
	say_why(d);
	say_actions(d);
	say_next(d);
	show_evidence(d);
	return 0;
}
