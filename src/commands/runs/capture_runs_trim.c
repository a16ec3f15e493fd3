/* What of the runs may go, or be made smaller? */
#include "base/mem.h"
#include "commands/runs/capture_runs.h"
#include "text/units.h"

#include <unistd.h>

static const struct column columns[] = {
	{"id", "Run", UNIT_NAME, 0, "", SHOW},
	{"done", "What", UNIT_NAME, 0, NULL, SHOW},
	{"size_bytes", "Size", UNIT_BYTES, 0, NULL, SHOW},
	{"after_bytes", "After", UNIT_BYTES, 0, NULL, SHOW},
};

static void add_row(struct rows *rows, struct report *r, const struct kept_run *run,
		    const char *what, uint64_t after)
{
	ROWS_ADD(rows, cell_str(arena_str(&r->arena, str_of(run->manifest.id))), cell_text(what),
		 cell_int((int64_t)run->size_bytes), cell_int((int64_t)after));
}

static void sum_up(struct report *r, const char *verb, uint64_t saved, bool pretend)
{
	struct buf b = {0};

	units_add_bytes(&b, (double)saved);
	if (pretend)
		report_note(r, "%s would free about %s; nothing was changed", verb, b.s);
	else
		report_note(r, "%s freed %s", verb, b.s);
	buf_free(&b);
}

struct pruning {
	const struct run_list *l;
	size_t first_kept;
	bool pretend;
	bool *gone; /* by run: it is removed, or would be */
	struct report *r;
	struct rows *rows;
	uint64_t saved;
};

/* The first run that is new enough: fewer than are to be kept have begun after it. */
static size_t first_kept(const struct run_list *l, size_t keep)
{
	size_t i = l->count, newer = 0;

	while (i && newer < keep)
		newer += !l->all[--i].manifest.is_matrix;
	return i;
}

/* Whether a run stays that the matrix compares, for whatever reason. */
static bool compares_any(const struct pruning *p, const struct kept_run *matrix)
{
	const struct run_list *l = p->l;

	for (size_t i = 0; i < l->count; i++) {
		if (!p->gone[i] && kept_run_is_of(&l->all[i], matrix))
			return true;
	}
	for (size_t i = 0; i < l->damaged_count; i++) {
		if (damaged_run_is_of(&l->damaged[i], matrix))
			return true;
	}
	return false;
}

static int remove_one(struct pruning *p, size_t i, struct err *e)
{
	const struct kept_run *run = &p->l->all[i];
	int lock = run_folder_take(run->path), result = 0;

	if (lock < 0) {
		add_row(p->rows, p->r, run, run->busy ? "still running: kept" : "in use: kept",
			run->size_bytes);
		return 0;
	}
	/* Nobody begins to work in it until it is gone. */
	if (!p->pretend)
		result = run_folder_remove(run->path, e);
	close(lock);
	if (result < 0)
		return -1;
	p->gone[i] = true;
	p->saved += run->size_bytes;
	add_row(p->rows, p->r, run, p->pretend ? "would be removed" : "removed", 0);
	return 0;
}

/* A matrix comes after the runs: it stays while one of them does. */
static int prune(struct pruning *p, struct err *e)
{
	struct err ignored;
	int result = 0;

	for (int matrices = 0; matrices < 2; matrices++) {
		for (size_t i = 0; i < p->first_kept; i++) {
			const struct kept_run *run = &p->l->all[i];

			if (run->manifest.is_matrix != matrices ||
			    (matrices && compares_any(p, run)))
				continue;
			/* What cannot go keeps nothing else; the first failure is told. */
			if (remove_one(p, i, result < 0 ? &ignored : e) < 0)
				result = -1;
		}
	}
	return result;
}

int capture_runs_prune(struct invocation *inv, const struct run_list *l, const char *word,
		       struct err *e)
{
	const struct runs_args *o = inv->args;
	struct report *r = &inv->report;
	struct pruning p = {.l = l, .pretend = o->dry_run, .r = r};

	(void)word;
	if (!o->has_keep) {
		err_set(e, ERR_USAGE, "runs prune needs the number of newest runs to keep");
		return err_hint(e, "gpuwhy runs prune --keep 10 --dry-run");
	}
	report_heading(r, "Runs in %s", l->root);
	p.rows = REPORT_ROWS(r, "pruned", NULL, columns);
	p.rows->table.kind = "run";
	p.gone = arena_zalloc(&r->arena, l->count, sizeof(*p.gone));
	p.first_kept = first_kept(l, o->keep);
	if (prune(&p, e) < 0)
		return -1;
	capture_runs_warn_damaged(r, l, "is not touched");
	sum_up(r, "prune", p.saved, p.pretend);
	return 0;
}

static int compress_one(struct rows *rows, struct report *r, const struct kept_run *run,
			bool pretend, uint64_t *saved, struct err *e)
{
	int lock = run_folder_take(run->path), result;
	uint64_t less;

	if (lock < 0) {
		add_row(rows, r, run, run->busy ? "still running: skipped" : "in use: skipped",
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
		: pretend ? "would be compressed"
			  : "packed",
		less < run->size_bytes ? run->size_bytes - less : 0);
	return 0;
}

int capture_runs_compress(struct invocation *inv, const struct run_list *l, const char *word,
			  struct err *e)
{
	const bool pretend = ((const struct runs_args *)inv->args)->dry_run;
	struct report *r = &inv->report;
	const struct kept_run *one = NULL;
	struct rows *rows;
	uint64_t saved = 0;

	if (word && run_list_find(l, word, &one, e) < 0)
		return -1;
	report_heading(r, "Runs in %s", l->root);
	rows = REPORT_ROWS(r, "compressed", NULL, columns);
	rows->table.kind = "run";
	for (size_t i = 0; i < l->count; i++) {
		/* A matrix has nothing that could be packed. */
		if ((one ? one == &l->all[i] : !l->all[i].manifest.is_matrix) &&
		    compress_one(rows, r, &l->all[i], pretend, &saved, e) < 0)
			return -1;
	}
	if (!one)
		capture_runs_warn_damaged(r, l, "is not touched");
	sum_up(r, "compress", saved, pretend);
	return 0;
}
