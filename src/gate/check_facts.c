/* Does what is no matter of chance keep its rules? */
#include "gate/checks.h"

#include "diff/tables/diff_findings.h"
#include "diff/tables/diff_words.h"
#include "text/units.h"

#include <math.h>

static int64_t most_memory(const struct side_runs *s)
{
	int64_t most = -1;

	for (size_t r = 0; r < s->run_count; r++) {
		const int64_t bytes = s->runs[r]->facts.memory_bytes;

		most = bytes > most ? bytes : most;
	}
	return most;
}

/* A value that is the same in every run of a program: no interval is needed. */
static void judge_values(struct gating *x, struct gate_check *c)
{
	const double more = c->after - c->before,
		     limit = fmax(c->rule->rel * c->before, c->rule->abs);
	struct buf b = {0};

	c->change = c->before > 0 ? more / c->before : NAN;
	c->weight = isnan(c->change) ? more > 0 : c->change;
	c->outcome = more > limit ? CHECK_FAILED : CHECK_PASSED;
	gate_add_value(&b, c->unit, c->before);
	buf_adds(&b, " → ");
	gate_add_value(&b, c->unit, c->after);
	gate_add_limits(&b, c->rule, c->unit);
	gate_say(x, c, &b);
	gate_say_more(x, c, &b);
}

int gate_check_memory(struct gating *x, const struct rule *rule)
{
	struct gate_check *c = gate_add(x, rule, NULL);
	const int64_t before = most_memory(&x->diff->sides.of[BEFORE]),
		      after = most_memory(&x->diff->sides.of[AFTER]);

	c->unit = UNIT_BYTES;
	if (before < 0 || after < 0) {
		c->text = "memory was not recorded on both sides: nsys profile --cuda-memory-usage "
			  "true";
		return 0;
	}
	c->before = (double)before;
	c->after = (double)after;
	judge_values(x, c);
	return 0;
}

static double calls_a_step(const struct side_runs *s)
{
	uint64_t calls = 0;

	for (size_t r = 0; r < s->run_count; r++) {
		for (size_t k = 0; k < s->runs[r]->kind_count; k++)
			calls += s->runs[r]->kinds[k].calls;
	}
	return (double)calls / (double)s->steps;
}

int gate_check_kernel_count(struct gating *x, const struct rule *rule)
{
	struct gate_check *c = gate_add(x, rule, NULL);

	c->unit = UNIT_COUNT;
	c->before = calls_a_step(&x->diff->sides.of[BEFORE]);
	c->after = calls_a_step(&x->diff->sides.of[AFTER]);
	judge_values(x, c);
	return 0;
}

static const struct run_finding *find_finding(const struct side_runs *s, const char *id,
					      const struct account **ret_run)
{
	for (size_t r = 0; r < s->run_count; r++) {
		const struct run_facts *f = &s->runs[r]->facts;

		for (size_t i = 0; i < f->finding_count; i++) {
			*ret_run = s->runs[r];
			if (strcmp(f->findings[i].id, id) == 0)
				return &f->findings[i];
		}
	}
	return NULL;
}

static bool has_findings(const struct side_runs *s)
{
	for (size_t r = 0; r < s->run_count; r++) {
		if (!s->runs[r]->facts.has_findings)
			return false;
	}
	return true;
}

/* Both columns are means over the runs of a side. `more`: places where it is new, too. */
static void add_finding(struct gating *x, const struct rule *rule, const struct finding_change *f,
			size_t more)
{
	const struct side_runs *after = &x->diff->sides.of[AFTER];
	struct gate_check *c = gate_add(x, rule, f->id);
	struct buf b = {0};

	c->outcome = CHECK_FAILED;
	c->before = f->ns[BEFORE];
	c->after = f->ns[AFTER];
	c->change = c->before > 0 ? c->after / c->before - 1 : NAN;
	c->weight = c->after / side_step_ns(after, after->ns);
	buf_addf(&b, "%s: ", f->title);
	units_add_ns(&b, c->after);
	buf_addf(&b, " %s could be recovered", diff_of_what(x->diff));
	if (more)
		buf_addf(&b, "; new in %zu more place%s", more, more == 1 ? "" : "s");
	gate_say(x, c, &b);
}

/* Of its places the one that it costs most in stands for all; where the findings before are not
 * known, that of the first run which has it. */
static void add_forbidden(struct gating *x, const struct rule *rule,
			  const struct run_finding *found, const struct account *run)
{
	const struct finding_changes c = finding_changes_find(x->diff, &x->gate->arena);
	struct finding_change most = {
		.id = found->id,
		.title = found->title,
		.ns = {NAN, (double)found->recoverable_ns / (double)run->step_count}};
	bool known = false;

	for (size_t i = 0; i < c.count; i++) {
		if (strcmp(c.all[i].id, found->id) != 0 ||
		    (known && c.all[i].ns[AFTER] <= most.ns[AFTER]))
			continue;
		most = c.all[i];
		known = true;
	}
	add_finding(x, rule, &most, 0);
}

static bool is_new(const struct finding_change *c)
{
	return c->state == FINDING_NEW;
}

