/* A page that is one file, needs no server and asks nobody for anything. */
#ifndef WEB_OFFLINE_PAGE_H
#define WEB_OFFLINE_PAGE_H

#include "base/sink.h"
#include "base/str.h"

#include <stddef.h>

/* Of a recording. -1 with errno set when the sink does not take it. */
int offline_page_write(struct sink *out, struct str recording);
/* Its bytes without the recording. */
size_t offline_page_size(void);

#endif
