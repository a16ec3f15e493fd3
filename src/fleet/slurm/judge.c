/* Why have some captures no part, and which are worth another try? */
#include "fleet/slurm/follow.h"

#include "fleet/slurm/status.h"
#include "fleet/slurm/task_log.h"

#include "base/clock.h"
#include "input/interrupt.h"

#include <time.h>

/* Files of other nodes may be seen late: who says nothing is waited for. */
#define GRACE_NS 20000000000LL
#define TURN_NS	 500000000LL

static bool asks_for_memory(const struct slurm_request *q)
{
	for (size_t i = 0; i < q->sbatch_words.count; i++) {
		if (str_starts(str_of(q->sbatch_words.all[i]), "--mem"))
			return true;
	}
	return false;
}

static enum fate fate_of_end(const struct cluster_end *end)
{
	const enum fate fate = fate_of_state(end->state);

	if (fate != FATE_UNKNOWN || (!end->exit_code && !end->signal))
		return fate;
	return fate_of_exit_code(end->signal ? 128 + end->signal : end->exit_code);
}

/* How tasks ended, by their exit codes: what they could not write down. */
static void note_ends(struct follow *f, const struct map_job *m)
{
	struct cluster_ends ends;

	cluster_find_ends(f->c, m->id, &ends);
	for (size_t i = 0; i < ends.count; i++) {
		const struct cluster_end *end = &ends.all[i];

		for (size_t task = end->first; task <= end->last && task < f->chunk; task++) {
			if (m->first + task < f->w->count)
				f->tasks[m->first + task].seen = fate_of_end(end);
		}
	}
	arena_free(&ends.arena);
}

/* What Slurm knows comes first: a task that is killed says little, or what it said before. */
static bool is_explained(struct follow *f, size_t item)
{
	struct task *t = &f->tasks[item];
	struct status said;

	if (t->seen == FATE_UNKNOWN && status_read(f->w, item, &f->arena, &said)) {
		t->fate = said.fate;
		t->reason = said.reason;
		return true;
	}
	t->fate = t->seen;
	t->reason = fate_text(t->fate);
	return t->fate != FATE_UNKNOWN;
}

/*
 * One that was killed, or that says what was killed under it, where its log says that this was for
 * its memory.
 */
static void look_at_log(struct follow *f, size_t item)
{
	struct task *t = &f->tasks[item];

	if (t->fate != FATE_KILLED && t->fate != FATE_SYSTEM)
		return;
	for (size_t i = 0; i < f->map_count && t->fate != FATE_NO_MEMORY; i++) {
		const struct map_job *m = &f->maps[i];

		if (item >= m->first && item - m->first < f->chunk &&
		    task_log_tells_memory(f->w, m, item)) {
			t->fate = FATE_NO_MEMORY;
			t->reason = fate_text(t->fate);
		}
	}
}

static bool is_open(const struct task *t)
{
	return !t->done && !t->given_up;
}

/* How many are left of which nobody knows anything. */
static size_t explain(struct follow *f)
{
	size_t silent = 0;

	follow_look(f);
	for (size_t i = 0; i < f->w->count; i++)
		silent += is_open(&f->tasks[i]) && !is_explained(f, i);
	return silent;
}

static void wait_for_words(struct follow *f)
{
	const struct timespec turn = {.tv_nsec = TURN_NS};
	const int64_t until = clock_now_ns() + GRACE_NS;

	while (explain(f) && clock_now_ns() < until && !interrupt_pending()) {
		for (size_t i = 0; i < f->map_count; i++)
			note_ends(f, &f->maps[i]);
		if (explain(f))
			nanosleep(&turn, NULL);
	}
}

/* Who makes the answer is told by files alone: what only we know is written down. */
static int keep_word(const struct follow *f, size_t item, bool *ret_news, struct err *e)
{
	struct arena a = {0};
	struct status said;
	const bool known = status_read(f->w, item, &a, &said) && said.fate == f->tasks[item].fate;

	arena_free(&a);
	if (known)
		return 0;
	*ret_news = true;
	return status_write(f->w, item, f->tasks[item].fate, e);
}

static int settle(struct follow *f, size_t item, bool *ret_news, struct err *e)
{
	struct task *t = &f->tasks[item];
	const bool no_memory = t->fate == FATE_NO_MEMORY;

	if (t->tries < TRIES_MAX && fate_may_pass(t->fate) && !(no_memory && t->whole_memory) &&
	    !(no_memory && asks_for_memory(f->q))) {
		t->whole_memory = no_memory;
		*ret_news = true;
		return 0;
	}
	t->given_up = true;
	return keep_word(f, item, ret_news, e);
}

int follow_judge(struct follow *f, bool *ret_news, struct err *e)
{
	*ret_news = false;
	wait_for_words(f);
	for (size_t i = 0; i < f->w->count; i++) {
		if (!is_open(&f->tasks[i]))
			continue;
		look_at_log(f, i);
		if (settle(f, i, ret_news, e) < 0)
			return -1;
	}
	return 0;
}

void follow_recall(struct follow *f)
{
	struct status said;

	for (size_t i = 0; i < f->w->count; i++) {
		struct task *t = &f->tasks[i];

		if (t->done || !status_read(f->w, i, &f->arena, &said) ||
		    said.fate != FATE_BAD_CAPTURE)
			continue;
		t->given_up = true;
		t->fate = said.fate;
		t->reason = said.reason;
	}
}
