/* A straggler as a finding: what it costs, why, how sure that is, and what to do about it. */
#include "fleet/late/straggler_finding.h"

#include "base/mem.h"
#include "fleet/late/straggler_words.h"
#include "text/units.h"

static void add_advice(struct finding *f, const char *text)
{
	f->advice[f->advice_count++] = text;
}

static bool is_advised(const struct finding *f, const char *text)
{
	for (size_t i = 0; i < f->advice_count; i++) {
		if (f->advice[i] == text)
			return true;
	}
	return false;
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
		[SLOW_BY_MORE] = "give every stage as many layers",
		[SLOW_BY_COPIES] = "look at its copies: pageable memory, a slow PCIe link",
		[SLOW_BY_NETWORK] = "look at its links: cable, port errors, NIC, NCCL_IB_HCA and "
				    "the rail's switch",
		[SLOW_BY_WHAT] = "look at its own report beside that of another rank",
	};

	add_advice(f, first[g->cause]);
	for (uint32_t i = 0; g->each && i < g->members; i++) {
		const char *text = first[g->each[i].cause];

		if (!is_advised(f, text) && f->advice_count < FINDING_ADVICE)
			add_advice(f, text);
	}
}

/*
 * Whether clocks may well be wrong by so much that another rank came last, or that less is saved:
 * they leave no collective together, and UTC has it elsewhere.
 */
static bool hangs_on_clocks(const struct stragglers *s, const struct straggler *g)
{
	for (size_t i = 0; i < s->job->part_count; i++) {
		const struct job_clock *c = &s->job->parts[i].clock;

		if (c->known && c->likely_ns > g->saved_ns / 2)
			return true;
	}
	return false;
}

/* Of some that are late together, each is to be late for a reason: else it may be for the others.
 */
static bool lacks_reason(const struct straggler *g)
{
	bool lacks = g->cause == SLOW_BY_WHAT;

	for (uint32_t i = 0; g->each && i < g->members; i++)
		lacks |= g->each[i].cause == SLOW_BY_WHAT;
	return lacks;
}

/* What the clocks, the counts and the cause are worth together. */
static enum confidence judge(const struct stragglers *s, const struct straggler *g)
{
	if (g->is_estimate || s->groups_misfit)
		return CONFIDENCE_LOW;
	/* Stages do the same only as far as their kernels tell. */
	if (g->shares_gpu || lacks_reason(g) || g->kind == STRAGGLER_STAGE || hangs_on_clocks(s, g))
		return CONFIDENCE_MEDIUM;
	return 2 * g->last >= g->of ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
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
	if (g->is_estimate)
		return "not replayed, as who sends to whom is not known: at least what it has to "
		       "do "
		       "more than the next stage, at most what it has to do more than the usual "
		       "one";
	if (g->kind == STRAGGLER_STAGE)
		return "all collectives once more, what it does between them shorter by what it "
		       "has "
		       "to do more than the other stages";
	if (g->saved_least_ns < g->saved_most_ns)
		return "all collectives once more, without its delays beyond the usual ones, what "
		       "may be luck left in; ranks that share its GPU would take longer then, "
		       "which "
		       "is estimated";
	return g->each ? "all collectives once more, without the delays of all of them beyond the "
			 "usual ones, what may be luck left in"
		       : "all collectives once more, without its delays beyond the usual ones, "
			 "what may be luck left in";
}

static void add_savings(struct finding *f, const struct straggler *g)
{
	finding_add_evidence(f, "saved of a step", UNIT_NS, cell_real(g->saved_ns));
	if (g->saved_least_ns < g->saved_most_ns) {
		finding_add_evidence(f, "at least", UNIT_NS, cell_real(g->saved_least_ns));
		finding_add_evidence(f, "at most", UNIT_NS, cell_real(g->saved_most_ns));
	}
	finding_add_evidence(f, "of a step of", UNIT_NS, cell_real(g->step_ns));
	if (g->kind == STRAGGLER_STAGE) {
		finding_add_evidence(f, "its work in a step", UNIT_NS, cell_real(g->work_ns));
		finding_add_evidence(f, "that of the other stages", UNIT_NS,
				     cell_real(g->others_ns));
	} else {
		finding_add_evidence(f, "late in a step", UNIT_NS, cell_real(g->late_ns));
	}
}

