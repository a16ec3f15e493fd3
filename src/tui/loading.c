/* How far is what the screen waits for? */
#include "tui/loading.h"

#include "base/clock.h"
#include "base/progress.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PATIENCE_MS = 150, REDRAW_MS = 80, BOX_ROWS = 5, BOX_COLS = 60 };

struct job {
	struct app *app;
	loading_work *work;
	void *ctx;
	struct err err;
	int result;
	_Atomic bool done;
};

static _Atomic bool given_up;

bool loading_is_given_up(void)
{
	return atomic_load_explicit(&given_up, memory_order_relaxed);
}

static void *work_apart(void *ctx)
{
	struct job *j = ctx;

	j->result = j->work(j->app, j->ctx, &j->err);
	atomic_store(&j->done, true);
	return NULL;
}

static void draw_bar(struct canvas *c, struct area in, const struct progress_task *task, int frame)
{
	const int room = in.cols - 3;
	int filled = 3, at = 0;

	/* Where nobody counts, a mark walks to and fro. */
	if (task->total)
		filled = (int)((double)(task->done < task->total ? task->done : task->total) /
			       (double)task->total * in.cols);
	else if (room > 0)
		at = frame % (2 * room) < room ? frame % (2 * room) : 2 * room - frame % (2 * room);
	for (int i = 0; i < filled; i++)
		canvas_glyph(c, in.row, in.col + at + i, 0x2588, LOOK(ROLE_CLASS_0));
}

/* "reading kernels ████      Escape gives it up" in the last line. */
static void draw_below(struct app *a, const char *what, int frame)
{
	struct canvas *c = &a->canvas;
	const int row = c->rows - 1, half = c->cols / 2;
	struct progress_task task = {0};
	SCOPED_BUF text = {0};

	if (progress_current(&task))
		buf_addf(&text, " %s%s ", task.verb, task.what);
	else
		buf_addf(&text, " %s ", what);
	canvas_fill(c, (struct area){row, 0, 1, c->cols}, LOOK_PLAIN);
	canvas_put(c, row, 0, half - 20 > 0 ? half - 20 : c->cols, buf_str(&text), LOOK(ROLE_DIM));
	if (half > 20)
		draw_bar(c, (struct area){row, half - 20, 1, 20}, &task, frame);
	canvas_put_right(c, row, half + 2, c->cols - half - 2,
			 str_of("Escape gives it up, q leaves "), LOOK(ROLE_DIM));
	a->terminal->kind->show(a->terminal, c);
}

static void draw(struct app *a, const char *what, int frame)
{
	struct canvas *c = &a->canvas;
	const int cols = c->cols < BOX_COLS ? c->cols : BOX_COLS;
	const struct area box = {(c->rows - BOX_ROWS) / 2, (c->cols - cols) / 2, BOX_ROWS, cols};
	const struct area in = {box.row + 1, box.col + 2, 1, cols - 4};
	struct progress_task task = {0};
	SCOPED_BUF text = {0};

	if (progress_current(&task))
		buf_addf(&text, "%s%s", task.verb, task.what);
	else
		buf_adds(&text, what);
	canvas_box(c, box, " loading ");
	canvas_put_padded(c, in.row, in.col, in.cols, buf_str(&text), LOOK_PLAIN);
	draw_bar(c, (struct area){in.row + 1, in.col, 1, in.cols}, &task, frame);
	canvas_put(c, in.row + 2, in.col, in.cols,
		   str_of(loading_is_given_up() ? "giving up …" : "Escape gives it up, q leaves"),
		   LOOK(ROLE_DIM));
	a->terminal->kind->show(a->terminal, c);
}

static bool wants_to_leave(const struct key_event *k)
{
	return (k->code == 'q' && !k->modifiers) || (k->code == 'C' && k->modifiers == KEY_CTRL);
}

typedef void draw_fn(struct app *a, const char *what, int frame);

static void wait_for(struct app *a, const char *what, draw_fn *draw_bar_of, struct job *j)
{
	const int64_t began_ns = clock_now_ns();
	struct err ignored = {0};

	for (int frame = 0; !atomic_load(&j->done);) {
		struct key_event k = {0};

		/* A q behind other keys may be part of a text. */
		if (a->terminal->kind->next(a->terminal, frame ? REDRAW_MS : 5, &k, &ignored) <=
			    0 ||
		    (!a->typed_count && wants_to_leave(&k)))
			a->terminal->kind->leave(a->terminal);
		if (k.code == K_RESIZE)
			app_resize(a);
		else if (k.code == K_ESCAPE)
			atomic_store(&given_up, true);
		else if (k.code && a->typed_count < APP_KEYS)
			a->typed[a->typed_count++] = k;
		if (clock_now_ns() - began_ns > PATIENCE_MS * INT64_C(1000000))
			draw_bar_of(a, what, frame++);
	}
}

static int run_apart(struct app *a, const char *what, draw_fn *how, loading_work *work, void *ctx,
		     struct err *e)
{
	struct job j = {.app = a, .work = work, .ctx = ctx};
	pthread_t thread;

	if (!a->terminal->kind->leave || pthread_create(&thread, NULL, work_apart, &j) != 0)
		return work(a, ctx, e);
	wait_for(a, what, how, &j);
	pthread_join(thread, NULL);
	*e = j.err;
	if (atomic_exchange(&given_up, false) && j.result < 0)
		err_set(e, ERR_SYSTEM, "given up: %s", what);
	return j.result;
}

int loading_run(struct app *a, const char *what, loading_work *work, void *ctx, struct err *e)
{
	return run_apart(a, what, draw, work, ctx, e);
}

int loading_run_below(struct app *a, const char *what, loading_work *work, void *ctx, struct err *e)
{
	return run_apart(a, what, draw_below, work, ctx, e);
}
