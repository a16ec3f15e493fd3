/* Do the ranks of a job wait for one of them, and what keeps it? */
#include "analysis/findings/explain.h"

#include "analysis/comm/straggler_sets.h"
#include "analysis/numbers/cover.h"
#include "analysis/numbers/owned_spans.h"
#include "base/mem.h"
#include "base/span.h"
#include "fleet/late/straggler_finding.h"
#include "fleet/late/straggler_words.h"
#include "fleet/late/trace_stragglers.h"

#include <stdlib.h>

static const double worth = 0.01; /* of the window */

size_t explain_comm_device(const struct explain *x)
{
	size_t worst = 0;

	for (size_t d = 1; d < x->timeline.count; d++) {
		if (x->timeline.devices[d].ns[SLICE_COMM] >
		    x->timeline.devices[worst].ns[SLICE_COMM])
			worst = d;
	}
	return worst;
}

int64_t explain_comm_ns(const struct explain *x)
{
	return x->timeline.count ? x->timeline.devices[explain_comm_device(x)].ns[SLICE_COMM] : 0;
}

/* Of one piece of the walk. */
struct waiting {
	const struct cover *waits;
	size_t device;
	int64_t ns;
};

static void take_slice(void *ctx, const struct slice *s)
{
	struct waiting *w = ctx;

	if (s->kind == SLICE_COMM && s->device == w->device)
		w->ns = sat_add(w->ns, cover_between(w->waits, s->start_ns, s->end_ns));
}

/* What of the exposed communication lies in waits of ranks for others; spans are joined. Kernels
 * alone do not tell: ranks may share a GPU, and one compute there while others wait. */
static int64_t waited_ns(const struct explain *x, const struct owned_spans *waits)
{
	const size_t pieces = timeline_pieces(&x->ops);
	struct waiting *all = mem_zalloc(pieces, sizeof(*all));
	struct timeline own;
	const struct timeline_view mine = {x->trace,   &x->scope, &own,
					   take_slice, all,	  sizeof(*all)};
	struct cover cover = {0};
	int64_t ns = 0;

	for (size_t i = 0; i < waits->count; i++)
		cover_add(&cover, waits->all[i].time.start_ns, waits->all[i].time.end_ns);
	for (size_t i = 0; i < pieces; i++)
		all[i] = (struct waiting){&cover, explain_comm_device(x), 0};
	timeline_begin(&x->ops, &x->scope, &own);
	timeline_walk_views(&x->ops, &mine, 1, pieces);
	for (size_t i = 0; i < pieces; i++)
		ns = sat_add(ns, all[i].ns);
	timeline_free(&own);
	cover_free(&cover);
	free(all);
	return ns;
}

/* Where ranks wait for others, as far as it lies in the window; spans are joined. */
static void find_wait_places(const struct explain *x, struct finding *f,
			     const struct owned_spans *waits)
{
	const struct span window = {x->timeline.from_ns, x->timeline.to_ns};
	struct longest_parts parts = {0};

	for (size_t i = 0; i < waits->count; i++)
		longest_parts_add(&parts, time_part_all(span_common(waits->all[i].time, window)));
	if (parts.count) {
		find_places(f, &parts);
		f->awaits_ranks = true;
	}
	longest_parts_free(&parts);
}

struct meetings {
	struct explain *x;
	struct collectives c;
	struct rank_map ranks;
	struct straggler_sets sets;
	size_t late; /* the member that others wait for */
};

static void free_job(struct meetings *j)
{
	straggler_sets_free(&j->sets);
	collectives_free(&j->c);
	rank_map_free(&j->ranks);
}

/* 1: the ranks can be compared; 0: there are none. */
static int read_job(struct meetings *j, struct err *e)
{
	struct trace *t = j->x->trace;
	const uint32_t columns = COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_STREAM) |
				 COL_BIT(COL_NAME) | COL_BIT(COL_CORRELATION);
	/* What each has computed at both ends of the window. */
	int64_t ends_ns[] = {j->x->timeline.from_ns, j->x->timeline.to_ns};
	const struct comm_marks marks = {ID_NONE, ARRAY_LEN(ends_ns), ends_ns};
	const struct comm_question everybody = {
		.process = ID_NONE, .marks = &marks, .mark_count = 1};
	struct scope whole = j->x->scope;

	/* The k-th of a rank is its k-th in the whole capture, whatever the window. */
	whole.has_trim = false;
	if (trace_load(t, TRACE_KERNELS, columns, e) < 0)
		return -1;
	if (rank_map_read(t, &j->x->scope, &j->ranks, e) < 0 ||
	    collectives_make(t, &whole, &everybody, &j->c, e) < 0 ||
	    straggler_sets_make(t, &j->x->scope, &j->c, &j->ranks, &j->sets, e) < 0)
		return e->code == ERR_INPUT ? 0 : -1;
	return j->sets.member_count > 1 && j->sets.count;
}

