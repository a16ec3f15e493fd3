/* What runs are there, and what was one of them? */
#include "base/mem.h"
#include "commands/runs/capture_runs.h"
#include "text/shell_words.h"
#include "text/units.h"

#include <unistd.h>

static const struct column list_columns[] = {
	{"id", "Run", UNIT_NAME, 0, "", SHOW},
	{"state", "State", UNIT_NAME, 0, NULL, SHOW},
	{"exit_code", "Exit", UNIT_ID, 0, NULL, SHOW},
	{"elapsed_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
	{"size_bytes", "Size", UNIT_BYTES, 0, NULL, SHOW},
	{"command", "Command", UNIT_NAME, 0, NULL, SHOW},
	{"started", "Started", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"gpu_busy_pct", "GPU busy %", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"finding", "Top finding", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"matrix", "Matrix", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static const struct column matrix_columns[] = {
	{"id", "Matrix", UNIT_NAME, 0, "", SHOW},
	{"state", "State", UNIT_NAME, 0, NULL, SHOW},
	{"runs", "Runs", UNIT_COUNT, 0, NULL, SHOW},
	{"size_bytes", "Size", UNIT_BYTES, 0, NULL, SHOW},
	{"command", "Command", UNIT_NAME, 0, NULL, SHOW},
	{"started", "Started", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static const struct json *at(const struct manifest *m, const char *object, const char *key)
{
	return json_read_member(json_read_member(m->document, object), key);
}

static const struct json *member(const struct manifest *m, const char *key)
{
	return json_read_member(m->document, key);
}

static bool is_number(const struct json *v)
{
	return v && json_read_kind(v) == JSON_KIND_NUMBER;
}

static struct cell int_cell(const struct json *v)
{
	int64_t n;

	return is_number(v) && json_read_whole(v, &n) ? cell_int(n) : cell_null();
}

static struct cell real_cell(const struct json *v)
{
	return is_number(v) ? cell_real(json_read_number(v)) : cell_null();
}

static struct cell text_cell(struct report *r, const struct json *v)
{
	return v && json_read_kind(v) == JSON_KIND_TEXT
		       ? cell_str(arena_str(&r->arena, json_read_string(v)))
		       : cell_null();
}

/* The words as a shell would read them. */
static struct cell words_cell(struct report *r, const struct json *words)
{
	struct buf b = {0};

	for (size_t i = 0; i < json_read_length(words); i++) {
		if (i)
			buf_addc(&b, ' ');
		word_add_quoted(&b, json_read_string(json_read_element(words, i)).s);
	}
	return report_take_cell(r, &b);
}

static struct cell elapsed_cell(const struct manifest *m)
{
	const struct json *v = member(m, "elapsed_s");
	const double ns = is_number(v) ? json_read_number(v) * 1e9 : 0;

	return ns > 0 && ns < 0x1p63 ? cell_int((int64_t)ns) : cell_null();
}

static void add_run(struct rows *rows, struct report *r, const struct kept_run *run)
{
	const struct manifest *m = &run->manifest;

	ROWS_ADD(rows, cell_str(arena_str(&r->arena, str_of(m->id))),
		 cell_text(kept_run_state(run)), int_cell(at(m, "exit", "code")), elapsed_cell(m),
		 cell_int((int64_t)run->size_bytes), words_cell(r, member(m, "argv")),
		 text_cell(r, member(m, "started")), real_cell(at(m, "result", "gpu_busy_pct")),
		 text_cell(r, at(m, "result", "finding")), text_cell(r, at(m, "matrix", "id")));
}

/* How many of its runs are there; what cannot be read is. */
static size_t runs_of(const struct run_list *l, const struct kept_run *matrix)
{
	size_t count = 0;

	for (size_t i = 0; i < l->count; i++)
		count += kept_run_is_of(&l->all[i], matrix);
	for (size_t i = 0; i < l->damaged_count; i++)
		count += damaged_run_is_of(&l->damaged[i], matrix);
	return count;
}

static void add_matrix(struct rows *rows, struct report *r, const struct run_list *l,
		       const struct kept_run *matrix)
{
	const struct manifest *m = &matrix->manifest;

	ROWS_ADD(rows, cell_str(arena_str(&r->arena, str_of(m->id))),
		 cell_text(kept_run_state(matrix)), cell_int((int64_t)runs_of(l, matrix)),
		 cell_int((int64_t)matrix->size_bytes), words_cell(r, member(m, "argv")),
		 text_cell(r, member(m, "started")));
}

/* What compares runs is no run. */
static void add_matrices(struct report *r, const struct run_list *l, size_t count)
{
	struct rows *rows;

	if (!count)
		return;
	rows = REPORT_ROWS(r, "matrices", "Matrices", matrix_columns);
	rows->table.kind = "matrix";
	for (size_t i = l->count; i-- > 0;) {
		if (l->all[i].manifest.is_matrix)
			add_matrix(rows, r, l, &l->all[i]);
	}
}

static void note_all(struct report *r, const struct run_list *l, size_t runs, uint64_t bytes)
{
	const size_t matrices = l->count - runs;
	struct buf b = {0};

	buf_addf(&b, "%zu run%s", runs, runs == 1 ? "" : "s");
	if (matrices)
		buf_addf(&b, " and %zu matri%s", matrices, matrices == 1 ? "x" : "ces");
	buf_adds(&b, ", ");
	units_add_bytes(&b, (double)bytes);
	report_note(r, "%s in all%s", b.s,
		    l->foreign ? "; folders without a gpuwhy manifest are not listed" : "");
	buf_free(&b);
}

int capture_runs_list(struct invocation *inv, const struct run_list *l, const char *word,
		      struct err *e)
{
	struct report *r = &inv->report;
	uint64_t total = 0;
	size_t runs = 0;
	struct rows *rows;

	(void)word;
	(void)e;
	report_heading(r, "Runs in %s", l->root);
	rows = REPORT_ROWS(r, "runs", NULL, list_columns);
	rows->table.kind = "run";
	/* The newest first: that is the one that is looked for. */
	for (size_t i = l->count; i-- > 0;) {
		if (!l->all[i].manifest.is_matrix) {
			add_run(rows, r, &l->all[i]);
			runs++;
		}
		total += l->all[i].size_bytes;
		if (l->all[i].size_bytes > RUN_LARGE_BYTES)
			report_warning(
				r,
				"%s is more than 2 GB: use gpuwhy runs compress, or prune --keep N",
				l->all[i].manifest.id);
	}
	add_matrices(r, l, l->count - runs);
	capture_runs_warn_damaged(r, l, "is not listed");
	note_all(r, l, runs, total);
	return 0;
}

/* {"NAME": "value"} as NAME=value, as a shell would read it; nothing where there are none. */
static struct cell pairs_cell(struct report *r, const struct json *object)
{
	struct json_member m = {0};
	struct buf b = {0};

	while (object && json_read_kind(object) == JSON_KIND_OBJECT && json_read_next(object, &m)) {
		buf_addf(&b, "%s%.*s=", b.len ? " " : "", STR_FMT(m.key));
		word_add_quoted(&b, json_read_string(m.value).s);
	}
	return report_take_cell(r, &b);
}

static struct cell git_cell(struct report *r, const struct manifest *m)
{
	struct str commit = json_read_string(at(m, "git", "commit"));
	const bool dirty = json_read_is_true(at(m, "git", "dirty"));

	return commit.len ? cell_text(arena_printf(&r->arena, "%.*s%s", STR_FMT(commit),
						   dirty ? ", with local changes" : ""))
			  : cell_null();
}

static struct cell gpus_cell(struct report *r, const struct manifest *m)
{
	const struct json *gpus = at(m, "machine", "gpus");
	struct buf b = {0};

	for (size_t i = 0; i < json_read_length(gpus); i++) {
		const struct json *name = json_read_member(json_read_element(gpus, i), "name");

		buf_addf(&b, "%s%.*s", i ? ", " : "", STR_FMT(json_read_string(name)));
	}
	return report_take_cell(r, &b);
}

static const struct column fact_columns[] = {
	{"id", "Run", UNIT_NAME, 0, "", SHOW},
	{"folder", "Folder", UNIT_NAME, 0, NULL, SHOW},
	{"state", "State", UNIT_NAME, 0, NULL, SHOW},
	{"failed_at", "Failed at", UNIT_NAME, 0, NULL, SHOW},
	{"problem", "Problem", UNIT_NAME, 0, NULL, SHOW},
	{"hint", "What to do", UNIT_NAME, 0, NULL, SHOW},
	{"command", "Command", UNIT_COMMAND, 0, NULL, SHOW},
	{"cwd", "Working folder", UNIT_NAME, 0, NULL, SHOW},
	{"exit_code", "Exit code", UNIT_ID, 0, NULL, SHOW},
	{"started", "Started", UNIT_NAME, 0, NULL, SHOW},
	{"elapsed_ns", "Duration", UNIT_NS, 0, NULL, SHOW},
	{"size_bytes", "Size", UNIT_BYTES, 0, NULL, SHOW},
	{"gpu_busy_pct", "GPU busy %", UNIT_PERCENT, 0, NULL, SHOW},
	{"finding", "Top finding", UNIT_NAME, 0, NULL, SHOW},
	{"gpus", "GPUs", UNIT_NAME, 0, NULL, SHOW},
	{"driver", "Driver", UNIT_NAME, 0, NULL, SHOW},
	{"cuda", "CUDA", UNIT_NAME, 0, NULL, SHOW},
	{"nsys", "nsys", UNIT_NAME, 0, NULL, SHOW},
	{"nsys_command", "Profiled with", UNIT_COMMAND, 0, NULL, SHOW},
	{"environment", "Environment", UNIT_NAME, 0, NULL, SHOW},
	{"environment_added", "Added variables", UNIT_NAME, 0, NULL, SHOW},
	{"seeds", "Seeds", UNIT_NAME, 0, NULL, SHOW},
	{"settings", "Settings", UNIT_NAME, 0, NULL, SHOW},
	{"git", "git commit", UNIT_NAME, 0, NULL, SHOW},
};

static void add_facts(struct rows *rows, struct report *r, const struct kept_run *run)
{
	const struct manifest *m = &run->manifest;
	const bool failed = str_eq(m->state, STR_LIT("failed"));

	rows_add(rows, cell_str(arena_str(&r->arena, str_of(m->id))));
	rows_add(rows, cell_str(arena_str(&r->arena, str_of(run->path))));
	rows_add(rows, cell_text(kept_run_state(run)));
	rows_add(rows, failed ? text_cell(r, member(m, "stage")) : cell_null());
	rows_add(rows, text_cell(r, at(m, "problem", "message")));
	rows_add(rows, text_cell(r, at(m, "problem", "hint")));
	rows_add(rows, words_cell(r, member(m, "argv")));
	rows_add(rows, text_cell(r, member(m, "cwd")));
	rows_add(rows, int_cell(at(m, "exit", "code")));
	rows_add(rows, text_cell(r, member(m, "started")));
	rows_add(rows, elapsed_cell(m));
	rows_add(rows, cell_int((int64_t)run->size_bytes));
	rows_add(rows, real_cell(at(m, "result", "gpu_busy_pct")));
	rows_add(rows, text_cell(r, at(m, "result", "finding")));
	rows_add(rows, gpus_cell(r, m));
	rows_add(rows, text_cell(r, at(m, "machine", "driver")));
	rows_add(rows, text_cell(r, at(m, "machine", "cuda")));
	rows_add(rows, text_cell(r, at(m, "profiler", "version")));
	rows_add(rows, words_cell(r, at(m, "profiler", "argv")));
	rows_add(rows, pairs_cell(r, member(m, "environment")));
	rows_add(rows, pairs_cell(r, member(m, "environment_added")));
	rows_add(rows, pairs_cell(r, member(m, "seeds")));
	rows_add(rows, pairs_cell(r, at(m, "matrix", "settings")));
	rows_add(rows, git_cell(r, m));
}

static const struct column gpu_columns[] = {
	{"gpu", "GPU", UNIT_ID, 0, "", SHOW},
	{"name", "Name", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"sm_clock_mhz", "SM MHz", UNIT_COUNT, 0, NULL, SHOW},
	{"max_sm_clock_mhz", "Max SM MHz", UNIT_COUNT, 0, NULL, SHOW},
	{"application_clock_mhz", "Application MHz", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"memory_clock_mhz", "Memory MHz", UNIT_COUNT, 0, NULL, SHOW},
	{"max_memory_clock_mhz", "Max memory MHz", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"power_draw_w", "Power W", UNIT_RATIO, 0, NULL, SHOW},
	{"power_limit_w", "Limit W", UNIT_RATIO, 0, NULL, SHOW},
	{"enforced_power_limit_w", "Enforced W", UNIT_RATIO, 0, NULL, SHOW_IF_ROOM},
	{"temperature_c", "°C", UNIT_COUNT, 0, NULL, SHOW},
	{"persistence_mode", "Persistence", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"boost_slider", "Boost", UNIT_COUNT, 0, NULL, SHOW},
	{"max_boost_slider", "Max boost", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"clock_limits", "Clocks limited by", UNIT_NAME, 0, NULL, SHOW},
};

/* Clocks are whole, watts are not. */
static struct cell number_cell(const struct json *v)
{
	const struct cell whole = int_cell(v);

	return whole.kind == CELL_NULL ? real_cell(v) : whole;
}

static struct cell state_cell(struct report *r, const struct json *v)
{
	struct buf b = {0};

	if (!v || json_read_kind(v) != JSON_KIND_ARRAY)
		return is_number(v) ? number_cell(v) : text_cell(r, v);
	for (size_t i = 0; i < json_read_length(v); i++)
		buf_addf(&b, "%s%.*s", i ? ", " : "",
			 STR_FMT(json_read_string(json_read_element(v, i))));
	return report_take_cell(r, &b);
}

/* What nvidia-smi said of the GPUs before the run; nothing where it said nothing. */
static void add_gpus(struct report *r, const struct manifest *m)
{
	const struct json *gpus = at(m, "machine", "gpus");
	struct rows *rows = NULL;

	for (size_t i = 0; i < json_read_length(gpus); i++) {
		const struct json *gpu = json_read_element(gpus, i);
		const struct json *state = json_read_member(gpu, "state");

		if (!state)
			continue;
		if (!rows)
			rows = REPORT_ROWS(r, "gpu_state", "GPUs before the run", gpu_columns);
		rows_add(rows, cell_int((int64_t)i));
		rows_add(rows, text_cell(r, json_read_member(gpu, "name")));
		for (size_t k = 2; k < ARRAY_LEN(gpu_columns); k++)
			rows_add(rows, state_cell(r, json_read_member(state, gpu_columns[k].key)));
	}
}

static const struct column input_columns[] = {
	{"path", "Input", UNIT_NAME, 0, "", SHOW},
	{"size_bytes", "Size", UNIT_BYTES, 0, NULL, SHOW},
	{"sha256", "SHA-256", UNIT_NAME, 0, NULL, SHOW},
};

static void add_inputs(struct report *r, const struct manifest *m)
{
	const struct json *inputs = member(m, "inputs");
	struct rows *rows;

	if (!json_read_length(inputs))
		return;
	rows = REPORT_ROWS(r, "inputs", NULL, input_columns);
	for (size_t i = 0; i < json_read_length(inputs); i++) {
		const struct json *one = json_read_element(inputs, i);

		ROWS_ADD(rows, text_cell(r, json_read_member(one, "path")),
			 int_cell(json_read_member(one, "size_bytes")),
			 text_cell(r, json_read_member(one, "sha256")));
	}
}

static const struct column report_columns[] = {
	{"report", "Report", UNIT_NAME, 0, "", SHOW},
	{"trace", "Export", UNIT_NAME, 0, NULL, SHOW},
	{"explanation", "Report folder", UNIT_NAME, 0, NULL, SHOW},
};

/* The export as it is now: `runs compress` may have packed it. */
static struct cell trace_cell(struct report *r, const struct kept_run *run, const struct json *v)
{
	struct cell c = text_cell(r, v);
	const char *plain, *packed;

	if (c.kind == CELL_NULL)
		return c;
	plain = arena_printf(&r->arena, "%s/%.*s", run->path, STR_FMT(json_read_string(v)));
	packed = arena_printf(&r->arena, "%s.zst", plain);
	if (access(plain, F_OK) == 0 || access(packed, F_OK) != 0)
		return c;
	return cell_text(packed + strlen(run->path) + 1);
}

static void add_reports(struct report *r, const struct kept_run *run)
{
	const struct json *reports = json_read_member(run->manifest.document, "reports");
	struct rows *rows;

	if (!json_read_length(reports))
		return;
	rows = REPORT_ROWS(r, "reports", NULL, report_columns);
	for (size_t i = 0; i < json_read_length(reports); i++) {
		const struct json *one = json_read_element(reports, i);

		ROWS_ADD(rows, text_cell(r, json_read_member(one, "report")),
			 trace_cell(r, run, json_read_member(one, "trace")),
			 text_cell(r, json_read_member(one, "explanation")));
	}
}

int capture_runs_show(struct invocation *inv, const struct run_list *l, const char *word,
		      struct err *e)
{
	struct report *r = &inv->report;
	const struct kept_run *run;
	struct rows *rows;

	if (run_list_find(l, word, &run, e) < 0)
		return -1;
	report_heading(r, run->manifest.is_matrix ? "Matrix of runs" : "A run");
	rows = REPORT_ROWS(r, "run", NULL, fact_columns);
	rows->table.facts = true;
	add_facts(rows, r, run);
	add_gpus(r, &run->manifest);
	add_inputs(r, &run->manifest);
	add_reports(r, run);
	return 0;
}
