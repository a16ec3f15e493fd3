/* How far is the cluster, and when is it through? */
#include "fleet/slurm/job.h"

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

/* A tenth of the time that it took so far. -1: somebody interrupts. */
static int wait_a_while(const struct patience *p, struct err *e)
{
	int64_t left = (clock_now_ns() - p->since_ns) / 10;

	left = left < FIRST_POLL_NS ? FIRST_POLL_NS : left > LAST_POLL_NS ? LAST_POLL_NS : left;
	for (; left > 0; left -= TURN_NS) {
		const struct timespec turn = {.tv_nsec = TURN_NS};

		if (interrupt_pending()) {
			err_set(e, ERR_SYSTEM, "interrupted: the cluster goes on");
			return err_hint(e, "the same command follows the job again");
		}
		nanosleep(&turn, NULL);
	}
	return 0;
}

/* A controller that is being restarted is waited for. */
static int bear_silence(struct patience *p, struct err *e)
{
	if (clock_now_ns() - p->heard_ns < SILENCE_NS && !interrupt_pending())
		return 0;
	return err_hint(e, "the same command goes on with the job");
}

/* What failed: Slurm forgets it soon. */
static void note_failures(struct job *j, const struct cluster_jobs *failed)
{
	for (size_t i = 0; i < failed->count; i++) {
		const struct cluster_job *f = &failed->all[i];

		for (size_t m = 0; m < j->map_count; m++) {
			const size_t item = j->maps[m].first + f->task;

			if (f->id == j->maps[m].id && f->task < j->chunk && item < j->w->count)
				j->tasks[item].seen = fate_of_state(f->state);
		}
	}
}

static void add_map_names(struct string_list *names, const struct job *j, struct arena *a)
{
	for (size_t i = 0; i < j->map_count; i++)
		string_list_add(names, submit_map_name(a, j->w, j->maps[i].first));
}

/* Those that run or wait, of these names; *ret is how many. */
static int ask(struct job *j, const struct string_list *names, bool failed, size_t *ret,
	       struct err *e)
{
	struct cluster_jobs found;
	const int result = cluster_find_jobs(j->c, names, failed, &found, e);

	if (failed)
		note_failures(j, &found);
	*ret = found.count;
	arena_free(&found.arena);
	return result;
}

/* Asked for failures last: what ended in between is among them. */
static int ask_maps(struct job *j, size_t *ret_active, struct err *e)
{
	struct string_list names = {0};
	struct arena a = {0};
	size_t failed;
	int result;

	add_map_names(&names, j, &a);
	result = ask(j, &names, false, ret_active, e);
	if (result == 0)
		result = ask(j, &names, true, &failed, e);
	string_list_free(&names);
	arena_free(&a);
	return result;
}

static void show(struct job *j)
{
	size_t done = 0;

	job_look(j);
	for (size_t i = 0; i < j->w->count; i++)
		done += j->tasks[i].done;
	progress_add(done - j->told_done);
	j->told_done = done;
}

int job_wait_maps(struct job *j, struct err *e)
{
	struct patience p = patience_begin();
	size_t active = j->map_count;
	int result = 0;

	j->told_done = 0;
	progress_begin("reading captures on the cluster", j->w->count);
	while (active && result == 0) {
		show(j);
		result = wait_a_while(&p, e);
		if (result < 0)
			break;
		if (ask_maps(j, &active, e) == 0) {
			p.heard_ns = clock_now_ns();
		} else {
			active = 1;
			result = bear_silence(&p, e);
		}
	}
	progress_end();
	job_look(j);
	return result;
}

static bool has_status(const struct job *j)
{
	char name[64];

	snprintf(name, sizeof(name), "reduce.%llu.status", (unsigned long long)j->reduce);
	SCOPED char *path = file_in(j->w->folder, name);

	return access(path, R_OK) == 0;
}

int job_wait_reduce(struct job *j, struct err *e)
{
	struct patience p = patience_begin();
	struct string_list names = {0};
	struct arena a = {0};
	size_t active = 1;
	int result = 0;

	string_list_add(&names, submit_reduce_name(&a, j->w));
	progress_begin("making one answer of the parts", 0);
	while (active && result == 0 && !has_status(j)) {
		result = wait_a_while(&p, e);
		if (result == 0 && ask(j, &names, false, &active, e) < 0) {
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
