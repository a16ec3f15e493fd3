/* Which part of a sequence of kernels comes again and again? */
#include "analysis/steps/kernel_period.h"

#include "analysis/steps/kernel_grams.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Grams that come once in each step, and so at regular distances, are candidates for where a step
 * begins; a step agrees with another where its grams are the other's, at about the same place.
 */
enum {
	NEAR = 16, /* how far a gram may be from where it was in the usual step */
	STEPS_MIN = 3,
	LENGTH_MIN = 2,
	KERNELS_MIN = 24,     /* in all steps: fewer agree by accident */
	CANDIDATES_MAX = 512, /* one for each length of steps, by 5 % */
	TRIES_MAX = 24,
};

static const double enough = 0.8;      /* of gaps, and of kernels, that agree */
static const double a_step = 0.5;      /* of its kernels: less, and it is something else */
static const double nearly_all = 0.95; /* of a step's kernels where steps are all alike */

struct candidate {
	size_t first, count; /* its places in `places` */
	size_t length;	     /* the usual number of kernels from one to the next */
};

/* The usual step, to compare with: its places by gram. */
struct reference {
	size_t begin, length;
	uint32_t *order;
};

/* What comes of a candidate. */
struct trial {
	struct kernel_step *blocks; /* from each place to the next */
	double *agrees;		    /* share of each block's kernels */
	size_t count, first, last;  /* the blocks that are steps lie in [first, last) */
	double confidence;
	bool uniform; /* each step agrees about as well as the others */
};

/* The usual distance between places; 0 where distances are not regular. */
static size_t usual_gap(const uint32_t *places, size_t count, int64_t *gaps, int64_t *scratch)
{
	size_t regular = 0;
	int64_t usual;

	for (size_t i = 0; i + 1 < count; i++)
		gaps[i] = (int64_t)places[i + 1] - places[i];
	sort_i64(gaps, scratch, count - 1);
	usual = gaps[(count - 1) / 2];
	for (size_t i = 0; i + 1 < count; i++)
		regular += llabs(gaps[i] - usual) <= 1 + usual / 20;
	return (double)regular >= enough * (double)(count - 1) ? (size_t)usual : 0;
}

/* Of grams at like distances the one that comes most often, then the one that comes first. */
static void propose(const struct kernel_grams *s, struct candidate *candidates, size_t first,
		    size_t count, size_t length)
{
	size_t bucket = (size_t)(log((double)length) / log(1.05));
	struct candidate *c = &candidates[bucket < CANDIDATES_MAX ? bucket : CANDIDATES_MAX - 1];

	if (count < c->count || (count == c->count && s->places[first] > s->places[c->first]))
		return;
	*c = (struct candidate){first, count, length};
}

/* What repeats in less than half of the sequence is not what the run consists of. */
static bool covers_half(const struct kernel_grams *s, size_t first, size_t count, size_t length)
{
	return s->places[first + count - 1] - s->places[first] + length >= s->n / 2;
}

/* By the length of steps, CANDIDATES_MAX in all. */
static struct candidate *propose_all(const struct kernel_grams *s)
{
	int64_t *gaps = mem_alloc(s->place_count, sizeof(*gaps));
	int64_t *scratch = mem_alloc(s->place_count, sizeof(*scratch));
	struct candidate *candidates = mem_zalloc(CANDIDATES_MAX, sizeof(*candidates));
	size_t first = 0;

	for (size_t i = 1; i <= s->place_count; i++) {
		size_t count = i - first, length;

		if (i < s->place_count && s->grams[s->places[i]] == s->grams[s->places[first]])
			continue;
		if (count >= STEPS_MIN) {
			length = usual_gap(&s->places[first], count, gaps, scratch);
			if (length >= LENGTH_MIN && covers_half(s, first, count, length))
				propose(s, candidates, first, count, length);
		}
		first = i;
	}
	free(gaps);
	free(scratch);
	return candidates;
}

/* Places of a reference are ordered by their grams, those of one by themselves. */
static bool is_before(const int64_t *grams, uint32_t at, int64_t gram, int64_t place)
{
	return grams[at] < gram || (grams[at] == gram && (int64_t)at < place);
}

