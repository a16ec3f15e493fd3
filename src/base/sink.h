/* Where bytes go: a terminal, a file, a stream that packs them on their way. */
#ifndef BASE_SINK_H
#define BASE_SINK_H

#include <stddef.h>

/* write() returns -1 with errno set when the outside does not take them: then the writer stops. */
struct sink {
	int (*write)(void *ctx, const char *bytes, size_t len);
	void *ctx;
};

struct buf;
/* One that a buffer gathers. */
struct sink buf_sink(struct buf *b);

#endif
