/*
 * How do rows alone look to a script? An object each, under the columns' keys: as one array, or one
 * on each line. No envelope: what reads them reads nothing else.
 */
#include "base/mem.h"
#include "report/json_value.h"
#include "report/out.h"
#include "report/presenters.h"
#include "text/text.h"

#include <stdlib.h>

/* What stands before the first row, before others, and after each. */
struct marks {
	const char *first, *next, *after;
};

static int add_rows(struct out *o, const struct table *t, const struct marks *m, bool *any,
		    struct err *e)
{
	struct cell *cells = mem_zalloc(t->column_count, sizeof(*cells));
	int status = 0;

	for (uint64_t i = 0; i < t->rows && status == 0; i++) {
		buf_adds(&o->text, *any ? m->next : m->first);
		*any = true;
		t->row(t->ctx, i, cells);
		buf_addc(&o->text, '{');
		json_add_members(&o->text, t, cells);
		buf_addc(&o->text, '}');
		buf_adds(&o->text, m->after);
		status = out_poll(o, e);
	}
	free(cells);
	return status;
}

static int add_all(struct out *o, const struct report *r, const struct marks *m, bool *any,
		   struct err *e)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_TABLE &&
		    add_rows(o, r->blocks[i].table, m, any, e) < 0)
			return -1;
	}
	return 0;
}

static int present_array(const struct report *r, const struct style *style, struct sink *sink,
			 struct err *e)
{
	const struct marks m = {"[\n", ",\n", ""};
	struct out o = {.sink = sink};
	bool any = false;
	int status = add_all(&o, r, &m, &any, e);

	(void)style;
	buf_adds(&o.text, any ? "\n]\n" : "[]\n");
	return out_close(&o, status, e);
}

static int present_lines(const struct report *r, const struct style *style, struct sink *sink,
			 struct err *e)
{
	const struct marks m = {"", "", "\n"};
	struct out o = {.sink = sink};
	bool any = false;

	(void)style;
	return out_close(&o, add_all(&o, r, &m, &any, e), e);
}

const struct presenter presenter_json_array = {
	.name = "json array",
	.extension = ".json",
	.report = present_array,
};

const struct presenter presenter_json_lines = {
	.name = "json lines",
	.extension = ".jsonl",
	.report = present_lines,
};
