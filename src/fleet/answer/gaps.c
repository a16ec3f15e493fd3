/* What is missing in a job: ranks, clocks, kernels? */
#include "fleet/answer/answer.h"
#include "fleet/answer/rank_words.h"
#include "fleet/job/clock_islands.h"
#include "fleet/job/times.h"

#include "base/mem.h"
#include "base/sort.h"
#include "text/strtab.h"

#include <stdlib.h>

static void tell_missing_ranks(struct fleet_answer *a)
{
	SCOPED_BUF b = {0};
	const struct job *j = &a->job;

	ranks_add_missing(&b, j);
	if (j->missing)
		report_warning(a->report,
			       "%zu of %u ranks %s missing: %s; waits for %s are not seen",
			       j->missing, j->world, j->missing == 1 ? "is" : "are", b.s,
			       j->missing == 1 ? "it" : "them");
	a->report->has_coverage = true;
	a->report->coverage = j->world ? (double)(j->world - j->missing) / (double)j->world : 1;
}

static void tell_others(struct fleet_answer *a)
{
	const struct job *j = &a->job;
	const uint32_t highest = j->members[j->member_count - 1].is->rank;

	if (!j->world_known && !j->missing && highest > j->first_rank)
		report_note(a->report, "ranks %u %s %u are there; %s", j->first_rank,
			    highest - j->first_rank > 1 ? "to" : "and", highest,
			    a->left_out ? "others are left out"
					: "whether there are more is not known");
	if (j->others)
		report_note(a->report, "%zu process%s on GPUs %s no rank and left out", j->others,
			    j->others == 1 ? "" : "es", j->others == 1 ? "is" : "are");
}

/* Kernels that a capture dropped: others show that they were there. */
static void tell_lost_kernels(struct fleet_answer *a)
{
	enum { SHOWN = 8 };
	const uint64_t *lost = a->lost;
	size_t told = 0, more = 0;

	for (size_t i = 0; i < a->job.member_count; i++) {
		if (!lost[i])
			continue;
		if (told == SHOWN) {
			more++;
			continue;
		}
		report_note(a->report,
			    "%llu communication kernel%s missing in the capture of rank %u",
			    (unsigned long long)lost[i], lost[i] == 1 ? " is" : "s are",
			    a->job.members[i].is->rank);
		told++;
	}
	if (more)
		report_note(a->report, "some are missing in the captures of %zu more ranks", more);
}

/* Clocks whose rate is so wrong that something is wrong with them, the worst of them by name. */
static void tell_rates(struct fleet_answer *a)
{
	const struct job_part *worst = NULL;
	size_t count = 0;

	for (size_t i = 0; i < a->job.part_count; i++) {
		const struct job_part *p = &a->job.parts[i];

		if (!p->clock.known || fabs(p->clock.fit.drift) <= CLOCK_DRIFT_MAX)
			continue;
		worst = worst && fabs(worst->clock.fit.drift) >= fabs(p->clock.fit.drift) ? worst
											  : p;
		count++;
	}
	if (!count)
		return;
	report_warning(a->report,
		       "the clock%s of %zu capture%s run%s at another rate than the reference, by "
		       "more than clocks do (%s: %.0f ppm): times between captures are corrected "
		       "for it, durations are as each capture has them",
		       count == 1 ? "" : "s", count, count == 1 ? "" : "s", count == 1 ? "s" : "",
		       worst->part->file, 1e6 * fabs(worst->clock.fit.drift));
}

/* Why the clock of a capture is not known. */
enum unknown { UNKNOWN_BY_CONTRADICTION, UNKNOWN_BY_SENDS, UNKNOWN_BY_SILENCE, UNKNOWN_ALONE };

/* Whether it shares what some leave before others come. */
static bool shares_sends(const struct fleet_answer *a, size_t part)
{
	for (size_t i = 0; i < a->x.queue_count; i++) {
		const struct instance_class *c = &a->x.classes[a->x.queues[i].class];

		if (c->leaves_early && c->queue_count > 1 &&
		    a->job.members[a->x.queues[i].member].part == part)
			return true;
	}
	return false;
}

static enum unknown why_unknown(const struct fleet_answer *a, size_t part)
{
	const struct job_part *p = &a->job.parts[part];

	if (!part_communicates(p->part))
		return UNKNOWN_BY_SILENCE;
	if (!p->clock.early)
		return UNKNOWN_BY_CONTRADICTION;
	return shares_sends(a, part) ? UNKNOWN_BY_SENDS : UNKNOWN_ALONE;
}

static void tell_unknown(struct fleet_answer *a, enum unknown kind, const char *why)
{
	const char *file = NULL;
	size_t count = 0;

	for (size_t i = 0; i < a->job.part_count; i++) {
		const struct job_part *p = &a->job.parts[i];

		if (p->clock.known || why_unknown(a, i) != kind)
			continue;
		file = file ? file : p->part->file;
		count++;
	}
	if (count)
		report_warning(a->report,
			       "the clock%s of %zu capture%s cannot be held against the others, "
			       "%s (%s%s): waits there are left out",
			       count == 1 ? "" : "s", count, count == 1 ? "" : "s", why, file,
			       count == 1 ? "" : ", …");
}

/* UTC of captures of one machine that is wrong. */
static void tell_utc(struct fleet_answer *a)
{
	double worst_ns = 0;

	for (size_t i = 0; i < a->job.part_count; i++) {
		const struct job_clock *c = &a->job.parts[i].clock;

		if (c->known && c->beyond_utc)
			worst_ns = fmax(worst_ns, fabs(c->fit.at_zero_ns));
	}
	if (worst_ns > 0)
		report_note(a->report,
			    "by UTC, captures of one machine would leave no collective together, "
			    "but up to %.0f µs apart: that they do is believed, and not UTC",
			    ceil(worst_ns / 1e3));
}

