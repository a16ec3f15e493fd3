/* What do ncu's own rules find, in which kernels, and what would it gain? */
#include "analysis/counters/ncu_study.h"
#include "base/mem.h"
#include "base/sort.h"
#include "report/finding.h"

#include <math.h>
#include <stdlib.h>

/* What one rule says of all kernels. */
struct rule_sum {
	struct str name;
	double *gain_ns;     /* by group; NAN: not estimated */
	const char **advice; /* by group; NULL: it says nothing of it */
	double total_ns;
	size_t groups;
};

struct rule_sums {
	const struct ncu_study *s;
	struct report *r;
	struct strtab names;
	struct rule_sum *all;
	size_t cap;
};

enum { MOST_RULES = 256 }; /* ncu has a few dozens */

/* What is only told, or has no meaning by itself, is no cause. */
static bool is_advice(const struct ncu_rule *rule)
{
	return str_eq(rule->type, STR_LIT("OPT")) || str_eq(rule->type, STR_LIT("WRN"));
}

static struct rule_sum *sum_of(struct rule_sums *x, struct str name)
{
	size_t known = x->names.count, groups = x->s->groups.count;
	uint32_t number = strtab_add(&x->names, name);
	struct rule_sum *sum;

	if (x->names.count == known)
		return &x->all[number];
	MEM_GROW(x->all, x->cap, x->names.count);
	sum = &x->all[number];
	*sum = (struct rule_sum){
		.name = name,
		.gain_ns = arena_alloc(&x->r->arena, groups, sizeof(*sum->gain_ns)),
		.advice = arena_zalloc(&x->r->arena, groups, sizeof(*sum->advice)),
	};
	for (size_t i = 0; i < groups; i++)
		sum->gain_ns[i] = NAN;
	return sum;
}

/* By how much of its own time a launch would get shorter; only "global" ones speak of that. */
static double gain_of(const struct ncu_kernel *k, const struct ncu_rule *rule)
{
	bool is_share = rule->speedup_pct >= 0 && rule->speedup_pct <= 100;

	if (!str_eq(rule->speedup_type, STR_LIT("global")) || !is_share)
		return NAN;
	return k->duration_ns * rule->speedup_pct / 100;
}

/* A rule may speak of several units of one launch: what the largest gains holds the others. */
static double launch_gain(const struct ncu_kernel *k, const struct ncu_rule *first)
{
	double most = NAN;

	for (const struct ncu_rule *rule = first; rule; rule = rule->next) {
		if (str_eq(rule->name, first->name) && is_advice(rule))
			most = fmax(most, gain_of(k, rule));
	}
	return most;
}

static bool is_first(const struct ncu_kernel *k, const struct ncu_rule *rule)
{
	for (const struct ncu_rule *r = k->rules; r != rule; r = r->next) {
		if (str_eq(r->name, rule->name) && is_advice(r))
			return false;
	}
	return true;
}

static void add_rule(struct rule_sums *x, size_t group, const struct ncu_kernel *k,
		     const struct ncu_rule *rule)
{
	struct rule_sum *sum = sum_of(x, rule->name);
	double gain = launch_gain(k, rule);

	if (!sum->advice[group]) {
		sum->advice[group] = arena_str(&x->r->arena, rule->text).s;
		sum->groups++;
	}
	if (isnan(sum->gain_ns[group]))
		sum->gain_ns[group] = gain;
	else if (!isnan(gain))
		sum->gain_ns[group] += gain;
}

/* Rules of a launch are a few dozens; a file of thousands of them for one is no real one. */
static void add_launch(struct rule_sums *x, size_t group, const struct ncu_kernel *k)
{
	int seen = 0;

	for (const struct ncu_rule *rule = k->rules; rule && seen < MOST_RULES;
	     rule = rule->next, seen++) {
		if (is_advice(rule) && is_first(k, rule) && x->names.count < MOST_RULES)
			add_rule(x, group, k, rule);
	}
}

/* From what ncu measured to what the kernel takes in the run. */
static void scale(struct rule_sums *x)
{
	for (size_t n = 0; n < x->names.count; n++) {
		struct rule_sum *sum = &x->all[n];

		for (size_t g = 0; g < x->s->groups.count; g++) {
			double ns = x->s->groups.all[g].duration_ns;

			if (isnan(sum->gain_ns[g]))
				continue;
			sum->gain_ns[g] *= ns > 0 ? ncu_grids_time(x->s, g) / ns : NAN;
			sum->total_ns += isnan(sum->gain_ns[g]) ? 0 : sum->gain_ns[g];
		}
	}
}

