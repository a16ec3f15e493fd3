/* Are these the steps of a run: do they launch its work, and are they alike? */
#include "analysis/steps/iterations.h"

#include "analysis/numbers/summary.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static const double least_work = 0.1;  /* of the GPU's, that the steps of a run launch */
static const double least_alike = 0.5; /* of the steps, unless their names count them */
static const double same_work = 0.1;   /* more or less than the median step launches */
static const double same_time = 1.5;   /* times the median step's, or its part */

struct usual {
	bool by_ops; /* kernels tell nothing: whole graphs, or copies alone */
	double launched, ns;
};

/* Copies come and go more than kernels do. */
static uint64_t launched(const struct iteration *s, const struct usual *u)
{
	return u->by_ops ? s->ops : s->kernels;
}

static struct usual find_usual(const struct iteration *steps, size_t count)
{
	int64_t *v = mem_alloc(count, sizeof(*v)), *scratch = mem_alloc(count, sizeof(*scratch));
	struct usual usual = {0};

	for (int by_ops = 0; by_ops < 2 && usual.launched <= 0; by_ops++) {
		usual.by_ops = by_ops;
		for (size_t i = 0; i < count; i++)
			v[i] = (int64_t)launched(&steps[i], &usual);
		sort_i64(v, scratch, count);
		usual.launched = quantile(v, count, 0.5);
	}
	for (size_t i = 0; i < count; i++)
		v[i] = iteration_ns(&steps[i]);
	sort_i64(v, scratch, count);
	usual.ns = quantile(v, count, 0.5);
	free(v);
	free(scratch);
	return usual;
}

/* A step that waits is like the others by its work, one that has more to do by its time. */
static bool is_usual(const struct iteration *s, const struct usual *u)
{
	double ns = (double)iteration_ns(s), more = (double)launched(s, u) - u->launched;

	if (u->launched > 0 && fabs(more) <= same_work * u->launched)
		return true;
	return ns * same_time >= u->ns && ns <= u->ns * same_time;
}

void iterations_compare(struct iterations *it)
{
	size_t alike = 0, count = 0;

	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration_lane *lane = &it->lanes[i];
		const struct iteration *steps = lane_steps(it, lane);
		struct usual usual = find_usual(steps, lane->count);

		for (size_t k = 0; k < lane->count; k++)
			alike += is_usual(&steps[k], &usual);
		count += lane->count;
	}
	it->confidence = count ? (double)alike / (double)count : 0;
}

int iterations_require_work(const struct iterations *it, const struct trace *t,
			    const struct scope *p, struct err *e)
{
	if (!it->lane_count) {
		err_set(e, ERR_INPUT, "no process of '%s' that has steps uses device %u", t->path,
			p->device);
		return err_hint(e, "gpuwhy iters without --device lists them all");
	}
	if (it->source != ITER_RANGE)
		return 0;
	if ((double)it->work_ns < least_work * (double)it->all_work_ns)
		err_set(e, ERR_INPUT,
			"'%s' has no steps: the range that repeats is '%s', but it launches only "
			"%.1f %% of the GPU work",
			t->path, it->name, 100 * (double)it->work_ns / (double)it->all_work_ns);
	else if (!it->counted && it->confidence < least_alike)
		err_set(e, ERR_INPUT,
			"'%s' has no steps: the range that repeats is '%s', but only %.0f %% of "
			"its instances are alike",
			t->path, it->name, 100 * it->confidence);
	else
		return 0;
	e->absent = true;
	return err_hint(e, "use --marker REGEX to name the range or mark of each step; gpuwhy "
			   "ranges lists the names");
}
