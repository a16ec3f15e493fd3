/* What does the host do in ranges that both sides have? */
#include "base/mem.h"
#include "base/sort.h"
#include "diff/matching/common_paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A range of a run, by its whole path. */
struct host_part {
	struct side_host is;
	const char *whole;
};

static int by_path(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct host_part *)a)->is.path,
		      ((const struct host_part *)b)->is.path);
}

static int by_paths(const void *a, const void *b, void *ctx)
{
	const int order = by_path(a, b, ctx);

	return order ? order
		     : strcmp(((const struct host_part *)a)->whole,
			      ((const struct host_part *)b)->whole);
}

static int by_change(const void *a, const void *b, void *ctx)
{
	const double x = fabs(side_change_ns(ctx, ((const struct side_host *)a)->own_ns));
	const double y = fabs(side_change_ns(ctx, ((const struct side_host *)b)->own_ns));

	return (x < y) - (x > y);
}

static void add(struct side_host *to, const struct side_host *by)
{
	for (int side = 0; side < SIDES; side++) {
		to->own_ns[side] = sat_add(to->own_ns[side], by->own_ns[side]);
		to->wait_ns[side] = sat_add(to->wait_ns[side], by->wait_ns[side]);
	}
}

static struct host_part part_of(const struct side_runs *s, size_t run, const struct host_time *h,
				enum side side)
{
	struct host_part p = {.whole = h->path};

	p.is.own_ns[side] = sat_mul(h->own_ns, (int64_t)s->times[run]);
	p.is.wait_ns[side] = sat_mul(h->wait_ns, (int64_t)s->times[run]);
	return p;
}

/* Each whole path once, those of one common path side by side; the caller frees them. */
static struct host_part *list_parts(const struct sides *s, const struct common_paths *paths,
				    size_t *ret_count)
{
	struct host_part *all = NULL;
	size_t count = 0, cap = 0, kept = 0;

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *of = &s->of[side];

		for (size_t r = 0; r < of->run_count; r++) {
			const struct account *a = of->runs[r];

			MEM_GROW(all, cap, count + a->host_count);
			for (size_t i = 0; i < a->host_count; i++) {
				all[count] = part_of(of, r, &a->host[i], (enum side)side);
				all[count].is.path =
					common_path_of(paths, (enum side)side, all[count].whole);
				count++;
			}
		}
	}
	sort_stable(all, count, sizeof(*all), by_paths, NULL);
	for (size_t i = 0; i < count; i++) {
		if (kept && by_paths(&all[kept - 1], &all[i], NULL) == 0)
			add(&all[kept - 1].is, &all[i].is);
		else
			all[kept++] = all[i];
	}
	*ret_count = kept;
	return all;
}

/* Whether what the host does in ranges is known of a side. */
static bool has_host(const struct side_runs *side)
{
	for (size_t r = 0; r < side->run_count; r++) {
		if (side->runs[r]->host_count)
			return true;
	}
	return false;
}

/* Of parts of one common path the one in a range that a side has alone, and that is about as long
 * as they are longer there; NULL: a range was only put around what there was. */
static const struct host_part *part_that_came(const struct sides *s, const struct host_part *all,
					      size_t count, double longer_ns)
{
	const enum side side = longer_ns > 0 ? AFTER : BEFORE;
	const struct host_part *found = NULL;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		const double ns = side_step_ns(&s->of[side], all[i].is.own_ns[side]);

		if (strcmp(all[i].whole, all[i].is.path) != 0 && 2 * fabs(longer_ns) >= ns &&
		    2 * ns >= fabs(longer_ns) && ns > most) {
			found = &all[i];
			most = ns;
		}
	}
	return found;
}

static const struct host_part *longest_part(const struct sides *s, const struct host_part *all,
					    size_t count)
{
	const struct host_part *found = all;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		const double ns = side_step_ns(&s->of[BEFORE], all[i].is.own_ns[BEFORE]) +
				  side_step_ns(&s->of[AFTER], all[i].is.own_ns[AFTER]);

		if (ns > most) {
			found = &all[i];
			most = ns;
		}
	}
	return found;
}

static struct side_host join(const struct sides *s, const struct host_part *all, size_t count)
{
	struct side_host h = {.path = all->is.path};
	const struct host_part *told;

	for (size_t i = 0; i < count; i++)
		add(&h, &all[i].is);
	told = part_that_came(s, all, count, side_change_ns(s, h.own_ns));
	h.name = (told ? told : longest_part(s, all, count))->whole;
	return h;
}

void sides_join_host(struct sides *s, const struct common_paths *paths)
{
	struct host_part *all;
	size_t count;

	if (!has_host(&s->of[BEFORE]) || !has_host(&s->of[AFTER]))
		return;
	all = list_parts(s, paths, &count);
	s->host = arena_alloc(&s->arena, count, sizeof(*s->host));
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && by_path(&all[i], &all[end], NULL) == 0;)
			end++;
		s->host[s->host_count++] = join(s, &all[i], end - i);
	}
	free(all);
	sort_stable(s->host, s->host_count, sizeof(*s->host), by_change, s);
}
