/* How does an answer in sentences look to a program? */
#include "report/answer.h"
#include "report/json_value.h"

#include <inttypes.h>

static void add_evidence(struct buf *b, const struct answer_evidence *v, size_t number)
{
	buf_addf(b, "{\"id\": \"E%zu\"", number);
	json_add_text(b, ", \"analysis\": ", v->analysis);
	json_add_text(b, ", \"table\": ", v->table);
	json_add_text(b, ", \"command\": ", v->command);
	buf_adds(b, ", \"score\": ");
	json_add_real(b, v->score);
	json_add_text(b, ", \"failure\": ", v->failure);
	buf_addc(b, '}');
}

static void add_value(struct buf *b, const struct answer_value *v)
{
	buf_addf(b, "{\"evidence\": \"E%zu\"", v->evidence);
	json_add_text(b, ", \"table\": ", v->table);
	json_add_text(b, ", \"row\": ", v->row);
	json_add_text(b, ", \"column\": ", v->column);
	buf_addf(b, ", \"unit\": \"%s\", \"value\": ", unit_name(v->unit));
	json_add_cell(b, v->unit, &v->value);
	buf_addc(b, '}');
}

static void add_list(struct buf *b, const char *before, const char *const *all, size_t count)
{
	buf_adds(b, before);
	for (size_t i = 0; i < count; i++)
		json_add_text(b, i ? ", " : "", all[i]);
	buf_addc(b, ']');
}

static void add_model(struct buf *b, const struct answer_model *m)
{
	if (!m)
		return;
	json_add_text(b, ",\n    \"model\": {\"name\": ", m->name);
	buf_addf(b, ", \"turns\": %zu, \"calls\": %zu", m->turns, m->calls);
	buf_addf(b, ", \"input_tokens\": %" PRId64 ", \"output_tokens\": %" PRId64, m->input_tokens,
		 m->output_tokens);
	add_list(b, ", \"struck\": [", m->struck, m->struck_count);
	add_list(b, ", \"unchecked\": [", m->unchecked, m->unchecked_count);
	json_add_text(b, ", \"failure\": ", m->failure);
	buf_addc(b, '}');
}

void json_add_answer(struct buf *b, const struct report *r)
{
	const struct report_answer *a = r->answer;

	if (!a)
		return;
	json_add_text(b, "  \"answer\": {\"question\": ", a->question);
	json_add_text(b, ",\n    \"meant\": ", a->meant);
	json_add_text(b, ",\n    \"status\": ", a->status);
	json_add_text(b, ",\n    \"text\": ", a->text);
	add_list(b, ",\n    \"candidates\": [", a->candidates, a->candidate_count);
	buf_adds(b, ",\n    \"evidence\": [");
	for (size_t i = 0; i < a->evidence_count; i++) {
		buf_adds(b, i ? ",\n      " : "\n      ");
		add_evidence(b, &a->evidence[i], i + 1);
	}
	buf_adds(b, "],\n    \"values\": [");
	for (size_t i = 0; i < a->value_count; i++) {
		buf_adds(b, i ? ",\n      " : "\n      ");
		add_value(b, &a->values[i]);
	}
	add_list(b, "],\n    \"questions\": [", a->nearest, a->nearest_count);
	add_model(b, a->model);
	buf_adds(b, "},\n");
}
