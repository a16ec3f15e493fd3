/* The answer about a job: its blocks, in the order in which people read them. */
#ifndef FLEET_ANSWER_H
#define FLEET_ANSWER_H

#include "fleet/answer/reduce.h"
#include "fleet/job/clocks.h"
#include "fleet/job/stragglers.h"

struct fleet_answer {
	const struct part *const *parts;
	size_t part_count;
	struct job job;
	struct instances x;
	struct stragglers stragglers;
	struct report *report;
};

/* What is missing or odd: ranks, clocks, kernels. */
void fleet_tell_gaps(struct fleet_answer *a);
/* The first collective that ranks come to with different sizes, as a warning. */
void fleet_tell_sizes(struct fleet_answer *a);
/* Who holds up a job that came to a halt, as a finding. */
void fleet_tell_hang(struct fleet_answer *a);
/* Stragglers as findings, the one that costs most first, and the job's verdict. */
void fleet_tell_stragglers(struct fleet_answer *a);
/* What many ranks have in common: findings of the same kind and place are one. */
void fleet_tell_findings(struct fleet_answer *a);
/* "stragglers": how late each rank is, and how often it is the last. */
void fleet_lateness_table(struct fleet_answer *a);
/* "collectives": by class, with waits and bandwidth. */
void fleet_collectives_table(struct fleet_answer *a);
/* "clocks": by capture. */
void fleet_clocks_table(struct fleet_answer *a);
/* How late each rank was in each step. */
void fleet_heat_chart(struct fleet_answer *a);

/* "No single rank makes …", as far as that is known, in the report's arena. */
const char *fleet_nobody_text(const struct fleet_answer *a);
/* "rank 3", "node 1 (ranks 8 to 15)", in the report's arena. */
const char *straggler_name(const struct fleet_answer *a, const struct straggler *g);

#endif
