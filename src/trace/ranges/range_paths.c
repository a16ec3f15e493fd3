/* Which names lie around each range? */
#include "trace/ranges/range_paths.h"

#include "base/mem.h"

#include <stdlib.h>

/* Real programs nest some dozen ranges; a hostile file must not make each path a megabyte. */
enum { DEEPEST_SHOWN = 250 };

void range_paths_add(struct range_paths *p, uint32_t parent, uint32_t name)
{
	MEM_GROW(p->all, p->cap, p->count + 1);
	p->all[p->count++] = (struct range_path){
		.parent = parent,
		.name = name,
		.depth = parent == RANGE_NONE ? 0 : p->all[parent].depth + 1,
	};
}

/* Parents lie before their children, so that a path's parent is known when it is met. */
void range_paths_make(const struct range_forest *f, range_path_name *name, const void *ctx,
		      struct range_paths *ret)
{
	struct idmap known = {0}; /* parent's path << 32 | name */

	*ret = (struct range_paths){
		.of_range = mem_alloc(f->count, sizeof(*ret->of_range)),
	};
	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];
		uint32_t parent = r->parent == RANGE_NONE ? RANGE_NONE : ret->of_range[r->parent];
		uint32_t its = name(ctx, r);

		ret->of_range[i] = RANGE_NONE;
		if (its == NAME_NONE)
			continue;
		ret->of_range[i] = idmap_number_pair(&known, parent, its);
		if (ret->of_range[i] == ret->count)
			range_paths_add(ret, parent, its);
	}
	idmap_free(&known);
}

void range_paths_free(struct range_paths *p)
{
	free(p->all);
	free(p->of_range);
	*p = (struct range_paths){0};
}

struct str range_name_shown(struct str name)
{
	return name.len && name.s[0] == ':' ? (struct str){name.s + 1, name.len - 1} : name;
}

void range_path_add(struct buf *b, const struct range_paths *p, const struct strtab *names,
		    uint32_t path)
{
	uint32_t chain[DEEPEST_SHOWN];
	size_t depth = 0;

	for (; path != RANGE_NONE && depth < DEEPEST_SHOWN; path = p->all[path].parent)
		chain[depth++] = p->all[path].name;
	if (path != RANGE_NONE)
		buf_adds(b, "… / ");
	while (depth) {
		buf_addstr(b, range_name_shown(names->items[chain[--depth]]));
		if (depth)
			buf_adds(b, " / ");
	}
}
