/* How far is the cluster, and when is it through? */
#include "fleet/slurm/follow.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "input/interrupt.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_POLL_NS 250000000LL
#define LAST_POLL_NS  10000000000LL
#define TURN_NS	      100000000LL
#define SILENT_NS     10000000000LL
#define SILENCE_NS    600000000000LL

/* Between questions to the controller: the longer it takes, the fewer are asked. */
struct patience {
	int64_t since_ns;
	int64_t heard_ns; /* when the controller last answered */
};

static struct patience patience_begin(void)
{
	const int64_t now = clock_now_ns();

	return (struct patience){now, now};
}

static int tell_interrupt(struct err *e)
{
	err_set(e, ERR_SYSTEM, "interrupted: the cluster goes on");
	return err_hint(e, "the same command follows the job again");
}

/* A tenth of the time that it took so far. -1: somebody interrupts. */
static int wait_a_while(const struct patience *p, struct err *e)
{
	int64_t left = (clock_now_ns() - p->since_ns) / 10;

	left = left < FIRST_POLL_NS ? FIRST_POLL_NS : left > LAST_POLL_NS ? LAST_POLL_NS : left;
	for (; left > 0; left -= TURN_NS) {
		const struct timespec turn = {.tv_nsec = TURN_NS};

		if (interrupt_pending())
			return tell_interrupt(e);
		nanosleep(&turn, NULL);
	}
	return 0;
}

/* A controller that is being restarted is waited for. */
static int bear_silence(struct patience *p, struct err *e)
{
	if (interrupt_pending())
		return tell_interrupt(e);
	if (clock_now_ns() - p->heard_ns < SILENCE_NS)
		return 0;
	return err_hint(e, "the same command goes on with the job");
}

static void note_failure(struct follow *f, size_t item, const struct cluster_job *found)
{
	struct task *t = &f->tasks[item];

	t->seen = fate_of_state(found->state);
	if (!t->node && found->nodes.len)
		t->node = arena_str(&f->arena, found->nodes).s;
}

/* What failed: Slurm forgets it soon. */
static void note_failures(struct follow *f, const struct cluster_jobs *failed)
{
	for (size_t i = 0; i < failed->count; i++) {
		const struct cluster_job *found = &failed->all[i];

		for (size_t m = 0; m < f->map_count; m++) {
			const size_t item = f->maps[m].first + found->task;

			if (found->id == f->maps[m].id && found->task < f->chunk &&
			    item < f->w->count)
				note_failure(f, item, found);
		}
	}
}

static void add_map_names(struct string_list *names, const struct follow *f, struct arena *a)
{
	for (size_t i = 0; i < f->map_count; i++)
		string_list_add(names, submit_map_name(a, f->w, f->maps[i].first));
}

static bool is_put_off(const struct follow *f, const struct cluster_job *j)
{
	for (size_t i = 0; i < f->q->sbatch_words.count; i++) {
		const struct str word = str_of(f->q->sbatch_words.all[i]);

		/* The user wants it so. */
		if (str_starts(word, "--begin") || str_starts(word, "-b"))
			return false;
	}
	return j->task != CLUSTER_NO_TASK && str_eq(j->state, STR_LIT("PENDING")) &&
	       str_eq(j->reason, STR_LIT("BeginTime"));
}

/* Where nothing runs, what it waits for: a partition that is down is waited for in vain. */
static void tell_why(struct follow *f, const struct cluster_jobs *active, const struct patience *p)
{
	const struct cluster_job *first = active->all;

	for (size_t i = 0; i < active->count; i++) {
		if (!str_eq(active->all[i].state, STR_LIT("PENDING")))
			return;
	}
	if (!active->count || clock_now_ns() - p->since_ns < SILENT_NS ||
	    (f->told_why && str_eq(first->reason, str_of(f->told_why))))
		return;
	f->told_why = arena_str(&f->arena, first->reason).s;
	follow_tell(f, "Slurm job %llu waits: %s", (unsigned long long)first->id, f->told_why);
}

static void note_active(struct follow *f, const struct cluster_jobs *active,
			const struct patience *p)
{
	tell_why(f, active, p);
	for (size_t i = 0; i < active->count; i++) {
		if (is_put_off(f, &active->all[i]))
			cluster_begin_now(f->c, &active->all[i]);
	}
}

/* Those that run or wait, of these names; *ret is how many. */
static int ask(struct follow *f, const struct string_list *names, const struct patience *p,
	       bool failed, size_t *ret, struct err *e)
{
	struct cluster_jobs found;
	const int result = cluster_find_jobs(f->c, names, failed, &found, e);

	if (result == 0 && failed)
		note_failures(f, &found);
	else if (result == 0)
		note_active(f, &found, p);
	*ret = found.count;
	arena_free(&found.arena);
	return result;
}

/* Asked for failures last: what ended in between is among them. */
static int ask_maps(struct follow *f, const struct patience *p, size_t *ret_active, struct err *e)
{
	struct string_list names = {0};
	struct arena a = {0};
	size_t failed;
	int result;

	add_map_names(&names, f, &a);
	result = ask(f, &names, p, false, ret_active, e);
	if (result == 0)
		result = ask(f, &names, p, true, &failed, e);
	string_list_free(&names);
	arena_free(&a);
	return result;
}

static void show(struct follow *f)
{
	size_t done = 0;

	follow_look(f);
	for (size_t i = 0; i < f->w->count; i++)
		done += f->tasks[i].done;
	progress_add(done - f->told_done);
	f->told_done = done;
}

int follow_wait_maps(struct follow *f, struct err *e)
{
	struct patience p = patience_begin();
	size_t active = f->map_count;
	int result = 0;

	f->told_done = 0;
	progress_begin("reading captures on the cluster", f->w->count);
	while (active && result == 0) {
		show(f);
		result = wait_a_while(&p, e);
		if (result < 0)
			break;
		if (ask_maps(f, &p, &active, e) == 0) {
			p.heard_ns = clock_now_ns();
		} else {
			active = 1;
			result = bear_silence(&p, e);
		}
	}
	progress_end();
	follow_look(f);
	return result;
}

static bool has_status(const struct follow *f)
{
	char name[64];

	snprintf(name, sizeof(name), "reduce.%llu.status", (unsigned long long)f->reduce);
	SCOPED char *path = file_in(f->w->folder, name);

	return access(path, R_OK) == 0;
}

int follow_wait_reduce(struct follow *f, struct err *e)
{
	struct patience p = patience_begin();
	struct string_list names = {0};
	struct arena a = {0};
	size_t active = 1;
	int result = 0;

	string_list_add(&names, submit_reduce_name(&a, f->w));
	progress_begin("making one answer of the parts", 0);
	while (active && result == 0 && !has_status(f)) {
		result = wait_a_while(&p, e);
		if (result == 0 && ask(f, &names, &p, false, &active, e) < 0) {
			active = 1;
			result = bear_silence(&p, e);
		} else if (result == 0) {
			p.heard_ns = clock_now_ns();
		}
	}
	progress_end();
	string_list_free(&names);
	arena_free(&a);
	return result;
}
