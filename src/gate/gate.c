/* What became of each rule? */
#include "gate/gate.h"

#include "base/mem.h"
#include "base/sort.h"
#include "diff/tables/diff_words.h"
#include "gate/checks.h"
#include "statistics/max_t.h"
#include "statistics/welch.h"
#include "text/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAMILY_RUNS = 4 };		 /* a side: fewer cannot tell chance from change */
static const double family_level = 0.05; /* of one false alarm among all checks */

/* No clock of a GPU that works falls further unnoticed: beyond it the code is asked. */
static const double most_drift = 0.2;

const char *const check_outcome_keys[CHECK_OUTCOMES] = {"failed", "unknown", "allowed", "passed"};
const char *const rule_kind_keys[RULE_KINDS] = {
	"step",	   "class",   "range",	 "kernel",  "memory_peak", "kernels_per_step",
	"finding", "minimum", "minimum", "maximum",
};

struct gate_check *gate_add(struct gating *x, const struct rule *rule, const char *name)
{
	struct gate *g = x->gate;
	const char *kind = rule_kind_keys[rule->kind];
	const char *id = name ? arena_printf(&g->arena, "%s:%s", kind, name) : kind;

	MEM_GROW(g->all, g->cap, g->count + 1);
	g->all[g->count] = (struct gate_check){
		.outcome = CHECK_UNKNOWN,
		.rule = rule,
		.id = id,
		.name = id,
		.brief = id,
		.unit = UNIT_NS,
		.before = NAN,
		.after = NAN,
		.change = NAN,
		.p = NAN,
		.text = "",
	};
	return &g->all[g->count++];
}

void gate_say(struct gating *x, struct gate_check *c, struct buf *b)
{
	c->text = b->s ? arena_strdup(&x->gate->arena, b->s) : "";
	buf_free(b);
}

void gate_say_more(struct gating *x, struct gate_check *c, struct buf *b)
{
	c->more = b->s ? arena_strdup(&x->gate->arena, b->s) : "";
	buf_free(b);
}

void gate_add_value(struct buf *b, enum unit unit, double value)
{
	if (unit == UNIT_NS)
		units_add_ns(b, value);
	else if (unit == UNIT_BYTES)
		units_add_bytes(b, value);
	else
		buf_addf(b, unit == UNIT_PERCENT ? "%.1f %%" : "%.1f", value);
}

/* A share and its bound differ by less; */
static const double same_percent = 1e-6;
/* … and where they do differ, so many digits show it. */
enum { MOST_DIGITS = 7 };

/* Rounded so that it is not taken for its bound, which is said as %g has it. */
static void add_beside(struct buf *b, double percent, double bound)
{
	char shown[64], shown_bound[64];
	int digits = 1;

	snprintf(shown_bound, sizeof(shown_bound), "%g", bound);
	do
		snprintf(shown, sizeof(shown), "%.*f", digits, percent);
	while (fabs(percent - bound) > same_percent && digits++ < MOST_DIGITS &&
	       strtod(shown, NULL) == strtod(shown_bound, NULL));
	buf_addf(b, "%s %%", shown);
}

void gate_add_figure(struct buf *b, const struct gate_check *c, double value)
{
	if (c->unit == UNIT_PERCENT)
		add_beside(b, value, 100 * c->rule->share);
	else
		gate_add_value(b, c->unit, value);
}

static void add_more_than(struct buf *b, const struct rule *rule, enum unit unit)
{
	if (rule->rel > 0 || rule->abs <= 0)
		buf_addf(b, "+%g %%", 100 * rule->rel);
	if (rule->rel > 0 && rule->abs > 0)
		buf_adds(b, " or ");
	if (rule->abs > 0) {
		buf_addc(b, '+');
		gate_add_value(b, unit, rule->abs);
	}
}

void gate_add_allowed(struct buf *b, const struct rule *rule, enum unit unit)
{
	if (rule->kind == RULE_OVERLAP || rule->kind == RULE_MFU)
		buf_addf(b, "at least %g %%", 100 * rule->share);
	else if (rule->kind == RULE_IDLE)
		buf_addf(b, "at most %g %%", 100 * rule->share);
	else if (rule->kind != RULE_FINDING)
		add_more_than(b, rule, unit);
}

void gate_add_limits(struct buf *b, const struct rule *rule, enum unit unit)
{
	buf_adds(b, ", allowed is ");
	add_more_than(b, rule, unit);
	if (rule->rel > 0 && rule->abs > 0)
		buf_adds(b, ", whichever is more");
	if (!rule->line)
		buf_adds(b, " (--tolerance)");
}