/* Those that the baseline has not, or not there; of one id the largest, with all its places. */
static size_t add_new_findings(struct gating *x, const struct rule *rule)
{
	const struct finding_changes c = finding_changes_find(x->diff, &x->gate->arena);
	size_t found = 0;

	for (size_t i = 0; i < c.count; i++) {
		size_t earlier = 0, more = 0;

		for (size_t k = 0; k < c.count && is_new(&c.all[i]); k++) {
			const bool same =
				is_new(&c.all[k]) && strcmp(c.all[k].id, c.all[i].id) == 0;

			earlier += same && k < i;
			more += same && k > i;
		}
		if (!is_new(&c.all[i]) || earlier)
			continue;
		add_finding(x, rule, &c.all[i], more);
		found++;
	}
	return found;
}

static bool lacks_places(const struct side_runs *s)
{
	for (size_t r = 0; r < s->run_count; r++) {
		if (s->runs[r]->facts.lacks_places)
			return true;
	}
	return false;
}

int gate_check_findings(struct gating *x, const struct rule *rule)
{
	const bool new = strcmp(rule->names.text, "new") == 0;
	const struct sides *s = &x->diff->sides;
	const struct account *run = NULL;
	const struct run_finding *found = find_finding(&s->of[AFTER], rule->names.text, &run);
	struct gate_check *c;

	if (!has_findings(&s->of[AFTER]) || (new && !has_findings(&s->of[BEFORE]))) {
		c = gate_add(x, rule, rule->names.text);
		c->text = "findings of these runs are not known";
		return 0;
	}
	if (new &&lacks_places(&s->of[BEFORE])) {
		c = gate_add(x, rule, rule->names.text);
		c->text = "where the findings of the baseline are was not kept: save it again";
		return 0;
	}
	if (!new &&found) {
		add_forbidden(x, rule, found, run);
		return 0;
	}
	if (new &&add_new_findings(x, rule))
		return 0;
	c = gate_add(x, rule, rule->names.text);
	c->outcome = CHECK_PASSED;
	c->text = new ? "no finding that the baseline has not" : "it does not appear";
	return 0;
}

/* A share of the runs after that has a bound, whatever was before. */
static void judge_bound(struct gating *x, struct gate_check *c, bool at_least)
{
	const double bound = 100 * c->rule->share,
		     beyond = at_least ? bound - c->after : c->after - bound;
	struct buf b = {0};

	c->weight = beyond / 100;
	c->change = c->before > 0 ? c->after / c->before - 1 : NAN;
	c->outcome = beyond > 0 ? CHECK_FAILED : CHECK_PASSED;
	gate_add_figure(&b, c, c->after);
	buf_addf(&b, ", %s is %g %%", at_least ? "the least" : "the most", bound);
	gate_say(x, c, &b);
	gate_say_more(x, c, &b);
}

int gate_check_overlap(struct gating *x, const struct rule *rule)
{
	struct gate_check *c = gate_add(x, rule, "overlap");

	c->unit = UNIT_PERCENT;
	c->before = 100 * side_comm_hidden(&x->diff->sides.of[BEFORE]);
	c->after = 100 * side_comm_hidden(&x->diff->sides.of[AFTER]);
	if (isnan(c->after))
		c->text = "there is no communication";
	else
		judge_bound(x, c, true);
	return 0;
}

static double mfu_of(const struct rule *rule, const struct side_runs *s)
{
	const struct run_facts *f = &s->runs[0]->facts;
	const struct gpu_peak *peak = gpu_peak_find(str_of(f->gpu));
	const double tflops = rule->tflops > 0 ? rule->tflops
			      : peak	       ? peak->tflops[rule->dtype]
					       : 0;
	const double seconds = side_step_ns(s, s->ns) / 1e9;

	return tflops > 0 && f->gpus && seconds > 0
		       ? 100 * rule->flops / seconds / (tflops * 1e12 * f->gpus)
		       : NAN;
}

int gate_check_mfu(struct gating *x, const struct rule *rule)
{
	struct gate_check *c = gate_add(x, rule, "mfu");

	c->unit = UNIT_PERCENT;
	c->before = mfu_of(rule, &x->diff->sides.of[BEFORE]);
	c->after = mfu_of(rule, &x->diff->sides.of[AFTER]);
	if (isnan(c->after))
		c->text = "the peak of this GPU is not known: peak_tflops names it";
	else if (c->after > 100)
		c->text = "above 100 %: no GPU is that fast; flops, dtype or peak_tflops is wrong";
	else
		judge_bound(x, c, true);
	return 0;
}

static double idle_share(const struct side_runs *s)
{
	int64_t idle = 0;

	for (size_t i = 0; i < s->leaf_count; i++) {
		if (s->leaves[i].key->class == LEAF_IDLE)
			idle = sat_add(idle, s->leaves[i].all.ns);
	}
	return s->ns > 0 ? 100 * (double)idle / (double)s->ns : NAN;
}

int gate_check_idle(struct gating *x, const struct rule *rule)
{
	struct gate_check *c = gate_add(x, rule, "idle");

	c->unit = UNIT_PERCENT;
	c->before = idle_share(&x->diff->sides.of[BEFORE]);
	c->after = idle_share(&x->diff->sides.of[AFTER]);
	judge_bound(x, c, false);
	return 0;
}
