/*
 * Values of a part as bytes: whole numbers of seven bits a byte, small ones short; of a column the
 * difference to the one before; of texts their number in a table. One function says the order of
 * the fields, whether they are written or read (fleet/part_fields.h), so that the two cannot
 * differ.
 *
 * Reading trusts nothing: a value out of its bounds, or one beyond the end, is remembered as what
 * is wrong with the file, and all that follows is 0.
 */
#ifndef FLEET_PART_CODE_H
#define FLEET_PART_CODE_H

#include "base/arena.h"
#include "base/buf.h"
#include "text/strtab.h"

#include <stdbool.h>
#include <stdint.h>

struct part_code {
	bool writes;
	struct buf out;		       /* what is written */
	struct strtab told;	       /* … and the texts met, which must outlive it */
	const unsigned char *at, *end; /* what is still to be read */
	struct arena *arena;	       /* of what is read */
	const char **texts;
	size_t text_count;
	const char *wrong; /* with what is read: the first thing; NULL: nothing so far */
};

void code_refuse(struct part_code *c, const char *what);

/* A number of at most `most`. */
void code_u64(struct part_code *c, uint64_t *value, uint64_t most);
void code_u32(struct part_code *c, uint32_t *value, uint32_t most);
/* The same for numbers for which PART_NO_NUMBER stands for none. */
void code_number(struct part_code *c, uint32_t *value);
void code_bool(struct part_code *c, bool *value);
/* Eight bytes, for hashes. */
void code_hash(struct part_code *c, uint64_t *value);
/* A time or duration of either sign within the bounds of a part. */
void code_time(struct part_code *c, int64_t *value);
/* One that is no less than 0. */
void code_length(struct part_code *c, int64_t *value);
/* The same as the difference to *before, which then is the value. */
void code_delta(struct part_code *c, int64_t *value, int64_t *before);
/* The same where the value may be PART_UNKNOWN, which changes *before as little. */
void code_maybe(struct part_code *c, int64_t *value, int64_t *before);
void code_real(struct part_code *c, double *value);
void code_text(struct part_code *c, const char **value);

/*
 * How many items follow: at most `most`, and no more than there are bytes for when each takes
 * `least` bytes.
 */
void code_count(struct part_code *c, size_t *count, size_t most, size_t least);
/* Room for what is read; what is written has its own. */
#define CODE_ARRAY(c, array, count)                                                    \
	do {                                                                           \
		if (!(c)->writes)                                                      \
			(array) = arena_zalloc((c)->arena, (count), sizeof(*(array))); \
	} while (0)
/* For loops: whether to go on to item i. */
static inline bool code_goes_on(const struct part_code *c, size_t i, size_t count)
{
	return i < count && !c->wrong;
}

#endif
