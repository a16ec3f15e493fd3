/*
 * The file of a part: "gpuwhy part", its version, the length and the SHA-256 of what follows, and
 * that: a table of texts and the fields (fleet/part_fields.c). The same part is the same bytes,
 * whoever writes it.
 */
#ifndef FLEET_PART_FILE_H
#define FLEET_PART_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "fleet/part.h"

enum {
	PART_MAGIC_BYTES = 12,
	PART_HEAD_BYTES = PART_MAGIC_BYTES + 4 + 8 + 64,
	PART_LARGEST_BYTES = 256 << 20,
};

/* How each begins. */
extern const char part_magic[PART_MAGIC_BYTES];

/* NULL, or what is wrong with the part, of a damaged trace: nobody would read it. */
const char *part_encode(struct buf *b, const struct part *p);
/* What stands before a body, and that. */
void part_seal(struct buf *b, struct str body);
/*
 * Written beside its place first, then renamed: whole or not at all. ERR_SYSTEM, marked as output,
 * when that fails.
 */
int part_write(const char *path, const struct part *p, struct err *e);

/*
 * ERR_INPUT where it is none of ours, of another version, cut off or changed. `name` stands for the
 * file in messages. For part_free() whether this fails or not.
 */
int part_decode(struct part *ret, struct str bytes, const char *name, struct err *e);
int part_read(struct part *ret, const char *path, struct err *e);
/* Whether a file begins as parts do; one that cannot be read does not. */
bool part_is_file(const char *path);

#endif
