/* What is said about a job on few ranks and on many? */
#include "fleet/late/straggler_words.h"
#include "fleet/scaling/scaling.h"

#include "base/mem.h"
#include "base/sort.h"
#include "report/kernel_name.h"
#include "text/units.h"

static const double nothing = 0.02; /* of a step, lost or won: runs of one program differ by that */

/* By share: its key, the verdict where most is lost to it, and that in words. */
static const struct share_words {
	const char *key, *verdict, *lost_to;
} words[STEP_SHARES] = {
	[SHARE_COMPUTE] = {"compute", "gpu_bound", "compute that takes longer"},
	[SHARE_TRANSFER] = {"communication", "communication_bound", "communication"},
	[SHARE_STRAGGLERS] = {"stragglers", "straggler", "waiting for"},
	[SHARE_IMBALANCE] = {"imbalance", "unbalanced", "ranks that wait for each other"},
	[SHARE_COPIES] = {"copies", "copy_bound", "exposed copies"},
	[SHARE_IDLE] = {"host", "host_bound", "idle GPUs"},
};

static const struct column scaling_columns[] = {
	{"scaling", "Scaling", UNIT_NAME, 0, "", SHOW},
	{"ranks_one", "Ranks before", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"ranks_many", "Ranks after", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"step_one_ns", "Step before", UNIT_NS, 0, NULL, SHOW},
	{"ideal_ns", "Ideal step", UNIT_NS, 0, NULL, SHOW},
	{"step_ns", "Step after", UNIT_NS, 0, NULL, SHOW},
	{"efficiency_pct", "Efficiency", UNIT_PERCENT, 0, NULL, SHOW},
	{"lost_ns", "Lost a step", UNIT_CHANGE_NS, 0, NULL, MACHINE_ONLY},
	{"kernel_time_ratio", "Kernel time of a rank", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"common_kernels_pct", "Kernels in common", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"confidence", "Confidence", UNIT_NAME, 0, NULL, SHOW},
};

static const struct column loss_columns[] = {
	{"lost_to", "Lost to", UNIT_NAME, 0, "", SHOW},
	{"ideal_ns", "Ideal step", UNIT_NS, 0, NULL, SHOW},
	{"step_ns", "Step after", UNIT_NS, 0, NULL, SHOW},
	{"lost_ns", "Lost", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"lost_pct", "Of the step", UNIT_CHANGE, 0, NULL, SHOW},
	{"most_in", "Mostly", UNIT_NAME, 0, NULL, SHOW},
};

static const struct column next_columns[] = {
	{"command", "Next", UNIT_COMMAND, 0, "", SHOW},
};

/* Columns of steps are called after the ranks, unless both sides have as many. */
static const struct column *with_ranks(struct report *r, const struct column *from, size_t count,
				       const struct scaling *s)
{
	static const char *const keys[SCALING_SIDES] = {"step_one_ns", "step_ns"};
	struct column *all = arena_alloc(&r->arena, count, sizeof(*all));

	for (size_t i = 0; i < count; i++) {
		all[i] = from[i];
		for (int k = 0; k < SCALING_SIDES && s->of[ONE].ranks != s->of[MANY].ranks; k++) {
			if (strcmp(from[i].key, keys[k]) == 0)
				all[i].title =
					arena_printf(&r->arena, "On %u rank%s", s->of[k].ranks,
						     s->of[k].ranks == 1 ? "" : "s");
		}
	}
	return all;
}

#define ROWS_WITH_RANKS(r, name, title, columns, s)                                    \
	report_new_rows(r, name, title, with_ranks(r, columns, ARRAY_LEN(columns), s), \
			ARRAY_LEN(columns))

/* The type of collective whose exposed waits, or transfers, grew most. */
static const char *grown_type(const struct scaling *s, bool waits)
{
	struct named_times of[SCALING_SIDES] = {0};
	struct named_time most;

	for (int side = 0; side < SCALING_SIDES; side++) {
		const struct job *j = &s->of[side].is->job;

		for (size_t i = 0; i < j->member_count; i++) {
			const struct member_waits *w = &s->of[side].waits[i];
			const double steps =
				member_steps(j->members[i].is) * (double)j->member_count;

			for (int k = 0; k < COLL_TYPES; k++)
				named_times_add(&of[side], collective_type_name(k),
						(waits ? w->wait_ns[k] : w->transfer_ns[k]) /
							steps);
		}
		named_times_merge(&of[side]);
	}
	most = named_times_grown(&of[ONE], s->scale, &of[MANY]);
	named_times_free(&of[ONE]);
	named_times_free(&of[MANY]);
	return most.shown;
}

