/* Which revisions of the protocol are spoken? */
#include "mcp/revision.h"

#include "base/mem.h"

static const struct revision revisions[] = {
	{"2026-07-28", true},
	{"2025-11-25", false},
	{"2025-06-18", false},
};

const struct revision *revision_at(size_t i)
{
	return i < ARRAY_LEN(revisions) ? &revisions[i] : NULL;
}

const struct revision *revision_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(revisions); i++) {
		if (str_eq(name, str_of(revisions[i].name)))
			return &revisions[i];
	}
	return NULL;
}

const struct revision *revision_for_initialize(struct str asked)
{
	const struct revision *r = revision_find(asked);
	size_t i = 0;

	if (r && !r->is_stateless)
		return r;
	while (revisions[i].is_stateless)
		i++;
	return &revisions[i];
}