static uint32_t process_of(const struct meetings *j, size_t member)
{
	return j->c.walk.gpus.all[j->sets.members[member].gpu].process;
}

/* Whom the others wait for the most. */
static void find_late(struct meetings *j)
{
	for (size_t i = 0; i < j->sets.member_count; i++) {
		if (j->sets.members[i].imposed_ns > j->sets.members[j->late].imposed_ns)
			j->late = i;
	}
}

/* Clocks of several traces are not right enough to say that anybody was late at all. */
static bool is_within_doubt(const struct meetings *j)
{
	return j->x->trace->clock_doubt_ns && !j->sets.members[j->late].last;
}

/* Compute may hide the wait of a kernel or the rest of it: what the rest has room for, it has. */
static int64_t exposed_wait_ns(const struct comm_kernel *k, int64_t wait_ns)
{
	const int64_t rest_ns = comm_kernel_ns(k) - wait_ns;

	return k->exposed_ns > rest_ns ? k->exposed_ns - rest_ns : 0;
}

/* When ranks wait for others, and for how long the one that does so the most has nothing to compute
 * meanwhile, at least. */
static int64_t sum_waits(const struct meetings *j, struct owned_spans *waits)
{
	const struct straggler_classes *classes = &j->sets.classes;
	int64_t *all = mem_zalloc(j->sets.member_count, sizeof(*all)), most_ns = 0;

	for (size_t i = 0; i < j->sets.count; i++) {
		const struct straggler_set *s = &j->sets.sets[i];
		const struct set_class *class = &classes->all[s->class];

		for (size_t k = 0; k < class->members; k++) {
			const struct queue *q = &classes->queues[class->first_queue + k];

			const struct comm_kernel *one =
				&j->c.walk.kernels[queue_kernel(class, q, s->k)];
			const struct span wait = {
				one->start_ns, one->end_ns < s->last_ns ? one->end_ns : s->last_ns};
			const int64_t ns = exposed_wait_ns(one, span_ns(wait));

			if (span_ns(wait))
				owned_spans_add(waits, 0, wait);
			all[q->member] = sat_add(all[q->member], ns);
			most_ns = all[q->member] > most_ns ? all[q->member] : most_ns;
		}
	}
	owned_spans_join(waits);
	free(all);
	return most_ns;
}

static const char *name_late(const struct meetings *j)
{
	const uint32_t process = process_of(j, j->late);
	const struct rank *rank = rank_of_process(&j->ranks, process);
	const struct trace *t = j->x->trace;

	if (rank)
		return arena_printf(&j->x->report->arena, "Rank %u", rank->number);
	return arena_printf(
		&j->x->report->arena, "Process %u",
		process < t->process_keys.count ? process_pid(t->process_keys.keys[process]) : 0);
}

static void free_found(void *found)
{
	trace_stragglers_free(found);
	free(found);
}

/* Of the window what a step would gain. */
static int64_t gain_ns(const struct explain *x, const struct straggler *g)
{
	return sat_of_double(g->saved_ns / g->step_ns * (double)x->window_ns);
}

/* Findings about ranks have no places of code, whose room is theirs. */
static void add_evidence(struct finding *f, const char *label, enum unit unit, struct cell value)
{
	if (f->evidence_count < ARRAY_LEN(f->evidence))
		finding_add_evidence(f, label, unit, value);
}

/*
 * Where others wait for it, and what they lose: what a step would gain; or what they wait with
 * nothing to compute, as far as the clocks can be trusted, which nobody else brings back either.
 */
