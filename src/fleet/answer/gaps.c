/* What is missing in a job: ranks, clocks, and who did not enter a collective that others did? */
#include "fleet/answer/answer.h"

#include "base/mem.h"
#include "base/sort.h"
#include "report/finding.h"

#include <stdlib.h>

/* How long a rank has to go on without entering a collective to be the one that does not. */
static const int64_t gone_on_ns = 100000000;
static const double far_longer = 10; /* than usual, for others to be held up by who is missing */

static void tell_missing_ranks(struct fleet_answer *a)
{
	enum { SHOWN = 8 };
	SCOPED_BUF b = {0};
	const struct job *j = &a->job;
	uint32_t told = 0;
	size_t at = 0;

	for (uint32_t rank = 0; rank < j->world && told < SHOWN && j->missing; rank++) {
		while (at < j->member_count && j->members[at].is->rank < rank)
			at++;
		if (at == j->member_count || j->members[at].is->rank != rank)
			buf_addf(&b, "%s%u", told++ ? ", " : "", rank);
	}
	if (j->missing)
		report_warning(a->report,
			       "%zu of %u ranks are missing: %s%s; waits for them are not seen",
			       j->missing, j->world, b.s, j->missing > told ? ", …" : "");
	a->report->has_coverage = true;
	a->report->coverage = j->world ? (double)(j->world - j->missing) / (double)j->world : 1;
	if (j->others)
		report_note(a->report, "%zu process%s on GPUs %s no rank and left out", j->others,
			    j->others == 1 ? "" : "es", j->others == 1 ? "is" : "are");
}

static void tell_clocks(struct fleet_answer *a)
{
	size_t unknown = 0;
	const char *file = NULL;
	double worst_ns = 0;

	for (size_t i = 0; i < a->job.part_count; i++) {
		const struct job_part *p = &a->job.parts[i];

		if (!p->clock.known) {
			file = file ? file : p->part->file;
			unknown++;
		} else if (p->clock.uncertainty_ns > worst_ns) {
			worst_ns = p->clock.uncertainty_ns;
		}
	}
	if (unknown)
		report_warning(a->report,
			       "the clock%s of %zu capture%s cannot be held against the others, "
			       "as no collectives agree with them (%s%s): waits there are left out",
			       unknown == 1 ? "" : "s", unknown, unknown == 1 ? "" : "s", file,
			       unknown == 1 ? "" : ", …");
	if (a->job.part_count > 1 && worst_ns > 0)
		report_note(a->report,
			    "times of different captures are known to %.0f µs against the "
			    "reference; who came last is said only where that, or the lengths of "
			    "the kernels alone, leave no doubt",
			    ceil(worst_ns / 1e3));
}

/* The end of a member's capture on the job's clock. */
static int64_t capture_end(const struct job *j, uint32_t member)
{
	const uint32_t part = j->members[member].part;
	const struct part *p = j->parts[part].part;

	return p->captured.end_ns < p->captured.start_ns ? INT64_MIN
							 : job_time(j, part, p->captured.end_ns);
}

/* When the first of those that are in an instance entered it. */
static int64_t first_entry(const struct fleet_answer *a, const struct instance *i)
{
	const struct instance_class *c = &a->x.classes[i->class];
	int64_t first_ns = INT64_MAX;

	for (size_t q = 0; q < c->queue_count; q++) {
		const struct part_collective *k = instance_kernel(&a->job, &a->x, i, q);
		const uint32_t member = a->x.queues[c->first_queue + q].member;
		const int64_t ns =
			k ? job_time(&a->job, a->job.members[member].part, k->start_ns) : INT64_MAX;

		first_ns = ns < first_ns ? ns : first_ns;
	}
	return first_ns;
}

/* The time that all who are in an instance are in it for, at least. */
static int64_t shortest_stay(const struct fleet_answer *a, const struct instance *i)
{
	int64_t shortest_ns = INT64_MAX;

	for (size_t q = 0; q < a->x.classes[i->class].queue_count; q++) {
		const struct part_collective *k = instance_kernel(&a->job, &a->x, i, q);
		const int64_t ns = k ? sat_sub(k->end_ns, k->start_ns) : INT64_MAX;

		shortest_ns = ns < shortest_ns ? ns : shortest_ns;
	}
	return shortest_ns;
}