static int by_total(const void *a, const void *b, void *ctx)
{
	const struct rule_sum *x = a, *y = b;

	(void)ctx;
	return x->total_ns != y->total_ns
		       ? (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns)
		       : str_cmp(x->name, y->name);
}

/* The group with the most to gain, of those not taken (NULL: none is) that it speaks of; SIZE_MAX:
 * none. */
static size_t next_group(const struct rule_sums *x, const struct rule_sum *sum, const bool *taken)
{
	size_t best = SIZE_MAX;

	for (size_t g = 0; g < x->s->groups.count; g++) {
		if ((taken && taken[g]) || !sum->advice[g])
			continue;
		if (best == SIZE_MAX || sum->gain_ns[g] > sum->gain_ns[best] ||
		    (isnan(sum->gain_ns[best]) && !isnan(sum->gain_ns[g])))
			best = g;
	}
	return best;
}

/* Whole names, of which there may be several, are in the table. */
static const char *brief_name(struct rule_sums *x, size_t group)
{
	struct buf b = {0};
	const char *name;

	ncu_name_add_form(&b, x->s->groups.all[group].name, NCU_FORM_NO_ARGS);
	name = arena_printf(&x->r->arena, "in %s", b.s);
	buf_free(&b);
	return name;
}

static void add_evidence(struct rule_sums *x, const struct rule_sum *sum, struct finding *f)
{
	bool *taken = mem_zalloc(x->s->groups.count, sizeof(*taken));
	size_t g;

	while (f->evidence_count < FINDING_EVIDENCE / 2 &&
	       (g = next_group(x, sum, taken)) != SIZE_MAX) {
		taken[g] = true;
		if (!f->advice_count && sum->advice[g][0])
			f->advice[f->advice_count++] = sum->advice[g];
		f->evidence[f->evidence_count++] = (struct evidence){
			.label = brief_name(x, g),
			.unit = UNIT_NS,
			.value = known_cell(sum->gain_ns[g]),
		};
	}
	free(taken);
}

static const char *title_of(struct rule_sums *x, const struct rule_sum *sum)
{
	const char *most = brief_name(x, next_group(x, sum, NULL));

	if (sum->groups == 1)
		return arena_printf(&x->r->arena, "%.*s %s", STR_FMT(sum->name), most);
	return arena_printf(&x->r->arena, "%.*s in %zu kernels, mostly %s", STR_FMT(sum->name),
			    sum->groups, most);
}

static enum severity severity_of(const struct rule_sums *x, double gain_ns)
{
	double share = gain_ns / ncu_study_whole(x->s);

	return !(gain_ns > 0) ? SEVERITY_INFO : share >= 0.1 ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

static void add_finding(struct rule_sums *x, const struct rule_sum *sum)
{
	struct finding *f = arena_zalloc(&x->r->arena, 1, sizeof(*f));

	*f = (struct finding){
		.id = "ncu_rule",
		.owner = finding_kind("ncu_rule")->owner,
		.severity = severity_of(x, sum->total_ns),
		.title = title_of(x, sum),
		.recoverable_ns = sum->total_ns < 9e18 ? llround(sum->total_ns) : INT64_MAX,
		.recoverable_pct = NAN, /* a sum over kernels that may run at once */
		.how = x->s->joined
			       ? "ncu's estimate for each kernel, of its time in the run"
			       : "ncu's estimate for each kernel, of the time that ncu measured",
		.confidence = CONFIDENCE_LOW,
		.unless = "gains overlap: do not add them",
	};
	add_evidence(x, sum, f);
	report_finding(x->r, f);
}

void ncu_rules_add(const struct ncu_study *s, struct report *r)
{
	struct rule_sums x = {.s = s, .r = r};

	for (size_t i = 0; i < s->ncu->count; i++)
		add_launch(&x, s->groups.of_kernel[i], &s->ncu->kernels[i]);
	scale(&x);
	if (x.names.count)
		report_heading(r, "Nsight Compute's rules, largest gain first");
	sort_stable(x.all, x.names.count, sizeof(*x.all), by_total, NULL);
	for (size_t i = 0; i < x.names.count; i++)
		add_finding(&x, &x.all[i]);
	strtab_free(&x.names);
	free(x.all);
}
