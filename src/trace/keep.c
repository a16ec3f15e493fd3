/* What has been made of a trace and is needed again? */
#include "trace/keep.h"

#include "base/mem.h"

#include <stdlib.h>

struct trace_keepsake {
	struct trace_keepsake *next;
	const void *key;
	void *made;
	void (*free_made)(void *);
};

void *trace_kept(struct trace *t, const void *key)
{
	const struct trace_keepsake *k;

	trace_lock(t);
	k = t->kept;
	while (k && k->key != key)
		k = k->next;
	trace_unlock(t);
	return k ? k->made : NULL;
}

void trace_keep(struct trace *t, const void *key, void *made, void (*free_made)(void *))
{
	struct trace_keepsake *k = mem_alloc(1, sizeof(*k));

	trace_lock(t);
	*k = (struct trace_keepsake){t->kept, key, made, free_made};
	t->kept = k;
	trace_unlock(t);
}

void trace_free_kept(struct trace *t)
{
	while (t->kept) {
		struct trace_keepsake *k = t->kept;

		t->kept = k->next;
		k->free_made(k->made);
		free(k);
	}
}
