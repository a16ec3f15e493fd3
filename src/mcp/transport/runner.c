/* Who works on what was asked, and what becomes of it when nobody wants it any more? */
#include "mcp/transport/runner.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "mcp/work.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
	MOST_WAITING = 4096,
	MOST_WAITING_BYTES = 64 << 20,
	TELL_MS = 200,	  /* between two messages of progress */
	PATIENCE_MS = 80, /* with what was given up */
	LOOK_MS = 20,
};

/* A request that waits for its turn, or is being answered. */
struct job {
	struct message request;
	size_t bytes;
	bool is_cancelled;
	int64_t cancelled_ns;
	struct job *next;
};

/* A thread that answers. */
struct hand {
	struct runner *of;
	struct mcp_worker worker;
	int seat;
	struct job *job; /* that it works on; NULL: it waits */
	int64_t told_ms; /* of progress */
	bool is_left;	 /* another has taken its place */
	pthread_t thread;
};

struct runner {
	struct mcp *mcp;
	send_fn *send;
	void *ctx;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t change;
	struct job *first, **end; /* those that wait */
	size_t waiting, waiting_bytes;
	struct hand *hand;
	size_t left; /* hands that were left behind, and still work */
	bool is_ending;
};

static void job_free(struct job *j)
{
	message_free(&j->request);
	free(j);
}

static struct job *take_job(struct runner *r)
{
	struct job *j = r->first;

	r->first = j->next;
	if (!r->first)
		r->end = &r->first;
	r->waiting--;
	r->waiting_bytes -= j->bytes;
	return j;
}

/* With the lock, which is let go of while it works. */
static void do_job(struct runner *r, struct hand *h)
{
	struct job *j = take_job(r);
	SCOPED_BUF reply = {0};

	h->job = j;
	h->told_ms = 0;
	work_begin(NULL, NULL);
	pthread_mutex_unlock(&r->lock);
	mcp_work(&h->worker, &j->request, &reply);
	pthread_mutex_lock(&r->lock);
	h->job = NULL;
	/* Whoever was told not to wait for it is told nothing more of it. */
	if (!j->is_cancelled)
		r->send(r->ctx, &reply);
	job_free(j);
}

