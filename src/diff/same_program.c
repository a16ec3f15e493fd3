/* Are two sides the same program, by the ranges that its steps have, or else by what they launch?
 */
#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"
#include "diff/comparable.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

enum { RANGE_NAME = 40, FEW_KERNELS = 4 };

/* Of the time in ranges what is in those that both sides have: less of it is none. */
static const double strange_ranges = 0.1;
/* Where no ranges tell: what two programs have in common at most, and one program at least. */
static const double strange_kernels = 0.1, own_kernels = 0.5;
/* Of the GPU ops of a side those that the other one has not. */
static const double other_program = 0.5;

/* The outermost range of a leaf; empty: it is in none. */
static struct str outermost(const struct leaf *l)
{
	const char *end = strstr(l->path, " / ");

	if (strcmp(l->path, LEAF_BETWEEN) == 0)
		return (struct str){0};
	return (struct str){l->path, end ? (size_t)(end - l->path) : strlen(l->path)};
}

/* The outermost ranges of a side's steps. */
struct side_ranges {
	size_t count;
	struct str largest; /* with most time; empty: it has none */
	double share;	    /* of the time in them that those have that the other side has, too */
};

struct shared_ranges {
	struct side_ranges of[SIDES];
};

/* The time of an outermost range on both sides. */
struct range_time {
	struct str range;
	double ns[SIDES];
};

static int by_range(const void *p, const void *q, void *ctx)
{
	(void)ctx;
	return str_cmp(((const struct range_time *)p)->range,
		       ((const struct range_time *)q)->range);
}

/* Of each leaf that has a range; the caller frees them. */
static struct range_time *list_ranges(const struct sides *s, size_t *ret_count)
{
	const size_t most = s->of[BEFORE].leaf_count + s->of[AFTER].leaf_count;
	struct range_time *all = mem_alloc(most + 1, sizeof(*all));
	size_t count = 0;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < s->of[side].leaf_count; i++) {
			const struct side_leaf *l = &s->of[side].leaves[i];

			all[count] = (struct range_time){.range = outermost(l->key)};
			all[count].ns[side] = (double)l->all.ns;
			count += all[count].range.len > 0;
		}
	}
	sort_stable(all, count, sizeof(*all), by_range, NULL);
	*ret_count = count;
	return all;
}

static size_t join(struct range_time *all, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && by_range(&all[kept - 1], &all[i], NULL) == 0) {
			for (int side = 0; side < SIDES; side++)
				all[kept - 1].ns[side] += all[i].ns[side];
		} else {
			all[kept++] = all[i];
		}
	}
	return kept;
}

static struct side_ranges sum_side(const struct range_time *all, size_t count, enum side side)
{
	struct side_ranges r = {0};
	double ns = 0, shared = 0, most = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(all[i].ns[side] > 0))
			continue;
		r.count++;
		ns += all[i].ns[side];
		shared += all[i].ns[!side] > 0 ? all[i].ns[side] : 0;
		if (all[i].ns[side] > most) {
			most = all[i].ns[side];
			r.largest = all[i].range;
		}
	}
	r.share = ns > 0 ? shared / ns : 0;
	return r;
}

static struct shared_ranges find_shared(const struct sides *s)
{
	size_t count;
	SCOPED struct range_time *all = list_ranges(s, &count);

	count = join(all, count);
	return (struct shared_ranges){
		.of = {sum_side(all, count, BEFORE), sum_side(all, count, AFTER)}};
}

/* "forward", the one with most time, "and 3 others". */
static const char *name_ranges(const struct side_ranges *r, struct arena *arena)
{
	SCOPED_BUF b = {0};

	text_add_elided(&b, r->largest, RANGE_NAME);
	if (r->count > 1)
		buf_addf(&b, " and %zu other%s", r->count - 1, r->count == 2 ? "" : "s");
	return arena_strdup(arena, b.s);
}

/*
 * Parts of one step have names in common with those of the next version of it, or at least launch
 * the same. Where neither is so, what became faster is another program.
 */
static void compare_ranges(struct hindrances *h, const struct shared_ranges *shared,
			   double other_launches, struct arena *arena)
{
	const bool forbids = other_launches >= other_program;

	if (shared->of[BEFORE].share >= strange_ranges || shared->of[AFTER].share >= strange_ranges)
		return;
	hindrances_add(h,
		       (struct hindrance){
			       "ranges in a step",
			       {name_ranges(&shared->of[BEFORE], arena),
				name_ranges(&shared->of[AFTER], arena)},
			       forbids ? "neither the ranges nor the kernels of the two sides are "
					 "the same: they may be two programs"
				       : "none has the name that it has on the other side: what "
					 "is in them is matched by what they launch",
			       forbids});
}

