/* What is inside a range or a phase? */
#include "analysis/events/paths_under.h"

#include "analysis/ranges/phase_map.h"
#include "base/mem.h"
#include "text/name_pattern.h"

#include <stdlib.h>

/* A range that is called just so is meant, before others that have it in their names. */
static bool has_such_range(const struct event_joins *j, struct str name)
{
	for (size_t i = 0; i < j->paths.count; i++) {
		if (str_eq(event_joins_range_name(j, (uint32_t)i), name))
			return true;
	}
	return false;
}

static void begin(struct paths_under *u, const struct event_joins *j)
{
	u->is = mem_zalloc(j->paths.count, sizeof(*u->is));
	u->meant = mem_zalloc(j->paths.count, sizeof(*u->meant));
}

static bool is_above(const struct paths_under *u, const struct event_joins *j, size_t path)
{
	uint32_t above = j->paths.all[path].parent;

	return above != RANGE_NONE && u->is[above];
}

static int no_such(const struct event_joins *j, const char *what, const char *name, struct err *e)
{
	return err_set(e, ERR_INPUT, "'%s' has no push/pop range %s '%s'", j->trace->path, what,
		       name);
}

static int mark_matching(struct paths_under *u, const struct event_joins *j, const char *text,
			 struct pattern *pattern, struct err *e)
{
	const struct str name = str_of(text);
	const bool exactly = has_such_range(j, name);
	bool any = false;

	for (size_t i = 0; i < j->paths.count; i++) {
		struct str own = event_joins_range_name(j, (uint32_t)i);
		int found = exactly ? str_eq(own, name) : pattern_match(pattern, own, e);

		if (found < 0)
			return -1;
		u->meant[i] = found;
		u->is[i] = found || is_above(u, j, i);
		any |= found;
	}
	return any ? 0 : no_such(j, "called", text, e);
}

int paths_under_range(struct paths_under *ret, const struct event_joins *j, const char *text,
		      struct err *e)
{
	struct pattern *pattern;
	int result;

	*ret = (struct paths_under){0};
	if (name_pattern_compile(&pattern, str_of(text), e) < 0)
		return -1;
	begin(ret, j);
	result = mark_matching(ret, j, text, pattern, e);
	pattern_free(pattern);
	return result;
}

static int mark_phase(struct paths_under *u, const struct event_joins *j,
		      const struct phase_map *map, uint32_t phase, const char *name, struct err *e)
{
	bool any = false;

	for (size_t i = 0; i < j->paths.count; i++) {
		uint32_t own;

		if (phase_map_find(map, event_joins_range_name(j, (uint32_t)i), &own, e) < 0)
			return -1;
		u->meant[i] = own == phase;
		u->is[i] = own == PHASE_NONE ? is_above(u, j, i) : u->meant[i];
		any |= u->meant[i];
	}
	return any ? 0 : no_such(j, "of the phase", name, e);
}

int paths_under_phase(struct paths_under *ret, const struct event_joins *j, const char *phase,
		      const char *phase_map, struct err *e)
{
	struct phase_map map;
	uint32_t number;
	int result;

	*ret = (struct paths_under){0};
	if (phase_map_read(&map, phase_map, e) < 0)
		return -1;
	result = phase_map_number(&map, phase, &number, e);
	if (result == 0) {
		begin(ret, j);
		result = mark_phase(ret, j, &map, number, phase, e);
	}
	phase_map_free(&map);
	return result;
}

void paths_under_free(struct paths_under *u)
{
	free(u->is);
	free(u->meant);
	*u = (struct paths_under){0};
}
