/* How do values and findings look in JSON? */
#include "report/json_value.h"

#include "base/mem.h"
#include "report/finding.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"

#include <inttypes.h>
#include <math.h>

static const char *const unit_names[] = {
	[UNIT_NAME] = "name",
	[UNIT_KERNEL] = "kernel",
	[UNIT_COUNT] = "count",
	[UNIT_ID] = "id",
	[UNIT_NS] = "ns",
	[UNIT_TIME_NS] = "time_ns",
	[UNIT_BYTES] = "bytes",
	[UNIT_PERCENT] = "percent",
	[UNIT_UTILISATION] = "percent",
	[UNIT_BYTES_PER_S] = "bytes_per_s",
	[UNIT_RATIO] = "ratio",
	[UNIT_BOOL] = "bool",
	[UNIT_COMMAND] = "command",
	[UNIT_PAGE] = "page",
	[UNIT_CHANGE] = "percent",
	[UNIT_CHANGE_NS] = "ns",
	[UNIT_US] = "us",
	[UNIT_FLOPS] = "flops",
	[UNIT_FLOPS_PER_S] = "flops_per_s",
};

const char *unit_name(enum unit u)
{
	return unit_names[u];
}

void json_add_text(struct buf *b, const char *before, const char *s)
{
	buf_adds(b, before);
	if (s)
		text_add_json(b, str_of(s));
	else
		buf_adds(b, "null");
}

void json_add_real(struct buf *b, double x)
{
	if (isfinite(x))
		units_add_real(b, x);
	else
		buf_adds(b, "null");
}

void json_add_cell(struct buf *b, enum unit unit, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NULL:
		buf_adds(b, "null");
		break;
	case CELL_INT:
		if (unit == UNIT_BOOL)
			buf_adds(b, cell->i ? "true" : "false");
		else
			decimal_add_int(b, cell->i);
		break;
	case CELL_REAL:
		json_add_real(b, cell->r);
		break;
	case CELL_TEXT:
		text_add_json(b, cell->s);
		break;
	}
}

void json_add_members(struct buf *b, const struct table *t, const struct cell *cells)
{
	for (size_t c = 0; c < t->column_count; c++) {
		buf_adds(b, c ? ", \"" : "\"");
		buf_adds(b, t->columns[c].key);
		buf_adds(b, "\": ");
		json_add_cell(b, t->columns[c].unit, &cells[c]);
	}
}

void json_add_trace(struct buf *b, const struct report_trace *trace)
{
	if (!trace) {
		buf_adds(b, "null");
		return;
	}
	if (trace->side) {
		json_add_text(b, "{\"side\": ", trace->side);
		json_add_text(b, ", \"path\": ", trace->path);
	} else {
		json_add_text(b, "{\"path\": ", trace->path);
	}
	json_add_text(b, ", \"tool\": ", trace->tool);
	json_add_text(b, ", \"schema\": ", trace->schema);
	buf_adds(b, ", \"span_ns\": ");
	if (trace->has_span)
		decimal_add_int(b, trace->span_ns);
	else
		buf_adds(b, "null");
	if (trace->has_window) {
		buf_adds(b, ", \"window\": {\"start_ns\": ");
		decimal_add_int(b, trace->window_start_ns);
		buf_adds(b, ", \"end_ns\": ");
		decimal_add_int(b, trace->window_end_ns);
		buf_addc(b, '}');
	}
	buf_addc(b, '}');
}

void json_add_window(struct buf *b, const struct report *r)
{
	if (!r->has_window) {
		buf_adds(b, "null");
		return;
	}
	buf_addf(b, "{\"start_ns\": %" PRId64 ", \"end_ns\": %" PRId64, r->window_start_ns,
		 r->window_end_ns);
	if (r->window_span)
		json_add_text(b, ", \"span\": ", r->window_span);
	if (r->window_words)
		json_add_text(b, ", \"text\": ", r->window_words);
	buf_addc(b, '}');
}

static void add_cost(struct buf *b, const struct report_cost *c)
{
	const struct {
		const char *key;
		double value;
	} members[] = {
		{"\"usd_per_gpu_hour\": ", c->usd_per_gpu_hour},
		{", \"recoverable_gpu_ns\": ", c->recoverable_ns},
		{", \"idle_gpu_ns\": ", c->idle_ns},
		{", \"recoverable_usd\": ", cost_usd(c, c->recoverable_ns)},
		{", \"idle_usd\": ", cost_usd(c, c->idle_ns)},
		{", \"recoverable_usd_per_hour\": ", cost_usd_per_hour(c, c->recoverable_ns)},
		{", \"idle_usd_per_hour\": ", cost_usd_per_hour(c, c->idle_ns)},
	};

	buf_addf(b, "  \"cost\": {\"gpus\": %" PRIu64 ", ", c->gpus);
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		buf_adds(b, members[i].key);
		json_add_real(b, members[i].value);
	}
	buf_adds(b, "},\n");
}

void json_add_verdict(struct buf *b, const struct report *r)
{
	if (r->verdict) {
		json_add_text(b, "  \"verdict\": ", r->verdict);
		json_add_text(b, ",\n  \"verdict_text\": ", r->verdict_text);
		buf_adds(b, ",\n");
	}
	if (r->cost)
		add_cost(b, r->cost);
}

