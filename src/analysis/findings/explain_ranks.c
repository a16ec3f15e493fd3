/* Do the ranks of a job wait for one of them, and what keeps it? */
#include "analysis/findings/explain.h"

#include "analysis/comm/straggler_gain.h"
#include "analysis/numbers/chance.h"
#include "analysis/workload/loading.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"

#include <stdlib.h>

enum { CELLS_MAX = 1 << 22 }; /* ranks times names of ranges: more are not compared */

static const double most = 0.75;    /* of all waiting, that is for one rank */
static const double worth = 0.01;   /* of the window */
static const double explains = 0.5; /* of the lateness */
static const double counts = 0.9;   /* of all waiting, that is in collectives to look at */
static const double luck = 0.05;    /* that some rank is last so often by chance */

struct job {
	struct explain *x;
	struct collectives c;
	struct rank_map ranks;
	struct straggler_sets sets;
	size_t late; /* the member that others wait for */
};

static void free_job(struct job *j)
{
	straggler_sets_free(&j->sets);
	collectives_free(&j->c);
	rank_map_free(&j->ranks);
}

/* 1: the ranks can be compared; 0: there are none. */
static int read_job(struct job *j, struct err *e)
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

static uint32_t process_of(const struct job *j, size_t member)
{
	return j->c.walk.gpus.all[j->sets.members[member].gpu].process;
}

/* Whom the others wait for the most; false: for nobody in particular. */
static bool find_late(struct job *j)
{
	int64_t all_ns = 0;

	for (size_t i = 0; i < j->sets.member_count; i++) {
		const struct member *m = &j->sets.members[i];

		all_ns = sat_add(all_ns, m->imposed_ns);
		if (m->imposed_ns > j->sets.members[j->late].imposed_ns)
			j->late = i;
	}
	return all_ns > 0 && is_share(j->sets.members[j->late].imposed_ns, all_ns, most);
}

/* Clocks of several traces are not right enough to say that anybody was late at all. */
static bool is_within_doubt(const struct job *j)
{
	return j->x->trace->clock_doubt_ns && !j->sets.members[j->late].last;
}

/* What a rank exposes of its communication, and how much of that is waiting, at least. */
struct exposure {
	int64_t ns, wait_ns;
};

/* Compute may hide the wait of a kernel or the rest of it: what the rest has room for, it has. */
static void add_exposure(const struct comm_kernel *k, int64_t last_ns, struct exposure *to)
{
	const int64_t until_ns = k->end_ns < last_ns ? k->end_ns : last_ns;
	const int64_t wait_ns = until_ns > k->start_ns ? until_ns - k->start_ns : 0;
	const int64_t rest_ns = comm_kernel_ns(k) - wait_ns;

	to->ns = sat_add(to->ns, k->exposed_ns);
	if (k->exposed_ns > rest_ns)
		to->wait_ns = sat_add(to->wait_ns, k->exposed_ns - rest_ns);
}

static struct exposure *sum_exposures(const struct job *j)
{
	const struct straggler_classes *classes = &j->sets.classes;
	struct exposure *all = mem_zalloc(j->sets.member_count, sizeof(*all));

	for (size_t i = 0; i < j->sets.count; i++) {
		const struct straggler_set *s = &j->sets.sets[i];
		const struct set_class *class = &classes->all[s->class];

		for (size_t k = 0; k < class->members; k++) {
			const struct queue *q = &classes->queues[class->first_queue + k];

			add_exposure(&j->c.walk.kernels[queue_kernel(class, q, s->k)], s->last_ns,
				     &all[q->member]);
		}
	}
	return all;
}

/* Of the collectives that have nearly all of the waiting: who is last in the others is chance. */
struct turnout {
	uint64_t sets, last; /* those that the late rank takes part in, and is last in */
	double chances;	     /* sum of its chances to be last, were all alike */
};

static bool takes_part(const struct straggler_classes *classes, const struct set_class *class,
		       size_t member)
{
	for (size_t i = 0; i < class->members; i++) {
		if (classes->queues[class->first_queue + i].member == member)
			return true;
	}
	return false;
}

/* The wait from which on collectives count. */
static int64_t least_wait_ns(const struct job *j)
{
	int64_t *wait_ns = mem_alloc(j->sets.count, sizeof(*wait_ns)), least_ns;

	for (size_t i = 0; i < j->sets.count; i++)
		wait_ns[i] = j->sets.sets[i].wait_ns;
	least_ns = chance_least_that_counts(wait_ns, j->sets.count, counts);
	free(wait_ns);
	return least_ns;
}

static struct turnout count_turnout(const struct job *j)
{
	const struct straggler_classes *classes = &j->sets.classes;
	const int64_t least_ns = least_wait_ns(j);
	struct turnout t = {0};

	for (size_t i = 0; i < j->sets.count; i++) {
		const struct straggler_set *s = &j->sets.sets[i];
		const struct set_class *class = &classes->all[s->class];

		if (s->wait_ns < least_ns || !takes_part(classes, class, j->late))
			continue;
		t.sets++;
		t.last += s->last == j->late;
		t.chances += 1 / (double)class->members;
	}
	return t;
}

