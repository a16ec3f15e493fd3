/* The names of a trace: the strings of StringIds, and texts that came without an id. */
#ifndef TRACE_STRINGS_H
#define TRACE_STRINGS_H

#include "trace/trace.h"

int strings_load(struct trace *t, struct err *e);
/* The number of a StringIds id, or NAME_NONE. Safe from many threads after strings_load(). */
static inline uint32_t strings_number(const struct trace *t, int64_t id)
{
	if ((uint64_t)id < t->name_by_id_count)
		return t->name_by_id[id];
	return idmap_get(&t->name_ids, (uint64_t)id);
}

/* The number of a text, added when it is new. Its bytes must live as long as the trace. */
uint32_t strings_add_text(struct trace *t, struct str text);

/*
 * Which names the events of a kind have, of kinds whose names are ids alone: kernels, calls. By
 * number of trace->names, the last stands for none: 1 where an event is called so. To be freed.
 */
int names_used(struct trace *t, enum trace_kind kind, uint8_t **ret, struct err *e);

/* For those who read the table anyway, once names are loaded: how many bytes that takes, */
static inline size_t names_used_size(const struct trace *t)
{
	return t->names.count + 1;
}
/* and what to do with its values; many threads may do so at once. */
void names_mark_used(const struct trace *t, const struct sqlite_values *v, size_t rows,
		     uint8_t *used);

#endif
