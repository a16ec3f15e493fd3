/* Which rank is slow, since when, why, and what would the job gain? */
#include "fleet/answer/answer.h"

#include "base/mem.h"
#include "report/finding.h"
#include "text/units.h"

#include <stdlib.h>

static const char *const keys[STRAGGLER_CAUSES] = {
	[SLOW_BY_HOST] = "host",       [SLOW_BY_DATA] = "data",	    [SLOW_BY_CLOCK] = "clock",
	[SLOW_BY_KERNELS] = "compute", [SLOW_BY_COPIES] = "copies", [SLOW_BY_NETWORK] = "network",
	[SLOW_BY_WHAT] = "unknown",
};

static uint32_t rank_of(const struct fleet_answer *a, uint32_t member)
{
	return a->job.members[member].is->rank;
}

/* The ranks of a group, as far as they fit: "ranks 8, 9, 10 and 5 more". */
static void add_ranks(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	enum { SHOWN = 8 };
	uint32_t count = 0;

	buf_adds(b, "ranks ");
	for (uint32_t i = 0; i < a->job.member_count; i++) {
		if (!straggler_has(&a->stragglers, g, i))
			continue;
		if (count++ < SHOWN)
			buf_addf(b, "%s%u", count > 1 ? ", " : "", rank_of(a, i));
	}
	if (count > SHOWN)
		buf_addf(b, " and %u more", count - SHOWN);
}

/* The place on their nodes that all members of a communicator have; PART_NO_NUMBER: none. */
static uint32_t common_place(const struct fleet_answer *a, const struct straggler *g)
{
	const struct instance_class *c = &a->x.classes[g->number];
	const uint32_t place = a->job.members[a->x.queues[c->first_queue].member].local;

	for (size_t i = 1; i < c->queue_count; i++) {
		if (a->job.members[a->x.queues[c->first_queue + i].member].local != place)
			return PART_NO_NUMBER;
	}
	return a->job.node_count > 1 ? place : PART_NO_NUMBER;
}

const char *straggler_name(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	if (g->kind == STRAGGLER_RANK) {
		buf_addf(&b, "rank %u", rank_of(a, g->number));
		return report_take_text(a->report, &b);
	}
	if (g->kind == STRAGGLER_NODE)
		buf_addf(&b, "node %u", g->number);
	else if (g->kind == STRAGGLER_RAIL)
		buf_addf(&b, "rail %u", g->number);
	else if (common_place(a, g) != PART_NO_NUMBER)
		buf_addf(&b, "rail %u", common_place(a, g));
	else
		buf_adds(&b, "a communicator");
	buf_adds(&b, " (");
	add_ranks(&b, a, g);
	buf_addc(&b, ')');
	return report_take_text(a->report, &b);
}

static void add_place(struct buf *b, const char *before, const char *name)
{
	if (*name)
		buf_addf(b, "%s`%s`", before, name);
}

/* "held up by its host in `data`" */
static void add_cause(struct buf *b, const struct straggler *g)
{
	switch (g->cause) {
	case SLOW_BY_HOST:
	case SLOW_BY_DATA:
		buf_adds(b, "held up by its host");
		add_place(b, " in ", g->path);
		break;
	case SLOW_BY_CLOCK:
		buf_addf(b, "all its kernels take %.1f %% longer", 100 * (g->slower - 1));
		break;
	case SLOW_BY_KERNELS:
		buf_adds(b, "it computes more");
		add_place(b, " in ", g->path);
		break;
	case SLOW_BY_COPIES:
		buf_adds(b, "held up by copies");
		break;
	case SLOW_BY_NETWORK:
		buf_adds(b, "its transfers take longer than the same ones elsewhere");
		break;
	default:
		buf_adds(b, "for no reason that its account shows");
		break;
	}
}

static void add_pattern(struct buf *b, const struct straggler *g)
{
	switch (g->pattern) {
	case PATTERN_PERSISTENT:
		buf_adds(b, "in nearly every step");
		break;
	case PATTERN_SINCE:
		buf_addf(b, "since step %u", g->since);
		break;
	case PATTERN_GROWING:
		buf_adds(b, "more and more");
		break;
	case PATTERN_PERIODIC:
		buf_addf(b, "every %u steps", g->period);
		break;
	default:
		buf_adds(b, "now and then");
		break;
	}
}

static struct evidence *add_evidence(struct finding *f, const char *label, enum unit unit,
				     struct cell value)
{
	struct evidence *v = &f->evidence[f->evidence_count++];

	*v = (struct evidence){.label = label, .unit = unit, .value = value};
	return v;
}

static void add_advice(struct finding *f, const char *text)
{
	f->advice[f->advice_count++] = text;
}

