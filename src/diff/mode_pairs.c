/* Which mode of the steps of one run is which of another's? */
#include "diff/mode_pairs.h"

#include <math.h>

/* Where all changes have one sign, both ways to pair modes make as much of it. */
static const double notably_less = 0.9;

static double mean_ns(const struct step_kind *k)
{
	return (double)k->ns / (double)k->steps;
}

static double share_of(const struct modes_of_run *m, int mode)
{
	return (double)m->of[mode]->steps / (double)(m->of[0]->steps + m->of[1]->steps);
}

/* Of a step of either mode. */
static double step_ns(const struct modes_of_run *m)
{
	return share_of(m, 0) * mean_ns(m->of[0]) + share_of(m, 1) * mean_ns(m->of[1]);
}

/* Of a step: that of each mode in the mix that both runs have in common, and that by the mix. */
static double change_in_all(const struct modes_of_run *a, const struct modes_of_run *b,
			    bool crossed)
{
	double mix = step_ns(b) - step_ns(a), all = 0;

	for (int mode = 0; mode < MODES; mode++) {
		const int other = crossed ? MODES - 1 - mode : mode;
		const double share = (share_of(a, mode) + share_of(b, other)) / 2;
		const double change = share * (mean_ns(b->of[other]) - mean_ns(a->of[mode]));

		all += fabs(change);
		mix -= change;
	}
	return all + fabs(mix);
}

bool modes_are_crossed(const struct modes_of_run *a, const struct modes_of_run *b)
{
	return change_in_all(a, b, true) < notably_less * change_in_all(a, b, false);
}

/* Of modes that take as long the usual one comes first. */
static bool is_slower(const struct step_kind *k, const struct step_kind *than)
{
	const double x = mean_ns(k), y = mean_ns(than);

	return x > y || (!(x < y) && k->mode > than->mode);
}

struct modes_of_run modes_of_kind(const struct account *a, size_t kind)
{
	const struct step_kind *own = &a->kinds[kind];

	for (size_t k = 0; k < a->kind_count; k++) {
		const struct step_kind *other = &a->kinds[k];

		if (k != kind && other->launches == own->launches)
			return is_slower(own, other) ? (struct modes_of_run){{other, own}}
						     : (struct modes_of_run){{own, other}};
	}
	return (struct modes_of_run){{NULL, NULL}};
}
