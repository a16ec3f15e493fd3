/* The files of the page, which are part of the program. */
#ifndef WEB_PAGE_FILES_H
#define WEB_PAGE_FILES_H

#include <stddef.h>

struct page_file {
	const char *path; /* as a browser asks for it: "/web/main.js" */
	const char *type;
	const char *text;
};

/* NULL: there is none. */
const struct page_file *page_file_find(const char *path);
/* The i-th; NULL after the last. */
const struct page_file *page_file_at(size_t i);

/* Made of the folder web/ when the program is built. */
extern const struct page_file page_files[];
extern const size_t page_file_count;

#endif
