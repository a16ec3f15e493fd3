/* gpuwhy query: what does the trace say to a question in SQL? */
#include "cli/command.h"

#include "base/file.h"
#include "commands/query/query_run.h"

#include <strings.h>
#include <sys/stat.h>

struct query_args {
	struct row_choice rows; /* without --sort */
	struct comm_args comm;
	const char *sql_file; /* or NULL */
	bool explain;
	double timeout_s; /* 0: none */
};

/* "-", or a name that ends in .sql: one word, unless there is such a file. */
static bool is_sql_file(const char *word)
{
	size_t len = strlen(word);
	struct stat st;

	if (strcmp(word, "-") == 0)
		return true;
	return len > 4 && strcasecmp(word + len - 4, ".sql") == 0 &&
	       (!strpbrk(word, " \t\n") || stat(word, &st) == 0);
}

/* Where the SQL is: in the second operand, or in the file that it or --file names. */
static int find_text(struct invocation *inv, struct query_job *job, struct buf *file, struct err *e)
{
	const struct query_args *a = inv->args;
	const struct string_list *o = &inv->words;
	size_t words = a->sql_file ? 1 : 2;
	const char *path = a->sql_file;

	if (o->count > words) {
		err_set(e, ERR_USAGE, "query takes a trace and %s: unexpected argument '%s'",
			a->sql_file ? "--file" : "one SQL statement", o->all[words]);
		return err_hint(e, "put the SQL in quotes: gpuwhy query trace.sqlite 'SELECT …'");
	}
	if (o->count < words) {
		err_set(e, ERR_USAGE, "query needs a trace and SQL");
		return err_hint(e, "gpuwhy query trace.sqlite 'SELECT name, count(*) FROM kernels "
				   "GROUP BY name'");
	}
	if (!path && is_sql_file(o->all[1]))
		path = o->all[1];
	job->where = !path ? "the query" : strcmp(path, "-") == 0 ? "standard input" : path;
	job->text = str_of(path ? "" : o->all[1]);
	if (!path)
		return 0;
	if (file_read_stream(file, path, QUERY_LARGEST_FILE, e) < 0)
		return -1;
	job->text = buf_str(file);
	return 0;
}

static int run(struct invocation *inv, struct err *e)
{
	const struct query_args *a = inv->args;
	struct query_job job = {.explain = a->explain,
				.timeout_s = a->timeout_s,
				.shape = {.name = "query", .limit = query_row_limit(inv)}};
	struct buf file = {0};
	int result = find_text(inv, &job, &file, e);

	if (result == 0) {
		inv->trace_path = inv->words.all[0];
		result = invocation_open_trace(inv, e);
	}
	if (result == 0)
		result = query_run(inv, &job, e);
	buf_free(&file);
	if (result < 0)
		return -1;
	return invocation_present(inv, e);
}

static const struct option_group query_options = OPTIONS(
	struct query_args,
	OPT_FILE("file", struct query_args, sql_file, "FILE", "a file name", ACCESS_READS,
		 "read the SQL from this file"),
	OPT_FLAG("explain", struct query_args, explain, "show SQLite's query plan; run nothing"),
	OPT_SECONDS("timeout", struct query_args, timeout_s, "SECONDS",
		    "stop the query after this time"),
	OPT_INCLUDE(struct query_args, comm, struct comm_args, comm_options),
	OPT_INCLUDE(struct query_args, rows, struct row_choice, limit_options));

const struct command command_query = {
	.name = "query",
	.operand = "TRACE 'SELECT …'",
	.summary = "read-only SQL on the trace, with ready-made event tables",
	.detail = "In addition to the trace's own tables (see `gpuwhy schema`):\n"
		  "  kernels  GPU kernels            copies   memory copies and memsets\n"
		  "  api      CUDA calls             ranges   NVTX ranges and marks\n"
		  "  gpu_ops  all GPU ops\n\n"
		  "Names, launch calls (api, api_start_ns, api_end_ns, queue_ns) and ranges "
		  "(range, nvtx_path) are already joined; docs/query.md lists the columns. SQL can "
		  "come from a file: an operand that ends in .sql, or --file; - is standard input. "
		  "Statements cannot write. Ctrl-C or --timeout stops a long query. Text output "
		  "shows 1,000 rows unless --limit is given, other formats all rows. Units come "
		  "from column names: total_ns, size_bytes, busy_pct.",
	.example =
		"gpuwhy query trace.sqlite 'SELECT name, sum(duration_ns) AS total_ns, count(*) AS "
		"count\n    FROM kernels GROUP BY name ORDER BY total_ns DESC LIMIT 10'",
	.options = &query_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.run = run,
};
