/* How many captures are read at once? */
#include "commands/fleet/fleet_pool.h"

#include "base/parallel.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * How many bytes of memory a map takes for each of its file, at most, and for itself; see
 * docs/fleet.md.
 */
enum { MEMORY_EACH = 2, MEMORY_LEAST = 64 << 20 };

static uint64_t quarter_of_memory(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 4 : UINT64_MAX;
}

void fleet_pool_start(struct fleet_pool *p, uint64_t max_memory)
{
	*p = (struct fleet_pool){.allowed = max_memory ? max_memory : quarter_of_memory()};
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->freed, NULL);
	pthread_mutex_init(&p->opening, NULL);
}

void fleet_pool_end(struct fleet_pool *p)
{
	pthread_mutex_destroy(&p->opening);
	pthread_cond_destroy(&p->freed);
	pthread_mutex_destroy(&p->lock);
}

static uint64_t memory_for(uint64_t file_bytes)
{
	return file_bytes <= (UINT64_MAX - MEMORY_LEAST) / MEMORY_EACH
		       ? file_bytes * MEMORY_EACH + MEMORY_LEAST
		       : UINT64_MAX;
}

int fleet_pool_take(struct fleet_pool *p, const struct trace *t, uint64_t *ret_bytes, struct err *e)
{
	/* Of a file that is packed the size is that of what is read: the trace's. */
	const uint64_t size = sqlitefile_size_bytes(t->file), bytes = memory_for(size);

	if (bytes > p->allowed) {
		err_set(e, ERR_INPUT,
			"'%s' has %llu MB, for which %llu MB of memory may be too little", t->path,
			(unsigned long long)(size >> 20) + 1,
			(unsigned long long)(p->allowed >> 20));
		return err_hint(e, "--max-memory SIZE allows more");
	}
	pthread_mutex_lock(&p->lock);
	while (p->used > p->allowed - bytes)
		pthread_cond_wait(&p->freed, &p->lock);
	p->used += bytes;
	pthread_mutex_unlock(&p->lock);
	*ret_bytes = bytes;
	return 0;
}

void fleet_pool_give_back(struct fleet_pool *p, uint64_t bytes)
{
	pthread_mutex_lock(&p->lock);
	p->used -= bytes;
	pthread_cond_broadcast(&p->freed);
	pthread_mutex_unlock(&p->lock);
}

struct job {
	fleet_pool_fn *make;
	void *ctx;
	size_t count;
	atomic_size_t next;
	pthread_mutex_t lock; /* of what follows */
	size_t failed_at;
	struct err failure;
};

static void note_failure(struct job *j, size_t file, const struct err *why)
{
	pthread_mutex_lock(&j->lock);
	if (file < j->failed_at) {
		j->failed_at = file;
		j->failure = *why;
	}
	pthread_mutex_unlock(&j->lock);
	/* Those that come before it have all been begun. */
	atomic_store(&j->next, j->count);
}

static void run_lane(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct job *j = ctx;
	size_t file;

	(void)begin;
	(void)end;
	(void)worker;
	while ((file = atomic_fetch_add(&j->next, 1)) < j->count) {
		struct err why = {0};

		if (j->make(j->ctx, file, &why) < 0)
			note_failure(j, file, &why);
	}
}

/* As many of the largest as there is memory for: the others are no larger. */
static size_t lanes_for(const struct fleet_pool *p, const char *const *paths, size_t count)
{
	uint64_t largest = 0, lanes;

	for (size_t i = 0; i < count; i++) {
		struct stat s;

		if (stat(paths[i], &s) == 0 && (uint64_t)s.st_size > largest)
			largest = (uint64_t)s.st_size;
	}
	lanes = p->allowed / memory_for(largest);
	return lanes < 1 ? 1 : lanes < parallel_workers() ? (size_t)lanes : parallel_workers();
}

int fleet_pool_run(const struct fleet_pool *p, const char *const *paths, size_t count,
		   fleet_pool_fn *make, void *ctx, struct err *e)
{
	struct job j = {.make = make, .ctx = ctx, .count = count, .failed_at = SIZE_MAX};

	pthread_mutex_init(&j.lock, NULL);
	parallel_each(lanes_for(p, paths, count), 1, run_lane, &j);
	pthread_mutex_destroy(&j.lock);
	if (j.failed_at == SIZE_MAX)
		return 0;
	*e = j.failure;
	return -1;
}
