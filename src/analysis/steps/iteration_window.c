/* Which window is a step? */
#include "analysis/steps/iteration_window.h"

#include "analysis/processes/rank_map.h"
#include "base/buf.h"

/* From the first process's beginning to the last one's end; how many have such a step. */
static size_t widen(const struct iterations *it, uint64_t number, bool host, struct scope *p)
{
	size_t found = 0;

	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration *s;

		if (number >= it->lanes[i].count)
			continue;
		s = &lane_steps(it, &it->lanes[i])[number];
		if (!found || (host ? s->start_ns : s->from_ns) < p->from_ns)
			p->from_ns = host ? s->start_ns : s->from_ns;
		if (!found || (host ? s->end_ns : s->to_ns) > p->to_ns)
			p->to_ns = host ? s->end_ns : s->to_ns;
		found++;
	}
	return found;
}

int iteration_refuse(const struct trace *t, const struct iterations *it, uint64_t number,
		     struct err *e)
{
	size_t most = 0;

	for (size_t i = 0; i < it->lane_count; i++)
		most = it->lanes[i].count > most ? it->lanes[i].count : most;
	if (!most)
		return err_set(e, ERR_INPUT, "'%s' has no steps for that rank", t->path);
	err_set(e, ERR_INPUT, "'%s' has no step %llu: it has %zu, from 0 to %zu", t->path,
		(unsigned long long)number, most, most - 1);
	return err_hint(e, "gpuwhy iters lists them");
}

static void note(struct report *r, const struct iterations *it, const struct scope *p,
		 size_t processes, bool host)
{
	struct buf b = {0};

	buf_addf(&b, "Step %llu of %s", (unsigned long long)p->iteration, it->how);
	if (it->source == ITER_KERNELS)
		buf_addf(&b, " (%.0f %% of them agree)", 100 * it->confidence);
	buf_adds(&b, host ? ": its host time"
			  : ": from its start, or the end of the previous step, to the end of the "
			    "work it launched");
	if (processes > 1)
		buf_addf(&b, ", in %zu processes: from the first start to the last end", processes);
	report_note(r, "%s.", b.s);
	buf_free(&b);
}

static int resolve(struct trace *t, const struct iterations *it, struct scope *p, bool host,
		   struct report *r, struct err *e)
{
	size_t found = widen(it, p->iteration, host, p);

	if (!found)
		return iteration_refuse(t, it, p->iteration, e);
	if (p->to_ns <= p->from_ns)
		return err_set(e, ERR_INPUT, "step %llu of '%s' has zero duration",
			       (unsigned long long)p->iteration, t->path);
	note(r, it, p, found, host);
	p->chosen_words = arena_printf(&r->arena, "step %llu%s", (unsigned long long)p->iteration,
				       host ? ", its host time" : "");
	p->has_trim = p->in_iteration = true;
	p->has_iteration = false;
	return 0;
}

/* The steps of the process that is the rank alone: others' say nothing of it. */
static int read_of_rank(struct trace *t, const struct scope *p, struct iterations *ret,
			struct err *e)
{
	struct rank_map m;
	struct scope mine;
	uint32_t process;

	if (rank_map_read(t, p, &m, e) < 0)
		return -1;
	mine = rank_asked_alone(&m, t, p);
	process = m.asked;
	rank_map_free(&m);
	if (iterations_read(t, &mine, ret, e) < 0)
		return -1;
	/* On another host a process may have the same pid. */
	for (size_t i = 0; i < ret->lane_count; i++) {
		if (ret->lanes[i].process != process)
			ret->lanes[i].count = 0;
	}
	return 0;
}

int iteration_window(struct trace *t, struct scope *p, bool host_alone, struct report *r,
		     struct err *e)
{
	struct iterations it;
	int result = p->has_rank ? read_of_rank(t, p, &it, e) : iterations_read(t, p, &it, e);

	if (result < 0)
		return -1;
	result = resolve(t, &it, p, host_alone, r, e);
	iterations_free(&it);
	return result;
}
