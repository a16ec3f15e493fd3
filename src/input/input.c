/* Which SQLite file stands for what the user named? */
#include "input/input.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "input/ask.h"
#include "input/cache.h"
#include "input/foreign.h"
#include "input/process.h"
#include "input/program.h"
#include "input/run_traces.h"
#include "input/unpack.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What a trace may be called, the quickest to open first; the first that exists is suggested for a
 * missing file.
 */
static const char *const extensions[] = {
	".sqlite",    ".sqlite3",  ".db",    ".sqlite.zst", ".sqlite.zstd",
	".sqlite.gz", ".nsys-rep", ".qdrep", ".qdstrm",
};

static bool has_extension(const char *path, const char *extension)
{
	size_t len = strlen(path), n = strlen(extension);

	return len > n && strcasecmp(path + len - n, extension) == 0;
}

int input_ending_rank(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(extensions); i++) {
		if (has_extension(path, extensions[i]))
			return (int)i;
	}
	return -1;
}

size_t input_stem_length(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	for (size_t i = 0; i < ARRAY_LEN(extensions); i++) {
		if (strchr(extensions[i] + 1, '.') && has_extension(path, extensions[i]))
			return strlen(path) - strlen(extensions[i]);
	}
	return dot && (!slash || dot > slash + 1) && dot != path ? (size_t)(dot - path)
								 : strlen(path);
}

static bool suggest(const char *path, size_t stem, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(extensions); i++) {
		SCOPED_BUF b = {0};

		buf_add(&b, path, stem);
		buf_adds(&b, extensions[i]);
		if (access(b.s, F_OK) == 0) {
			err_hint(e, "did you mean '%s'?", b.s);
			return true;
		}
	}
	return false;
}

static int refuse_missing(const char *path, struct err *e)
{
	struct stat st;

	err_set(e, ERR_INPUT, "no such file: '%s'", path);
	if (lstat(path, &st) == 0)
		return err_hint(e, "it is a link to a missing file");
	if (!suggest(path, strlen(path), e) && !suggest(path, input_stem_length(path), e))
		err_hint(e, "give an Nsight Systems export (.sqlite) or report (.nsys-rep)");
	return -1;
}

static int check_file(const char *path, struct err *e)
{
	struct stat st;
	int rc = stat(path, &st);

	if (rc < 0 && (errno == ENOENT || errno == ENOTDIR))
		return refuse_missing(path, e);
	if (rc < 0)
		return err_set_errno(e, "cannot read '%s'", path);
	if (!S_ISREG(st.st_mode)) {
		err_set(e, ERR_INPUT, "'%s' is not a regular file", path);
		return err_hint(e, "a trace needs random access: save it to a file first");
	}
	if (st.st_size == 0) {
		err_set(e, ERR_INPUT, "'%s' is empty", path);
		return err_hint(e, "its export or copy did not finish: export or copy it again");
	}
	return 0;
}

/* Returns how many of the first bytes there are, or -1. */
static ssize_t read_head(const char *path, char head[MAGIC_BYTES], struct err *e)
{
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : read(fd, head, MAGIC_BYTES);

	return got < 0 ? err_set_errno(e, "cannot read '%s'", path) : got;
}

static int resolve_packed(const char *path, const struct unpack_format *format, char **ret,
			  struct err *e)
{
	if (cache_find(path, CACHE_WHOLE, ret, e) < 0)
		return -1;
	return *ret ? 0 : cache_make(path, CACHE_WHOLE, unpack_file, format, ret, e);
}

enum { QUOTED_BYTES = 600 }; /* of what nsys said; the rest of the message must fit, too */

struct growing_file {
	const char *path;
	uint64_t size_bytes;
};

/* nsys does not say how much there is to do; how much it wrote shows that it works. */
static void show_growth(void *ctx)
{
	struct growing_file *f = ctx;
	struct stat st;
	uint64_t size = f->size_bytes;

	if (stat(f->path, &st) == 0 && (uint64_t)st.st_size > size)
		size = (uint64_t)st.st_size;
	progress_add(size - f->size_bytes);
	f->size_bytes = size;
}

