/*
 * By how much one clock is ahead of another, from what both have seen. Nobody leaves a collective
 * before the last has entered it, so each collective that two ranks took part in bounds the offset
 * between their clocks from both sides; all bounds together leave an interval. Pure mathematics:
 * nothing here knows what a rank is.
 *
 * An offset is what is added to a time of the other clock to get that of the reference. It may
 * drift: offset(t) = at_zero + drift · t, where t is a time of the other clock. Times are doubles
 * of ns since some moment near all of them: up to weeks they are exact to the nanosecond.
 */
#ifndef FLEET_CLOCK_H
#define FLEET_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * More than any two quartz clocks are apart, in seconds a second; and more than two are whose rate
 * the system has got wrong, which is only believed where nothing below that agrees.
 */
#define CLOCK_DRIFT_MAX 200e-6
#define CLOCK_DRIFT_FAR 10e-3

/* What one collective says. */
struct clock_bound {
	double at_ns;		  /* when, on the other clock */
	double least_ns, most_ns; /* the offset lies between these */
	double even_ns;		  /* the offset at which both would have left at once */
};

struct clock_fit {
	bool known;	       /* there were bounds, and some offset agrees with nearly all */
	double at_zero_ns;     /* the offset at time 0 of the other clock */
	double drift;	       /* 0 unless the bounds exclude that */
	double uncertainty_ns; /* no offset that agrees is farther away, while there are bounds */
	double turn_ns; /* of it, what comes from not knowing the drift: so far a line may turn
			   about its middle and agree */
	size_t used, left_out; /* bounds that agree with it; those that contradict the others */
	bool as_expected;      /* the offset that was expected agrees with all bounds */
	double even_spread_ns; /* how far from each other are the offsets at which both would leave
				  the shortest collectives at once: half of them within it */
};

/*
 * Of all offsets that agree, the one is taken at which both leave the shortest collectives at once:
 * that is right to some microseconds. `expected_ns`: an offset to be held against the bounds, as
 * from UTC, which may be wrong by milliseconds and agree; NAN: none is. Bounds are put in order of
 * time. Up to 1 % of them may contradict the rest: they are left out, and what is left out says so.
 * No drift is beyond `drift_max`; it is 0 where that agrees, unless `drift_max` is beyond what
 * clocks do.
 */
void clock_fit(struct clock_bound *bounds, size_t count, double expected_ns, double drift_max,
	       struct clock_fit *ret);

/*
 * Whether both would leave the shortest collectives at quite other times at the offset that was
 * expected, by more than these vary: it agrees with all bounds, and is wrong nevertheless.
 */
bool clock_fit_is_apart(const struct clock_fit *f, double expected_ns);

/*
 * Whether a rate that no clock should have is far more likely than any that it should: ranks leave
 * collectives together at such a rate, and it leaves at least twice the room between the bounds.
 */
bool clock_rate_is_odd(struct clock_bound *bounds, size_t count);

/* How fast exits move apart, of two bounds or more in order of time: seconds a second. */
double clock_guess_drift(const struct clock_bound *b, size_t count, double drift_max);

/*
 * Whether two ranks leave together what they enter apart, of two bounds or more in order of time:
 * both wait for each other then, and neither goes on early. *ret_apart_ns: how far from each other
 * they left at most, beyond what is usual.
 */
bool clock_exits_are_together(const struct clock_bound *bounds, size_t count, double drift_max,
			      double *ret_apart_ns);

/* Whether there is no fit, as so many of all bounds contradict it. */
bool clock_fit_fails(size_t contradicting, size_t count);

static inline double clock_offset_ns(const struct clock_fit *f, double at_ns)
{
	return f->at_zero_ns + f->drift * at_ns;
}

#endif