void json_add_workload(struct buf *b, const struct report *r)
{
	const struct report_workload *w = r->workload;

	if (!w)
		return;
	buf_addf(b, "  \"workload\": {\"kind\": \"%s\", \"likely\": %s", w->kind,
		 w->likely ? "true" : "false");
	buf_adds(b, ", \"frameworks\": [");
	for (size_t i = 0; i < w->framework_count; i++)
		json_add_text(b, i ? ", " : "", w->frameworks[i]);
	json_add_text(b, "], \"text\": ", w->text);
	for (size_t i = 0; i < w->figure_count; i++) {
		buf_addf(b, ", \"%s\": ", w->columns[i].key);
		json_add_cell(b, w->columns[i].unit, &w->figures[i]);
	}
	buf_adds(b, "},\n");
}

static void add_evidence(struct buf *b, const struct evidence *v)
{
	json_add_text(b, "{\"label\": ", v->label);
	buf_adds(b, ", \"value\": ");
	json_add_cell(b, v->unit, &v->value);
	buf_addf(b, ", \"unit\": \"%s\"", unit_name(v->unit));
	if (v->has_when)
		buf_addf(b, ", \"start_ns\": %" PRId64 ", \"end_ns\": %" PRId64, v->start_ns,
			 v->end_ns);
	buf_addc(b, '}');
}

static void add_name(struct buf *b, const char *before, struct str name)
{
	buf_adds(b, before);
	if (name.len)
		text_add_json(b, name);
	else
		buf_adds(b, "null");
}

static void add_code_place(struct buf *b, const struct finding_code *p)
{
	buf_addf(b, "{\"kind\": \"%s\"", p->calls ? "call" : "host_code");
	add_name(b, ", \"function\": ", p->function);
	add_name(b, ", \"file\": ", p->file);
	buf_adds(b, ", \"line\": ");
	if (p->line)
		decimal_add_int(b, p->line);
	else
		buf_adds(b, "null");
	buf_addf(b, ", \"ns\": %" PRId64 ", \"pct\": ", p->ns);
	json_add_real(b, p->pct);
	buf_addc(b, '}');
}

/* Not there where the capture does not show any. */
static void add_code(struct buf *b, const struct finding *f)
{
	if (!f->code_count)
		return;
	buf_adds(b, ", \"code\": [");
	for (size_t i = 0; i < f->code_count; i++) {
		buf_adds(b, i ? ", " : "");
		add_code_place(b, &f->code[i]);
	}
	buf_addc(b, ']');
}

/* Not there where it is about no time of a trace. */
static void add_places(struct buf *b, const struct finding *f)
{
	if (!f->place_count)
		return;
	buf_adds(b, ", \"places\": [");
	for (size_t i = 0; i < f->place_count; i++)
		buf_addf(b, "%s{\"start_ns\": %" PRId64 ", \"end_ns\": %" PRId64 "}", i ? ", " : "",
			 f->places[i].start_ns, f->places[i].end_ns);
	buf_addf(b, "], \"total_places\": %" PRIu64, f->place_total);
}

/* Not there where it is about no ranks of a job. */
static void add_ranks(struct buf *b, const struct finding *f)
{
	if (!f->rank_count)
		return;
	buf_adds(b, ", \"ranks\": [");
	for (size_t i = 0; i < f->rank_count; i++)
		buf_addf(b, "%s%u", i ? ", " : "", f->ranks[i]);
	buf_addc(b, ']');
}

static void add_finding(struct buf *b, const struct finding *f)
{
	buf_addf(b, "{\"id\": \"%s\", \"severity\": \"%s\", \"owner\": \"%s\"", f->id,
		 severity_name(f->severity), owner_key(f->owner));
	json_add_text(b, ", \"title\": ", f->title);
	buf_addf(b, ", \"recoverable_ns\": %" PRId64 ", \"recoverable_pct\": ", f->recoverable_ns);
	json_add_real(b, f->recoverable_pct);
	json_add_text(b, ", \"recoverable_how\": ", f->how);
	buf_addf(b, ", \"confidence\": \"%s\"", confidence_name(f->confidence));
	json_add_text(b, ", \"may_be_wrong\": ", f->unless);
	buf_adds(b, ", \"evidence\": [");
	for (size_t i = 0; i < f->evidence_count; i++) {
		buf_adds(b, i ? ", " : "");
		add_evidence(b, &f->evidence[i]);
	}
	buf_addc(b, ']');
	add_ranks(b, f);
	add_places(b, f);
	add_code(b, f);
	buf_adds(b, ", \"recommendation\": [");
	for (size_t i = 0; i < f->advice_count; i++)
		json_add_text(b, i ? ", " : "", f->advice[i]);
	buf_adds(b, "]}");
}

void json_add_findings(struct buf *b, const struct report *r)
{
	bool first = true;

	buf_adds(b, "  \"findings\": [");
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != BLOCK_FINDING)
			continue;
		buf_adds(b, first ? "\n    " : ",\n    ");
		add_finding(b, r->blocks[i].finding);
		first = false;
	}
	buf_adds(b, first ? "],\n" : "\n  ],\n");
}
