/* Why is a straggler late: what does it have more of than ranks that do the same? */
#include "analysis/workload/loading.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>

enum { PEERS_MAX = 64 }; /* ranks that it is held against: more say the same */

static const double explains = 0.5;   /* of what is saved, for a cause to be named */
static const double nearly_all = 0.8; /* of the time that kernels take */
static const double about = 0.5;      /* of what they take longer: that is about as much */

struct peers {
	const struct part_member *own;
	const struct part_member *all[PEERS_MAX];
	uint32_t member, members[PEERS_MAX]; /* the same, as the job counts them */
	size_t count;
};

/*
 * Ranks with a member's role, that do not belong to what is slow, do the same as it does. A stage
 * of a pipeline is held against the others.
 */
static bool is_peer(const struct stragglers *s, const struct straggler *g, uint32_t member,
		    uint32_t other)
{
	const uint32_t *role = s->replay.roles.of;

	return (role[other] == role[member] || g->kind == STRAGGLER_STAGE) &&
	       !straggler_has(g, other);
}

static void find_peers(const struct stragglers *s, const struct straggler *g, uint32_t member,
		       struct peers *p)
{
	size_t all = 0, seen = 0, step;

	*p = (struct peers){.own = s->job->members[member].is, .member = member};
	for (uint32_t i = 0; i < s->job->member_count; i++)
		all += is_peer(s, g, member, i);
	step = all / PEERS_MAX + 1;
	for (uint32_t i = 0; i < s->job->member_count; i++) {
		if (!is_peer(s, g, member, i) || seen++ % step != 0)
			continue;
		p->all[p->count] = s->job->members[i].is;
		p->members[p->count++] = i;
	}
}

static double median(double *values, size_t n)
{
	int64_t keys[PEERS_MAX], scratch[PEERS_MAX];

	for (size_t i = 0; i < n; i++)
		keys[i] = sort_key_of_double(values[i]);
	sort_i64(keys, scratch, n);
	return n ? sort_double_of_key(keys[(n - 1) / 2]) : 0;
}

/* What is asked of each member, of one step. */
struct question {
	double (*value)(const struct part_member *m, const struct question *q);
	enum member_time time;
	const char *name;
};

static double ask_time(const struct part_member *m, const struct question *q)
{
	return (double)m->window_ns[q->time] / member_steps(m);
}

static const struct part_range *range_of(const struct part_member *m, const char *path)
{
	const size_t at = BISECT(0, m->range_count, i, strcmp(m->ranges[i].path, path) < 0);

	return at < m->range_count && strcmp(m->ranges[at].path, path) == 0 ? &m->ranges[at] : NULL;
}

static double ask_host(const struct part_member *m, const struct question *q)
{
	const struct part_range *r = range_of(m, q->name);

	return r ? (double)r->host_ns / member_steps(m) : 0;
}

static double ask_compute(const struct part_member *m, const struct question *q)
{
	const struct part_range *r = range_of(m, q->name);

	return r ? (double)r->compute_ns / member_steps(m) : 0;
}

static const struct part_kernel *kernel_of(const struct part_member *m, const char *name)
{
	const size_t at = BISECT(0, m->kernel_count, i, strcmp(m->kernels[i].name, name) < 0);

	return at < m->kernel_count && strcmp(m->kernels[at].name, name) == 0 ? &m->kernels[at]
									      : NULL;
}

static double ask_kernel(const struct part_member *m, const struct question *q)
{
	const struct part_kernel *k = kernel_of(m, q->name);

	return k ? (double)k->total_ns / member_steps(m) : 0;
}

static double ask_mean(const struct part_member *m, const struct question *q)
{
	const struct part_kernel *k = kernel_of(m, q->name);

	return k && k->count ? (double)k->total_ns / (double)k->count : 0;
}

