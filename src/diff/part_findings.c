/* Which findings are of steps that are a part of a loop? */
#include "diff/part_findings.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <string.h>

static const double least_share =
	0.005; /* of the steps' time: what leaves less there is not of them */

static const char **list_paths(const struct compared_steps *c, const struct step_paths *paths,
			       const struct range_forest *f, struct arena *arena, size_t *ret_count)
{
	SCOPED bool *seen = mem_zalloc(step_path_none(paths) + 1, sizeof(*seen));
	const char **texts = arena_alloc(arena, step_path_none(paths) + 1, sizeof(*texts));
	size_t near = 0;

	*ret_count = 0;
	for (uint32_t i = 0; i < f->count; i++) {
		const uint32_t path = step_path_of(paths, i);

		if (seen[path] ||
		    compared_steps_host_at(c, f->ranges[i].start_ns, &near) == c->count)
			continue;
		seen[path] = true;
		texts[(*ret_count)++] = paths->texts[path];
	}
	return texts;
}

struct step_parts step_parts_make(const struct compared_steps *c, const struct step_paths *paths,
				  const struct range_forest *f, struct arena *arena)
{
	struct step_parts p = {.are_parts = c->reach == REACH_OWN, .name = c->name};
	struct span *steps;

	if (!p.are_parts)
		return p;
	steps = arena_alloc(arena, c->count, sizeof(*steps));
	for (size_t i = 0; i < c->count; i++)
		steps[i] = (struct span){c->all[i].from_ns, c->all[i].to_ns};
	p.steps = steps;
	p.step_count = c->count;
	p.paths = list_paths(c, paths, f, arena, &p.path_count);
	return p;
}

static int64_t inside_ns(const struct step_parts *p, struct span place)
{
	int64_t ns = 0;

	for (size_t i = BISECT(0, p->step_count, at, p->steps[at].end_ns <= place.start_ns);
	     i < p->step_count && p->steps[i].start_ns < place.end_ns; i++)
		ns = sat_add(ns, span_overlap(p->steps[i], place));
	return ns;
}

/* The share of its places that lies in the steps: what has no place is not known to. */
static double inside_share(const struct step_parts *p, const struct finding *f)
{
	int64_t inside = 0, all = 0;

	for (size_t i = 0; i < f->place_count; i++) {
		inside = sat_add(inside, inside_ns(p, f->places[i]));
		all = sat_add(all, span_ns(f->places[i]));
	}
	return all > 0 ? (double)inside / (double)all : 0;
}

static bool ends_with(struct str path, struct str range)
{
	return path.s && path.len >= range.len &&
	       str_eq((struct str){path.s + path.len - range.len, range.len}, range);
}

/* Whether a range of this name is in the steps, or is theirs. */
static bool has_range(const struct step_parts *p, struct str range)
{
	if (p->name && str_eq(str_of(p->name), range))
		return true;
	for (size_t i = 0; i < p->path_count; i++) {
		const struct str path = str_of(p->paths[i]);

		if (ends_with(path, range) &&
		    (path.len == range.len ||
		     ends_with((struct str){path.s, path.len - range.len}, str_of(" / "))))
			return true;
	}
	return false;
}

/* Ranges tell where its shares are. What is in none may be in the steps or not: its places are
 * not told apart from the others'. */
static void clip_shares(const struct step_parts *p, struct finding *f)
{
	size_t kept = 0;

	f->recoverable_ns = 0;
	for (size_t i = 0; i < f->share_count; i++) {
		if (!f->shares[i].range[0] || !has_range(p, str_of(f->shares[i].range)))
			continue;
		f->recoverable_ns = sat_add(f->recoverable_ns, f->shares[i].ns);
		f->shares[kept++] = f->shares[i];
	}
	f->share_count = kept;
}

/* Its places are the longest stretches of it, and stand for all. */
static void clip_places(const struct step_parts *p, struct finding *f)
{
	const bool elsewhere = f->range && !has_range(p, str_of(f->range));

	f->recoverable_ns =
		elsewhere ? 0 : sat_of_double((double)f->recoverable_ns * inside_share(p, f));
}

bool step_parts_clip(const struct step_parts *p, struct finding *f)
{
	double steps_ns = 0;

	if (!p->are_parts)
		return true;
	if (f->share_count)
		clip_shares(p, f);
	else
		clip_places(p, f);
	for (size_t i = 0; i < p->step_count; i++)
		steps_ns += (double)span_ns(p->steps[i]);
	return (double)f->recoverable_ns >= least_share * steps_ns && f->recoverable_ns > 0;
}
