/* What the fields of a payload are, and where. */
#include "trace/code/payload.h"

#include "base/mem.h"
#include "trace/small_table.h"

enum { ENTRY_SCHEMA, ENTRY_INDEX, ENTRY_TYPE, ENTRY_NAME, ENTRY_OFFSET, ENTRY_DETAIL };
static const char *const entry_columns[] = {"schemaId",		  "idx", "type", "name", "offset",
					    "arrayOrUnionDetail", NULL};

enum { SCHEMA_ID, SCHEMA_NAME, SCHEMA_BYTES, SCHEMA_DOMAIN };
static const char *const schema_columns[] = {"schemaId", "name", "payloadSize", "domainId", NULL};

/* What NVTX_PAYLOAD_SCHEMA_ENTRIES and NVTX_PAYLOAD_SCHEMAS hold. */
struct schema_tables {
	struct small_table schemas, entries;
};

enum payload_kind payload_kind_of(struct str name)
{
	if (str_eq(name, STR_LIT("Python Periodic Sampling")))
		return PAYLOAD_SAMPLE;
	return str_eq(name, STR_LIT("Python Backtrace on CUDA")) ? PAYLOAD_BACKTRACE
								 : PAYLOAD_KINDS;
}

/* Bytes of the types that NVTX defines for numbers; other types have none of their own. */
static uint8_t type_bytes(int64_t type)
{
	static const uint8_t bytes[] = {
		[3] = 2,
		[4] = 2,
		[5] = 4,
		[6] = 4,
		[7] = 8,
		[8] = 8,
		[9] = 8,
		[10] = 8,
		[11] = 1,
		[12] = 1,
		[13] = 2,
		[14] = 2,
		[15] = 4,
		[16] = 4,
		[17] = 8,
		[18] = 8,
		[22] = 8,
		[23] = 8,
		[80] = 8 /* a registered string */,
	};

	return type >= 0 && type < (int64_t)ARRAY_LEN(bytes) ? bytes[type] : 0;
}

/* The row of an entry, by its name or, where that is NULL, by its index; SIZE_MAX: none. */
static size_t find_entry(const struct small_table *entries, int64_t schema, const char *name,
			 int64_t index)
{
	for (size_t i = 0; i < entries->rows; i++) {
		if (value_int(small_value(entries, i, ENTRY_SCHEMA), -1) != schema)
			continue;
		if (name ? str_eq(small_value(entries, i, ENTRY_NAME)->s, str_of(name))
			 : value_int(small_value(entries, i, ENTRY_INDEX), -1) == index)
			return i;
	}
	return SIZE_MAX;
}

/* No offset is the beginning. */
static bool entry_offset(const struct small_table *entries, size_t row, uint32_t *ret)
{
	const int64_t offset = value_int(small_value(entries, row, ENTRY_OFFSET), 0);

	*ret = (uint32_t)offset;
	return offset >= 0 && offset <= UINT16_MAX;
}

static struct payload_field field(const struct small_table *entries, size_t row)
{
	struct payload_field f = {0};

	if (row == SIZE_MAX || !entry_offset(entries, row, &f.offset))
		return (struct payload_field){0};
	f.bytes = type_bytes(value_int(small_value(entries, row, ENTRY_TYPE), -1));
	return f;
}

static bool is_within(struct payload_field f, uint32_t bytes)
{
	return f.bytes && f.offset + f.bytes <= bytes;
}

static int64_t schema_bytes(const struct small_table *schemas, int64_t schema)
{
	for (size_t i = 0; i < schemas->rows; i++) {
		if (value_int(small_value(schemas, i, SCHEMA_ID), -1) == schema)
			return value_int(small_value(schemas, i, SCHEMA_BYTES), 0);
	}
	return 0;
}

/* A frame is a structure of its own: its size and fields. */
static bool lay_out_frame(const struct schema_tables *t, int64_t schema, struct payload_layout *l)
{
	const int64_t bytes = schema_bytes(&t->schemas, schema);

	if (bytes <= 0 || bytes > UINT16_MAX)
		return false;
	l->frame_bytes = (uint32_t)bytes;
	l->function = field(&t->entries, find_entry(&t->entries, schema, "Function", 0));
	l->file = field(&t->entries, find_entry(&t->entries, schema, "File", 0));
	l->line = field(&t->entries, find_entry(&t->entries, schema, "Line", 0));
	return is_within(l->function, l->frame_bytes) && is_within(l->file, l->frame_bytes) &&
	       is_within(l->line, l->frame_bytes);
}

static bool lay_out(const struct schema_tables *t, int64_t schema, struct payload_layout *l)
{
	const size_t frames = find_entry(&t->entries, schema, "Frames", 0);

	if (frames == SIZE_MAX || !entry_offset(&t->entries, frames, &l->frames_offset))
		return false;
	/* Which entry holds the number of frames the array itself says. */
	l->count = field(&t->entries,
			 find_entry(&t->entries, schema, NULL,
				    value_int(small_value(&t->entries, frames, ENTRY_DETAIL), -1)));
	l->schema = schema;
	return is_within(l->count, l->frames_offset) &&
	       lay_out_frame(t, value_int(small_value(&t->entries, frames, ENTRY_TYPE), -1), l);
}

int payload_layouts_read(struct trace *t, struct payload_layouts *ret, struct err *e)
{
	struct schema_tables tables;

	*ret = (struct payload_layouts){0};
	if (trace_read_small(t, "NVTX_PAYLOAD_SCHEMAS", schema_columns, &tables.schemas, e) < 0 ||
	    trace_read_small(t, "NVTX_PAYLOAD_SCHEMA_ENTRIES", entry_columns, &tables.entries, e) <
		    0)
		return -1;
	for (size_t i = 0; i < tables.schemas.rows && ret->count < ARRAY_LEN(ret->all); i++) {
		struct payload_layout l = {
			.kind = payload_kind_of(small_value(&tables.schemas, i, SCHEMA_NAME)->s)};

		if (l.kind == PAYLOAD_KINDS)
			continue;
		ret->named = true;
		/* What no domain uses has a negative one. */
		ret->used[l.kind] |=
			value_int(small_value(&tables.schemas, i, SCHEMA_DOMAIN), 0) >= 0;
		if (lay_out(&tables, value_int(small_value(&tables.schemas, i, SCHEMA_ID), -1), &l))
			ret->all[ret->count++] = l;
	}
	return 0;
}