static void add_evidence_of_one(struct finding *f, const struct straggler *g)
{
	finding_add_evidence(f, "explained by the cause", UNIT_NS, cell_real(g->cause_ns));
	f->cause = straggler_cause_keys[g->cause];
	finding_add_evidence(f, "cause", UNIT_NAME, cell_text(f->cause));
	if (*g->code)
		finding_add_evidence(f, "its host is in", UNIT_NAME, cell_text(g->code));
	if (*g->kernel)
		finding_add_evidence(f, "most of it in", UNIT_KERNEL, cell_text(g->kernel));
	if (g->of)
		finding_add_evidence(
			f,
			g->cause == SLOW_BY_NETWORK ? "transfers that take longer"
			: g->kind == STRAGGLER_STAGE
				? "steps with most of that in which it has the most work"
				: "steps with most of the delays in which it is the slowest",
			UNIT_PERCENT, cell_real(100 * (double)g->last / (double)g->of));
}

/* Evidence that whoever asks for the finding may add: see straggler_fill_finding(). */
enum { BESIDES = 3 };

/* "rank 6": "2.10 ms a step, every 4 steps: held up by its host in `data`" */
static void add_evidence_of_each(const struct stragglers *s, struct finding *f,
				 const struct straggler *g, struct arena *arena)
{
	const size_t room = ARRAY_LEN(f->evidence) - BESIDES - (f->evidence_count + 1);
	const uint32_t shown = g->members <= room ? g->members : (uint32_t)room - 1;

	f->cause = straggler_is_alike(g) ? straggler_cause_keys[g->cause] : NULL;
	finding_add_evidence(f, "cause", UNIT_NAME,
			     cell_text(f->cause ? f->cause : "one for each rank"));
	for (uint32_t i = 0; i < shown; i++) {
		const struct straggler *one = &g->each[i];
		SCOPED_BUF b = {0};

		units_add_ns(&b, one->late_ns);
		buf_adds(&b, " a step, ");
		straggler_add_reason(&b, one);
		finding_add_evidence(f, straggler_name(s, one, arena), UNIT_NAME,
				     cell_str(arena_str(arena, buf_str(&b))));
	}
	if (g->members > shown)
		finding_add_evidence(f, "more ranks that are late", UNIT_COUNT,
				     cell_int(g->members - shown));
}

static void fill(const struct stragglers *s, const struct straggler *g, struct arena *arena,
		 struct finding *f)
{
	uint32_t ranks;

	f->ranks = straggler_ranks(s, g, arena, &ranks);
	f->rank_count = ranks;
	add_savings(f, g);
}

enum severity straggler_severity(const struct straggler *g)
{
	const double pct = 100 * g->saved_ns / g->step_ns;

	return pct >= 10 ? SEVERITY_HIGH : pct >= 3 ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

void straggler_fill_finding(const struct stragglers *s, const struct straggler *g,
			    struct arena *arena, struct finding *f)
{
	f->owner = owner_of(g);
	f->confidence = judge(s, g);
	f->how = how_of(g);
	fill(s, g, arena, f);
	if (g->each)
		add_evidence_of_each(s, f, g, arena);
	else
		add_evidence_of_one(f, g);
	advise(f, g);
	f->unless = g->kind == STRAGGLER_STAGE
			    ? "its kernels have larger inputs than those of other stages"
		    : g->each ? "other ranks take their place once these are faster"
			      : "another rank takes its place once this one is faster";
}

static const char *imbalance_advice(const struct straggler *g)
{
	switch (g->cause) {
	case SLOW_BY_MORE:
		return "give layers of it to other stages";
	case SLOW_BY_KERNELS:
		return "give fewer layers to the stage that has the embedding, the head or the "
		       "loss, or make that a stage of its own";
	default:
		return "look at the report of one of its ranks beside that of another stage";
	}
}

/* A stage with more to do is nobody's fault, but the others wait for it all the same. */
void imbalance_fill_finding(const struct stragglers *s, const struct straggler *g,
			    struct arena *arena, struct finding *f)
{
	f->owner = OWNER_MODEL;
	f->confidence = g->cause == SLOW_BY_MORE && !g->shares_gpu && !g->is_estimate
				? CONFIDENCE_MEDIUM
				: CONFIDENCE_LOW;
	f->how = g->is_estimate
			 ? "not replayed, as who sends to whom is not known: three quarters of "
			   "what it has to do more than stages have on average"
			 : "all collectives once more, as much to do for each stage as they "
			   "have on average";
	fill(s, g, arena, f);
	add_evidence_of_one(f, g);
	add_advice(f, imbalance_advice(g));
	f->unless = "layers cannot be moved, or not in parts that fit";
}
