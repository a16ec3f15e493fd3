/* What is written down of a comparison? */
#include "capture/manifest_write.h"

/* More than other lists: each of its entries is a run. */
enum { RUNS_BYTES = 512 << 10 };

static void write_compared(struct json_writer *w, const struct compared_run *c, size_t settings)
{
	json_write_open(w, NULL, '{');
	json_write_text(w, "id", c->id);
	manifest_write_settings(w, c->settings, settings);
	json_write_bool(w, "failed", c->failed);
	json_write_close(w, '}');
}

int matrix_record_write(const struct matrix_record *m, const struct run_folder *f, struct err *e)
{
	struct buf b = {0};
	struct json_writer w = {.out = &b};
	size_t from;
	int result;

	json_write_open(&w, NULL, '{');
	manifest_write_head(&w, "matrix", m->id, m->label);
	json_write_text(&w, "state", m->interrupted ? "interrupted" : m->done ? "done" : "running");
	manifest_write_words(&w, "argv", m->argv, m->argc, NULL, 0);
	manifest_write_time(&w, "started", m->started);
	json_write_real(&w, "started_unix_s", m->started_unix_s);
	from = b.len;
	json_write_open(&w, "runs", '[');
	for (size_t i = 0; i < m->run_count && b.len - from < RUNS_BYTES; i++)
		write_compared(&w, &m->runs[i], m->setting_count);
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	result = manifest_put(f, &b, e);
	buf_free(&b);
	return result;
}