void gate_add_nothing(struct gating *x, const struct rule *rule, const char *what)
{
	struct gate_check *c = gate_add(x, rule, rule->names.text);

	/* Rules of several programs and GPUs have patterns that one of them does not need. */
	if (rule->names.pattern)
		c->outcome = CHECK_PASSED;
	c->text = arena_printf(&x->gate->arena, "%s is called so, before or after%s", what,
			       rule->names.pattern ? ": nothing was checked" : "");
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* Each run is one value: what it takes on average. */
static struct comparison compare_means(const double *means, size_t before, size_t after,
				       bool paired, double tolerance)
{
	const struct compare_options o = {
		.tolerance = tolerance, .paired = paired, .seed = COMPARE_SEED};
	SCOPED struct run_steps *runs = mem_alloc(before + after, sizeof(*runs));
	struct comparison c;

	for (size_t i = 0; i < before + after; i++)
		runs[i] = (struct run_steps){&means[i], 1};
	compare_runs(runs, before, runs + before, after, &o, &c);
	return c;
}

/* Whether a slower clock is all there is to a time: then no code got slower, as far as one can
 * tell.
 */
static bool may_be_clock(const struct diff *d)
{
	return drift_is_clear(&d->drift) && d->drift.change > 0 && d->drift.change <= most_drift;
}

static double limit_ns(const struct gate_check *c)
{
	return fmax(c->rule->rel * c->before, c->rule->abs);
}

/*
 * The one rule for times, of the step and of its parts: one fails where the runs are sure that it
 * is beyond its limits, passes where they are sure that it is not, and is unknown else. What is in
 * no run of a side needs no statistics. `unclocked_ns` is what it would take if unchanged kernels
 * were as fast as before.
 */
static void judge(const struct diff *d, struct gate_check *c, const struct comparison *t,
		  double unclocked_ns)
{
	c->by_clock = may_be_clock(d) && unclocked_ns - c->before <= limit_ns(c);
	c->p = t->p;
	if (c->before <= 0 || c->after <= 0)
		c->outcome = c->after - c->before > limit_ns(c) ? CHECK_FAILED : CHECK_PASSED;
	else if (t->verdict == VERDICT_SLOWER)
		c->outcome = c->by_clock ? CHECK_UNKNOWN : CHECK_FAILED;
	else
		c->outcome = t->not_slower ? CHECK_PASSED : CHECK_UNKNOWN;
}

/*
 * A time far below what it may differ by: by which factor runs differ says little of it then, and
 * by how much they do is what counts.
 */
static bool is_within(const struct diff *d, const struct gate_check *c)
{
	const size_t before = d->sides.of[BEFORE].run_count, after = d->sides.of[AFTER].run_count;
	const struct known_variance nothing = {0};
	struct estimate e;

	if (c->rule->abs <= 0 || before + after < 3)
		return false;
	if (d->time.of_pairs) {
		SCOPED double *more = mem_alloc(before, sizeof(*more));

		for (size_t i = 0; i < before; i++)
			more[i] = c->means[before + i] - c->means[i];
		welch_pairs(more, before, &e);
	} else {
		welch(c->means, before, c->means + before, after, &nothing, &e);
	}
	return e.se > 0 && e.high <= limit_ns(c);
}

static void add_doubt(struct buf *b, const struct diff *d, const struct gate_check *c,
		      const char *what)
{
	if (c->by_clock && c->after - c->before > limit_ns(c))
		buf_addf(b, "unchanged kernels are slower, too (%+.1f %%): it may be the clock",
			 100 * d->drift.change);
	else
		buf_addf(b, "%swhether it is beyond %s these runs cannot tell",
			 c->is_doubted ? "among so many checks " : "", what);
}

/* What its figures do not say: that it is new, what took its place, and that nobody is sure. */
static void add_more(struct buf *b, const struct diff *d, const struct gate_check *c)
{
	if (isnan(c->change) && c->after > 0)
		buf_adds(b, "it is new");
	if (c->fate)
		buf_addf(b, "%s%s", b->len ? ", " : "", c->fate);
	if (c->outcome == CHECK_UNKNOWN) {
		buf_adds(b, b->len ? "; " : "");
		add_doubt(b, d, c, "what is allowed");
	}
}

static void describe_times(struct gating *x, struct gate_check *c)
{
	struct buf b = {0}, more = {0};

	units_add_ns(&b, c->before);
	buf_adds(&b, " → ");
	units_add_ns(&b, c->after);
	buf_addf(&b, " %s", diff_of_what(x->diff));
	if (!isnan(c->change))
		buf_addf(&b, " (%+.1f %%)", 100 * c->change);
	else if (c->after > 0)
		buf_adds(&b, ": it is new");
	if (c->fate)
		buf_addf(&b, ", %s", c->fate);
	gate_add_limits(&b, c->rule, UNIT_NS);
	if (c->outcome == CHECK_UNKNOWN) {
		buf_adds(&b, "; ");
		add_doubt(&b, x->diff, c, "that");
	}
	gate_say(x, c, &b);
	add_more(&more, x->diff, c);
	gate_say_more(x, c, &more);
}

/* Texts of the check live as long as the gate. */
static struct gate_check *add_about(struct gating *x, const struct rule *rule,
				    const struct check_subject *about)
{
	struct arena *arena = &x->gate->arena;
	struct gate_check *c = gate_add(x, rule, about->name);

	if (about->brief)
		c->brief = arena_printf(arena, "%s:%s", rule_kind_keys[rule->kind], about->brief);
	if (about->fate)
		c->fate = arena_strdup(arena, about->fate);
	return c;
}

void gate_judge_times(struct gating *x, const struct rule *rule, const struct check_subject *about,
		      double *means)
{
	const struct sides *s = &x->diff->sides;
	const size_t before = s->of[BEFORE].run_count, after = s->of[AFTER].run_count;
	struct gate_check *c = add_about(x, rule, about);
	struct comparison t;

	c->means = means;
	c->before = mean_of(means, before);
	c->after = mean_of(means + before, after);
	c->change = c->before > 0 ? c->after / c->before - 1 : NAN;
	c->weight = (c->after - c->before) / side_step_ns(&s->of[BEFORE], s->of[BEFORE].ns);
	t = compare_means(means, before, after, x->diff->paired,
			  c->before > 0 ? limit_ns(c) / c->before : 0);
	judge(x->diff, c, &t, c->after / (1 + x->diff->drift.change));
	if (c->outcome == CHECK_UNKNOWN && is_within(x->diff, c))
		c->outcome = CHECK_PASSED;
	describe_times(x, c);
}

double gate_tolerance(const struct rules *r, const struct account *const *runs, size_t count)
{
	const struct rule *step = rules_step(r);
	double mean = 0;

	if (!step)
		return r->tolerance;
	for (size_t i = 0; i < count; i++)
		mean += account_step_ns(runs[i]) / (double)count;
	return fmax(step->rel, mean > 0 ? step->abs / mean : 0);
}

static int check_step(struct gating *x, const struct rule *rule)
{
	const struct diff *d = x->diff;
	const struct side_runs *before = &d->sides.of[BEFORE], *after = &d->sides.of[AFTER];
	struct gate_check *c = gate_add(x, rule, NULL);
	struct buf b = {0}, more = {0};

	c->brief = diff_what(d);
	c->before = side_step_ns(before, before->ns);
	c->after = side_step_ns(after, after->ns);
	c->change = c->before > 0 ? c->after / c->before - 1 : NAN;
	c->weight = isnan(c->change) ? 0 : c->change;
	judge(d, c, &d->time, c->before * (1 + d->drift.step_change));
	diff_add_change(&b, d);
	gate_add_limits(&b, rule, UNIT_NS);
	if (c->outcome == CHECK_UNKNOWN && d->time.verdict == VERDICT_CANNOT_TELL)
		buf_adds(&more, d->time.why);
	else if (c->outcome == CHECK_UNKNOWN)
		add_doubt(&more, d, c, "what is allowed");
	else if (d->time.verdict == VERDICT_CANNOT_TELL)
		buf_adds(&more, "it is not beyond that; whether it is faster cannot be told");
	if (more.len)
		buf_addf(&b, "; %s", more.s);
	gate_say(x, c, &b);
	gate_say_more(x, c, &more);
	return 0;
}

static int (*const checks[RULE_KINDS])(struct gating *x, const struct rule *rule) = {
	[RULE_STEP] = check_step,
	[RULE_CLASS] = gate_check_class,
	[RULE_RANGE] = gate_check_ranges,
	[RULE_KERNEL] = gate_check_kernels,
	[RULE_MEMORY] = gate_check_memory,
	[RULE_KERNELS] = gate_check_kernel_count,
	[RULE_FINDING] = gate_check_findings,
	[RULE_OVERLAP] = gate_check_overlap,
	[RULE_MFU] = gate_check_mfu,
	[RULE_IDLE] = gate_check_idle,
};

/* A failure that the family of checks does not bear out. */
static void doubt(struct gating *x, struct gate_check *c)
{
	c->outcome = CHECK_UNKNOWN;
	c->is_doubted = true;
	describe_times(x, c);
}

static void judge_by_permutation(struct gating *x, size_t before, size_t after)
{
	SCOPED const double **rows = mem_alloc(x->gate->count, sizeof(*rows));
	SCOPED double *p = mem_alloc(x->gate->count, sizeof(*p));
	size_t count = 0;

	for (size_t i = 0; i < x->gate->count; i++) {
		if (x->gate->all[i].means)
			rows[count++] = x->gate->all[i].means;
	}
	max_t(rows, count, before, after, COMPARE_SEED, p);
	for (size_t i = 0, n = 0; i < x->gate->count; i++) {
		struct gate_check *c = &x->gate->all[i];

		if (!c->means)
			continue;
		if (c->outcome == CHECK_FAILED && c->before > 0 && !(p[n] <= family_level))
			doubt(x, c);
		n++;
	}
}

static int by_p(const void *a, const void *b, void *ctx)
{
	const double p = (*(struct gate_check *const *)a)->p,
		     q = (*(struct gate_check *const *)b)->p;

	(void)ctx;
	return (p > q) - (p < q);
}

/* By Holm: the surest of n failures must be sure at a level of 1 / n, the next at 1 / (n - 1). */
static void judge_by_steps_down(struct gating *x)
{
	SCOPED struct gate_check **failed = mem_alloc(x->gate->count, sizeof(void *));
	size_t count = 0, family = 0;
	bool doubts = false;

	for (size_t i = 0; i < x->gate->count; i++) {
		struct gate_check *c = &x->gate->all[i];

		family += c->means && c->before > 0;
		if (c->means && c->outcome == CHECK_FAILED && c->before > 0)
			failed[count++] = c;
	}
	sort_stable(failed, count, sizeof(void *), by_p, NULL);
	for (size_t i = 0; i < count; i++) {
		/* One-sided: nobody asks whether it got faster. */
		doubts |= !(failed[i]->p / 2 * (double)(family - i) <= family_level);
		if (doubts)
			doubt(x, failed[i]);
	}
}

/* Of many checks one fails by chance: all that are about times are judged as one family. */
static void judge_family(struct gating *x)
{
	const size_t before = x->diff->sides.of[BEFORE].run_count,
		     after = x->diff->sides.of[AFTER].run_count;

	if (before < FAMILY_RUNS || after < FAMILY_RUNS || x->diff->paired)
		judge_by_steps_down(x);
	else
		judge_by_permutation(x, before, after);
}

static int by_weight(const void *p, const void *q, void *ctx)
{
	const struct gate_check *a = p, *b = q;

	(void)ctx;
	if (a->outcome != b->outcome)
		return a->outcome < b->outcome ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return strcmp(a->id, b->id);
}

static int check_all(struct gating *x, const struct rules *r)
{
	range_times_make(&x->ranges, &x->diff->sides);
	kernel_parts_make(&x->kernels, x->diff);
	for (size_t i = 0; i < r->count; i++) {
		if (checks[r->all[i].kind](x, &r->all[i]) < 0)
			return -1;
	}
	return 0;
}

int gate_make(struct gate *ret, const struct diff *d, const struct rules *r, const char *today,
	      struct err *e)
{
	struct gating x = {.gate = ret, .diff = d, .e = e};
	int result;

	*ret = (struct gate){0};
	result = check_all(&x, r);
	if (result == 0) {
		judge_family(&x);
		result = gate_allow_known(&x, r, today);
		gate_tell_apart(ret); /* allowances name them as they are */
	}
	range_times_free(&x.ranges);
	kernel_parts_free(&x.kernels);
	if (result < 0)
		return -1;
	sort_stable(ret->all, ret->count, sizeof(*ret->all), by_weight, NULL);
	for (size_t i = 0; i < ret->count; i++)
		ret->counts[ret->all[i].outcome]++;
	return 0;
}

void gate_free(struct gate *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->all[i].means);
	free(g->all);
	arena_free(&g->arena);
	*g = (struct gate){0};
}

enum check_outcome gate_outcome(const struct gate *g)
{
	return g->counts[CHECK_FAILED]	  ? CHECK_FAILED
	       : g->counts[CHECK_UNKNOWN] ? CHECK_UNKNOWN
					  : CHECK_PASSED;
}