/* Whether all who are in an instance stay in it far longer than in others of its class. */
static bool is_held_up(const struct fleet_answer *a, const struct instance_class *c,
		       const struct instance *i)
{
	const int64_t own_ns = shortest_stay(a, i);
	int64_t *ns = mem_alloc(c->count, sizeof(*ns)), *scratch = mem_alloc(c->count, sizeof(*ns));
	int64_t usual_ns;
	size_t count = 0;

	for (size_t k = 0; k < c->count; k++) {
		if (a->x.all[c->first + k].present == c->queue_count)
			ns[count++] = shortest_stay(a, &a->x.all[c->first + k]);
	}
	sort_i64(ns, scratch, count);
	usual_ns = count ? ns[count / 2] : 0;
	free(scratch);
	free(ns);
	return i->present && own_ns >= gone_on_ns && (double)own_ns > far_longer * (double)usual_ns;
}

/* The first collective that a member does not enter, though it is there for long or the others wait
 * for it. */
struct hang {
	const struct instance *instance; /* NULL: there is none */
	int64_t at_ns;
	uint32_t queue;
};

static void look_for_hang(const struct fleet_answer *a, const struct instance_class *c,
			  uint32_t queue, struct hang *first)
{
	const struct instance_queue *q = &a->x.queues[c->first_queue + queue];
	const int64_t end_k = q->run_count ? queue_end_k(q) : -1;
	const struct instance *i;
	int64_t at_ns;

	/* Left out at the end by the part itself, or there until the end. */
	if (!q->matched || end_k < 0 || (size_t)end_k >= c->count ||
	    a->job.members[q->member].is->collectives_after)
		return;
	i = &a->x.all[c->first + (size_t)end_k];
	at_ns = first_entry(a, i);
	if (first->instance && first->at_ns <= at_ns)
		return;
	if (capture_end(&a->job, q->member) < sat_add(at_ns, gone_on_ns) && !is_held_up(a, c, i))
		return;
	*first = (struct hang){i, at_ns, queue};
}

static void tell_hang(struct fleet_answer *a, const struct hang *h)
{
	struct finding *f = arena_zalloc(&a->report->arena, 1, sizeof(*f));
	const struct instance_class *c = &a->x.classes[h->instance->class];
	const uint32_t member = a->x.queues[c->first_queue + h->queue].member;

	f->id = "straggler";
	f->owner = OWNER_MODEL;
	f->severity = SEVERITY_HIGH;
	f->confidence = CONFIDENCE_MEDIUM;
	f->title = arena_printf(&a->report->arena,
				"rank %u does not enter %s number %zu, which %u of %zu ranks enter",
				a->job.members[member].is->rank, collective_type_name(c->is->type),
				(size_t)(h->instance - &a->x.all[c->first]), h->instance->present,
				c->queue_count);
	f->leads = true;
	f->evidence[f->evidence_count++] = (struct evidence){
		.label = "ranks that entered it",
		.unit = UNIT_COUNT,
		.value = cell_int(h->instance->present),
	};
	f->evidence[f->evidence_count++] = (struct evidence){
		.label = "the first of them after the start of the reference's capture",
		.unit = UNIT_TIME_NS,
		.value = cell_int(h->at_ns),
	};
	f->advice[f->advice_count++] =
		"look at what this rank did last: an exception, another branch of the code, "
		"another order of collectives";
	f->unless = "the capture of this rank lacks kernels at its end";
	report_finding(a->report, f);
	a->report->verdict = "straggler";
	a->report->verdict_text = f->title;
}

void fleet_tell_hang(struct fleet_answer *a)
{
	struct hang first = {0};

	for (size_t i = 0; i < a->x.class_count; i++) {
		for (uint32_t q = 0; q < a->x.classes[i].queue_count && a->x.classes[i].count; q++)
			look_for_hang(a, &a->x.classes[i], q, &first);
	}
	if (first.instance)
		tell_hang(a, &first);
}

void fleet_tell_gaps(struct fleet_answer *a)
{
	tell_missing_ranks(a);
	tell_clocks(a);
	if (a->x.unmatched)
		report_note(a->report,
			    "%llu communication kernels have no counterpart on other ranks",
			    (unsigned long long)a->x.unmatched);
	for (size_t i = 0; i < a->part_count; i++) {
		for (size_t k = 0; k < a->job.parts[i].part->note_count; k++)
			report_note(a->report, "%s: %s", a->job.parts[i].part->file,
				    a->job.parts[i].part->notes[k]);
	}
}
