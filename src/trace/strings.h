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

#endif
