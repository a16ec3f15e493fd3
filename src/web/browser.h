/* Opens a URL with a secret in it in the user's browser. */
#ifndef WEB_BROWSER_H
#define WEB_BROWSER_H

#include "base/err.h"

struct handed_page;

/*
 * Other users can read command lines: the browser is handed a file that nobody else may read, and
 * which leads there. It is the caller's to forget in the end.
 */
int browser_open(const char *url, struct handed_page **ret, struct err *e);
/* Now and then: one that has ended is not left behind. */
void browser_look(struct handed_page *p);   /* NULL is fine */
void browser_forget(struct handed_page *p); /* NULL is fine */

#endif
