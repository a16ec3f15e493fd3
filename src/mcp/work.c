/* Does anybody still wait for what is being done? */
#include "mcp/work.h"

#include "base/clock.h"
#include "mcp/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* A look at a connection is a call of the system: not more often than this. */
#define LOOK_NS INT64_C(20000000)
/* What reads fills some gigabytes a second. */
#define WEIGH_NS INT64_C(2000000)

struct seat {
	bool is_taken; /* with the lock */
	_Atomic bool is_given_up, was_too_long, was_too_large;
	_Atomic int64_t begun_ns, looked_ns, weighed_ns;
	_Atomic uint64_t memory; /* of the server when it began */
	/* Of the call that is being done: set before anything reads for it. */
	bool (*wanted)(void *ctx);
	void *ctx;
};

static struct seat seats[WORK_SEATS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool has_ended;
static uint64_t most_memory;
static _Thread_local int mine;

void work_set_memory(uint64_t bytes)
{
	most_memory = bytes;
}

uint64_t work_memory(void)
{
	return most_memory;
}

int work_take_seat(void)
{
	int found = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < WORK_SEATS && found < 0; i++)
		found = seats[i].is_taken ? -1 : i;
	if (found >= 0)
		seats[found].is_taken = true;
	pthread_mutex_unlock(&lock);
	return found;
}

void work_leave_seat(int seat)
{
	pthread_mutex_lock(&lock);
	seats[seat].is_taken = false;
	pthread_mutex_unlock(&lock);
}

void work_sit(int seat)
{
	mine = seat;
}

void work_begin(bool (*is_wanted)(void *ctx), void *ctx)
{
	struct seat *s = &seats[mine];

	s->wanted = is_wanted;
	s->ctx = ctx;
	atomic_store(&s->begun_ns, clock_now_ns());
	atomic_store(&s->weighed_ns, 0);
	atomic_store(&s->memory, most_memory ? memory_own_bytes() : 0);
	atomic_store(&s->was_too_long, false);
	atomic_store(&s->was_too_large, false);
	atomic_store(&s->is_given_up, false);
}

void work_give_up(int seat)
{
	atomic_store(&seats[seat].is_given_up, true);
}

void work_end_all(void)
{
	atomic_store(&has_ended, true);
}

int64_t work_elapsed_ns(int seat)
{
	return clock_now_ns() - atomic_load(&seats[seat].begun_ns);
}

static bool is_cancelled(struct seat *s)
{
	const int64_t now_ns = clock_now_ns();

	if (atomic_load(&s->is_given_up) || atomic_load(&has_ended))
		return true;
	if (!s->wanted || now_ns - atomic_load(&s->looked_ns) < LOOK_NS)
		return false;
	atomic_store(&s->looked_ns, now_ns);
	return !s->wanted(s->ctx);
}

/* Several calls at once share what there is: it is the server's memory that is known. */
static bool is_too_large(struct seat *s)
{
	const int64_t now_ns = clock_now_ns();

	if (!most_memory || now_ns - atomic_load(&s->weighed_ns) < WEIGH_NS)
		return atomic_load(&s->was_too_large);
	atomic_store(&s->weighed_ns, now_ns);
	if (memory_own_bytes() > atomic_load(&s->memory) + most_memory)
		atomic_store(&s->was_too_large, true);
	return atomic_load(&s->was_too_large);
}

static bool is_given_up(int seat)
{
	if (is_too_large(&seats[seat]))
		return true;
	if (work_elapsed_ns(seat) > WORK_MOST_S * INT64_C(1000000000)) {
		atomic_store(&seats[seat].was_too_long, true);
		return true;
	}
	return is_cancelled(&seats[seat]);
}

bool work_is_cancelled(void)
{
	return is_cancelled(&seats[mine]);
}

bool work_is_given_up(void)
{
	return is_given_up(mine);
}

bool work_was_too_long(void)
{
	return atomic_load(&seats[mine].was_too_long);
}

bool work_was_too_large(void)
{
	return atomic_load(&seats[mine].was_too_large);
}

/* Who asks may be any thread that reads for a call, and is told nothing but this function. */
#define STOP(n)                        \
	static bool stop_##n(void)     \
	{                              \
		return is_given_up(n); \
	}
STOP(0)
STOP(1)
STOP(2)
STOP(3)

work_stop_fn *work_stop(void)
{
	static work_stop_fn *const stops[WORK_SEATS] = {stop_0, stop_1, stop_2, stop_3};

	return stops[mine];
}
