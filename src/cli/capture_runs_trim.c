/* What of the runs may go, or be made smaller? */
#include "base/mem.h"
#include "base/units.h"
#include "cli/capture_runs.h"

#include <unistd.h>

static const struct column columns[] = {
	{"id", "Run", UNIT_NAME, 0, "", SHOW},
	{"done", "What", UNIT_NAME, 0, NULL, SHOW},
	{"size_bytes", "Size", UNIT_BYTES, 0, NULL, SHOW},
	{"after_bytes", "After", UNIT_BYTES, 0, NULL, SHOW},
};

void capture_runs_add_size(struct buf *b, uint64_t bytes)
{
	units_add_bytes(b, (double)bytes);
}

static void add_row(struct rows *rows, struct report *r, const struct kept_run *run,
		    const char *what, uint64_t after)
{
	rows_add(rows, cell_str(arena_str(&r->arena, str_of(run->manifest.id))));
	rows_add(rows, cell_text(what));
	rows_add(rows, cell_int((int64_t)run->size_bytes));
	rows_add(rows, cell_int((int64_t)after));
}

static void sum_up(struct report *r, const char *verb, uint64_t saved, bool pretend)
{
	struct buf b = {0};

	capture_runs_add_size(&b, saved);
	if (pretend)
		report_note(r, "%s would give about %s back; nothing was changed", verb, b.s);
	else
		report_note(r, "%s gave %s back", verb, b.s);
	buf_free(&b);
}

static bool is_part_of(const struct kept_run *run, const struct kept_run *matrix)
{
	const struct json *own = json_read_member(run->manifest.document, "matrix");
	const struct json *id = own ? json_read_member(own, "id") : NULL;

	return id && str_eq(json_read_string(id), str_of(matrix->manifest.id));
}

/* Whether the i-th stays: it is among the newest, or compares one that is. */
static bool stays(const struct run_list *l, size_t i, size_t keep)
{
	const struct kept_run *one = &l->all[i];
	size_t newer = 0;

	for (size_t k = l->count; k-- > i + 1 && newer < keep;) {
		if (one->manifest.is_matrix && is_part_of(&l->all[k], one))
			return true;
		newer += !l->all[k].manifest.is_matrix;
	}
	return newer < keep;
}

int capture_runs_prune(struct invocation *inv, const struct run_list *l, const char *word,
		       struct err *e)
{
	const struct capture_options *o = &inv->options.capture;
	struct report *r = &inv->report;
	struct rows *rows;
	uint64_t saved = 0;

	(void)word;
	if (!o->has_keep) {
		err_set(e, ERR_USAGE, "runs prune needs to know how many of the newest stay");
		return err_hint(e, "gpuwhy runs prune --keep 10 --dry-run");
	}
	report_heading(r, "Runs in %s", l->root);
	rows = report_new_rows(r, "pruned", NULL, columns, ARRAY_LEN(columns));
	rows->table.kind = "run";
	for (size_t i = 0; i < l->count; i++) {
		const struct kept_run *run = &l->all[i];
		int lock, result = 0;

		if (stays(l, i, o->keep))
			continue;
		lock = run_folder_take(run->path);
		if (lock < 0) {
			add_row(rows, r, run, run->busy ? "still runs: kept" : "in use: kept",
				run->size_bytes);
			continue;
		}
		/* Nobody begins to work in it until it is gone. */
		if (!o->dry_run)
			result = run_folder_remove(run->path, e);
		close(lock);
		if (result < 0)
			return -1;
		add_row(rows, r, run, o->dry_run ? "would be removed" : "removed", 0);
		saved += run->size_bytes;
	}
	sum_up(r, "prune", saved, o->dry_run);
	return 0;
}

static int compress_one(struct rows *rows, struct report *r, const struct kept_run *run,
			bool pretend, uint64_t *saved, struct err *e)
{
	int lock = run_folder_take(run->path), result;
	uint64_t less;

	if (lock < 0) {
		add_row(rows, r, run, run->busy ? "still runs: left" : "in use: left",
			run->size_bytes);
		return 0;
	}
	result = kept_run_compress(run, pretend, &less, e);
	close(lock);
	if (result < 0)
		return -1;
	*saved += less;
	add_row(rows, r, run,
		!less	  ? "nothing to do"
		: pretend ? "would be packed"
			  : "packed",
		less < run->size_bytes ? run->size_bytes - less : 0);
	return 0;
}

int capture_runs_compress(struct invocation *inv, const struct run_list *l, const char *word,
			  struct err *e)
{
	const bool pretend = inv->options.capture.dry_run;
	struct report *r = &inv->report;
	const struct kept_run *one = NULL;
	struct rows *rows;
	uint64_t saved = 0;

	if (word && run_list_find(l, word, &one, e) < 0)
		return -1;
	report_heading(r, "Runs in %s", l->root);
	rows = report_new_rows(r, "compressed", NULL, columns, ARRAY_LEN(columns));
	rows->table.kind = "run";
	for (size_t i = 0; i < l->count; i++) {
		if ((!one || one == &l->all[i]) &&
		    compress_one(rows, r, &l->all[i], pretend, &saved, e) < 0)
			return -1;
	}
	sum_up(r, "compress", saved, pretend);
	return 0;
}
