/* Where does the answer of a gate go? */
#include "commands/diff/gate_output.h"

#include "base/file.h"
#include "baseline/folder.h"
#include "cli/output.h"
#include "commands/diff/spare_files.h"
#include "diff/tables/diff_report.h"

#include <fcntl.h>
#include <stdlib.h>

bool gate_is_words(const struct invocation *inv)
{
	const char *format = presenter_find(invocation_format(inv))->name;

	return strcmp(format, "text") == 0 || strcmp(format, "markdown") == 0;
}

int gate_output_check(const struct invocation *inv, const struct gate_args *a,
		      const struct gate_question *q, struct err *e)
{
	SCOPED char *baseline = baseline_path(q->baseline);
	const char *const written[] = {inv->output.path ? inv->output.path : "-", a->junit,
				       a->sarif, a->github ? getenv("GITHUB_STEP_SUMMARY") : NULL};
	const char *const others[] = {baseline, q->rules, a->compare.map};
	const struct spare_files files = {written, ARRAY_LEN(written), q->paths, q->count,
					  others,  ARRAY_LEN(others)};

	if (spare_files(&files, e) < 0)
		return -1;
	if (!a->github || inv->output.path || gate_is_words(inv))
		return 0;
	err_set(e, ERR_USAGE, "--github writes to standard output, where --format %s goes, too",
		invocation_format(inv));
	return err_hint(e, "give that a file: -o gate.json");
}

static int write_file(const char *path, const char *option, const struct buf *b, struct err *e)
{
	struct output out;
	int result;

	if (output_open_by(&out, path, option, e) < 0)
		return -1;
	result = out.sink.write(out.sink.ctx, b->s, b->len);
	if (result < 0)
		err_set_errno(e, "cannot write '%s'", path);
	return output_close(&out, result == 0, e);
}

static int render(const struct report *r, const char *format, struct buf *b, struct err *e)
{
	struct sink sink = buf_sink(b);

	return present_report(presenter_find(format), r, &(struct style){0}, &sink, e);
}

/* No longer than a comment may be, whatever the names are. */
static int render_comment(const struct report *r, struct buf *b, struct err *e)
{
	struct report comment = *r;

	comment.most_bytes = DIFF_COMMENT_BYTES;
	return render(&comment, "markdown", b, e);
}

static int append_summary(const char *path, struct str text, struct err *e)
{
	SCOPED_FD fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	if (fd < 0 || file_write_all(fd, text.s, text.len) < 0)
		return err_set_errno(e, "cannot write GITHUB_STEP_SUMMARY, '%s'", path);
	return 0;
}

/* The summary for the workflow's page, and annotations after what is on standard output. */
static int show_on_github(struct invocation *inv, const struct gate *g, const struct gate_words *w,
			  struct err *e)
{
	const char *summary = getenv("GITHUB_STEP_SUMMARY");
	SCOPED_BUF markdown = {0}, text = {0}, shown = {0};

	if (summary && !*summary)
		summary = NULL;
	if (render_comment(&inv->report, &markdown, e) < 0 ||
	    (summary && append_summary(summary, buf_str(&markdown), e) < 0) ||
	    render(&inv->report, "text", &text, e) < 0)
		return -1;
	if (inv->output.path && invocation_present(inv, e) < 0)
		return -1;
	if (!inv->output.path || !summary)
		gate_add_disarmed(&shown, buf_str(summary ? &text : &markdown));
	gate_add_annotations(&shown, g, w);
	return shown.len ? write_file(NULL, NULL, &shown, e) : 0;
}

int gate_output(struct invocation *inv, const struct gate_args *a, const struct gate *g,
		const struct gate_words *w, struct err *e)
{
	SCOPED_BUF junit = {0}, sarif = {0};
	int result;

	if (a->junit) {
		gate_add_junit(&junit, g, w);
		if (write_file(a->junit, "--junit", &junit, e) < 0)
			return -1;
	}
	if (a->sarif) {
		gate_add_sarif(&sarif, g, w);
		if (write_file(a->sarif, "--sarif", &sarif, e) < 0)
			return -1;
	}
	result = a->github ? show_on_github(inv, g, w, e) : invocation_present(inv, e);
	e->output = result < 0;
	return result;
}