/* The median: a few that are larger than the others of the same name do not change it. */
static double ask_typical(const struct part_member *m, const struct question *q)
{
	const struct part_kernel *k = kernel_of(m, q->name);
	uint64_t below = 0;
	size_t at = 0;

	if (!k || !k->value_count)
		return 0;
	while (at + 1 < k->value_count && 2 * (below + k->values[at].count) < k->count)
		below += k->values[at++].count;
	return (double)k->values[at].value;
}

static double ask_count(const struct part_member *m, const struct question *q)
{
	const struct part_kernel *k = kernel_of(m, q->name);

	return k ? (double)k->count / member_steps(m) : 0;
}

/* How long a kernel in a range takes. */
static double ask_range_mean(const struct part_member *m, const struct question *q)
{
	const struct part_range *r = range_of(m, q->name);

	return r && r->kernels ? (double)r->compute_ns / (double)r->kernels : 0;
}

static double usual(const struct peers *p, const struct question *q)
{
	double values[PEERS_MAX];

	for (size_t i = 0; i < p->count; i++)
		values[i] = q->value(p->all[i], q);
	return median(values, p->count);
}

static double excess(const struct peers *p, const struct question *q)
{
	return q->value(p->own, q) - usual(p, q);
}

/* The range in which it has most more; "": none has. */
static const char *find_range(const struct peers *p,
			      double (*value)(const struct part_member *, const struct question *),
			      double *ret_ns)
{
	const char *found = "";

	*ret_ns = 0;
	for (size_t i = 0; i < p->own->range_count; i++) {
		const struct question q = {.value = value, .name = p->own->ranges[i].path};
		const double ns = excess(p, &q);

		if (ns > *ret_ns) {
			*ret_ns = ns;
			found = q.name;
		}
	}
	return found;
}

static const char *find_kernel(const struct peers *p, double *ret_ns)
{
	const char *found = "";

	*ret_ns = 0;
	for (size_t i = 0; i < p->own->kernel_count; i++) {
		const struct question q = {.value = ask_kernel, .name = p->own->kernels[i].name};
		const double ns = p->own->kernels[i].communicates ? 0 : excess(p, &q);

		if (ns > *ret_ns) {
			*ret_ns = ns;
			found = q.name;
		}
	}
	return found;
}

/* Kernels of a rank that are alike, in how many times as much they have as the others'. */
struct times {
	double *of, *own_ns; /* and how long they take in all */
	size_t count;
	double own_all_ns; /* with those that the others have none of */
};

static struct times times_alloc(size_t count)
{
	return (struct times){.of = mem_alloc(count, sizeof(double)),
			      .own_ns = mem_alloc(count, sizeof(double))};
}

static void times_free(struct times *t)
{
	free(t->own_ns);
	free(t->of);
}

static void add_times(struct times *t, const struct peers *p, const struct question *q,
		      double own_ns)
{
	const double others = usual(p, q);

	t->own_all_ns += own_ns;
	if (others <= 0)
		return;
	t->of[t->count] = q->value(p->own, q) / others;
	t->own_ns[t->count++] = own_ns;
}

static struct times times_by_name(const struct peers *p, double (*value)(const struct part_member *,
									 const struct question *))
{
	struct times t = times_alloc(p->own->kernel_count);

	for (size_t i = 0; i < p->own->kernel_count; i++) {
		const struct part_kernel *k = &p->own->kernels[i];

		if (!k->communicates)
			add_times(&t, p, &(struct question){.value = value, .name = k->name},
				  (double)k->total_ns);
	}
	return t;
}

static struct times times_by_range(const struct peers *p)
{
	struct times t = times_alloc(p->own->range_count);

	for (size_t i = 0; i < p->own->range_count; i++) {
		const struct part_range *r = &p->own->ranges[i];

		if (r->kernels)
			add_times(&t, p,
				  &(struct question){.value = ask_range_mean, .name = r->path},
				  (double)r->compute_ns);
	}
	return t;
}

/*
 * How many times as much as the others' its kernels have of what is asked, by half of their time.
 * 1: most of it is in kernels that the others do not have.
 */