static void add_waits(struct explain *x, const struct stragglers *s, const struct straggler *g,
		      const struct straggler_turns *turns, struct finding *f)
{
	const double doubt_ns = (double)turns->last * (double)x->trace->clock_doubt_ns;
	struct owned_spans waits = {0};
	int64_t left_ns;

	straggler_add_waits(s, g, &waits);
	owned_spans_join(&waits);
	find_wait_places(x, f, &waits);
	left_ns =
		sat_sub(waited_ns(x, &waits), sat_add(sat_of_double(doubt_ns), f->recoverable_ns));
	owned_spans_free(&waits);
	x->late_ns = sat_add(x->late_ns, f->recoverable_ns);
	if (left_ns <= 0)
		return;
	x->late_ns = sat_add(x->late_ns, left_ns);
	add_evidence(f, "others wait for it besides, and gain nothing", UNIT_NS, cell_int(left_ns));
}

/* How often it is the last, and what that takes of the others. */
static void add_turns(struct finding *f, const struct straggler_turns *turns)
{
	add_evidence(f, "the others wait for it, in all", UNIT_NS, cell_real(turns->wait_ns));
	if (turns->of)
		add_evidence(f, "collectives in which it is last", UNIT_PERCENT,
			     cell_real(100.0 * (double)turns->last / (double)turns->of));
}

static void find_straggler(struct explain *x, const struct stragglers *s, const struct straggler *g)
{
	const struct straggler_turns turns = straggler_count_turns(s, g);
	struct finding *f = find_cost(
		x, "straggler", gain_ns(x, g), "%s",
		straggler_sentence(straggler_title(s, g, &x->report->arena), &x->report->arena));

	if (!f)
		return;
	straggler_fill_finding(s, g, &x->report->arena, f);
	if (!x->trace->clock_doubt_ns)
		add_turns(f, &turns);
	/* Slow transfers are communication; nobody comes late. */
	find_places_of_group(f, &x->sums[SUM_EXPOSED], SLICE_COMM);
	if (g->cause != SLOW_BY_NETWORK)
		add_waits(x, s, g, &turns, f);
	find_advice(f, "gpuwhy stragglers lists each rank, gpuwhy iters --rank N its steps");
}

static void find_imbalance(struct explain *x, const struct stragglers *s, const struct straggler *g)
{
	struct finding *f = find_cost(
		x, "stage_imbalance", gain_ns(x, g), "%s",
		straggler_sentence(imbalance_title(s, g, &x->report->arena), &x->report->arena));

	if (!f)
		return;
	imbalance_fill_finding(s, g, &x->report->arena, f);
	x->late_ns = sat_add(x->late_ns, f->recoverable_ns);
}

/* Time that findings from `first` on recover already. */
static int64_t told_ns(const struct explain *x, size_t first)
{
	int64_t ns = 0;

	for (size_t i = first; i < x->found_count; i++)
		ns = sat_add(ns, x->found[i].recoverable_ns);
	return ns;
}

/* What stages wait for each other, beyond what somebody was named for. */
static void find_bubbles(struct explain *x, const struct stragglers *s, size_t first)
{
	const struct stage_waits waits = stage_waits_sum(s);
	const int64_t all_ns = sat_of_double(waits.wait_ns);
	const int64_t ns = sat_sub(all_ns, told_ns(x, first));
	struct finding *f = NULL;

	if (all_ns > x->late_ns)
		x->late_ns = all_ns;
	if (ns > 0)
		f = find_lost(
			x, "pipeline_bubble", find_within_waits(x, ns),
			"Pipeline bubbles: stages wait for each other with nothing to compute");
	if (!f)
		return;
	f->how = "how long the rank that waits the most is in exchanges with other stages before "
		 "these arrive, with nothing computed meanwhile";
	f->confidence = CONFIDENCE_LOW;
	/* Who makes the others wait comes before what they wait anyway. */
	if (x->found_count - first > 1)
		f->severity = SEVERITY_LOW;
	find_places_of_group(f, &x->sums[SUM_EXPOSED], SLICE_COMM);
	find_count(f, "stages", s->replay.roles.count);
	find_count(f, "rank that waits the most", s->job->members[waits.member].is->rank);
	find_time(f, "it waits for other stages", all_ns);
	find_count(f, "exchanges in which it does", waits.waits);
	find_time(f, "the rank that waits the least does so", sat_of_double(waits.others_ns));
	find_advice(f, "use more micro-batches a step, or a schedule with smaller bubbles "
		       "(interleaved stages, zero-bubble)");
	find_advice(f, "give every stage as much to do: gpuwhy fleet lists the work of each");
	f->unless = "the batch cannot be cut into more micro-batches";
}

