/* When does a presenter's text reach the outside? */
#include "report/out.h"

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
