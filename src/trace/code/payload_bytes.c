/* A stack in the bytes of a payload. */
#include "trace/code/payload.h"

/*
 * Before the payloads comes their number, and of each its schema, length and offset from the
 * beginning: numbers of 8 bytes, as those of the program.
 */
enum {
	NUMBER = 8,
	HEAD = NUMBER,
	ENTRY = 3 * NUMBER,
	ENTRY_LENGTH = NUMBER,
	ENTRY_AT = 2 * NUMBER
};

/* Within the bytes: the caller has looked. Lowest byte first, as on all machines that have GPUs. */
static int64_t number(const char *s, struct payload_field f)
{
	uint64_t n = 0;

	for (uint8_t i = 0; i < f.bytes; i++)
		n |= (uint64_t)(uint8_t)s[f.offset + i] << 8 * i;
	return (int64_t)n;
}

static uint64_t word(struct str bytes, size_t offset)
{
	return (uint64_t)number(bytes.s + offset, (struct payload_field){0, NUMBER});
}

static const struct payload_layout *find_layout(const struct payload_layouts *l, int64_t schema)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->all[i].schema == schema)
			return &l->all[i];
	}
	return NULL;
}

static bool read_stack(const struct payload_layout *l, struct str bytes, struct payload_stack *ret)
{
	uint64_t count;

	if (bytes.len < l->frames_offset)
		return false;
	count = (uint64_t)number(bytes.s, l->count);
	if (!count || count > (bytes.len - l->frames_offset) / l->frame_bytes)
		return false;
	ret->kind = l->kind;
	ret->count = count < STACK_DEPTH ? (size_t)count : STACK_DEPTH;
	for (size_t i = 0; i < ret->count; i++) {
		const char *s = bytes.s + l->frames_offset + i * l->frame_bytes;

		ret->frames[i] = (struct payload_frame){number(s, l->function), number(s, l->file),
							number(s, l->line)};
	}
	return true;
}

bool payload_of_bytes(const struct payload_layouts *l, struct str bytes, struct payload_stack *ret)
{
	uint64_t entries;

	if (bytes.len < HEAD)
		return false;
	entries = word(bytes, 0);
	for (uint64_t i = 0; i < entries && i < (bytes.len - HEAD) / ENTRY; i++) {
		const size_t entry = HEAD + (size_t)i * ENTRY;
		const struct payload_layout *layout = find_layout(l, (int64_t)word(bytes, entry));
		const uint64_t length = word(bytes, entry + ENTRY_LENGTH);
		const uint64_t at = word(bytes, entry + ENTRY_AT);

		if (layout && at <= bytes.len && length <= bytes.len - at)
			return read_stack(layout, (struct str){bytes.s + at, (size_t)length}, ret);
	}
	return false;
}