/* A line as a terminal would show it in the end: after its last carriage return. */
static void add_line(struct buf *b, const char *line, size_t len)
{
	const char *from;

	while (len && strchr("\r\t ", line[len - 1]))
		len--;
	from = memrchr(line, '\r', len);
	from = from ? from + 1 : line;
	len -= (size_t)(from - line);
	if (!len)
		return;
	if (b->len)
		buf_adds(b, " / ");
	text_add_safe(b, (struct str){from, len});
}

/* Appends the end of what nsys said, on one line. */
static void add_said(struct buf *b, const struct buf *said)
{
	SCOPED_BUF all = {0};
	const char *at = buf_str(said).s, *end = at + said->len;
	size_t skip;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		add_line(&all, at, (size_t)(stop - at));
		at = stop + 1;
	}
	skip = all.len > QUOTED_BYTES ? all.len - QUOTED_BYTES : 0;
	/* Not from within a UTF-8 character. */
	while (skip < all.len && skip && ((unsigned char)all.s[skip] & 0xc0) == 0x80)
		skip++;
	buf_addf(b, "%s%s", skip ? "…" : "", all.len ? all.s + skip : "nothing");
}

static int explain_export(const char *report, const char *nsys, int status, const struct buf *said,
			  struct err *e)
{
	SCOPED_BUF fate = {0};

	if (WIFSIGNALED(status))
		buf_addf(&fate, "was killed by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		buf_addf(&fate, "failed with exit code %d", WEXITSTATUS(status));
	else
		buf_adds(&fate, "wrote no SQLite file");
	buf_adds(&fate, "; its output: ");
	add_said(&fate, said);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		err_set(e, ERR_SYSTEM, "nsys could not export '%.300s': it %s", report, fate.s);
		return err_hint(e, "the machine, or what this job may use of it, was probably out "
				   "of memory; export the report where there is more, and give "
				   "gpuwhy the .sqlite");
	}
	err_set(e, ERR_INPUT, "nsys could not export '%.300s': it %s", report, fate.s);
	return err_hint(e,
			"the nsys used was '%.300s'; a report cannot be opened by an older nsys "
			"than the one that made it: choose another with --nsys PATH, or export the "
			"report where it was made and give gpuwhy the .sqlite",
			nsys);
}

/*
 * Payloads of NVTX events are kept where that is possible: Python samples are read as blobs, what
 * NCCL says of its calls as JSON. An nsys that does not know an option would refuse the whole
 * export.
 */
static size_t add_payloads(char **argv, size_t argc, const char *nsys)
{
	SCOPED_BUF help = {0};

	ask_nsys_help(nsys, "export", &help);
	if (help_names_option(buf_str(&help), "include-blobs"))
		argv[argc++] = "--include-blobs=true";
	if (help_names_option(buf_str(&help), "include-json"))
		argv[argc++] = "--include-json=true";
	return argc;
}

int nsys_export(const char *report, const char *out, const void *nsys, struct err *e)
{
	struct growing_file file = {.path = out};
	SCOPED_BUF output = {0}, input = {0};
	struct process_end end;
	char *argv[10] = {(char *)nsys, "export", "--type=sqlite", "--force-overwrite=true"};
	struct process p = {.argv = argv, .tick = show_growth, .ctx = &file};
	size_t argc = 4;
	int rc;

	buf_addf(&output, "--output=%s", out);
	buf_addf(&input, "%s%s", report[0] == '-' ? "./" : "", report);
	argc = add_payloads(argv, argc, nsys);
	argv[argc++] = output.s;
	argv[argc] = input.s;
	progress_begin("nsys export", 0);
	rc = process_run(&p, &end, e);
	progress_end();
	if (rc == 0 && (end.status != 0 || !magic_file_is_sqlite(out)))
		rc = explain_export(report, nsys, end.status, &end.said, e);
	process_end_free(&end);
	return rc;
}

static int refuse_report(const char *path, struct err *e)
{
	const char *name = str_last_part(path);

	err_set(e, ERR_INPUT,
		"'%s' is a report that only NVIDIA's nsys can open, and nsys was not found", path);
	return err_hint(e,
			"run this where Nsight Systems is installed, then give gpuwhy the .sqlite: "
			"nsys export --type sqlite -o %.*s.sqlite %s; if nsys is installed but not "
			"in PATH, give its path with --nsys PATH",
			(int)input_stem_length(name), name, name);
}

