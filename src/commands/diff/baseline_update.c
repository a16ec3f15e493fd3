/* May these runs join those of a baseline? */
#include "base/file.h"
#include "baseline/folder.h"
#include "commands/diff/baseline_args.h"
#include "commands/diff/baseline_creep.h"
#include "diff/tables/diff_words.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>

/* One run does not tell how far runs are apart: on a machine that others use, hardly more. */
static const double unknown_spread = 0.1;

/* Earlier runs, these, and what they are together. */
struct update {
	struct kept_baseline kept;
	struct account_list runs;
	struct match_map map;
	struct diff diff;
	const struct account **all;
	struct accepted_change *accepted;
	struct arena arena;
	struct baseline_version known; /* the file that is updated */
};

static int check_reason(const struct baseline_args *a, struct err *e)
{
	if (a->accept != (a->reason != NULL))
		return err_set(e, ERR_USAGE, "--accept and --reason TEXT go together");
	if (a->reason &&
	    (!str_trimmed(str_of(a->reason)).len || strlen(a->reason) > BASELINE_REASON_BYTES))
		return err_set(e, ERR_USAGE, "--reason takes a text of at most %d bytes",
			       BASELINE_REASON_BYTES);
	return 0;
}

static int check_alike(struct update *u, struct err *e)
{
	const size_t before = u->kept.is.run_count, count = before + u->runs.count;

	u->all = mem_alloc(count, sizeof(void *));
	for (size_t i = 0; i < count; i++)
		u->all[i] = i < before ? u->kept.is.runs[i] : u->runs.refs[i - before];
	baseline_order_runs(u->all, count);
	return baseline_check_alike(u->all, count, e);
}

static int compare(struct update *u, const struct baseline_request *q, struct err *e)
{
	const struct compare_args *a = &q->args->gate.compare;
	const struct compare_options how = compare_args_options(a);
	const struct sides lists = {
		.of = {{.runs = u->kept.is.runs, .run_count = u->kept.is.run_count},
		       {.runs = u->runs.refs, .run_count = u->runs.count}}};

	return compare_args_diff(a, &how, &lists, &u->map, &u->diff, e);
}

/* How far kept runs are apart, of their logarithms. */
static double spread_of(const struct baseline *b)
{
	double sum = 0, squares = 0;

	if (b->run_count < 2)
		return unknown_spread;
	for (size_t i = 0; i < b->run_count; i++) {
		const double x = log(account_step_ns(b->runs[i]));

		sum += x;
		squares += x * x;
	}
	return sqrt(
		fmax(0, (squares - sum * sum / (double)b->run_count) / (double)(b->run_count - 1)));
}

/*
 * How many runs are slower than the slowest that is kept, by more than the tolerance and twice what
 * kept runs differ by. A few such runs, one at a time or beside others, would else become part of
 * the spread that they should have been held against.
 */
static size_t count_far(const struct update *u, double tolerance)
{
	const struct baseline *old = &u->kept.is;
	double slowest = 0;
	size_t far = 0;

	for (size_t i = 0; i < old->run_count; i++)
		slowest = fmax(slowest, account_step_ns(old->runs[i]));
	for (size_t i = 0; i < u->runs.count; i++)
		far += account_step_ns(u->runs.refs[i]) >
		       slowest * (1 + tolerance) * exp(2 * spread_of(old));
	return far;
}

/* What the GPU computes in a step of a run, with nothing else to tell from it. */
static double compute_ns(const struct account *a)
{
	int64_t ns = 0;

	for (size_t i = 0; i < a->leaf_count; i++) {
		if (a->leaves[i].class == LEAF_COMPUTE)
			ns = sat_add(ns, leaf_total(a, &a->leaves[i]).ns);
	}
	return (double)ns / (double)a->step_count;
}

/*
 * Whether a run computes longer than any that is kept, by more of a step than the tolerance: the
 * host, which makes runs differ, has no part in that.
 */
static bool computes_longer(const struct update *u, double tolerance)
{
	const struct baseline *old = &u->kept.is;
	double longest_ns = 0, step_ns = INFINITY;

	for (size_t i = 0; i < old->run_count; i++) {
		longest_ns = fmax(longest_ns, compute_ns(old->runs[i]));
		step_ns = fmin(step_ns, account_step_ns(old->runs[i]));
	}
	for (size_t i = 0; i < u->runs.count; i++) {
		if (compute_ns(u->runs.refs[i]) - longest_ns > tolerance * step_ns)
			return true;
	}
	return false;
}

/* Why the runs are no part of the baseline; NULL: they may be. */
static const char *find_objection(const struct update *u, double tolerance)
{
	const size_t far = count_far(u, tolerance);

	if (u->diff.time.verdict == VERDICT_SLOWER)
		return "are a regression";
	if (u->diff.relaunched && u->diff.time.verdict != VERDICT_FASTER)
		return "are launched in another way (CUDA graphs)";
	if (u->diff.structural && diff_relative_change(&u->diff) > tolerance &&
	    u->diff.time.verdict == VERDICT_CANNOT_TELL)
		return "launch other kernels and take longer";
	if (computes_longer(u, tolerance) && u->diff.time.verdict == VERDICT_CANNOT_TELL)
		return "compute longer by more than the tolerance";
	return !far		      ? NULL
	       : far == u->runs.count ? "are far slower than any that is kept"
				      : "hold one that is far slower than any that is kept";
}

static int refuse(const struct update *u, const struct baseline_request *q, const char *objection,
		  struct err *e)
{
	SCOPED_BUF b = {0};