static void *work_on(void *ctx)
{
	struct hand *h = ctx;
	struct runner *r = h->of;

	work_sit(h->seat);
	pthread_mutex_lock(&r->lock);
	while (!h->is_left && !r->is_ending) {
		if (r->first)
			do_job(r, h);
		else
			pthread_cond_wait(&r->change, &r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	open_traces_close(&h->worker.traces);
	work_leave_seat(h->seat);
	if (h->is_left) {
		pthread_mutex_lock(&r->lock);
		r->left--;
		pthread_mutex_unlock(&r->lock);
		free(h);
	}
	return NULL;
}

/* It, and what it starts, leave signals to the thread that reads. */
static struct hand *hand_start(struct runner *r)
{
	struct hand *h = mem_zalloc(1, sizeof(*h));
	sigset_t all, before;
	bool is_there;

	*h = (struct hand){.of = r, .worker = {.mcp = r->mcp}, .seat = work_take_seat()};
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	is_there = h->seat >= 0 && pthread_create(&h->thread, NULL, work_on, h) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (is_there)
		return h;
	if (h->seat >= 0)
		work_leave_seat(h->seat);
	free(h);
	return NULL;
}

struct runner *runner_start(struct mcp *m, send_fn *send, void *ctx)
{
	struct runner *r = mem_zalloc(1, sizeof(*r));

	*r = (struct runner){.mcp = m, .send = send, .ctx = ctx};
	r->end = &r->first;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->change, NULL);
	r->hand = hand_start(r);
	if (r->hand)
		return r;
	free(r);
	return NULL;
}

bool runner_add(struct runner *r, struct message *request, size_t bytes)
{
	struct job *j = NULL;

	pthread_mutex_lock(&r->lock);
	if (r->waiting < MOST_WAITING && r->waiting_bytes + bytes <= MOST_WAITING_BYTES) {
		j = mem_zalloc(1, sizeof(*j));
		*j = (struct job){.request = *request, .bytes = bytes};
		*r->end = j;
		r->end = &j->next;
		r->waiting++;
		r->waiting_bytes += bytes;
		pthread_cond_broadcast(&r->change);
	}
	pthread_mutex_unlock(&r->lock);
	return j;
}

/* With the lock. One that waits is never begun. */
static bool cancel_waiting(struct runner *r, struct str id)
{
	for (struct job **at = &r->first; *at; at = &(*at)->next) {
		struct job *j = *at;

		if (!str_eq(buf_str(&j->request.id), id))
			continue;
		*at = j->next;
		if (r->end == &j->next)
			r->end = at;
		r->waiting--;
		r->waiting_bytes -= j->bytes;
		job_free(j);
		return true;
	}
	return false;
}

void runner_cancel(struct runner *r, struct str id)
{
	struct job *j;

	pthread_mutex_lock(&r->lock);
	j = r->hand->job;
	if (j && !j->is_cancelled && str_eq(buf_str(&j->request.id), id)) {
		j->is_cancelled = true;
		j->cancelled_ns = clock_now_ns();
		work_give_up(r->hand->seat);
	} else {
		cancel_waiting(r, id);
	}
	pthread_mutex_unlock(&r->lock);
}

/* With the lock. Where no seat is free it is waited for after all. */
static void leave_behind(struct runner *r)
{
	struct hand *old = r->hand, *new = hand_start(r);

	if (!new)
		return;
	old->is_left = true;
	pthread_detach(old->thread);
	r->left++;
	r->hand = new;
}

/* With the lock: nothing of it can come after its answer. */
static void tell_progress(struct runner *r, struct hand *h)
{
	const int64_t elapsed_ms = work_elapsed_ns(h->seat) / 1000000;
	struct progress_task task = {0};
	SCOPED_BUF line = {0}, what = {0};

	if (!h->job->request.progress.len || elapsed_ms - h->told_ms < TELL_MS)
		return;
	h->told_ms = elapsed_ms;
	if (progress_current(&task))
		buf_addf(&what, "%s%s", task.verb, task.what);
	message_add_progress(&line, buf_str(&h->job->request.progress), (double)elapsed_ms, what.s);
	r->send(r->ctx, &line);
}

int runner_tick(struct runner *r)
{
	const struct job *j;
	int wait_ms = -1;

	pthread_mutex_lock(&r->lock);
	j = r->hand->job;
	if (j && j->is_cancelled) {
		if (clock_now_ns() - j->cancelled_ns > PATIENCE_MS * INT64_C(1000000))
			leave_behind(r);
		wait_ms = LOOK_MS;
	} else if (j) {
		tell_progress(r, r->hand);
		wait_ms = TELL_MS;
	} else if (r->first) {
		wait_ms = LOOK_MS;
	}
	pthread_mutex_unlock(&r->lock);
	return wait_ms;
}

bool runner_is_idle(struct runner *r)
{
	bool is_idle;

	pthread_mutex_lock(&r->lock);
	is_idle = !r->first && !r->hand->job;
	pthread_mutex_unlock(&r->lock);
	return is_idle;
}

void runner_send(struct runner *r, struct buf *line)
{
	pthread_mutex_lock(&r->lock);
	r->send(r->ctx, line);
	pthread_mutex_unlock(&r->lock);
}

bool runner_end(struct runner *r)
{
	bool is_alone;

	pthread_mutex_lock(&r->lock);
	r->is_ending = true;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->hand->thread, NULL);
	pthread_mutex_lock(&r->lock);
	is_alone = !r->left;
	pthread_mutex_unlock(&r->lock);
	if (!is_alone)
		return false;
	free(r->hand);
	pthread_cond_destroy(&r->change);
	pthread_mutex_destroy(&r->lock);
	free(r);
	return true;
}