static const char *grown_kernel(struct report *r, const struct scaling *s)
{
	const struct named_time most =
		named_times_grown(&s->of[ONE].kernels, s->scale, &s->of[MANY].kernels);
	struct buf b = {0};

	if (!most.shown)
		return NULL;
	kernel_name_add_short(&b, str_of(most.shown));
	return b.len ? report_take_text(r, &b) : most.shown;
}

static const char *grown_idle(struct report *r, const struct scaling *s)
{
	const struct named_time most =
		named_times_grown(&s->of[ONE].idle, s->scale, &s->of[MANY].idle);

	if (!most.shown)
		return NULL;
	return *most.shown ? arena_printf(&r->arena, "`%s`", most.shown) : "outside any NVTX range";
}

/* "rank 2 and 1 more"; NULL: there are none. */
static const char *name_stragglers(struct report *r, const struct fleet_answer *a)
{
	const size_t count = a->stragglers.count;
	const char *first =
		count ? straggler_name(&a->stragglers, &a->stragglers.all[0], &a->report->arena)
		      : NULL;

	return count > 1 ? arena_printf(&r->arena, "%s and %zu more", first, count - 1) : first;
}

/* Where most of a loss is; NULL: nothing is lost, or nobody knows. */
static const char *most_in(struct report *r, const struct fleet_answer *many,
			   const struct scaling *s, enum step_share share)
{
	if (scaling_lost_to_ns(s, share) <= 0)
		return NULL;
	switch (share) {
	case SHARE_COMPUTE:
		return grown_kernel(r, s);
	case SHARE_TRANSFER:
		return grown_type(s, false);
	case SHARE_IMBALANCE:
		return grown_type(s, true);
	case SHARE_STRAGGLERS:
		return name_stragglers(r, many);
	case SHARE_IDLE:
		return grown_idle(r, s);
	default:
		return NULL;
	}
}

static enum step_share largest_loss(const struct scaling *s)
{
	enum step_share most = 0;

	for (int i = 1; i < STEP_SHARES; i++) {
		if (scaling_lost_to_ns(s, i) > scaling_lost_to_ns(s, most))
			most = i;
	}
	return most;
}

/* "64 ranks do 83.2 % of what 8 times 8 ranks would" */
static void add_efficiency(struct buf *b, const struct scaling *s)
{
	const uint32_t one = s->of[ONE].ranks, many = s->of[MANY].ranks;
	const double times = (double)many / (double)one;

	buf_addf(b, "%u rank%s %s %.1f %% of what ", many, many == 1 ? "" : "s",
		 many == 1 ? "does" : "do", 100 * s->efficiency);
	if (one == many)
		buf_addf(b, "the %u before do", one);
	else
		buf_addf(b, "%.*f times %u rank%s would", times == round(times) ? 0 : 2, times, one,
			 one == 1 ? "" : "s");
	buf_adds(b, ": a step takes ");
	units_add_ns(b, (double)s->of[MANY].account.step_ns);
	buf_adds(b, " instead of ");
	units_add_ns(b, (double)s->ideal_ns);
}

/* "waiting for rank 2 (3.90 ms)" */
static void add_loss(struct buf *b, struct report *r, const struct fleet_answer *many,
		     const struct scaling *s)
{
	const enum step_share most = largest_loss(s);
	const char *who = name_stragglers(r, many);

	buf_adds(b, words[most].lost_to);
	if (most == SHARE_STRAGGLERS && who)
		buf_addf(b, " %s", who);
	buf_adds(b, " (");
	units_add_ns(b, (double)scaling_lost_to_ns(s, most));
	buf_addc(b, ')');
}

static void tell_verdict(struct report *r, const struct fleet_answer *many, const struct scaling *s)
{
	const double most_ns = (double)scaling_lost_to_ns(s, largest_loss(s));
	const bool loses = s->efficiency < 1 - nothing;
	struct buf b = {0};

	add_efficiency(&b, s);
	buf_adds(&b, loses ? ". Most is lost to " : ". Nothing is lost in all");
	if (!loses && most_ns > nothing * (double)s->ideal_ns)
		buf_adds(&b, "; other rows gain what is lost to ");
	if (loses || most_ns > nothing * (double)s->ideal_ns)
		add_loss(&b, r, many, s);
	buf_addc(&b, '.');
	r->verdict = loses			   ? words[largest_loss(s)].verdict
		     : s->efficiency > 1 + nothing ? "faster"
						   : "same";
	r->verdict_text = report_take_text(r, &b);
	report_lead(r, "%s", r->verdict_text);
}