/* Communicators prove one job, and UTC speaks against it. */
static void tell_apart(struct fleet_answer *a)
{
	struct times_apart x;

	if (times_are_apart(&a->job, &x))
		report_warning(a->report,
			       "by UTC, %s and %s were captured %lld s apart, but their ranks meet "
			       "in the same communicators: a machine's clock is taken to be wrong, "
			       "and collectives tell when what was",
			       x.a->file, x.b->file, (long long)(x.apart_ns / 1000000000));
}

/* Several steps fit, so that nobody is said to wait for these. */
static void tell_steps(struct fleet_answer *a)
{
	SCOPED_BUF b = {0};
	const struct job *j = &a->job;
	bool *chosen;
	double most_ns = 0;

	if (!islands_are_apart(j))
		return;
	chosen = mem_zalloc(j->member_count, sizeof(*chosen));
	for (size_t i = 0; i < j->member_count; i++) {
		const struct job_clock *c = &j->parts[j->members[i].part].clock;

		chosen[i] = c->known && c->steps_ns > 0;
		most_ns = chosen[i] ? fmax(most_ns, c->steps_ns) : most_ns;
	}
	ranks_add(&b, j, chosen);
	free(chosen);
	report_warning(a->report,
		       "the clocks of %s are known to whole steps only, which may be wrong by up "
		       "to %.0f ms: ranks leave collectives too unevenly to tell which step of one "
		       "is which of another, and UTC does not tell either; nobody is said to be "
		       "late, or to be waited for; capture all ranks from the job's start, or the "
		       "same steps of each, and let the machines' clocks be set by chrony or PTP",
		       b.s, ceil(most_ns / 1e6));
}

static void tell_clocks(struct fleet_answer *a)
{
	double worst_ns = 0;

	for (size_t i = 0; i < a->job.part_count; i++) {
		const struct job_clock *c = &a->job.parts[i].clock;

		worst_ns = c->known && c->uncertainty_ns > worst_ns ? c->uncertainty_ns : worst_ns;
	}
	tell_unknown(a, UNKNOWN_BY_CONTRADICTION,
		     "as no collectives agree with it, whatever its rate");
	tell_unknown(
		a, UNKNOWN_BY_SENDS,
		"as ranks may leave what it shares with them before others come: broadcasts, and "
		"sends whose sender goes on or whose receiver is not known");
	tell_unknown(a, UNKNOWN_BY_SILENCE, "as there is no communication kernel in it");
	tell_unknown(a, UNKNOWN_ALONE, "as they share no collective with these");
	tell_steps(a);
	tell_apart(a);
	tell_rates(a);
	tell_utc(a);
	if (a->job.part_count > 1 && worst_ns > 0)
		report_note(a->report,
			    "times of different captures are known to %.0f µs against the "
			    "reference; who came last is said only where that, or the lengths of "
			    "the kernels alone, leave no doubt",
			    ceil(worst_ns / 1e3));
}

/* That a part has a note. */
struct remark {
	uint32_t note, part;
};

static int by_note(const void *a, const void *b, void *ctx)
{
	const struct remark *x = a, *y = b;

	(void)ctx;
	return (x->note > y->note) - (x->note < y->note);
}

/* Those of one note; what many captures say is told once. */
static void tell_note(struct fleet_answer *a, struct str note, const struct remark *r, size_t count)
{
	SCOPED_BUF b = {0};
	const struct job *j = &a->job;
	bool *chosen, *has;
	size_t captures = 0;

	if (r[0].part == r[count - 1].part) {
		report_note(a->report, "%s: %.*s", j->parts[r->part].part->file, STR_FMT(note));
		return;
	}
	chosen = mem_alloc(j->member_count, sizeof(*chosen));
	has = mem_zalloc(j->part_count, sizeof(*has));
	for (size_t i = 0; i < count; i++) {
		captures += !has[r[i].part]; /* a capture of many ranks may say it for each */
		has[r[i].part] = true;
	}
	for (size_t i = 0; i < j->member_count; i++)
		chosen[i] = has[j->members[i].part];
	ranks_add(&b, j, chosen);
	report_note(a->report, "on %zu captures (%s): %.*s", captures, b.s, STR_FMT(note));
	free(chosen);
	free(has);
}

static void tell_notes(struct fleet_answer *a)
{
	struct strtab notes = {0};
	struct remark *all = NULL;
	size_t count = 0, cap = 0;

	for (uint32_t i = 0; i < a->job.part_count; i++) {
		const struct part *p = a->job.parts[i].part;

		for (size_t k = 0; k < p->note_count; k++) {
			MEM_GROW(all, cap, count + 1);
			all[count++] = (struct remark){strtab_add(&notes, str_of(p->notes[k])), i};
		}
	}
	sort_stable(all, count, sizeof(*all), by_note, NULL);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && all[end].note == all[i].note;)
			end++;
		tell_note(a, notes.items[all[i].note], &all[i], end - i);
	}
	strtab_free(&notes);
	free(all);
}

void fleet_tell_gaps(struct fleet_answer *a)
{
	tell_missing_ranks(a);
	tell_others(a);
	tell_clocks(a);
	tell_lost_kernels(a);
	if (a->x.unmatched && !a->misfit)
		report_note(a->report,
			    "%llu communication kernels have no counterpart on other ranks",
			    (unsigned long long)a->x.unmatched);
	if (a->x.untried)
		report_warning(a->report,
			       "%llu kinds of communication kernels of single ranks were not held "
			       "against all others, as there are too many groups of ranks: export "
			       "with --include-json true, which keeps communicators",
			       (unsigned long long)a->x.untried);
	tell_notes(a);
}