static double find_ratio(const struct peers *p,
			 double (*value)(const struct part_member *, const struct question *))
{
	struct times t = times_by_name(p, value);
	int64_t *keys = mem_alloc(t.count, sizeof(*keys));
	double all = 0, sum = 0, result = 1;
	uint32_t *order;

	for (size_t i = 0; i < t.count; i++) {
		keys[i] = sort_key_of_double(t.of[i]);
		all += t.own_ns[i];
	}
	order = sort_new_order(keys, t.count);
	for (size_t i = 0; i < t.count && sum < all / 2 && all >= t.own_all_ns / 2; i++) {
		sum += t.own_ns[order[i]];
		result = t.of[order[i]];
	}
	free(order);
	free(keys);
	times_free(&t);
	return result;
}

/*
 * Whether nearly all of what can be held against others takes about so many times as long; frees
 * them.
 */
static bool are_all(struct times t, double times)
{
	double all = 0, slow = 0;

	for (size_t i = 0; i < t.count; i++) {
		all += t.own_ns[i];
		slow += t.of[i] - 1 >= about * (times - 1) ? t.own_ns[i] : 0;
	}
	times_free(&t);
	return slow >= nearly_all * all;
}

/*
 * A slow GPU is slow at all that it does: at kernels of every name, and in every range. Of those of
 * one name some may be longer because they have more to do, which says nothing of the GPU; the
 * median does not see them, but one that is slow at times has a median as it is else.
 */
static bool is_slow_at_all(const struct straggler *g, const struct peers *p, double times)
{
	const bool always = g->pattern == PATTERN_PERSISTENT;

	return are_all(times_by_name(p, ask_mean), times) && are_all(times_by_range(p), times) &&
	       (!always || are_all(times_by_name(p, ask_typical), times));
}

/* What the launching thread did while the GPU was idle longer than others' in that range. */
static void find_code(struct straggler *g, const struct peers *p)
{
	for (size_t i = 0; i < p->own->cause_count && !*g->code; i++) {
		const struct part_cause *c = &p->own->causes[i];

		if (*c->code && (!*g->path || strcmp(c->path, g->path) == 0))
			g->code = c->code;
	}
}

static void explain_host(struct straggler *g, const struct peers *p, double idle_ns)
{
	double ns;
	const char *path = find_range(p, ask_host, &ns);

	g->cause = SLOW_BY_HOST;
	g->cause_ns = idle_ns;
	/* A range that explains a part of it only is not what holds it up. */
	if (ns >= explains * g->saved_ns) {
		g->path = path;
		g->cause_ns = ns;
		if (name_is_loading(str_of(path)))
			g->cause = SLOW_BY_DATA;
	} else if (g->kind == STRAGGLER_STAGE) {
		/* A stage may stand still for want of work. */
		g->cause = SLOW_BY_WHAT;
	}
	find_code(g, p);
}

/* Of the steps that something is late in. */
static double compute_when_late(const struct stragglers *s, const struct straggler *g,
				uint32_t member)
{
	const struct part_member *m = s->job->members[member].is;
	double sum = 0;

	for (size_t i = 0; i < m->step_count; i++) {
		const uint32_t at = steps_at(s, member, &m->steps[i]);

		if (at != NOBODY && g->late[at])
			sum += (double)m->steps[i].ns[MEMBER_COMPUTE];
	}
	return sum;
}

/* How many times as long kernels take in the steps that it is late in, where these are not all. */
static double slowdown_when_late(const struct stragglers *s, const struct straggler *g,
				 const struct peers *p)
{
	double values[PEERS_MAX], usual_ns;

	for (size_t i = 0; i < p->count; i++)
		values[i] = compute_when_late(s, g, p->members[i]);
	usual_ns = median(values, p->count);
	if (g->pattern == PATTERN_PERSISTENT || g->pattern == PATTERN_GROWING || usual_ns <= 0)
		return g->slower;
	return compute_when_late(s, g, p->member) / usual_ns;
}

