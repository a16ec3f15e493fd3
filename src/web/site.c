/* What is served, and what of it is there yet? */
#include "web/site.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/version.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* JavaScript's numbers are exact up to here. */
#define MOST_EXACT (INT64_C(1) << 53)

enum {
	QUIET_NS = 40000000, /* so long nobody has looked anything up: then more is read */
	WAIT_NS = 5000000,
	MOST_WAITS = 100,
	END_WAITS = 20,
	WAITING = 64, /* requests, of either kind */
};

static _Atomic bool is_ending;
static _Atomic(const struct request *) reads_for;

void site_read_for(const struct request *r)
{
	atomic_store(&reads_for, r);
}

/* They ask often: a look at the connection is a call of the system. */
bool site_gives_up(const struct request *r)
{
	return atomic_load(&is_ending) || request_is_abandoned(r);
}

bool site_is_given_up(void)
{
	static _Atomic int64_t looked_ns;
	const struct request *r = atomic_load(&reads_for);
	const int64_t now_ns = clock_now_ns();

	if (atomic_load(&is_ending))
		return true;
	if (!r || now_ns - atomic_load(&looked_ns) < QUIET_NS)
		return false;
	atomic_store(&looked_ns, now_ns);
	return request_is_abandoned(r);
}

/* The same trace, unchanged, asked about in the same way, has the same tiles. */
static void take_fingerprint(struct site *s)
{
	struct sha256 sum;

	sha256_begin(&sum);
	sha256_add(&sum, GPUWHY_VERSION, strlen(GPUWHY_VERSION));
	sha256_add(&sum, s->aligns_steps ? "s" : "-", 1);
	if (s->comm)
		sha256_add(&sum, s->comm, strlen(s->comm));
	for (size_t i = 0; i < s->traces->count; i++) {
		const struct capture *c = &s->traces->all[i];
		struct stat st = {0};
		SCOPED_BUF b = {0};

		(void)stat(c->trace->path, &st);
		buf_addf(&b, "%s %d %d %u %lld %lld %lld %lld %d %lld %lld %d %u %d %u\n",
			 c->trace->path, c->is_asked, c->scope.has_process, c->scope.process,
			 (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			 (long long)st.st_mtim.tv_nsec, (long long)c->shift_ns, c->scope.has_trim,
			 (long long)c->scope.from_ns, (long long)c->scope.to_ns,
			 c->scope.has_device, c->scope.device, c->scope.has_pid, c->scope.pid);
		sha256_add(&sum, b.s, b.len);
	}
	sha256_end(&sum, s->fingerprint);
}

/* Under the lock of the status. */
static void note_clock(struct site *s)
{
	s->status.clock = s->traces->clock;
	s->status.aligned_at = s->traces->aligned_at;
	for (size_t i = 0; i < s->traces->count; i++)
		s->shifts[i] = s->traces->all[i].shift_ns;
}

void site_open(struct site *s, struct traces *t)
{
	pthread_condattr_t steady;

	s->traces = t;
	s->asked = SPAN_NONE;
	turns_begin(&s->turns);
	pthread_mutex_init(&s->status_lock, NULL);
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&s->change, &steady);
	pthread_condattr_destroy(&steady);
	for (size_t i = 0; i < t->count; i++) {
		t->all[i].trace->uses_cache = t->all[i].trace->keeps_answers = true;
		trace_set_stop(t->all[i].trace, site_is_given_up);
	}
	s->shifts = mem_zalloc(t->count, sizeof(*s->shifts));
	note_clock(s);
	take_fingerprint(s);
}

int site_start(struct site *s, struct err *e)
{
	s->reader = workers_start(1, WAITING);
	s->seeker = workers_start(1, WAITING);
	s->searcher = workers_start(1, WAITING);
	if (!s->reader || !s->seeker || !s->searcher)
		return err_set(e, ERR_SYSTEM, "no thread is to be had");
	return guard_begin(&s->guard, e);
}

struct site_status site_status(struct site *s)
{
	struct site_status now;

	pthread_mutex_lock(&s->status_lock);
	now = s->status;
	pthread_mutex_unlock(&s->status_lock);
	return now;
}

int64_t site_shift_ns(struct site *s, size_t capture)
{
	int64_t shift_ns;

	pthread_mutex_lock(&s->status_lock);
	shift_ns = s->shifts[capture];
	pthread_mutex_unlock(&s->status_lock);
	return shift_ns;
}

/* Under the lock: what has changed is told. */
static void tell(struct site *s, bool has_new_tracks)
{
	struct site_status now = s->status;
	const struct track_set *set = s->scene.set;

	now.limits = traces_span(s->traces);
	if (set->limits.start_ns <= set->limits.end_ns)
		span_widen(&now.limits, set->limits);
	if (!now.is_open)
		now.work = set->limits;
	if (!now.is_open && (now.limits.start_ns < -MOST_EXACT || now.limits.end_ns > MOST_EXACT))
		now.origin_ns = now.limits.start_ns;
	now.is_open = true;
	now.tracks_version += has_new_tracks;
	now.is_complete = !scene_has_more(&s->scene);
	pthread_mutex_lock(&s->status_lock);
	s->status = now;
	note_clock(s);
	pthread_cond_broadcast(&s->change);
	pthread_mutex_unlock(&s->status_lock);
}