/* Any rank might have been the one: so many chances there are to find one by chance. */
static bool is_chance(const struct job *j)
{
	const struct turnout t = count_turnout(j);

	return !t.sets || chance_at_least(t.sets, t.last, t.chances / (double)t.sets) *
					  (double)j->sets.member_count >
				  luck;
}

static int64_t inside_ns(const struct explain *x, const struct range *r)
{
	const int64_t from = r->start_ns > x->timeline.from_ns ? r->start_ns : x->timeline.from_ns;
	const int64_t to = r->end_ns < x->timeline.to_ns ? r->end_ns : x->timeline.to_ns;

	return to > from ? sat_sub(to, from) : 0;
}

/* By process, the first of its members; ID_NONE: it is no rank. */
static uint32_t *list_members(const struct job *j)
{
	const size_t count = j->x->trace->process_keys.count;
	uint32_t *member = mem_alloc(count, sizeof(*member));

	for (size_t i = 0; i < count; i++)
		member[i] = ID_NONE;
	for (size_t i = j->sets.member_count; i-- > 0;) {
		if (process_of(j, i) < count)
			member[process_of(j, i)] = (uint32_t)i;
	}
	return member;
}

/* By member and folded name: time in ranges of that name in the window, without those inside. */
static int64_t *sum_ranges(const struct job *j, size_t names)
{
	const struct explain *x = j->x;
	const struct range_forest *forest = &x->judge.attribution.forest;
	const uint32_t *name_of_row = x->trace->events[TRACE_NVTX].name;
	int64_t *ns = mem_zalloc(j->sets.member_count * names, sizeof(*ns));
	uint32_t *member_of = list_members(j);

	for (size_t i = 0; i < forest->count; i++) {
		const struct range *r = &forest->ranges[i];
		const uint32_t process = trace_thread_process(x->trace, r->thread);
		const uint32_t member = process == ID_NONE ? ID_NONE : member_of[process];
		const uint32_t name = name_of_row[r->row];
		const uint32_t outer = r->parent == RANGE_NONE
					       ? NAME_NONE
					       : name_of_row[forest->ranges[r->parent].row];
		int64_t *of = &ns[(member == ID_NONE ? 0 : member) * names];

		if (member == ID_NONE)
			continue;
		if (name != NAME_NONE)
			of[x->folded[name]] = sat_add(of[x->folded[name]], inside_ns(x, r));
		if (outer != NAME_NONE)
			of[x->folded[outer]] = sat_sub(of[x->folded[outer]], inside_ns(x, r));
	}
	free(member_of);
	return ns;
}

/* How much longer the late rank is in ranges of a name than the usual one of the others. */
static int64_t excess_ns(const struct job *j, const int64_t *ns, size_t names, size_t name,
			 int64_t *others)
{
	int64_t *scratch = mem_alloc(j->sets.member_count, sizeof(*scratch));
	size_t n = 0;

	for (size_t m = 0; m < j->sets.member_count; m++) {
		if (m != j->late)
			others[n++] = ns[m * names + name];
	}
	sort_i64(others, scratch, n);
	free(scratch);
	return sat_sub(ns[j->late * names + name], others[n / 2]);
}

/* The range in which its host takes longer than others'; NAME_NONE: none does. */
static uint32_t find_longer(const struct job *j, int64_t *ret_ns)
{
	const size_t names = j->x->folded_names.count;
	uint32_t found = NAME_NONE;
	int64_t *ns, *others;

	*ret_ns = 0;
	if (!j->x->judge.joined || !j->x->trace->events[TRACE_NVTX].name || !names ||
	    names > CELLS_MAX / j->sets.member_count)
		return NAME_NONE;
	ns = sum_ranges(j, names);
	others = mem_alloc(j->sets.member_count, sizeof(*others));
	for (size_t i = 0; i < names; i++) {
		const int64_t more = excess_ns(j, ns, names, i, others);

		if (more > *ret_ns) {
			*ret_ns = more;
			found = (uint32_t)i;
		}
	}
	free(others);
	free(ns);
	return found;
}

static const char *name_late(const struct job *j)
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

static int64_t sum_late(const struct member *m)
{
	int64_t ns = 0;

	for (int i = 0; i < LATES; i++)
		ns = sat_add(ns, m->late_ns[i]);
	return ns;
}

/* By member, in the window. */
static double *list_compute(const struct job *j)
{
	double *ns = mem_zalloc(j->sets.member_count, sizeof(*ns));

	for (size_t i = 0; i < j->sets.member_count; i++) {
		const struct comm_gpu *gpu = &j->c.walk.at[j->sets.members[i].gpu];

		if (gpu->kept_count == 2)
			ns[i] = (double)(gpu->kept[1][PART_COMPUTE] + gpu->kept[1][PART_BOTH] -
					 gpu->kept[0][PART_COMPUTE] - gpu->kept[0][PART_BOTH]);
	}
	return ns;
}

static struct replay_saving find_gain(const struct job *j)
{
	double *compute_ns = list_compute(j);
	struct replay_saving gain;