static int refuse_unexported(const char *path, struct err *e)
{
	SCOPED_BUF beside = {0};

	err_set(e, ERR_INPUT, "'%s' is a report that has not been exported yet", path);
	buf_add(&beside, path, input_stem_length(path));
	buf_adds(&beside, extensions[0]);
	if (access(beside.s, F_OK) == 0)
		return err_hint(e, "did you mean '%s'?", beside.s);
	return err_hint(e, "nothing is run from here: a person exports it once with gpuwhy info "
			   "FILE, where nsys is installed");
}

/* What an earlier gpuwhy exported is better than nothing. */
static int find_older(const char *path, char **ret, struct err *e)
{
	if (cache_find(path, CACHE_WITH_BLOBS, ret, e) < 0 ||
	    (!*ret && cache_find(path, CACHE_WITHOUT_PAYLOADS, ret, e) < 0))
		return -1;
	return 0;
}

static int resolve_exported(const char *path, char **ret, struct err *e)
{
	if (cache_find(path, CACHE_WITH_PAYLOADS, ret, e) < 0 ||
	    (!*ret && find_older(path, ret, e) < 0))
		return -1;
	return *ret ? 0 : refuse_unexported(path, e);
}

static int resolve_report(const char *path, const struct input_args *o, char **ret, struct err *e)
{
	const char *nsys = o ? o->nsys : NULL;
	SCOPED char *found = NULL;

	if ((nsys &&
	     tool_check(&tool_nsys, nsys, o->nsys_option ? o->nsys_option : "nsys", e) < 0) ||
	    cache_find(path, CACHE_WITH_PAYLOADS, ret, e) < 0)
		return -1;
	if (*ret)
		return 0;
	if (!nsys) {
		found = tool_find(&tool_nsys);
		nsys = found;
	}
	if (nsys)
		return cache_make(path, CACHE_WITH_PAYLOADS, nsys_export, nsys, ret, e);
	/* Nobody can export it again. */
	if (find_older(path, ret, e) < 0)
		return -1;
	return *ret ? 0 : refuse_report(path, e);
}

static int refuse_stream(const char *path, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is a raw recording that was never imported", path);
	return err_hint(e,
			"open it in the Nsight Systems GUI or run its QdstrmImporter -i %s, then "
			"give gpuwhy the .nsys-rep",
			path);
}

/* Whoever shows what a trace is called has looked into the folder before. */
static int resolve_folder(const char *folder, const struct input_args *o, char **ret, struct err *e)
{
	struct arena arena = {0};
	const char *trace;
	int result = run_traces_find_one(folder, &arena, &trace, e);

	if (result == 0)
		result = input_resolve(trace, o, ret, e);
	arena_free(&arena);
	return result;
}

int input_resolve(const char *path, const struct input_args *o, char **ret_sqlite_path,
		  struct err *e)
{
	const struct unpack_format *format;
	char head[MAGIC_BYTES];
	ssize_t len;

	if (input_is_folder(path))
		return resolve_folder(path, o, ret_sqlite_path, e);
	if (check_file(path, e) < 0)
		return -1;
	len = read_head(path, head, e);
	if (len < 0)
		return -1;
	if (len < MAGIC_BYTES || memcmp(head, magic_sqlite, MAGIC_BYTES) != 0) {
		if (foreign_refuse_stand_in(path, e) < 0)
			return -1;
		if (has_extension(path, ".nsys-rep") || has_extension(path, ".qdrep"))
			return o && o->exported_only ? resolve_exported(path, ret_sqlite_path, e)
						     : resolve_report(path, o, ret_sqlite_path, e);
		if (has_extension(path, ".qdstrm"))
			return refuse_stream(path, e);
		format = unpack_recognise(head, (size_t)len);
		if (format)
			return resolve_packed(path, format, ret_sqlite_path, e);
		if (foreign_refuse_packed(path, e) < 0)
			return -1;
	}
	*ret_sqlite_path = mem_strdup(path);
	return 0;
}

bool input_may_be_trace(const char *path)
{
	char head[MAGIC_BYTES];
	struct err ignored;
	struct stat st;
	ssize_t len;

	if (input_ending_rank(path) >= 0)
		return true;
	/* What is read from a pipe is gone. */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	len = read_head(path, head, &ignored);
	return len > 0 && ((len == MAGIC_BYTES && memcmp(head, magic_sqlite, MAGIC_BYTES) == 0) ||
			   unpack_recognise(head, (size_t)len));
}
