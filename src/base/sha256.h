/* SHA-256 as FIPS 180-4 has it: which bytes exactly did a run begin with? */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT_BYTES = 65 };

struct sha256 {
	uint32_t state[8];
	uint64_t bytes;
	unsigned char block[64];
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t len);
/* Hexadecimal, in small letters; the state is used up. */
void sha256_end(struct sha256 *s, char ret[SHA256_TEXT_BYTES]);

/* Of a file, a piece at a time. ERR_SYSTEM when it cannot be read. */
int sha256_file(const char *path, char ret[SHA256_TEXT_BYTES], struct err *e);

#endif