static void note_problem(struct site *s, const struct err *e)
{
	SCOPED_BUF text = {0};

	buf_addf(&text, "%s%s%s", e->message, *e->hint ? ": " : "", e->hint);
	pthread_mutex_lock(&s->status_lock);
	string_list_add(&s->problems, mem_strdup(text.s));
	pthread_mutex_unlock(&s->status_lock);
}

/* Under the lock. */
static int open_scene(struct site *s)
{
	struct err e = {0};
	int result = s->aligns_steps ? traces_align_sides(s->traces, &e) : 0;

	if (result == 0)
		result = scene_open(&s->scene, s->traces, s->ncu, &e);
	if (result == 0) {
		tell(s, true);
		return 0;
	}
	note_problem(s, &e);
	pthread_mutex_lock(&s->status_lock);
	s->failure = e;
	s->status.has_failed = true;
	pthread_cond_broadcast(&s->change);
	pthread_mutex_unlock(&s->status_lock);
	return -1;
}

/* Under the lock. */
static void read_more(struct site *s)
{
	const size_t before = s->scene.set->count;
	struct err e = {0};

	if (scene_read_more(&s->scene, &e) < 0)
		note_problem(s, &e);
	tell(s, s->scene.set->count != before);
}

/* Whoever looks at what is there comes first; but not for ever. */
static void wait_for_quiet(struct site *s)
{
	const struct timespec a_little = {0, WAIT_NS};

	for (int i = 0; i < MOST_WAITS && !atomic_load(&is_ending); i++) {
		if (workers_are_idle(s->seeker) &&
		    clock_now_ns() - atomic_load(&s->last_sought_ns) >= QUIET_NS)
			return;
		nanosleep(&a_little, NULL);
	}
}

/* A stage; analyses that were asked for meanwhile come before the next. */
static void read_stage(void *ctx)
{
	struct site *s = ctx;
	struct site_status now = site_status(s);

	if (now.is_open)
		wait_for_quiet(s);
	if (atomic_load(&is_ending))
		return;
	site_lock(s);
	if (!now.is_open)
		open_scene(s);
	else
		read_more(s);
	site_unlock(s);
	/* Who waited for it is about to ask for more. */
	atomic_store(&s->last_sought_ns, clock_now_ns());
	now = site_status(s);
	if (now.is_open && !now.is_complete)
		workers_add_own(s->reader, read_stage, s);
}

int site_begin_reading(struct site *s, struct err *e)
{
	return workers_add_own(s->reader, read_stage, s)
		       ? 0
		       : err_set(e, ERR_SYSTEM, "the reader does not begin");
}

int site_read_all(struct site *s, struct err *e)
{
	int result;

	site_lock(s);
	result = open_scene(s);
	while (result == 0 && !s->status.is_complete)
		read_more(s);
	site_unlock(s);
	if (result < 0)
		*e = s->failure;
	return result;
}

int site_wait_until(struct site *s, int64_t end_ns, struct err *e)
{
	const struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
	int result = 0, waited = 0;

	pthread_mutex_lock(&s->status_lock);
	while (!s->status.is_open && !s->status.has_failed && !atomic_load(&is_ending) && !waited)
		waited = pthread_cond_timedwait(&s->change, &s->status_lock, &end);
	if (s->status.has_failed) {
		*e = s->failure;
		result = -1;
	} else if (!s->status.is_open && waited) {
		result = 1;
	} else if (!s->status.is_open) {
		result = err_set(e, ERR_SYSTEM, "gpuwhy has been ended");
	}
	pthread_mutex_unlock(&s->status_lock);
	return result;
}

int site_wait(struct site *s, struct err *e)
{
	return site_wait_until(s, INT64_MAX, e);
}

bool site_end(struct site *s)
{
	const struct timespec a_little = {0, WAIT_NS};

	atomic_store(&is_ending, true);
	workers_refuse(s->reader);
	workers_refuse(s->seeker);
	workers_refuse(s->searcher);
	for (int i = 0; i < END_WAITS; i++) {
		/* Who waits for tracks is told that there will be none. */
		pthread_mutex_lock(&s->status_lock);
		pthread_cond_broadcast(&s->change);
		pthread_mutex_unlock(&s->status_lock);
		if (workers_are_idle(s->reader) && workers_are_idle(s->seeker) &&
		    workers_are_idle(s->searcher))
			return true;
		nanosleep(&a_little, NULL);
	}
	return false;
}

int site_all(struct site *s, struct capture **ret, struct err *e)
{
	const struct traces *t = s->traces;

	if (t->count < 2 || (t->clock != CLOCK_MEETINGS && t->clock != CLOCK_UTC))
		return err_set(e, ERR_USAGE, "these are no captures of one job on one clock");
	if (!s->all.trace && traces_join(t, &s->all.trace, e) < 0)
		return -1;
	s->all.is_asked = true;
	*ret = &s->all;
	return 0;
}

void site_close(struct site *s)
{
	trace_close(s->all.trace);
	workers_free(s->reader);
	workers_free(s->seeker);
	workers_free(s->searcher);
	hits_free(&s->hits);
	free(s->searched);
	scene_close(&s->scene);
	for (size_t i = 0; i < s->problems.count; i++)
		free((char *)s->problems.all[i]);
	string_list_free(&s->problems);
	free(s->shifts);
	pthread_cond_destroy(&s->change);
	turns_end(&s->turns);
	pthread_mutex_destroy(&s->status_lock);
}
