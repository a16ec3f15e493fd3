/* A shift of logarithms, and how sure it is: what every method here answers. */
#ifndef STATISTICS_ESTIMATE_H
#define STATISTICS_ESTIMATE_H

/* Each of the two bounds is exceeded with this chance at most. */
#define ONE_SIDED 0.05
/* Of the normal: what is exceeded with 5 %; with 20 %, as what can be detected is found with 80. */
#define Z_BOUND 1.6448536269514722
#define Z_FOUND 0.8416212335729143

struct estimate {
	double shift; /* log(after) - log(before) */
	double se, df;
	double level; /* what the bounds really have: permutations come in whole numbers */
	double low, high;
	double p; /* two-sided, of no shift */
};

/* Bounds and p by Student's t, from shift, se and df. */
void estimate_by_student(struct estimate *e);
/* The same, seen from the other side. */
void estimate_mirror(struct estimate *e);
/* Whether all that is within the bounds is longer than the margin (1), shorter than -margin (-1).
 */
int estimate_beyond(const struct estimate *e, double margin);
/* A shift that is found with a chance of 80 %. */
double estimate_detectable(const struct estimate *e);

#endif
