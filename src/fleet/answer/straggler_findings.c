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

/* The ranks of a group, as far as they fit: "8, 9 and 10", "8, 9, 10 and 5 more". */
static void add_ranks(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	enum { SHOWN = 8 };
	const uint32_t shown = g->members > SHOWN ? SHOWN : g->members;

	buf_adds(b, "ranks ");
	for (uint32_t i = 0; i < shown; i++)
		buf_addf(b, "%s%u",
			 !i		       ? ""
			 : i + 1 == g->members ? " and "
					       : ", ",
			 rank_of(a, g->who[i]));
	if (g->members > shown)
		buf_addf(b, " and %u more", g->members - shown);
}

/* The node that all of a group are on, where there are several; PART_NO_NUMBER: none. */
static uint32_t common_node(const struct fleet_answer *a, const struct straggler *g)
{
	const uint32_t node = a->job.members[g->who[0]].node;

	for (uint32_t i = 1; i < g->members; i++) {
		if (a->job.members[g->who[i]].node != node)
			return PART_NO_NUMBER;
	}
	return a->job.node_count > 1 ? node : PART_NO_NUMBER;
}

/* The place on their nodes that all of a group have; PART_NO_NUMBER: none. */
static uint32_t common_place(const struct fleet_answer *a, const struct straggler *g)
{
	const uint32_t place = a->job.members[g->who[0]].local;

	for (uint32_t i = 1; i < g->members; i++) {
		if (a->job.members[g->who[i]].local != place)
			return PART_NO_NUMBER;
	}
	return a->job.node_count > 1 ? place : PART_NO_NUMBER;
}

static void add_set(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	add_ranks(b, a, g);
	if (common_node(a, g) != PART_NO_NUMBER)
		buf_addf(b, " of node %u", common_node(a, g));
}

