/* Which formats are there, and when does their text reach the outside? */
#include "base/mem.h"
#include "report/out.h"
#include "report/presenters.h"

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

int out_close(struct out *o, int status, struct err *e)
{
	if (status == 0)
		status = flush(o, e);
	buf_free(&o->text);
	return status;
}