static void add_summary(struct report *r, const struct scaling *s, enum confidence confidence)
{
	struct rows *rows = ROWS_WITH_RANKS(r, "scaling", NULL, scaling_columns, s);

	rows->table.facts = true;
	ROWS_ADD(rows, cell_text(s->strong ? "strong" : "weak"), cell_int(s->of[ONE].ranks),
		 cell_int(s->of[MANY].ranks), cell_int(s->of[ONE].account.step_ns),
		 cell_int(s->ideal_ns), cell_int(s->of[MANY].account.step_ns),
		 cell_real(100 * s->efficiency), cell_int(scaling_lost_ns(s)), cell_real(s->work),
		 cell_real(100 * s->common), cell_text(confidence_name(confidence)));
}

static int by_loss(const void *a, const void *b, void *ctx)
{
	const int64_t x = scaling_lost_to_ns(ctx, *(const enum step_share *)a);
	const int64_t y = scaling_lost_to_ns(ctx, *(const enum step_share *)b);

	return (x < y) - (x > y);
}

static void add_row(struct rows *rows, const char *lost_to, int64_t ideal_ns, int64_t step_ns,
		    int64_t whole_ns, const char *most_in)
{
	const int64_t lost_ns = step_ns - ideal_ns;

	ROWS_ADD(rows, cell_text(lost_to), cell_int(ideal_ns), cell_int(step_ns), cell_int(lost_ns),
		 cell_real(100 * (double)lost_ns / (double)whole_ns),
		 most_in ? cell_text(most_in) : cell_null());
}

/* The largest loss first; the sum is the step. */
static void add_account(struct report *r, const struct fleet_answer *many, struct scaling *s)
{
	struct rows *rows = ROWS_WITH_RANKS(r, "loss", "Where a step goes", loss_columns, s);
	const struct step_account *after = &s->of[MANY].account;
	enum step_share order[STEP_SHARES];

	rows->table.drops_empty = true;
	for (int i = 0; i < STEP_SHARES; i++)
		order[i] = i;
	sort_stable(order, STEP_SHARES, sizeof(*order), by_loss, s);
	for (int i = 0; i < STEP_SHARES; i++)
		add_row(rows, words[order[i]].key, s->ideal[order[i]], after->ns[order[i]],
			after->step_ns, most_in(r, many, s, order[i]));
	add_row(rows, "sum", s->ideal_ns, after->step_ns, after->step_ns, NULL);
}

/* The command that looks closer at the largest loss; of parts there is nothing closer. */
static const char *next_command(struct report *r, const struct scaling *s,
				const struct scaling_names *names)
{
	const enum step_share most = largest_loss(s);
	const char *one = names->first[ONE], *many = names->first[MANY];

	if (most == SHARE_STRAGGLERS || most == SHARE_IMBALANCE || !many ||
	    (most != SHARE_TRANSFER && !one))
		return arena_printf(&r->arena, "gpuwhy fleet %s", names->many);
	if (most == SHARE_TRANSFER)
		return arena_printf(&r->arena, "gpuwhy nccl %s", many);
	return arena_printf(&r->arena, "gpuwhy diff %s -- %s", one, many);
}

static void add_next(struct report *r, const struct scaling *s, const struct scaling_names *names)
{
	struct rows *rows = REPORT_ROWS(r, "next", NULL, next_columns);

	rows->table.facts = true;
	ROWS_ADD(rows, cell_text(next_command(r, s, names)));
}

/* Stragglers as findings; of the first of them people read why it is late, and when. */
static void tell_stragglers(struct report *r, struct fleet_answer *many, size_t place)
{
	const size_t first = r->block_count;

	r->findings_are_told = true;
	fleet_tell_stragglers(many);
	if (!many->stragglers.count)
		return;
	report_note(r, "Of the stragglers, %s.", r->blocks[first].finding->title);
	report_move_last(r, place);
}

void scaling_report(struct report *r, struct fleet_answer *many, struct scaling *s,
		    const struct scaling_args *a, const struct scaling_names *names)
{
	enum confidence confidence;
	size_t place;

	tell_verdict(r, many, s);
	place = r->block_count;
	confidence = scaling_tell_doubts(r, s, a);
	add_summary(r, s, confidence);
	add_account(r, many, s);
	if (s->efficiency < 1 - nothing)
		add_next(r, s, names);
	tell_stragglers(r, many, place);
}