/* Where in the reference a gram is, near a place; -1: nowhere. */
static int64_t find_near(const struct kernel_grams *s, const struct reference *r, int64_t gram,
			 int64_t place)
{
	const int64_t *grams = &s->grams[r->begin];
	const uint32_t *order = r->order;
	const size_t first =
		BISECT(0, r->length, at, is_before(grams, order[at], gram, place - NEAR));

	if (first < r->length && grams[order[first]] == gram && order[first] <= place + NEAR)
		return order[first];
	return -1;
}

/* How many kernels of a block lie in grams of the reference; `agreed` counts them by name. */
static size_t count_agreeing(const struct kernel_grams *s, const struct reference *r,
			     const struct kernel_step *block, uint32_t *agreed)
{
	int64_t shift = 0; /* kernels more in the reference so far */
	size_t until = block->begin, covered = 0;

	for (size_t i = block->begin; i < block->end && i < s->gram_count; i++) {
		int64_t place = (int64_t)(i - block->begin) + shift;

		if (place < 0 || place >= (int64_t)r->length ||
		    s->grams[r->begin + (size_t)place] != s->grams[i]) {
			int64_t found = find_near(s, r, s->grams[i], place);

			if (found < 0)
				continue;
			shift += found - place;
		}
		for (until = until > i ? until : i; until < i + GRAM && until < block->end;
		     until++) {
			agreed[s->names[until]]++;
			covered++;
		}
	}
	return covered;
}

static void add_block(struct trial *t, size_t begin, size_t end)
{
	t->blocks[t->count++] = (struct kernel_step){begin, end};
}

/* A step that varies where it begins hides behind the one before: two are twice as long. */
static void add_gap(struct trial *t, size_t begin, size_t end, size_t length)
{
	size_t steps = (end - begin + length / 2) / length, whole = steps * length;
	size_t off = whole > end - begin ? whole - (end - begin) : end - begin - whole;

	if (off > steps + whole / 20)
		steps = 1;
	for (; steps > 1; steps--) {
		add_block(t, begin, begin + length);
		begin += length;
	}
	add_block(t, begin, end);
}

/* Blocks from each place to the next, and others of the usual length after the last. */
static void cut(const struct kernel_grams *s, const struct candidate *c, struct trial *t)
{
	const uint32_t *places = &s->places[c->first];
	size_t last = places[c->count - 1], most = c->count + s->n / c->length + 1;

	t->blocks = mem_alloc(most, sizeof(*t->blocks));
	t->agrees = mem_alloc(most, sizeof(*t->agrees));
	for (size_t i = 0; i + 1 < c->count; i++)
		add_gap(t, places[i], places[i + 1], c->length);
	for (; last + c->length <= s->n; last += c->length)
		add_block(t, last, last + c->length);
}

/* A block of the usual length, in the middle: warm-up comes first. */
static void choose_reference(const struct kernel_grams *s, const struct candidate *c,
			     const struct trial *t, struct reference *ret)
{
	const struct kernel_step *best = t->blocks;
	size_t most;

	for (size_t i = 0; i < t->count; i++) {
		const struct kernel_step *b = &t->blocks[i];

		if (b->end - b->begin == c->length &&
		    (best->end - best->begin != c->length || i <= t->count / 2))
			best = b;
	}
	ret->begin = best->begin;
	most = s->gram_count - best->begin;
	ret->length = c->length < most ? c->length : most;
	ret->order = sort_new_order(&s->grams[ret->begin], ret->length);
}

/* How many kernels are the same one by one: the last few of a sequence are in no gram. */
static size_t count_equal(const struct kernel_grams *s, const struct reference *r,
			  const struct kernel_step *block)
{
	size_t equal = 0;

	for (size_t i = 0; i < r->length && i < block->end - block->begin; i++)
		equal += s->names[block->begin + i] == s->names[r->begin + i];
	return equal;
}

static size_t longer(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Of each name that comes in every step: else many of one kernel hide that all others differ. */
static double agreement_by_name(const uint32_t *agreed, const uint32_t *all, size_t names,
				size_t steps)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < names; i++) {
		if (all[i] < steps)
			continue;
		sum += (double)agreed[i] / (double)all[i];
		count++;
	}
	return count ? sum / (double)count : 0;
}

