/* How far is the work that the user is waiting for? */
#include "base/progress.h"

#include "base/buf.h"
#include "base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FIRST_DRAW_NS = 800000000, REDRAW_NS = 100000000, MARKER = 3, MAX_COLUMNS = 500 };

static _Atomic bool enabled;
static _Atomic bool held;
static _Atomic bool watched; /* somebody else draws */
static _Atomic uint64_t task_done;

/* All of the rest, and the terminal's line, are under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t drawer; /* a thread of its own: who works need not think of it */
static bool drawer_runs, drawer_ends;
static const char *work; /* what the whole is; NULL: tasks alone */
static const char *task_verb, *task;
static uint64_t task_total;
static int64_t since_ns; /* when the work, or a task without one, began */
static unsigned frame;	 /* draws since then */
static bool on_screen;

/* The real width, whatever COLUMNS says: a line that wraps could not be overwritten. */
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

/* "43%", "1.2 M", or, where nobody counts, how long it takes already: "3 s". */
static void add_state(struct buf *b, uint64_t done)
{
	if (!task || (!task_total && !done))
		buf_addf(b, "%" PRId64 " s", (clock_now_ns() - since_ns) / 1000000000);
	else if (task_total)
		buf_addf(b, "%3d%%", (int)((double)done / (double)task_total * 100));
	else
		add_amount(b, done);
}

static void write_line(const char *bytes, size_t len)
{
	while (len) {
		ssize_t put = write(STDERR_FILENO, bytes, len);

		if (put <= 0)
			return;
		bytes += put;
		len -= (size_t)put;
	}
}

static void draw(void)
{
	const bool counted = task && task_total;
	SCOPED_BUF line = {0}, state = {0}, text = {0};
	uint64_t done = atomic_load(&task_done);
	size_t columns = terminal_columns() - 1; /* a full line would wrap on some terminals */
	size_t used;

	if (counted && done > task_total)
		done = task_total;
	add_state(&state, done);
	buf_addf(&line, "%s%s", task ? task_verb : "", task ? task : work);
	used = line.len + strlen(" [] ") + state.len;
	if (columns > used + 2 * MARKER) {
		buf_adds(&line, " [");
		if (counted)
			add_filled(&line, columns - used, done);
		else
			add_marker(&line, columns - used);
		buf_addc(&line, ']');
	}
	buf_addf(&line, " %s", state.s);
	buf_addf(&text, "\r%.*s\033[K", (int)(line.len < columns ? line.len : columns), line.s);
	write_line(text.s, text.len);
	on_screen = true;
	frame++;
}

static void erase(void)
{
	if (on_screen)
		write_line("\r\033[K", 4);
	on_screen = false;
}

/* Sleeps until the next draw, or until it is told to end. */
static void sleep_a_little(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += REDRAW_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&wake, &lock, &until);
}

static void *draw_until_told(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!drawer_ends) {
		if ((work || task) && clock_now_ns() - since_ns >= FIRST_DRAW_NS)
			draw();
		sleep_a_little();
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

/* Signals are for those who wait for them. Without a thread there is no line. */
static void start_drawer(void)
{
	sigset_t all, before;

	if (drawer_runs)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	drawer_ends = false;
	drawer_runs = pthread_create(&drawer, NULL, draw_until_told, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_init(bool wanted)
{
	const char *term = getenv("TERM");

	atomic_store(&enabled,
		     wanted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0);
}

/* Of the work or of a task: the first that begins sets the clock. */
static void begin(const char **which, const char *what)
{
	if (!work && !task) {
		since_ns = clock_now_ns();
		frame = 0;
	}
	*which = what;
	if (!atomic_load(&watched))
		start_drawer();
}

static void begin_task(const char *verb, const char *what, uint64_t total)
{
	pthread_mutex_lock(&lock);
	begin(&task, what);
	task_verb = verb;
	task_total = total;
	atomic_store(&task_done, 0);
	pthread_mutex_unlock(&lock);
}

static void end_task(void)
{
	pthread_mutex_lock(&lock);
	task = NULL;
	if (!work)
		erase();
	pthread_mutex_unlock(&lock);
}

static bool is_listening(void)
{
	return atomic_load(&enabled) && !atomic_load(&held);
}

void progress_begin(const char *what, uint64_t total)
{
	if (is_listening())
		begin_task("", what, total);
}

void progress_begin_reading(const char *what, uint64_t total)
{
	if (is_listening())
		begin_task("reading ", what, total);
}

void progress_add(uint64_t done)
{
	if (is_listening())
		atomic_fetch_add_explicit(&task_done, done, memory_order_relaxed);
}

void progress_end(void)
{
	if (is_listening())
		end_task();
}

void progress_hold(const char *what, uint64_t parts)
{
	if (!atomic_load(&enabled))
		return;
	begin_task("", what, parts);
	atomic_store(&held, true);
}

void progress_step(void)
{
	if (atomic_load(&enabled))
		atomic_fetch_add(&task_done, 1);
}

void progress_release(void)
{
	if (!atomic_load(&enabled))
		return;
	atomic_store(&held, false);
	end_task();
}

void progress_work(const char *what)
{
	if (!atomic_load(&enabled))
		return;
	pthread_mutex_lock(&lock);
	begin(&work, what);
	pthread_mutex_unlock(&lock);
}

void progress_clear(void)
{
	pthread_mutex_lock(&lock);
	erase();
	pthread_mutex_unlock(&lock);
}

void progress_stop(void)
{
	bool runs;

	atomic_store(&enabled, false);
	atomic_store(&watched, false);
	pthread_mutex_lock(&lock);
	work = task = NULL;
	erase();
	runs = drawer_runs;
	drawer_runs = false;
	drawer_ends = true;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	if (runs)
		pthread_join(drawer, NULL);
}

void progress_watch(void)
{
	progress_stop();
	atomic_store(&watched, true);
	atomic_store(&enabled, true);
}

bool progress_current(struct progress_task *ret)
{
	bool any;

	pthread_mutex_lock(&lock);
	any = task != NULL;
	*ret = (struct progress_task){task_verb, task, atomic_load(&task_done), task_total};
	pthread_mutex_unlock(&lock);
	return any;
}