/* 1: what ranks wait for is told; 0: nobody is late, as far as fleet's search knows. */
static int find_stragglers(struct explain *x, struct err *e)
{
	struct trace_stragglers *found = mem_zalloc(1, sizeof(*found));
	const struct stragglers *s = &found->found;
	const size_t before = x->found_count;

	report_on_free(x->report, free_found, found);
	if (trace_stragglers_find(found, x->trace, &x->scope, e) < 0) {
		if (e->code != ERR_INPUT)
			return -1;
		*e = (struct err){0};
		return 0;
	}
	for (size_t i = 0; i < s->count; i++)
		find_straggler(x, s, &s->all[i]);
	if (s->unbalanced.members)
		find_imbalance(x, s, &s->unbalanced);
	find_bubbles(x, s, before);
	return x->found_count > before;
}

/* Whether a finding about hosts explains half of that. */
static bool is_told(const struct explain *x, int64_t ns)
{
	static const char *const ids[] = {"host_stall", "launch_bound", "tiny_kernels",
					  "slow_launches"};

	for (size_t i = 0; i < x->found_count; i++) {
		for (size_t k = 0; k < ARRAY_LEN(ids); k++) {
			if (strcmp(x->found[i].id, ids[k]) == 0 &&
			    x->found[i].recoverable_ns >= ns / 2)
				return true;
		}
	}
	return false;
}

static void add_skew(struct meetings *j, struct finding *f, const struct owned_spans *waits,
		     bool told)
{
	struct explain *x = j->x;
	const struct member *m = &j->sets.members[j->late];
	const bool by_host = m->late_ns[LATE_HOST] > m->late_ns[LATE_COMPUTE];

	x->late_ns = f->recoverable_ns > x->late_ns ? f->recoverable_ns : x->late_ns;
	/* Then what makes them late is the cause, and comes before its consequence. */
	if (told && f->severity > SEVERITY_LOW)
		f->severity = SEVERITY_LOW;
	f->how = "how long the rank that waits the most is in collectives before the last rank "
		 "arrives, with nothing computed meanwhile";
	f->confidence = CONFIDENCE_LOW;
	find_time(f, "exposed communication of the worst-affected GPU", explain_comm_ns(x));
	find_wait_places(x, f, waits);
	find_evidence(f, "the others wait the most for", UNIT_NAME, cell_str(str_of(name_late(j))));
	find_time(f, "for so long, in all", m->imposed_ns);
	find_time(f, "because its host launches late", m->late_ns[LATE_HOST]);
	find_time(f, "because its compute takes longer", m->late_ns[LATE_COMPUTE]);
	find_count(f, "collectives in which it is last", m->last);
	find_count(f, "of", m->sets);
	find_advice(f,
		    "see the longest waits in gpuwhy stragglers, and what the late rank did then");
	find_advice(f, by_host ? "where its host launches late, make fewer launches, or let the "
				 "host run further ahead"
			       : "where its compute takes longer, balance the work of the ranks");
	f->unless = "ranks drift apart and meet again without making the step longer";
}

/* Now this rank is late, now that one: what they wait is no lack of overlap either. */
static void find_skew(struct meetings *j)
{
	struct explain *x = j->x;
	const struct member *m = &j->sets.members[j->late];
	const bool by_host = m->late_ns[LATE_HOST] > m->late_ns[LATE_COMPUTE];
	struct owned_spans waits = {0};
	const int64_t longest_ns = sum_waits(j, &waits);
	const bool told = by_host && is_told(x, longest_ns);
	struct finding *f;

	x->late_ns = waited_ns(x, &waits);
	f = find_lost(x, "rank_skew", find_within_waits(x, longest_ns),
		      by_host ? "Ranks wait for each other, as hosts launch late"
			      : "Ranks wait for each other in collectives");
	if (f)
		add_skew(j, f, &waits, told);
	owned_spans_free(&waits);
}
int explain_ranks(struct explain *x, struct err *e)
{
	struct meetings j = {.x = x};
	int result;

	if (x->trace->process_keys.count < 2 || x->scope.has_pid || x->scope.has_device ||
	    !is_share(explain_comm_ns(x), x->window_ns, worth))
		return 0;
	result = read_job(&j, e);
	if (result > 0) {
		find_late(&j);
		result = find_stragglers(x, e);
		if (result == 0 && !is_within_doubt(&j))
			find_skew(&j);
	}
	free_job(&j);
	return result < 0 ? -1 : 0;
}
