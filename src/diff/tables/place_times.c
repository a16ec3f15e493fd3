/* How long is a step in a place? */
#include "diff/tables/place_times.h"

#include "text/strtab.h"

#include <string.h>

/* Whether a range of that name is on the path. */
static bool is_on_path(const char *path, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = path; len && (at = strstr(at, name)); at++) {
		const bool begins =
			at == path || (at >= path + 3 && strncmp(at - 3, " / ", 3) == 0);

		if (begins && (!at[len] || strncmp(at + len, " / ", 3) == 0))
			return true;
	}
	return false;
}

/* The paths that lie around ranges of a name: none where the side has no such range. */
static struct strtab list_around(const struct side_runs *s, const char *place)
{
	struct strtab around = {0};

	for (size_t i = 0; i < s->leaf_count && place; i++) {
		if (is_on_path(s->leaves[i].key->path, place))
			strtab_add(&around, str_of(s->leaves[i].path));
	}
	return around;
}

static bool is_sort(const struct place_part *p, const struct leaf *l)
{
	return (p->classes & 1U << l->class) && (p->act == BLAMES || p->act == l->blame) &&
	       (l->class != LEAF_COPY || strcmp(l->name, "[CUDA memset]") != 0);
}

/* `around`: paths that both sides have in place of the part's own place; NULL: that counts. */
static bool add_side(const struct side_runs *s, const struct place_part *p,
		     const struct strtab *around, double *ret_ns)
{
	bool found = false;

	*ret_ns = 0;
	for (size_t i = 0; i < s->leaf_count; i++) {
		const struct side_leaf *l = &s->leaves[i];

		if (!is_sort(p, l->key))
			continue;
		if (around ? strtab_find(around, str_of(l->path)) == STRTAB_NONE
			   : p->place && !is_on_path(l->key->path, p->place))
			continue;
		found = true;
		*ret_ns += side_step_ns(s, l->all.ns);
	}
	return found;
}

bool place_time_of(const struct side_runs *s, const struct place_part *p, double *ret_ns)
{
	return add_side(s, p, NULL, ret_ns);
}

bool place_times_find(const struct diff *d, const struct place_part *p, double ret_ns[SIDES])
{
	struct strtab around[SIDES];
	const struct strtab *alone = NULL;
	bool found = false;

	for (int side = 0; side < SIDES; side++)
		around[side] = list_around(&d->sides.of[side], p->place);
	for (int side = 0; side < SIDES; side++) {
		if (around[side].count && !around[!side].count)
			alone = &around[side];
	}
	for (int side = 0; side < SIDES; side++)
		found |= add_side(&d->sides.of[side], p, alone, &ret_ns[side]);
	strtab_free(&around[BEFORE]);
	strtab_free(&around[AFTER]);
	return found;
}
