/* How does the page become one file? */
#include "web/offline_page.h"

#include "base/buf.h"
#include "web/viewer_assets.h"

#include <string.h>

static const char head_end[] = "</head>", body_end[] = "</body>";

/* What runs is what the program was built with, and nothing is fetched from anywhere. */
static void add_head(struct buf *b)
{
	buf_addf(b,
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		 "script-src 'sha256-%s'; style-src 'sha256-%s'; img-src data: blob:; "
		 "frame-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'\">\n"
		 "<style>",
		 viewer_script_sha256, viewer_style_sha256);
	buf_adds(b, viewer_style);
	buf_adds(b, "</style>\n");
}

static int put(struct sink *out, const char *bytes, size_t len)
{
	return out->write(out->ctx, bytes, len);
}

int offline_page_write(struct sink *out, struct str recording)
{
	static const char data[] = "<script type=\"application/json\" id=\"recorded\">";
	const char *head = strstr(viewer_page, head_end), *body = strstr(viewer_page, body_end);
	SCOPED_BUF before = {0};
	SCOPED_BUF after = {0};

	buf_add(&before, viewer_page, (size_t)(head - viewer_page));
	add_head(&before);
	buf_add(&before, head, (size_t)(body - head));
	buf_adds(&before, data);
	buf_adds(&after, "</script>\n<script>");
	buf_adds(&after, viewer_script);
	buf_adds(&after, "</script>\n");
	buf_adds(&after, body);
	if (put(out, before.s, before.len) < 0 || put(out, recording.s, recording.len) < 0)
		return -1;
	return put(out, after.s, after.len);
}

size_t offline_page_size(void)
{
	return strlen(viewer_page) + strlen(viewer_style) + strlen(viewer_script) + 1024;
}