static void find_ends(struct trial *t)
{
	while (t->last > t->first && t->agrees[t->last - 1] < a_step)
		t->last--;
	while (t->first < t->last && t->agrees[t->first] < a_step)
		t->first++;
}

static int compare_shares(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Whether each step agrees about as well as the others; the first may be a warm-up. Layers do not
 * where a step begins. Where steps vary they need not agree as well as where none does.
 */
static bool is_uniform(const struct trial *t)
{
	size_t count = t->last - t->first, odd = 0;
	double *sorted = mem_alloc(count, sizeof(*sorted)), least;

	memcpy(sorted, &t->agrees[t->first], count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_shares);
	least = count ? nearly_all - 3 * (1 - sorted[count / 2]) : 0;
	free(sorted);
	for (size_t i = t->first + 1; i < t->last; i++)
		odd += t->agrees[i] < least;
	return odd <= count / 50;
}

/* By name: how many kernels there are, and how many of them agree. */
struct counts {
	uint32_t *agreed, *all;
};

/* Blocks of a candidate, compared with the reference on all cores. */
struct comparing {
	const struct kernel_grams *s;
	const struct reference *r;
	struct trial *t;
	size_t length;
	struct counts *counts; /* by worker */
};

static void compare_block(const struct comparing *c, size_t number, const struct counts *counts)
{
	const struct kernel_step *b = &c->t->blocks[number];
	size_t agreeing =
		longer(count_agreeing(c->s, c->r, b, counts->agreed), count_equal(c->s, c->r, b));

	/* What is more than the usual step does not agree, however like it. */
	if (agreeing > c->length)
		agreeing = c->length;
	c->t->agrees[number] = (double)agreeing / (double)longer(b->end - b->begin, c->length);
	for (size_t k = b->begin; k < b->end; k++)
		counts->all[c->s->names[k]]++;
}

static void compare_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct comparing *c = ctx;
	struct counts *counts = &c->counts[worker];

	if (!counts->all) {
		counts->agreed = mem_zalloc(c->s->name_count, sizeof(*counts->agreed));
		counts->all = mem_zalloc(c->s->name_count, sizeof(*counts->all));
	}
	for (size_t i = begin; i < end; i++)
		compare_block(c, i, counts);
}

static void move_counts(const struct counts *to, struct counts *from, size_t names, bool takes)
{
	for (size_t i = 0; from->all && i < names; i++) {
		to->agreed[i] += takes ? from->agreed[i] : 0 - from->agreed[i];
		to->all[i] += takes ? from->all[i] : 0 - from->all[i];
	}
	free(from->agreed);
	free(from->all);
}

/* Of all kernels in the blocks between the first and the last step. */
static void weigh(const struct kernel_grams *s, const struct counts *c, struct trial *t)
{
	size_t kernels = 0, covered = 0;
	double by_name;

	for (size_t i = 0; i < s->name_count; i++) {
		kernels += c->all[i];
		covered += c->agreed[i];
	}
	by_name = agreement_by_name(c->agreed, c->all, s->name_count, t->last - t->first);
	t->confidence = kernels ? (double)covered / (double)kernels : 0;
	if (by_name < t->confidence)
		t->confidence = by_name;
	if (kernels < KERNELS_MIN || kernels < s->n / 2)
		t->confidence = 0;
}

/* Which blocks are steps, and how well they agree: blocks before and after them do not count. */
static void compare_blocks(const struct kernel_grams *s, const struct reference *r, size_t length,
			   struct trial *t)
{
	struct comparing c = {s, r, t, length,
			      mem_zalloc(parallel_workers() + 2, sizeof(*c.counts))};
	struct counts *sum = &c.counts[parallel_workers()], *outside = sum + 1;