static void advise(struct finding *f, const struct straggler *g)
{
	static const char *const first[STRAGGLER_CAUSES] = {
		[SLOW_BY_HOST] = "look at what its host does there that the others' do not: "
				 "logging, checkpoints, a slow CPU, other programs on the node",
		[SLOW_BY_DATA] = "look at what its data loader does: the storage, the length of "
				 "its samples, its workers; prepare batches ahead",
		[SLOW_BY_CLOCK] = "look at the clock and the temperature of this GPU (nvidia-smi "
				  "-q -d PERFORMANCE); take the node out if it is throttled",
		[SLOW_BY_KERNELS] = "give every rank the same work: balance batches, sequence "
				    "lengths, experts, layers",
		[SLOW_BY_COPIES] = "look at its copies: pageable memory, a slow PCIe link",
		[SLOW_BY_NETWORK] = "look at its links: cable, port errors, NIC, NCCL_IB_HCA and "
				    "the rail's switch",
		[SLOW_BY_WHAT] = "look at its own report beside that of another rank",
	};

	add_advice(f, first[g->cause]);
}

/* What the clocks, the counts and the cause are worth together. */
static enum confidence judge(const struct straggler *g)
{
	if (g->shares_gpu || g->cause == SLOW_BY_WHAT)
		return CONFIDENCE_MEDIUM;
	return 2 * g->last >= g->of ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
}

static enum severity weigh(double pct)
{
	return pct >= 10 ? SEVERITY_HIGH : pct >= 3 ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

static const char *title_of(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	buf_adds(&b, straggler_name(a, g));
	buf_adds(&b, " is late, ");
	add_pattern(&b, g);
	buf_adds(&b, ": ");
	add_cause(&b, g);
	return report_take_text(a->report, &b);
}

static void tell(struct fleet_answer *a, const struct straggler *g)
{
	struct finding *f = arena_zalloc(&a->report->arena, 1, sizeof(*f));
	const double pct = 100 * g->saved_ns / g->step_ns;

	f->id = "straggler";
	f->title = title_of(a, g);
	f->owner = g->cause == SLOW_BY_DATA	 ? OWNER_DATA
		   : g->cause == SLOW_BY_NETWORK ? OWNER_COMM
		   : g->cause == SLOW_BY_CLOCK	 ? OWNER_INFRASTRUCTURE
						 : OWNER_MODEL;
	f->recoverable_ns = sat_of_double(g->saved_ns * (double)a->stragglers.steps);
	f->recoverable_pct = pct;
	f->severity = weigh(pct);
	f->confidence = judge(g);
	f->how = g->cause == SLOW_BY_NETWORK
			 ? "all collectives once more, its transfers as long as the usual ones"
		 : g->saved_least_ns < g->saved_most_ns
			 ? "all collectives once more, its delays as long as the usual ones; ranks "
			   "that share its GPU would take longer then, which is estimated"
			 : "all collectives once more, its delays as long as the usual "
			   "ones";
	add_evidence(f, "saved of a step", UNIT_NS, cell_real(g->saved_ns));
	if (g->saved_least_ns < g->saved_most_ns) {
		add_evidence(f, "at least", UNIT_NS, cell_real(g->saved_least_ns));
		add_evidence(f, "at most", UNIT_NS, cell_real(g->saved_most_ns));
	}
	add_evidence(f, "of a step of", UNIT_NS, cell_real(g->step_ns));
	add_evidence(f, "late in a step", UNIT_NS, cell_real(g->late_ns));
	add_evidence(f, "explained by the cause", UNIT_NS, cell_real(g->cause_ns));
	add_evidence(f, "cause", UNIT_NAME, cell_text(keys[g->cause]));
	if (*g->code)
		add_evidence(f, "its host is in", UNIT_NAME, cell_text(g->code));
	if (*g->kernel)
		add_evidence(f, "most of it in", UNIT_KERNEL, cell_text(g->kernel));
	if (g->of && f->evidence_count < FINDING_EVIDENCE)
		add_evidence(f,
			     g->cause == SLOW_BY_NETWORK
				     ? "transfers that take longer"
				     : "steps with most of the delays in which it is the slowest",
			     UNIT_PERCENT, cell_real(100 * (double)g->last / (double)g->of));
	advise(f, g);
	f->unless = "another rank takes its place once this one is faster";
	report_finding(a->report, f);
}

/* In a sentence: "rank 2 is late …; without that a step takes 37.6 ms instead of 44.2 ms". */
static void set_verdict(struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	buf_adds(&b, title_of(a, g));
	buf_adds(&b, ". Were it like the others, a step would take ");
	units_add_ns(&b, g->step_ns - g->saved_ns);
	buf_adds(&b, " instead of ");
	units_add_ns(&b, g->step_ns);
	buf_addf(&b, " (%.1f %%).", 100 * g->saved_ns / g->step_ns);
	if (b.s[0] >= 'a' && b.s[0] <= 'z')
		b.s[0] = (char)(b.s[0] - 'a' + 'A');
	a->report->verdict = "straggler";
	a->report->verdict_text = report_take_text(a->report, &b);
}

void fleet_tell_stragglers(struct fleet_answer *a)
{
	if (a->stragglers.count && !a->report->verdict)
		set_verdict(a, &a->stragglers.all[0]);
	for (size_t i = 0; i < a->stragglers.count; i++)
		tell(a, &a->stragglers.all[i]);
}
