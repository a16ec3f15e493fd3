/* How does what a model says become an answer that ends with its evidence? */
#include "llm/model_report.h"

#include "base/mem.h"
#include "llm/model_answer.h"
#include "report/answer.h"
#include "text/text.h"

enum { MOST_VALUES = 64 };

/* What people see: names in place of aliases, in the report's memory. */
static const char *shown(const struct model_told *a, struct report *r, struct str text)
{
	SCOPED_BUF b = {0};

	if (!a->tools->aliases)
		return arena_str(&r->arena, text).s;
	aliases_add_shown(&b, a->tools->aliases, text);
	return arena_str(&r->arena, buf_str(&b)).s;
}

/*
 * A paragraph each; the first is what the answer is about. The line beside them is no model's:
 * whatever it says, it does not look as what the program says.
 */
static void add_paragraphs(struct report *r, const char *text)
{
	bool is_first = true;

	while (*text) {
		const size_t len = strcspn(text, "\n");
		const struct str line = str_trimmed((struct str){text, len});

		if (line.len) {
			report_text(r, is_first ? BLOCK_LEAD : BLOCK_NOTE, MODEL_LINE "%.*s",
				    STR_FMT(line));
			r->blocks[r->block_count - 1].has_strikes = true;
			is_first = false;
		}
		text += len + (text[len] == '\n');
	}
}

static const char *listed(struct report *r, const struct string_list *l)
{
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < l->count; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", l->all[i]);
	return arena_str(&r->arena, buf_str(&b)).s;
}

static void say_struck(struct report *r, const struct wording *w)
{
	if (w->struck.count)
		report_warning(r, "struck out, since no evidence holds it: %s",
			       listed(r, &w->struck));
	if (w->misplaced.count)
		report_warning(r,
			       "struck out, since the evidence has it of something else than the "
			       "sentence names: %s",
			       listed(r, &w->misplaced));
}

static void say_unchecked(struct report *r, const struct wording *w)
{
	if (w->unchecked.count)
		report_note(r,
			    "Not checked, since these are in words, or so small that some cell has "
			    "them by chance: %s",
			    listed(r, &w->unchecked));
}

static const struct column value_columns[] = {
	{"value", "Value", UNIT_NAME, 0, NULL, SHOW},
	{"evidence", "Evidence", UNIT_NAME, 0, "", SHOW},
	{"table", "Table", UNIT_NAME, 0, "", SHOW},
	{"column", "Column", UNIT_NAME, 0, "", SHOW},
	{"row", "Row", UNIT_NAME, 0, "", SHOW},
};

static struct cell cell_of(const struct model_told *a, struct report *r, const struct referred *f)
{
	int64_t whole;

	switch (json_read_kind(f->value)) {
	case JSON_KIND_NUMBER:
		return json_read_whole(f->value, &whole) ? cell_int(whole)
							 : cell_real(json_read_number(f->value));
	case JSON_KIND_BOOL:
		return cell_int(json_read_is_true(f->value));
	default:
		return cell_text(shown(a, r, json_read_string(f->value)));
	}
}

/* Which cells the answer tells. */
static void show_values(const struct model_told *a, struct report *r, const struct wording *w,
			struct report_answer *ret)
{
	struct answer_value *values =
		arena_zalloc(&r->arena, w->referred_count + 1, sizeof(*values));
	struct rows *rows = NULL;

	for (size_t i = 0; i < w->referred_count && i < MOST_VALUES; i++) {
		const struct referred *f = &w->referred[i];
		const char *row = f->row ? shown(a, r, f->row->name) : NULL;
		SCOPED_BUF human = {0};

		values[i] = (struct answer_value){f->evidence,
						  shown(a, r, f->table),
						  shown(a, r, f->column),
						  row,
						  f->has_unit ? f->unit : UNIT_RATIO,
						  cell_of(a, r, f)};
		referred_add_human(&human, f);
		if (!rows)
			rows = REPORT_ROWS(r, "values", NULL, value_columns);
		ROWS_ADD(rows, cell_text(shown(a, r, buf_str(&human))),
			 cell_text(arena_printf(&r->arena, "E%zu", f->evidence)),
			 cell_text(values[i].table), cell_text(values[i].column),
			 cell_text(row ? row : ""));
		ret->value_count++;
	}
	ret->values = values;
}

static bool is_referred(const struct wording *w, size_t number)
{
	for (size_t i = 0; i < w->referred_count; i++) {
		if (w->referred[i].evidence == number)
			return true;
	}
	return false;
}

static void show_evidence(const struct model_told *a, struct report *r, const struct wording *w,
			  struct report_answer *ret)
{
	const struct evidence_store *s = &a->tools->evidence;
	struct answer_evidence *all = arena_zalloc(&r->arena, s->count + 1, sizeof(*all));

	for (size_t i = 0; i < s->count; i++) {
		all[i] = (struct answer_evidence){
			.analysis = arena_strdup(&r->arena, s->items[i].tool),
			.command = arena_strdup(&r->arena, s->items[i].command)};
		if (i >= a->evidence_before || is_referred(w, i + 1))
			report_note(r, "E%zu: %s", i + 1, all[i].command);
	}
	ret->evidence = all;
	ret->evidence_count = s->count;
}

/* What the program itself says stands beside what the model makes of it. */
static void say_verdict(const struct model_told *a, struct report *r)
{
	const struct evidence_store *s = &a->tools->evidence;

	for (size_t i = 0; i < s->count; i++) {
		const struct json *v = json_read_member(s->items[i].document, "verdict_text");

		if (v && json_read_string(v).len) {
			report_note(r, "The program's own verdict: %s (E%zu)",
				    shown(a, r, json_read_string(v)), i + 1);
			return;
		}
	}
}

static const char *const *copy_list(struct report *r, const struct string_list *a,
				    const struct string_list *b)
{
	const char **all = arena_alloc(&r->arena, a->count + b->count + 1, sizeof(*all));

	for (size_t i = 0; i < a->count + b->count; i++)
		all[i] = arena_strdup(&r->arena, i < a->count ? a->all[i] : b->all[i - a->count]);
	return all;
}

void model_report_make(struct report *r, const struct model_told *a, const struct wording *w)
{
	static const struct string_list none = {0};
	struct report_answer *answer = arena_zalloc(&r->arena, 1, sizeof(*answer));
	struct answer_model *model = arena_zalloc(&r->arena, 1, sizeof(*model));

	*model = (struct answer_model){.name = arena_strdup(&r->arena, a->model),
				       .turns = a->turns,
				       .calls = a->calls,
				       .input_tokens = a->input_tokens,
				       .output_tokens = a->output_tokens,
				       .struck = copy_list(r, &w->struck, &w->misplaced),
				       .struck_count = w->struck.count + w->misplaced.count,
				       .unchecked = copy_list(r, &w->unchecked, &none),
				       .unchecked_count = w->unchecked.count};
	*answer = (struct report_answer){.question = text_valid(&r->arena, str_of(a->question)),
					 .status = "answered",
					 .text = shown(a, r, buf_str(&w->text)),
					 .model = model};
	if (!a->is_told)
		add_paragraphs(r, answer->text);
	say_struck(r, w);
	say_unchecked(r, w);
	say_verdict(a, r);
	report_heading(r, "Evidence");
	show_values(a, r, w, answer);
	show_evidence(a, r, w, answer);
	report_note(r, "Worded by the model %s; gpuwhy filled in or checked each %snumber.",
		    model->name, w->unchecked.count ? "other " : "");
	r->answer = answer;
}