	diff_add_verdict(&b, &u->diff, compare_args_tolerance(&q->args->gate.compare));
	err_set(e, ERR_GATE, "these runs %s, and are no part of the baseline '%s': %s", objection,
		q->name, b.s);
	return err_hint(e, "--accept --reason TEXT makes them the new usual");
}

/*
 * Kept runs differ by chance, and what they launch does not: with other kernels among them, the
 * spread of the baseline would be the difference of two programs, and hide as large a regression.
 */
static int refuse_other(const struct update *u, const struct baseline_request *q,
			const struct account *const *run, struct err *e)
{
	const struct baseline *old = &u->kept.is;
	double share = baseline_other_launches(old->runs, run);

	/* Somebody may have saved a mix, with a warning: each of it has its like. */
	for (size_t i = 1; i < old->run_count && share > 0; i++)
		share = fmin(share, baseline_other_launches(&old->runs[i], run));
	if (share <= 0)
		return 0;
	err_set(e, ERR_GATE,
		"'%s' launches other kernels than the runs of the baseline '%s' (%.0f %% of GPU "
		"ops came, went or were replaced), and is no part of it",
		(*run)->name, q->name, 100 * share);
	return err_hint(e,
			"gpuwhy baseline save %s TRACE… --force begins anew; if the change is "
			"meant, --accept --reason TEXT makes these runs the new usual",
			q->name);
}

static int refuse_others(const struct update *u, const struct baseline_request *q, struct err *e)
{
	for (size_t i = 0; i < u->runs.count; i++) {
		if (refuse_other(u, q, &u->runs.refs[i], e) < 0)
			return -1;
	}
	return 0;
}

/* The new usual takes the place of the old: a mean of both would be neither. */
static struct baseline replace(struct update *u, const struct baseline_request *q)
{
	const struct baseline *old = &u->kept.is;
	const struct side_runs *before = &u->diff.sides.of[BEFORE];

	u->accepted = mem_alloc(old->accepted_count + 1, sizeof(*u->accepted));
	if (old->accepted_count)
		memcpy(u->accepted, old->accepted, old->accepted_count * sizeof(*u->accepted));
	u->accepted[old->accepted_count] = (struct accepted_change){
		.date = q->today,
		.reason = text_valid(&u->arena, str_of(q->args->reason)),
		.change_pct = 100 * diff_step_ns(&u->diff, u->diff.delta) /
			      side_step_ns(before, before->ns),
	};
	return (struct baseline){old->options, u->runs.refs, u->runs.count, u->accepted,
				 old->accepted_count + 1};
}

static int put(struct update *u, const struct baseline_request *q, struct err *e)
{
	const struct baseline *old = &u->kept.is;
	struct report *r = &q->inv->report;
	struct baseline b = {old->options, u->all, old->run_count + u->runs.count, old->accepted,
			     old->accepted_count};
	SCOPED_BUF words = {0};

	diff_add_verdict(&words, &u->diff, compare_args_tolerance(&q->args->gate.compare));
	report_lead(r, "%s", words.s);
	r->verdict = verdict_keys[u->diff.time.verdict];
	r->verdict_text = arena_strdup(&r->arena, words.s);
	kept_runs_warn_old(r, q->name, old, q->today);
	compare_args_warn(r, &u->map, &u->diff);
	if (q->args->accept)
		b = replace(u, q);
	if (u->diff.time.verdict == VERDICT_FASTER && !q->args->accept) {
		report_warning(r, "an improvement asks for a new baseline: nothing was added; "
				  "--accept --reason TEXT makes these runs the new usual");
		baseline_add_runs(r, old);
		return invocation_present(q->inv, e);
	}
	if (q->args->accept)
		report_note(r, "The new runs (%zu) take the place of the earlier ones (%zu).",
			    b.run_count, old->run_count);
	baseline_warn_creep(r, q->name, &b, compare_args_tolerance(&q->args->gate.compare));
	if (baseline_put(q, &b, &u->known, e) < 0)
		return -1;
	baseline_add_runs(r, &b);
	return invocation_present(q->inv, e);
}

static int update(struct update *u, const struct baseline_request *q, struct err *e)
{
	const char *objection;

	if (check_reason(q->args, e) < 0 || kept_runs_open(&u->kept, q->name, e) < 0 ||
	    kept_runs_check_options(&u->kept.is, &q->args->gate.run, e) < 0 ||
	    baseline_read_runs(q, &u->kept.is, &u->runs, e) < 0 || check_alike(u, e) < 0 ||
	    compare(u, q, e) < 0)
		return -1;
	objection = find_objection(u, compare_args_tolerance(&q->args->gate.compare));
	if (objection && !q->args->accept)
		return refuse(u, q, objection, e);
	/* An improvement is left out anyway. */
	if (!q->args->accept && u->diff.time.verdict != VERDICT_FASTER &&
	    refuse_others(u, q, e) < 0)
		return -1;
	return put(u, q, e);
}

int baseline_run_update(const struct baseline_request *q, struct err *e)
{
	SCOPED char *path = baseline_path(q->name);
	/* Who updates it at the same time adds its runs before or after. */
	const int lock = baseline_lock();
	struct update u = {.known = baseline_version_of(path)};
	const int result = update(&u, q, e);

	diff_free(&u.diff);
	match_map_free(&u.map);
	free(u.all);
	free(u.accepted);
	arena_free(&u.arena);
	account_list_free(&u.runs);
	baseline_free(&u.kept);
	baseline_unlock(lock);
	return result;
}
