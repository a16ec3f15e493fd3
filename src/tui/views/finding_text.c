/* What is known of a finding? */
#include "tui/views/finding_text.h"

static int draw_evidence(const struct finding *f, struct canvas *c, struct area area, int row)
{
	for (size_t i = 0; i < f->evidence_count; i++) {
		SCOPED_BUF text = {0};

		buf_addf(&text, "· %s: ", f->evidence[i].label);
		evidence_add_value(&text, &f->evidence[i]);
		row = canvas_put_wrapped(c, area, row, buf_str(&text), LOOK_PLAIN);
	}
	return row;
}

void finding_text_draw(const struct finding *f, struct canvas *c, struct area area)
{
	int row = area.row;
	SCOPED_BUF cost = {0};

	row = canvas_put_wrapped(c, area, row, str_of(f->title),
				 (struct look){.ink = ROLE_HEAD, .marks = LOOK_BOLD});
	finding_add_cost(&cost, f);
	if (cost.len) {
		SCOPED_BUF text = {0};

		buf_addf(&text, "recoverable: %s  [confidence: %s]", cost.s,
			 confidence_name(f->confidence));
		row = canvas_put_wrapped(c, area, row, buf_str(&text), LOOK_PLAIN);
	}
	row = draw_evidence(f, c, area, row);
	for (size_t i = 0; i < f->advice_count; i++) {
		SCOPED_BUF text = {0};

		buf_addf(&text, "→ %s", f->advice[i]);
		row = canvas_put_wrapped(c, area, row, buf_str(&text), LOOK(ROLE_GOOD));
	}
	if (f->unless) {
		SCOPED_BUF text = {0};

		buf_addf(&text, "ignore if: %s", f->unless);
		canvas_put_wrapped(c, area, row, buf_str(&text), LOOK(ROLE_DIM));
	}
}

int finding_show(struct app *a, struct span evidence, size_t number, struct err *e)
{
	enum { AROUND_NS = 1000000 };
	const int64_t length = sat_sub(evidence.end_ns, evidence.start_ns);
	const int64_t around = length ? length / 2 : AROUND_NS;
	const struct selection found = {
		.kind = SELECTED_TIME, .span = evidence, .finding = number + 1};

	return app_go_to_own(
		a,
		(struct span){sat_sub(evidence.start_ns, around), sat_add(evidence.end_ns, around)},
		found, e);
}
