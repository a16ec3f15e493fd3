/* Bytes that become base64 of gzip on their way, so that what is added is never all there. */
#ifndef WEB_PACKED_H
#define WEB_PACKED_H

#include "base/buf.h"
#include "base/sink.h"

/* Zeroed: nothing was added yet. It must not be moved once something was. */
struct packed {
	struct buf gzip;
	struct packer *packer;
	struct sink out, in;
};

void packed_add(struct packed *p, struct str bytes);
/* How long the text is by now, but for what is still to be packed: less than a few 100 KB. */
size_t packed_length(const struct packed *p);
/* Appends the text; nothing can be added any more. */
void packed_write(struct packed *p, struct buf *b);
void packed_free(struct packed *p);

#endif