	parallel_each(t->count, PARALLEL_ROWS / length + 1, compare_some, &c);
	t->last = t->count;
	find_ends(t);
	compare_some(&c, 0, t->first, parallel_workers() + 1);
	compare_some(&c, t->last, t->count, parallel_workers() + 1);
	compare_some(&c, 0, 0, parallel_workers());
	for (unsigned i = 0; i < parallel_workers(); i++)
		move_counts(sum, &c.counts[i], s->name_count, true);
	move_counts(sum, outside, s->name_count, false);
	weigh(s, sum, t);
	free(sum->agreed);
	free(sum->all);
	free(c.counts);
}

static void try_candidate(const struct kernel_grams *s, const struct candidate *c, struct trial *t)
{
	struct reference r;

	*t = (struct trial){0};
	cut(s, c, t);
	choose_reference(s, c, t, &r);
	compare_blocks(s, &r, c->length, t);
	t->uniform = is_uniform(t);
	free(r.order);
}

/* Kernels before the first step's mark that also come before the second's are the step's own. */
static size_t lead_in(const struct kernel_grams *s, const struct trial *t, size_t length)
{
	size_t first = t->blocks[t->first].begin, second = t->blocks[t->first].end, lead = 0;
	size_t room = t->first ? first - t->blocks[t->first - 1].begin - 1 : first;

	while (lead < room && lead + 1 < length &&
	       s->names[first - 1 - lead] == s->names[second - 1 - lead])
		lead++;
	return lead;
}

/* Moving the steps to where they begin may leave room for one more after the last. */
static void add_last(const struct kernel_grams *s, size_t length, struct kernel_period *ret)
{
	const struct kernel_step *last = &ret->steps[ret->count - 1];
	size_t equal = 0;

	if (last->end - last->begin != length || last->end + length > s->n)
		return;
	for (size_t i = 0; i < length; i++)
		equal += s->names[last->begin + i] == s->names[last->end + i];
	if ((double)equal >= enough * (double)length)
		ret->steps[ret->count++] = (struct kernel_step){last->end, last->end + length};
}

static bool keep(const struct kernel_grams *s, const struct trial *t, size_t length,
		 struct kernel_period *ret)
{
	size_t lead = lead_in(s, t, length), count = 0;

	for (size_t i = t->first; i < t->last; i++)
		count += t->agrees[i] >= a_step;
	if (count < STEPS_MIN)
		return false;
	ret->steps = mem_resize(ret->steps, t->last - t->first + 1, sizeof(*ret->steps));
	ret->count = 0;
	for (size_t i = t->first; i < t->last; i++) {
		const struct kernel_step *b = &t->blocks[i];

		if (t->agrees[i] >= a_step)
			ret->steps[ret->count++] =
				(struct kernel_step){b->begin - lead, b->end - lead};
	}
	if (t->last == t->count)
		add_last(s, length, ret);
	ret->length = length;
	ret->confidence = t->confidence;
	return true;
}

static bool has_two_names(const struct kernel_grams *s, const struct candidate *c)
{
	size_t begin = s->places[c->first];

	for (size_t i = begin + 1; i < begin + c->length; i++) {
		if (s->names[i] != s->names[begin])
			return true;
	}
	return false;
}

static bool choose(const struct kernel_grams *s, const struct candidate *candidates,
		   struct kernel_period *ret)
{
	bool found = false;
	int tries = 0;

	for (int i = CANDIDATES_MAX - 1; i >= 0 && tries < TRIES_MAX; i--) {
		const struct candidate *c = &candidates[i];
		struct trial t;

		if (!c->count || !has_two_names(s, c))
			continue;
		tries++;
		try_candidate(s, c, &t);
		if (t.confidence >= enough && t.last - t.first >= STEPS_MIN && t.uniform)
			found |= keep(s, &t, c->length, ret);
		free(t.blocks);
		free(t.agrees);
	}
	return found;
}

bool kernel_period_find(const uint32_t *names, size_t n, struct kernel_period *ret)
{
	struct candidate *candidates;
	struct kernel_grams s;
	bool found;

	*ret = (struct kernel_period){0};
	if (n < KERNELS_MIN)
		return false;
	kernel_grams_make(&s, names, n, STEPS_MIN);
	candidates = propose_all(&s);
	found = choose(&s, candidates, ret);
	free(candidates);
	kernel_grams_free(&s);
	return found;
}
