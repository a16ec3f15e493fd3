/* Who waits for which call, what is told of it meanwhile, and is it still wanted? */
#include "mcp/transport/http_calls.h"

#include "base/clock.h"
#include "base/progress.h"
#include "mcp/work.h"

#include <string.h>
#include <time.h>

#define TELL_NS INT64_C(200000000) /* between two messages of progress */

void http_event_add(struct buf *b, struct str message)
{
	buf_adds(b, "event: message\ndata: ");
	buf_addstr(b, message);
	buf_adds(b, "\n\n");
}

/* What is being done is known of one call alone, where it is the only one. */
static void tell(const struct http_calls *c, struct http_call *call)
{
	const int64_t now_ns = clock_now_ns();
	struct progress_task task = {0};
	SCOPED_BUF what = {0}, line = {0}, event = {0};

	if (!call->live || !call->message->progress.len || call->is_cancelled ||
	    now_ns - call->told_ns < TELL_NS)
		return;
	call->told_ns = now_ns;
	if (call->seat < 0)
		buf_adds(&what, "waiting for other calls");
	else if (c->count == 1 && progress_current(&task))
		buf_addf(&what, "%s%s", task.verb, task.what);
	message_add_progress(&line, buf_str(&call->message->progress),
			     (double)(now_ns - call->begun_ns) / 1e6, what.s);
	http_event_add(&event, buf_str(&line));
	live_send(call->live, buf_str(&event));
}

static void *tell_all(void *ctx)
{
	struct http_calls *c = ctx;

	pthread_mutex_lock(&c->lock);
	while (!c->is_ending) {
		struct timespec until;

		if (!c->first) {
			pthread_cond_wait(&c->change, &c->lock);
			continue;
		}
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TELL_NS / 4;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		(void)pthread_cond_timedwait(&c->change, &c->lock, &until);
		for (struct http_call *call = c->first; call; call = call->next)
			tell(c, call);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

bool http_calls_begin(struct http_calls *c)
{
	*c = (struct http_calls){0};
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->change, NULL);
	c->has_teller = pthread_create(&c->teller, NULL, tell_all, c) == 0;
	return c->has_teller;
}

void http_calls_end(struct http_calls *c)
{
	pthread_mutex_lock(&c->lock);
	c->is_ending = true;
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
	if (c->has_teller)
		pthread_join(c->teller, NULL);
	pthread_cond_destroy(&c->change);
	pthread_mutex_destroy(&c->lock);
}

void http_calls_add(struct http_calls *c, struct http_call *call)
{
	call->seat = -1;
	call->begun_ns = call->told_ns = clock_now_ns();
	pthread_mutex_lock(&c->lock);
	call->next = c->first;
	c->first = call;
	c->count++;
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
}

bool http_calls_seat(struct http_calls *c, struct http_call *call, int seat)
{
	bool is_wanted;

	pthread_mutex_lock(&c->lock);
	call->seat = seat;
	is_wanted = !call->is_cancelled;
	pthread_mutex_unlock(&c->lock);
	return is_wanted;
}

bool http_calls_remove(struct http_calls *c, struct http_call *call)
{
	struct http_call **at;
	bool is_wanted;

	pthread_mutex_lock(&c->lock);
	for (at = &c->first; *at != call;)
		at = &(*at)->next;
	*at = call->next;
	c->count--;
	is_wanted = !call->is_cancelled;
	pthread_mutex_unlock(&c->lock);
	return is_wanted;
}

void http_calls_cancel(struct http_calls *c, const char *session, struct str id)
{
	struct http_call *found = NULL;
	size_t count = 0;

	pthread_mutex_lock(&c->lock);
	for (struct http_call *call = c->first; call; call = call->next) {
		if (strcmp(call->session, session) != 0 || !str_eq(buf_str(&call->message->id), id))
			continue;
		found = call;
		count++;
	}
	if (count == 1) {
		found->is_cancelled = true;
		if (found->seat >= 0)
			work_give_up(found->seat);
	}
	pthread_mutex_unlock(&c->lock);
}