/*
 * Whether its compute explains it, and all its kernels take longer by one share. Who is late by
 * that also idles more than its peers where these wait in a collective; a host that is late makes
 * no kernel longer.
 */
static bool is_slow_gpu(const struct straggler *g, const struct peers *p, double compute_ns)
{
	const double own_ns = (double)p->own->window_ns[MEMBER_COMPUTE] / member_steps(p->own);
	const double times = find_ratio(p, ask_mean);

	return compute_ns >= explains * g->saved_ns &&
	       own_ns * (1 - 1 / times) >= explains * compute_ns && is_slow_at_all(g, p, times);
}

static void explain_compute(const struct stragglers *s, struct straggler *g, const struct peers *p,
			    double compute_ns)
{
	const double own_ns = (double)p->own->window_ns[MEMBER_COMPUTE] / member_steps(p->own);
	double range_ns, kernel_ns;
	const char *path = find_range(p, ask_compute, &range_ns);
	const char *kernel = find_kernel(p, &kernel_ns);

	g->slower = find_ratio(p, ask_mean);
	g->cause_ns = compute_ns;
	/* Then no range and no kernel stands out: all of them do. */
	if (own_ns * (1 - 1 / g->slower) >= explains * compute_ns &&
	    is_slow_at_all(g, p, g->slower)) {
		g->cause = SLOW_BY_CLOCK;
		g->slower = slowdown_when_late(s, g, p);
		return;
	}
	g->cause = SLOW_BY_KERNELS;
	if (range_ns >= explains * compute_ns)
		g->path = path;
	if (kernel_ns >= explains * compute_ns)
		g->kernel = kernel;
}

/* Of a step: what its kernels take by being more of the same than others have. */
static double find_more(const struct peers *p)
{
	double sum = 0;

	for (size_t i = 0; i < p->own->kernel_count; i++) {
		const struct question q = {.value = ask_count, .name = p->own->kernels[i].name};

		if (!p->own->kernels[i].communicates && usual(p, &q) > 0)
			sum += excess(p, &q) * ask_typical(p->own, &q);
	}
	return sum;
}

/* What it computes in its late steps beside its others. */
struct slowdown {
	double times;	/* as long; 0: nobody can tell */
	double more_ns; /* a step */
};

static struct slowdown slowdown_in_time(const struct stragglers *s, const struct straggler *g,
					uint32_t member)
{
	const struct part_member *m = s->job->members[member].is;
	double late_ns = 0, others_ns = 0;
	size_t late = 0, others = 0;

	for (size_t i = m->first_warm; i < m->first_warm + m->warm_count; i++) {
		const uint32_t at = steps_at(s, member, &m->steps[i]);

		if (at == NOBODY)
			continue;
		*(g->late[at] ? &late_ns : &others_ns) += (double)m->steps[i].ns[MEMBER_COMPUTE];
		++*(g->late[at] ? &late : &others);
	}
	if (!late || !others || others_ns <= 0)
		return (struct slowdown){0};
	late_ns /= (double)late;
	others_ns /= (double)others;
	return (struct slowdown){late_ns / others_ns, late_ns - others_ns};
}

/* Whether what it is late by in some steps is what it computes longer in these than in others. */
static bool slows_down(const struct straggler *g, const struct slowdown *in_time)
{
	return g->pattern != PATTERN_PERSISTENT && in_time->times > 1 &&
	       in_time->more_ns >= explains * g->late_step_ns;
}

/*
 * Stages need not do the same. Slow are those whose kernels take longer, each of them, than the
 * same ones elsewhere, or in other steps; others have more of them, or other ones.
 */
