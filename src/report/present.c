/* Which formats are there, and when does their text reach the outside? */
#include "report/present.h"

#include "base/mem.h"
#include "report/cell_text.h"
#include "report/kernel_labels.h"

#include <stdlib.h>
#include <strings.h>

static const struct presenter *const presenters[] = {
	&presenter_text, &presenter_markdown, &presenter_json,
	&presenter_csv,	 &presenter_html,     &presenter_folded,
};

const struct presenter *presenter_at(size_t i)
{
	return i < ARRAY_LEN(presenters) ? presenters[i] : NULL;
}

const struct presenter *presenter_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(presenters); i++)
		if (strcmp(presenters[i]->name, name) == 0)
			return presenters[i];
	return NULL;
}

const struct presenter *presenter_of_file(const char *path)
{
	const char *name = str_last_part(path);

	for (size_t i = 0; i < ARRAY_LEN(presenters); i++) {
		size_t len = strlen(name), n = strlen(presenters[i]->extension);

		if (len > n && strcasecmp(name + len - n, presenters[i]->extension) == 0)
			return presenters[i];
	}
	return NULL;
}

enum { PIECE_BYTES = 64 * 1024 };

static int flush(struct out *o, struct err *e)
{
	if (o->text.len && o->sink->write(o->sink->ctx, o->text.s, o->text.len) < 0)
		return err_set_errno(e, "cannot write the output");
	buf_clear(&o->text);
	return 0;
}

int out_poll(struct out *o, struct err *e)
{
	return o->text.len >= PIECE_BYTES ? flush(o, e) : 0;
}

const struct cell *out_row(struct out *o, const struct table *t, uint64_t i)
{
	if (o->table != t) {
		free(o->cells);
		o->cells = mem_zalloc(t->column_count, sizeof(*o->cells));
		o->table = t;
	}
	t->row(t->ctx, i, o->cells);
	return o->cells;
}

int out_close(struct out *o, int status, struct err *e)
{
	if (status == 0)
		status = flush(o, e);
	buf_free(&o->text);
	free(o->cells);
	return status;
}

int present_report(const struct presenter *how, const struct report *r, const struct style *style,
		   struct sink *sink, struct err *e)
{
	struct out o = {.sink = sink, .style = style};
	struct kernel_labels labels = {0};
	int result;

	if (how->for_people) {
		kernel_labels_make(&labels, r);
		cell_use_labels(&labels);
	}
	result = how->add(&o, r, e);
	cell_use_labels(NULL);
	kernel_labels_free(&labels);
	return out_close(&o, result, e);
}

int present_error(const struct presenter *how, const struct report *r, const struct err *failure,
		  struct sink *sink, struct err *e)
{
	struct out o = {.sink = sink};

	how->add_error(&o.text, r, failure);
	return out_close(&o, 0, e);
}
