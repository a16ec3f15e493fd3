/* The answer about a job: its blocks, in the order in which people read them. */
#ifndef FLEET_ANSWER_H
#define FLEET_ANSWER_H

#include "fleet/answer/reduce.h"
#include "fleet/job/clocks.h"
#include "fleet/stragglers/stragglers.h"

struct fleet_answer {
	const struct part *const *parts;
	size_t part_count;
	struct job job;
	struct instances x;
	struct stragglers stragglers;
	struct report *report;
	double link_bytes_per_s; /* what the user says; 0: nothing */
	const char *left_out;	 /* the first capture that could not be used; NULL: all are there */
	bool has_pages;		 /* each capture has a page of its own beside the answer */
	uint64_t *lost;		 /* by member: kernels that its captures lack, as others show */
	/* Kernels that were taken together by name, and show that their ranks are no group, or none
	   that can be told; NULL: there are none. */
	const struct part_collective_class *misfit;
	bool is_uneven; /* the same, as groups are of sizes that no mesh has */
};

/*
 * All that is known of a job before anything is said about it; warns of files that could not be
 * read. ERR_INPUT where the parts are no job, or --strict misses something. Freed with the report.
 */
int fleet_answer_make(const struct part *const *parts, size_t count, const struct fleet_args *args,
		      struct report *r, struct fleet_answer **ret, struct err *e);

/* What is missing or odd: ranks, clocks, kernels. */
void fleet_tell_gaps(struct fleet_answer *a);
/* Which ranks share collectives, where that is a guess, as warnings. */
void fleet_tell_groups(struct fleet_answer *a);
/* The first collective that ranks come to with different sizes, as a warning. */
void fleet_tell_sizes(struct fleet_answer *a);
/* Ranks whose steps are others than most have. */
void fleet_tell_steps(struct fleet_answer *a);
/* Who holds up a job that came to a halt, as a finding. */
void fleet_tell_hang(struct fleet_answer *a);
/* The same of a job whose collectives never ended, of which captures have no kernels then. */
void fleet_tell_halt(struct fleet_answer *a);
/* Stragglers as findings, the one that costs most first, and the job's verdict. */
void fleet_tell_stragglers(struct fleet_answer *a);
/* What many ranks have in common: findings of the same kind and place are one. */
void fleet_tell_findings(struct fleet_answer *a);
/* "stragglers": how late each rank is, and how often it is the last. */
void fleet_lateness_table(struct fleet_answer *a);
/* "stages": what each stage of a pipeline has to do in a step. */
void fleet_stages_table(struct fleet_answer *a);
/* "collectives": by class, with waits and bandwidth. */
void fleet_collectives_table(struct fleet_answer *a);
/* "clocks": by capture. */
void fleet_clocks_table(struct fleet_answer *a);
/* How late each rank was in each step. */
void fleet_heat_chart(struct fleet_answer *a);

/* The peak of what joins a communicator's ranks, each way. */
struct link_peak {
	double bytes_per_s; /* 0: not known */
	const char *source; /* "nvlink", "given"; NULL */
};
struct link_peak fleet_link_peak(const struct fleet_answer *a, const struct instance_class *c);

/* For the verdict, where no straggler is named: that none is, or who may be one. */
const char *fleet_nobody_is_slow(const struct fleet_answer *a);

#endif
