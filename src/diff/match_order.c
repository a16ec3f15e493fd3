/* Which kernels with other names have the same place in the step? */
#include "diff/match_order.h"

#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 1 << 20 }; /* of an alignment, that are kept: beyond it names alone must do */

static const double enough = 0.6; /* likeness without which order says nothing */
static const double near = 1.3;	  /* times as long, or as often */

static bool is_near(double a, double b)
{
	return a > 0 && b > 0 && a < near * b && b < near * a;
}

bool match_same_calls(double a, double b)
{
	return fabs(a - b) < 0.02 * (a + b) / 2 + 1e-12;
}

/* How many of the words of two names are in both, 0 to 1. */
static double name_likeness(const struct match_leaf *a, const struct match_leaf *b)
{
	const size_t all = a->word_count + b->word_count;
	size_t common = 0;

	for (size_t i = 0, k = 0; i < a->word_count && k < b->word_count;) {
		if (a->words[i] == b->words[k]) {
			common++;
			i++;
			k++;
		} else if (a->words[i] < b->words[k]) {
			i++;
		} else {
			k++;
		}
	}
	return all ? 2.0 * (double)common / (double)all : 1;
}

double match_likeness(const struct match_leaf *a, const struct match_leaf *b)
{
	return 0.3 * name_likeness(a, b) + 0.2 * (a->grid == b->grid) +
	       0.2 * match_same_calls(a->calls, b->calls) + 0.1 * (a->kind == b->kind) +
	       0.2 * is_near(a->call_ns, b->call_ns);
}

/* The alignment of two lists with the most in its favour; score[i][k]: of what comes from there on.
 */
static void align(struct matching *x, const struct match_list *b, const struct match_list *a)
{
	const size_t width = a->count + 1;
	double *score = mem_zalloc((b->count + 1) * width, sizeof(*score));
	double *like = mem_alloc(b->count * a->count, sizeof(*like));

	for (size_t i = b->count; i-- > 0;) {
		for (size_t k = a->count; k-- > 0;) {
			const double l = match_likeness(&x->leaves[BEFORE][b->leaves[i]],
							&x->leaves[AFTER][a->leaves[k]]);
			double best = fmax(score[(i + 1) * width + k], score[i * width + k + 1]);

			like[i * a->count + k] = l;
			if (l >= enough)
				best = fmax(best, l + score[(i + 1) * width + k + 1]);
			score[i * width + k] = best;
		}
	}
	for (size_t i = 0, k = 0; i < b->count && k < a->count;) {
		const double l = like[i * a->count + k], here = score[i * width + k];

		if (l >= enough && here == l + score[(i + 1) * width + k + 1]) {
			matching_add(x, MATCH_ORDER, l, &b->leaves[i++], 1, &a->leaves[k++], 1);
		} else if (here == score[(i + 1) * width + k]) {
			i++;
		} else {
			k++;
		}
	}
	free(like);
	free(score);
}

static void align_path(struct matching *x, const struct match_list path[SIDES])
{
	struct match_list b = match_open_leaves(x, BEFORE, &path[BEFORE]);
	struct match_list a = match_open_leaves(x, AFTER, &path[AFTER]);

	if (b.count && a.count && b.count <= CELLS_MAX / a.count &&
	    matching_may_compare(x, b.count * a.count))
		align(x, &b, &a);
	free(b.leaves);
	free(a.leaves);
}

void match_by_order(struct matching *x)
{
	match_each_range(x, MATCH_INNERMOST, align_path);
}