const char *straggler_name(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	if (g->kind == STRAGGLER_RANK) {
		buf_addf(&b, "rank %u", rank_of(a, g->number));
		return report_take_text(a->report, &b);
	}
	if (g->kind == STRAGGLER_SET) {
		add_set(&b, a, g);
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

/* "all its kernels take 12.1 % longer", "… 12.1 to 30.4 % …" of several ranks. */
static void add_slowdown(struct buf *b, const struct straggler *g)
{
	double least = g->slower, most = g->slower;

	for (uint32_t i = 0; g->each && i < g->members; i++) {
		least = fmin(least, g->each[i].slower);
		most = fmax(most, g->each[i].slower);
	}
	buf_addf(b, "all %s kernels take ", g->each ? "their" : "its");
	if (100 * (most - least) >= 1)
		buf_addf(b, "%.1f to ", 100 * (least - 1));
	buf_addf(b, "%.1f %% longer%s", 100 * (most - 1),
		 g->pattern == PATTERN_GROWING ? " on average" : "");
}

/* "held up by its host in `data`" */
static void add_cause(struct buf *b, const struct straggler *g)
{
	switch (g->cause) {
	case SLOW_BY_HOST:
	case SLOW_BY_DATA:
		buf_adds(b, g->each ? "held up by their hosts" : "held up by its host");
		add_place(b, " in ", g->path);
		break;
	case SLOW_BY_CLOCK:
		add_slowdown(b, g);
		break;
	case SLOW_BY_KERNELS:
		buf_adds(b, g->each ? "they compute more" : "it computes more");
		add_place(b, " in ", g->path);
		break;
	case SLOW_BY_COPIES:
		buf_adds(b, "held up by copies");
		break;
	case SLOW_BY_NETWORK:
		buf_adds(b, "its transfers take longer than the same ones elsewhere");
		break;
	default:
		buf_addf(b, "for no reason that %s account shows", g->each ? "their" : "its");
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

static bool same_reason(const struct straggler *a, const struct straggler *b)
{
	return a->cause == b->cause && a->pattern == b->pattern && a->period == b->period &&
	       a->since == b->since && strcmp(a->path, b->path) == 0;
}

/* Whether the ranks of a set are late for one reason, at the same times. */
static bool is_alike(const struct straggler *g)
{
	for (uint32_t i = 0; g->each && i < g->members; i++) {
		if (!same_reason(&g->each[i], g))
			return false;
	}
	return true;
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

static void add_reason(struct buf *b, const struct straggler *g)
{
	add_pattern(b, g);
	buf_adds(b, ": ");
	add_cause(b, g);
}

/* Of the first few of a set, which differ. */
static void add_each(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	enum { SHOWN = 3 };

	for (uint32_t i = 0; i < g->members && i < SHOWN; i++) {
		buf_addf(b, "%srank %u ", i ? "; " : "", rank_of(a, g->who[i]));
		add_reason(b, &g->each[i]);
	}
	if (g->members > SHOWN)
		buf_addf(b, "; and %u more", g->members - SHOWN);
}

static const char *title_of(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	buf_adds(&b, straggler_name(a, g));
	buf_adds(&b, g->each ? " are late, " : " is late, ");
	if (is_alike(g))
		add_reason(&b, g);
	else
		add_each(&b, a, g);
	return report_take_text(a->report, &b);
}

static enum owner owner_of(const struct straggler *g)
{
	return g->cause == SLOW_BY_DATA	     ? OWNER_DATA
	       : g->cause == SLOW_BY_NETWORK ? OWNER_COMM
	       : g->cause == SLOW_BY_CLOCK   ? OWNER_INFRASTRUCTURE
					     : OWNER_MODEL;
}

static const char *how_of(const struct straggler *g)
{
	if (g->cause == SLOW_BY_NETWORK)
		return "all collectives once more, its transfers as long as the usual ones";
	if (g->saved_least_ns < g->saved_most_ns)
		return "all collectives once more, its delays as long as the usual ones; ranks "
		       "that share its GPU would take longer then, which is estimated";
	return g->each ? "all collectives once more, the delays of all of them as long as the "
			 "usual ones"
		       : "all collectives once more, its delays as long as the usual ones";
}

static void add_savings(struct finding *f, const struct straggler *g)
{
	add_evidence(f, "saved of a step", UNIT_NS, cell_real(g->saved_ns));
	if (g->saved_least_ns < g->saved_most_ns) {
		add_evidence(f, "at least", UNIT_NS, cell_real(g->saved_least_ns));
		add_evidence(f, "at most", UNIT_NS, cell_real(g->saved_most_ns));
	}
	add_evidence(f, "of a step of", UNIT_NS, cell_real(g->step_ns));
	add_evidence(f, "late in a step", UNIT_NS, cell_real(g->late_ns));
}

static void add_evidence_of_one(struct finding *f, const struct straggler *g)
{
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
}

/* "rank 6": "2.10 ms a step, every 4 steps: held up by its host in `data`" */
static void add_evidence_of_each(struct fleet_answer *a, struct finding *f,
				 const struct straggler *g)
{
	add_evidence(f, "cause", UNIT_NAME,
		     cell_text(is_alike(g) ? keys[g->cause] : "one for each rank"));
	for (uint32_t i = 0; i < g->members && f->evidence_count < ARRAY_LEN(f->evidence); i++) {
		const struct straggler *one = &g->each[i];
		struct buf b = {0};

		units_add_ns(&b, one->late_ns);
		buf_adds(&b, " a step, ");
		add_reason(&b, one);
		add_evidence(f, straggler_name(a, one), UNIT_NAME, report_take_cell(a->report, &b));
	}
}

static void list_ranks(struct fleet_answer *a, struct finding *f, const struct straggler *g)
{
	uint32_t *ranks = arena_alloc(&a->report->arena, g->members, sizeof(*ranks));

	for (uint32_t i = 0; i < g->members; i++)
		ranks[i] = rank_of(a, g->who[i]);
	f->ranks = ranks;
	f->rank_count = g->members;
}

static void tell(struct fleet_answer *a, const struct straggler *g)
{
	struct finding *f = arena_zalloc(&a->report->arena, 1, sizeof(*f));
	const double pct = 100 * g->saved_ns / g->step_ns;

	f->id = "straggler";
	f->title = title_of(a, g);
	f->owner = owner_of(g);
	f->recoverable_ns = sat_of_double(g->saved_ns * (double)a->stragglers.steps);
	f->recoverable_pct = pct;
	f->severity = weigh(pct);
	f->confidence = judge(g);
	f->how = how_of(g);
	list_ranks(a, f, g);
	add_savings(f, g);
	if (g->each)
		add_evidence_of_each(a, f, g);
	else
		add_evidence_of_one(f, g);
	advise(f, g);
	f->unless = g->each ? "other ranks take their place once these are faster"
			    : "another rank takes its place once this one is faster";
	report_finding(a->report, f);
}

static const char *take_sentence(const struct fleet_answer *a, struct buf *b)
{
	if (b->s[0] >= 'a' && b->s[0] <= 'z')
		b->s[0] = (char)(b->s[0] - 'a' + 'A');
	return report_take_text(a->report, b);
}

/* In a sentence: "rank 2 is late …; without that a step takes 37.6 ms instead of 44.2 ms". */
static void set_verdict(struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	buf_adds(&b, title_of(a, g));
	buf_addf(&b, ". Were %s like the others, a step would take ", g->each ? "they" : "it");
	units_add_ns(&b, g->step_ns - g->saved_ns);
	buf_adds(&b, " instead of ");
	units_add_ns(&b, g->step_ns);
	buf_addf(&b, " (%.1f %%).", 100 * g->saved_ns / g->step_ns);
	a->report->verdict = "straggler";
	a->report->verdict_text = take_sentence(a, &b);
}

const char *fleet_nobody_is_slow(const struct fleet_answer *a)
{
	const struct stragglers *s = &a->stragglers;
	const struct straggler *g = &s->doubtful;
	struct buf b = {0};

	if (!g->members)
		return "No rank makes the others' steps longer.";
	buf_adds(&b, "no rank is slow for certain: ");
	if (s->in_turn)
		buf_adds(&b, "ranks are late in turn, most of all ");
	buf_adds(&b, straggler_name(a, g));
	buf_addf(&b, "%s late in %zu of %zu steps, by ",
		 s->in_turn		    ? ":"
		 : g->kind == STRAGGLER_SET ? " were"
					    : " was",
		 g->late_steps, s->steps);
	units_add_ns(&b, g->late_step_ns);
	buf_addf(&b, ", which cost %.1f %% of the time", 100 * g->saved_ns / g->step_ns);
	if (!s->in_turn)
		buf_adds(&b, "; that may be chance: capture more steps to tell");
	buf_addc(&b, '.');
	return take_sentence(a, &b);
}

void fleet_tell_stragglers(struct fleet_answer *a)
{
	if (a->stragglers.count && !a->report->verdict)
		set_verdict(a, &a->stragglers.all[0]);
	for (size_t i = 0; i < a->stragglers.count; i++)
		tell(a, &a->stragglers.all[i]);
}
