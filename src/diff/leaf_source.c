/* Which range does an op belong to, and which leaf is that? */
#include "diff/leaf_source.h"

/*
 * Threads without ranges work for the one that has them: PyTorch launches a backward pass from
 * another thread while that of the step waits in `backward`.
 */
static uint32_t range_of_steps(const struct leaf_source *s, int64_t at_ns,
			       struct innermost_cursor *c)
{
	return s->judge.joined && s->steps.thread != ID_NONE && s->judge.attribution.forest.count
		       ? innermost_follow(&s->judge.innermost, s->steps.thread, at_ns, c)
		       : RANGE_NONE;
}

uint32_t leaf_range_of_op(const struct leaf_source *s, enum trace_kind kind, uint64_t row,
			  struct innermost_cursor *c)
{
	const struct attribution *a = &s->judge.attribution;
	struct api_call call = {0};
	uint32_t range;

	if (!s->judge.joined)
		return RANGE_NONE;
	range = attribution_range(a, kind, row);
	if (range == RANGE_NONE && attribution_call(a, kind, row, &call))
		range = range_of_steps(s, call.start_ns, c);
	return range;
}

/* What no range has, and lies after the end of a step. */
uint32_t leaf_path_of(const struct leaf_source *s, uint32_t range, bool between)
{
	const uint32_t path = step_path_of(&s->paths, range);

	return between && path == step_path_none(&s->paths) ? step_path_between(&s->paths) : path;
}

struct leaf leaf_of_key(const struct leaf_source *s, uint64_t key)
{
	const uint32_t what = leaf_key_what(key);
	const char *path = s->paths.texts[leaf_key_path(key)];

	if (what >= s->groups.count)
		return (struct leaf){LEAF_IDLE, what - (uint32_t)s->groups.count, path, "", "",
				     NULL};
	return (struct leaf){s->groups.all[what].class, BLAMES, path, s->groups.all[what].name,
			     s->groups.all[what].grid,	NULL};
}