/* Whether the steps of both sides are ranges of one name. */
static bool steps_share_range(const struct sides *s)
{
	const struct str before = step_range_of(s->of[BEFORE].runs[0]),
			 after = step_range_of(s->of[AFTER].runs[0]);

	return before.len && str_eq(before, after);
}

static bool has_copy(const struct side_runs *s, const char *name)
{
	for (size_t i = 0; i < s->leaf_count; i++) {
		if (s->leaves[i].key->class == LEAF_COPY &&
		    strcmp(s->leaves[i].key->name, name) == 0)
			return true;
	}
	return false;
}

/* A program of a kernel or two may have another one and copy as before. */
static bool is_small_and_copies_alike(const struct sides *s)
{
	size_t kernels[SIDES] = {0};
	bool copies = false;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < s->of[side].leaf_count; i++) {
			const struct leaf *l = s->of[side].leaves[i].key;

			kernels[side] += l->class != LEAF_IDLE && op_name_is_kernel(l);
			copies |= l->class == LEAF_COPY && has_copy(&s->of[!side], l->name);
		}
	}
	return copies && (kernels[BEFORE] <= FEW_KERNELS || kernels[AFTER] <= FEW_KERNELS);
}

/* "gemm", the one with most work, "and 3 others". */
static const char *name_kernels(const struct side_runs *s, struct arena *arena)
{
	size_t kernels = 0;
	const struct side_leaf *most = NULL;
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < s->leaf_count; i++) {
		const struct side_leaf *l = &s->leaves[i];

		if (l->key->class == LEAF_IDLE || !op_name_is_kernel(l->key))
			continue;
		kernels++;
		if (!most || l->all.work_ns > most->all.work_ns)
			most = l;
	}
	if (most)
		op_name_add_brief(&b, most->key);
	if (kernels > 1)
		buf_addf(&b, " and %zu other%s", kernels - 1, kernels == 2 ? "" : "s");
	return b.len ? arena_strdup(arena, b.s) : "";
}

/*
 * Steps without ranges inside them are told by what they launch alone. A compiler, or another
 * library, replaces much of that; a tenth of it is left in any case.
 */
static void compare_kernels(struct hindrances *h, const struct sides *s, double common,
			    struct arena *arena)
{
	const bool forbids =
		common < strange_kernels && !steps_share_range(s) && !is_small_and_copies_alike(s);

	if (!(common < own_kernels))
		return;
	hindrances_add(
		h,
		(struct hindrance){
			"kernels of a step",
			{name_kernels(&s->of[BEFORE], arena), name_kernels(&s->of[AFTER], arena)},
			forbids ? "they are not the same, and no ranges tell that the steps are: "
				  "they "
				  "may be two programs"
				: "few of them are the same, and no ranges tell that the steps are",
			forbids});
}

void hindrances_add_programs(struct hindrances *h, const struct sides *s,
			     const struct likeness *like, struct arena *arena)
{
	const struct shared_ranges shared = find_shared(s);

	if (shared.of[BEFORE].largest.len && shared.of[AFTER].largest.len)
		compare_ranges(h, &shared, like->other_launches, arena);
	else
		compare_kernels(h, s, like->common_kernels, arena);
}

static int64_t ns_in(const struct account *a, struct str range)
{
	int64_t ns = 0;

	for (size_t i = 0; i < a->leaf_count; i++) {
		if (str_eq(outermost(&a->leaves[i]), range))
			ns = sat_add(ns, leaf_total(a, &a->leaves[i]).ns);
	}
	return ns;
}

struct str range_in_common(const struct sides *s)
{
	const struct account *before = s->of[BEFORE].runs[0], *after = s->of[AFTER].runs[0];
	struct str found = {0}, last = {0};
	int64_t most_ns = 0;

	for (size_t i = 0; i < before->leaf_count; i++) {
		const struct str range = outermost(&before->leaves[i]);
		int64_t ns;

		/* Those of one range are beside each other, class by class. */
		if (!range.len || str_eq(range, last))
			continue;
		last = range;
		ns = ns_in(before, range);
		if (ns > most_ns && ns_in(after, range) > 0) {
			most_ns = ns;
			found = range;
		}
	}
	return found;
}
