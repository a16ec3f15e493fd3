/* How small are bytes that a page carries as text? */
#include "web/packed.h"

#include "base/mem.h"
#include "input/pack.h"
#include "text/base64.h"

/* Memory is short: then there is no file either. */
static void begin(struct packed *p)
{
	p->out = buf_sink(&p->gzip);
	p->packer = gzip_pack_open(&p->out, &p->in);
	if (!p->packer)
		mem_out();
}

void packed_add(struct packed *p, struct str bytes)
{
	if (!p->packer)
		begin(p);
	if (p->in.write(p->in.ctx, bytes.s, bytes.len) < 0)
		mem_out();
}

size_t packed_length(const struct packed *p)
{
	return (p->gzip.len + 2) / 3 * 4;
}

void packed_write(struct packed *p, struct buf *b)
{
	if (!p->packer)
		begin(p);
	if (gzip_pack_finish(p->packer) < 0)
		mem_out();
	base64_add(b, p->gzip.s, p->gzip.len);
}

void packed_free(struct packed *p)
{
	gzip_pack_close(p->packer);
	buf_free(&p->gzip);
	*p = (struct packed){0};
}
