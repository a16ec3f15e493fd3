/* Does anybody still wait for what is being done? */
#include "mcp/work.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <stddef.h>

/* A look at a connection is a call of the system: not more often than this. */
#define LOOK_NS INT64_C(20000000)

static _Atomic bool is_given_up, has_ended, was_too_long;
static _Atomic int64_t begun_ns, looked_ns;
/* Of the call that is being done: set before anything reads for it. */
static bool (*wanted)(void *ctx);
static void *wanted_ctx;

void work_begin(bool (*is_wanted)(void *ctx), void *ctx)
{
	wanted = is_wanted;
	wanted_ctx = ctx;
	atomic_store(&begun_ns, clock_now_ns());
	atomic_store(&was_too_long, false);
	atomic_store(&is_given_up, false);
}

void work_give_up(void)
{
	atomic_store(&is_given_up, true);
}

void work_end_all(void)
{
	atomic_store(&has_ended, true);
}

int64_t work_elapsed_ns(void)
{
	return clock_now_ns() - atomic_load(&begun_ns);
}

bool work_is_cancelled(void)
{
	const int64_t now_ns = clock_now_ns();

	if (atomic_load(&is_given_up) || atomic_load(&has_ended))
		return true;
	if (!wanted || now_ns - atomic_load(&looked_ns) < LOOK_NS)
		return false;
	atomic_store(&looked_ns, now_ns);
	return !wanted(wanted_ctx);
}

bool work_is_given_up(void)
{
	if (work_elapsed_ns() > WORK_MOST_S * INT64_C(1000000000)) {
		atomic_store(&was_too_long, true);
		return true;
	}
	return work_is_cancelled();
}

bool work_was_too_long(void)
{
	return atomic_load(&was_too_long);
}
