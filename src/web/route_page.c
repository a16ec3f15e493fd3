/* GET / and /web/…: the page's own files. */
#include "web/page_files.h"
#include "web/routes.h"

#include <string.h>

const struct page_file *page_file_at(size_t i)
{
	return i < page_file_count ? &page_files[i] : NULL;
}

const struct page_file *page_file_find(const char *path)
{
	const struct page_file *f;

	for (size_t i = 0; (f = page_file_at(i)); i++) {
		if (strcmp(f->path, path) == 0)
			return f;
	}
	return NULL;
}

int route_page(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	const struct page_file *f =
		page_file_find(strcmp(r->path, "/") == 0 ? "/web/index.html" : r->path);

	(void)s;
	(void)e;
	if (!f) {
		reply_refuse(ret, 404, "there is no '%.80s' here", r->path);
		return 0;
	}
	ret->type = f->type;
	ret->is_page = true;
	buf_adds(&ret->body, f->text);
	return 0;
}
