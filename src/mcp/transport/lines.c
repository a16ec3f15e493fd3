/* Where does a line of a stream end? */
#include "mcp/transport/lines.h"

/* One byte more than it may have shows that it is too long. */
static void add(struct lines *l, const char *bytes, size_t len)
{
	const size_t room = l->most + 1 - l->part.len;

	buf_add(&l->part, bytes, len < room ? len : room);
}

static void end_line(struct lines *l, line_fn *take, void *ctx)
{
	const struct str line = str_trimmed(buf_str(&l->part));

	/* Trimmed of spaces it must still be seen to be too long. */
	if (l->part.len > l->most)
		take(ctx, buf_str(&l->part));
	else if (line.len)
		take(ctx, line);
	buf_clear(&l->part);
}

void lines_feed(struct lines *l, const char *bytes, size_t len, line_fn *take, void *ctx)
{
	while (len) {
		const char *end = memchr(bytes, '\n', len);
		const size_t piece = end ? (size_t)(end - bytes) : len;

		add(l, bytes, piece);
		if (!end)
			return;
		end_line(l, take, ctx);
		bytes += piece + 1;
		len -= piece + 1;
	}
}

void lines_end(struct lines *l, line_fn *take, void *ctx)
{
	end_line(l, take, ctx);
	buf_free(&l->part);
}