	straggler_gain(&j->c, &j->sets, &j->ranks, compute_ns, j->late, (double)j->x->window_ns,
		       &gain);
	free(compute_ns);
	return gain;
}

/* False: nothing would be gained without it. */
static bool find_straggler(struct job *j)
{
	struct explain *x = j->x;
	const struct replay_saving gain = find_gain(j);
	const struct member *m = &j->sets.members[j->late];
	const bool host = m->late_ns[LATE_HOST] >= m->late_ns[LATE_COMPUTE];
	int64_t more_ns = 0;
	const uint32_t longer = host ? find_longer(j, &more_ns) : NAME_NONE;
	/* A range that explains a part of it only is not what holds it up. */
	const uint32_t where =
		is_share(more_ns, m->late_ns[LATE_HOST], explains) ? longer : NAME_NONE;
	struct finding *f;

	f = find_cost(x, "straggler", sat_of_double(gain.saved_ns),
		      "%s is late: the other ranks wait for it, held up by %s%s", name_late(j),
		      host ? "its host" : "its compute",
		      where == NAME_NONE ? "" : find_range(x, where));
	if (!f)
		return false;
	/* Who mends it: whoever mends what the rank is late by. */
	if (where != NAME_NONE && name_is_loading(x->folded_names.items[where]))
		f->owner = OWNER_DATA;
	x->late_ns = sum_late(m);
	f->how = gain.least_ns < gain.most_ns
			 ? "all collectives once more, its delays as long as the usual ones; ranks "
			   "that share its GPU would take longer then, which is estimated"
			 : "all collectives once more, its delays as long as the usual ones";
	find_count(f, "collectives in which it is last", m->last);
	find_count(f, "of", m->sets);
	find_time(f, "the others wait for it, in all", m->imposed_ns);
	find_places_of_group(f, &x->sums[SUM_EXPOSED], SLICE_COMM);
	find_time(f, "it is late, in all", sum_late(m));
	if (gain.least_ns < gain.most_ns) {
		find_time(f, "recoverable, at least", sat_of_double(gain.least_ns));
		find_time(f, "at most", sat_of_double(gain.most_ns));
	}
	if (where != NAME_NONE)
		find_time(f, "more time in that range than other ranks", more_ns);
	find_advice(f, host ? "give every rank the same work on the host: look at what this one "
			      "does there (data, logging, a slow CPU or disk)"
			    : "give every rank the same work: balance batches, sequence lengths, "
			      "experts; check the clocks of this GPU");
	find_advice(f, "gpuwhy stragglers lists each rank, gpuwhy iters --rank N its steps");
	f->unless = "another rank takes its place once this one is faster";
	return true;
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

/* Now this rank is late, now that one: what they wait is no lack of overlap either. */
static void find_skew(struct job *j)
{
	struct explain *x = j->x;
	const int64_t exposed_ns = time_sums_group(&x->sums[SUM_EXPOSED], SLICE_COMM, NULL);
	const struct member *m = &j->sets.members[j->late];
	struct exposure *all = sum_exposures(j), worst = all[0];
	const bool by_host = m->late_ns[LATE_HOST] > m->late_ns[LATE_COMPUTE];
	int64_t longest_ns = 0;
	struct finding *f;
	bool told;

	for (size_t i = 0; i < j->sets.member_count; i++) {
		worst = all[i].ns > worst.ns ? all[i] : worst;
		longest_ns = all[i].wait_ns > longest_ns ? all[i].wait_ns : longest_ns;
	}
	free(all);
	x->late_ns = worst.wait_ns < exposed_ns ? worst.wait_ns : exposed_ns;
	told = by_host && is_told(x, longest_ns);
	f = find_lost(x, "rank_skew", find_within_waits(x, longest_ns),
		      "Ranks wait for each other in collectives%s",
		      by_host ? ", as hosts launch late" : "");
	if (!f)
		return;
	/* Then what makes them late is the cause, and comes before its consequence. */
	if (told && f->severity > SEVERITY_LOW)
		f->severity = SEVERITY_LOW;
	f->how = "how long the rank that waits the most is in collectives before the last rank "
		 "arrives, with nothing computed meanwhile";
	f->confidence = CONFIDENCE_LOW;
	find_time(f, "exposed communication of the worst-affected GPU", exposed_ns);
	find_places_of_group(f, &x->sums[SUM_EXPOSED], SLICE_COMM);
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

int explain_ranks(struct explain *x, struct err *e)
{
	struct job j = {.x = x};
	int result;

	if (x->trace->process_keys.count < 2 || x->scope.has_pid || x->scope.has_device ||
	    !is_share(time_sums_group(&x->sums[SUM_EXPOSED], SLICE_COMM, NULL), x->window_ns,
		      worth))
		return 0;
	result = read_job(&j, e);
	if (result > 0) {
		const bool one_is_late = find_late(&j);

		if (is_within_doubt(&j))
			result = 0;
		else if (!one_is_late || is_chance(&j) || !find_straggler(&j))
			find_skew(&j);
	}
	free_job(&j);
	return result < 0 ? -1 : 0;
}
