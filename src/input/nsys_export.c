/* How does a report become SQLite? */
#include "input/input.h"

#include "base/progress.h"
#include "input/process.h"
#include "input/unpack.h"
#include "text/text.h"

#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

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
	struct buf all = {0};
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
	buf_free(&all);
}

static int explain(const char *report, const char *nsys, int status, const struct buf *said,
		   struct err *e)
{
	struct buf fate = {0};

	if (WIFSIGNALED(status))
		buf_addf(&fate, "was killed by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		buf_addf(&fate, "failed with exit code %d", WEXITSTATUS(status));
	else
		buf_adds(&fate, "wrote no SQLite file");
	buf_adds(&fate, "; its output: ");
	add_said(&fate, said);
	err_set(e, ERR_INPUT, "nsys could not export '%.300s': it %s", report, fate.s);
	buf_free(&fate);
	return err_hint(e,
			"the nsys used was '%.300s'; a report cannot be opened by an older nsys "
			"than the one that made it: choose another with --nsys PATH, or export the "
			"report where it was made and give gpuwhy the .sqlite",
			nsys);
}

int nsys_export(const char *report, const char *out, const void *nsys, struct err *e)
{
	struct growing_file file = {.path = out};
	struct buf output = {0}, input = {0};
	struct process_end end;
	char *argv[] = {(char *)nsys, "export", "--type=sqlite", "--force-overwrite=true", NULL,
			NULL,	      NULL};
	struct process p = {.argv = argv, .tick = show_growth, .ctx = &file};
	int rc;

	buf_addf(&output, "--output=%s", out);
	buf_addf(&input, "%s%s", report[0] == '-' ? "./" : "", report);
	argv[4] = output.s;
	argv[5] = input.s;
	progress_begin("nsys export", 0);
	rc = process_run(&p, &end, e);
	progress_end();
	if (rc == 0 && (end.status != 0 || !magic_file_is_sqlite(out)))
		rc = explain(report, nsys, end.status, &end.said, e);
	buf_free(&output);
	buf_free(&input);
	process_end_free(&end);
	return rc;
}
