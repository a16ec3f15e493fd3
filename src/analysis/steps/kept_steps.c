/* Were the steps of this trace found before? */
#include "analysis/kept_answers.h"
#include "analysis/steps/iterations.h"
#include "base/mem.h"

#include <stdlib.h>

/* What a search found, or why it found nothing. */
struct found {
	int result;
	struct iterations steps;
	struct err why_not;
};

static void free_found(void *p)
{
	struct found *found = p;

	iterations_free(&found->steps);
}

/* Windows do not matter: steps are those of the whole capture. */
static const struct kept_answers kept = {sizeof(struct found), &filter_options, free_found};

static const char *copy_text(struct arena *a, const char *text)
{
	return text ? arena_strdup(a, text) : NULL;
}

static struct iterations copy_steps(const struct iterations *it)
{
	struct iterations copy = *it;

	copy.arena = (struct arena){0};
	copy.all = mem_copy(it->all, it->count, sizeof(*it->all));
	copy.cap = it->count;
	copy.lanes = mem_copy(it->lanes, it->lane_count, sizeof(*it->lanes));
	copy.apart = mem_copy(it->apart, it->apart_count, sizeof(*it->apart));
	copy.name = copy_text(&copy.arena, it->name);
	copy.what = copy_text(&copy.arena, it->what);
	copy.how = copy_text(&copy.arena, it->how);
	return copy;
}

static void keep(struct trace *t, const struct scope *p, int result, const struct iterations *it,
		 const struct err *e)
{
	struct found found = {.result = result, .why_not = *e};

	if (result < 0 && !e->absent)
		return;
	if (result == 0)
		found.steps = copy_steps(it);
	if (!kept_answers_add(&kept, t, p, &found))
		iterations_free(&found.steps);
}

int iterations_find(struct trace *t, const struct scope *p, const struct device_map *devices,
		    const struct launches *l, struct iterations *ret, struct err *e)
{
	const bool is_usual = !p->marker && !p->by_kernels;
	struct found found;
	int result;

	if (is_usual && kept_answers_find(&kept, t, p, &found)) {
		*ret = found.result == 0 ? copy_steps(&found.steps) : (struct iterations){0};
		*e = found.why_not;
		return found.result;
	}
	result = iterations_search(t, p, devices, l, ret, e);
	if (t->keeps_answers && is_usual)
		keep(t, p, result, ret, e);
	return result;
}

bool iterations_kept(struct trace *t, const struct scope *p, struct iterations *ret)
{
	struct found found;

	if (p->marker || p->by_kernels || !kept_answers_find(&kept, t, p, &found) ||
	    found.result < 0)
		return false;
	*ret = found.steps;
	return true;
}
