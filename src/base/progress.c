/* How far is the work that the user is waiting for? */
#include "base/progress.h"

#include "base/buf.h"
#include "base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FIRST_DRAW_NS = 1000000000, REDRAW_NS = 100000000, MARKER = 3, MAX_COLUMNS = 500 };

static bool enabled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over the task and the terminal line */
static const char *task;
static uint64_t task_total;
static unsigned frame; /* draws of this task so far */
static _Atomic uint64_t task_done;
static _Atomic int64_t next_draw_ns = INT64_MAX;
static _Atomic bool held;

static size_t terminal_columns(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col)
		return 80;
	return w.ws_col < MAX_COLUMNS ? w.ws_col : MAX_COLUMNS;
}

static void add_amount(struct buf *b, uint64_t n)
{
	static const char prefixes[] = " kMGTPE";
	uint64_t unit = 1;
	size_t i = 0;

	while (n / unit >= 1000) {
		unit *= 1000;
		i++;
	}
	if (i)
		buf_addf(b, "%" PRIu64 ".%" PRIu64 " %c", n / unit, n % unit / (unit / 10),
			 prefixes[i]);
	else
		buf_addf(b, "%" PRIu64, n);
}

static void add_filled(struct buf *b, size_t width, uint64_t done)
{
	size_t filled = (size_t)((double)done / (double)task_total * (double)width);

	buf_addn(b, '=', filled);
	buf_addn(b, ' ', width - filled);
}

/* With no total there is no share to fill: a marker that walks to and fro shows life. */
static void add_marker(struct buf *b, size_t width)
{
	size_t room = width - MARKER;
	size_t step = frame % (2 * room);
	size_t at = step < room ? step : 2 * room - step;

	buf_addn(b, ' ', at);
	buf_addn(b, '=', MARKER);
	buf_addn(b, ' ', room - at);
}

static void draw(void)
{
	SCOPED_BUF line = {0}, amount = {0};
	uint64_t done = atomic_load(&task_done);
	size_t columns = terminal_columns() - 1; /* a full line would wrap on some terminals */
	size_t used;

	if (task_total && done > task_total)
		done = task_total;
	if (task_total)
		buf_addf(&amount, "%3d%%", (int)((double)done / (double)task_total * 100));
	else
		add_amount(&amount, done);
	used = strlen(task) + strlen(" [] ") + amount.len;
	buf_adds(&line, task);
	if (columns > used + 2 * MARKER) {
		buf_adds(&line, " [");
		if (task_total)
			add_filled(&line, columns - used, done);
		else
			add_marker(&line, columns - used);
		buf_addc(&line, ']');
	}
	buf_addc(&line, ' ');
	buf_addstr(&line, buf_str(&amount));
	fprintf(stderr, "\r%.*s\033[K", (int)(line.len < columns ? line.len : columns), line.s);
	frame++;
}

void progress_init(bool wanted)
{
	const char *term = getenv("TERM");

	enabled = wanted && isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

static void begin_task(const char *what, uint64_t total)
{
	pthread_mutex_lock(&lock);
	task = what;
	task_total = total;
	frame = 0;
	atomic_store(&task_done, 0);
	atomic_store(&next_draw_ns, clock_now_ns() + FIRST_DRAW_NS);
	pthread_mutex_unlock(&lock);
}

static void count_done(uint64_t done)
{
	int64_t now;

	atomic_fetch_add(&task_done, done);
	now = clock_now_ns();
	/* Whoever finds another thread drawing has work to do. */
	if (now < atomic_load(&next_draw_ns) || pthread_mutex_trylock(&lock))
		return;
	if (now >= atomic_load(&next_draw_ns)) {
		atomic_store(&next_draw_ns, now + REDRAW_NS);
		draw();
	}
	pthread_mutex_unlock(&lock);
}

static void end_task(void)
{
	pthread_mutex_lock(&lock);
	atomic_store(&next_draw_ns, INT64_MAX);
	if (frame)
		fputs("\r\033[K", stderr);
	frame = 0;
	pthread_mutex_unlock(&lock);
}

void progress_begin(const char *what, uint64_t total)
{
	if (enabled && !atomic_load(&held))
		begin_task(what, total);
}

void progress_add(uint64_t done)
{
	if (enabled && !atomic_load(&held))
		count_done(done);
}

void progress_end(void)
{
	if (enabled && !atomic_load(&held))
		end_task();
}

void progress_hold(const char *what, uint64_t parts)
{
	if (!enabled)
		return;
	begin_task(what, parts);
	atomic_store(&held, true);
}

void progress_step(void)
{
	if (enabled)
		count_done(1);
}

void progress_release(void)
{
	if (!enabled)
		return;
	atomic_store(&held, false);
	end_task();
}