static void explain_stage(const struct stragglers *s, struct straggler *g, const struct peers *p,
			  double compute_ns)
{
	const double own_ns = (double)p->own->window_ns[MEMBER_COMPUTE] / member_steps(p->own);
	const double times = find_ratio(p, ask_typical);
	const struct slowdown in_time = slowdown_in_time(s, g, p->member);
	double kernel_ns;
	const char *kernel = find_kernel(p, &kernel_ns);

	g->cause_ns = compute_ns;
	if (slows_down(g, &in_time)) {
		g->cause = SLOW_BY_CLOCK;
		g->slower = in_time.times;
		g->slower_at_times = true;
	} else if (own_ns * (1 - 1 / times) >= explains * compute_ns) {
		g->cause = SLOW_BY_CLOCK;
		g->slower = times;
	} else if (find_more(p) >= explains * compute_ns) {
		g->cause = SLOW_BY_MORE;
		g->slower = find_ratio(p, ask_count);
	} else {
		g->cause = SLOW_BY_KERNELS;
		g->kernel = kernel_ns >= explains * compute_ns ? kernel : "";
	}
}

/*
 * Who waits for a straggler does beside its collective what would come after it otherwise, and the
 * replay counts that as saved. More than what its cause takes cannot be had back, however. Where
 * ranks share a GPU their own time says nothing.
 */
static void bound_saving(struct straggler *g)
{
	if (g->shares_gpu || g->kind == STRAGGLER_STAGE || g->kind == STRAGGLER_SET)
		return;
	g->saved_ns = fmin(g->saved_ns, g->cause_ns);
}

/* Why the example of `one` is late, which is of the group `g`. */
static void explain(const struct stragglers *s, const struct straggler *g, struct straggler *one)
{
	const struct question compute = {.value = ask_time, .time = MEMBER_COMPUTE};
	const struct question idle = {.value = ask_time, .time = MEMBER_IDLE};
	const struct question copy = {.value = ask_time, .time = MEMBER_COPY};
	double compute_ns, idle_ns, copy_ns;
	struct peers p;

	find_peers(s, g, one->example, &p);
	compute_ns = excess(&p, &compute);
	idle_ns = excess(&p, &idle);
	copy_ns = excess(&p, &copy);
	one->cause = SLOW_BY_WHAT;
	if (!p.count || fmax(compute_ns, fmax(idle_ns, copy_ns)) < explains * one->saved_ns)
		return;
	if ((compute_ns >= idle_ns && compute_ns >= copy_ns) ||
	    (g->kind != STRAGGLER_STAGE && is_slow_gpu(one, &p, compute_ns))) {
		(g->kind == STRAGGLER_STAGE ? explain_stage : explain_compute)(s, one, &p,
									       compute_ns);
	} else if (copy_ns > idle_ns) {
		one->cause = SLOW_BY_COPIES;
		one->cause_ns = copy_ns;
	} else {
		explain_host(one, &p, idle_ns);
	}
	bound_saving(one);
}

static void forget(struct straggler *g)
{
	g->path = g->code = g->kernel = "";
}

/* Each rank of a set has its own reason, for what it is late itself. */
static void explain_each(struct stragglers *s, struct straggler *g)
{
	g->each = arena_alloc(&s->arena, g->members, sizeof(*g->each));
	for (uint32_t i = 0; i < g->members; i++) {
		struct straggler *one = &g->each[i];

		straggler_make(s, STRAGGLER_RANK, g->who[i], &g->who[i], 1, one);
		one->saved_ns = fmin(g->saved_ns, one->late_ns);
		forget(one);
		straggler_find_pattern(s, one);
		explain(s, g, one);
	}
}

void straggler_explain_of(const struct stragglers *s, const struct straggler *group,
			  struct straggler *one)
{
	forget(one);
	explain(s, group, one);
}

void straggler_explain(struct stragglers *s, struct straggler *g)
{
	forget(g);
	if (g->kind == STRAGGLER_COMMUNICATOR)
		return;
	explain(s, g, g);
	if (g->kind == STRAGGLER_SET)
		explain_each(s, g);
}
