/* How do bytes become letters? */
#include "text/base64.h"

void base64_add(struct buf *b, const void *bytes, size_t len)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *from = bytes;
	char *to = buf_reserve(b, (len + 2) / 3 * 4);

	for (size_t i = 0; i < len; i += 3) {
		const size_t left = len - i;
		const unsigned three = (unsigned)from[i] << 16 |
				       (left > 1 ? (unsigned)from[i + 1] << 8 : 0) |
				       (left > 2 ? from[i + 2] : 0);

		*to++ = letters[three >> 18];
		*to++ = letters[three >> 12 & 63];
		*to++ = left > 1 ? letters[three >> 6 & 63] : '=';
		*to++ = left > 2 ? letters[three & 63] : '=';
	}
	b->len += (len + 2) / 3 * 4;
}
