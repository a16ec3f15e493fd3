/* Did a run fail for want of room on a disk? */
#include "base/file.h"
#include "capture/shell_words.h"
#include "commands/runs/profile.h"

#include <stdlib.h>

enum { LITTLE_BYTES = 1 << 20 };

bool profile_disk_is_full(const struct run_folder *f)
{
	return f->path && file_disk_lacks(f->path, LITTLE_BYTES);
}

static bool is_full(const struct run_folder *f, const struct err *e)
{
	if (strstr(e->message, "No space left") || strstr(e->message, "disk is full") ||
	    strstr(e->message, "quota exceeded"))
		return true;
	return f && profile_disk_is_full(f);
}

/* The command that makes room where this run is. */
static void add_prune(struct buf *b, const struct profile_args *o)
{
	buf_adds(b, "gpuwhy runs prune --keep N");
	if (!o->root)
		return;
	buf_adds(b, " --runs ");
	word_add_quoted(b, o->root);
}

static void add_rest(struct buf *b, const struct run_folder *f, const char *report)
{
	char *path;

	if (!report) {
		buf_adds(b, "; nsys keeps intermediate files in TMPDIR: set that too. --range, "
			    "--duration and fewer steps make smaller captures");
		return;
	}
	path = run_folder_file(f, report);
	buf_adds(b, "; then gpuwhy ");
	word_add_quoted(b, path);
	buf_adds(b, " explains what was recorded");
	free(path);
}

void profile_explain_disk(const struct profile_args *o, const struct run_folder *f,
			  const char *report, struct err *e)
{
	struct buf b = {0};

	if (strstr(e->message, "File too large")) {
		e->code = ERR_SYSTEM;
		err_hint(e, "the file exceeds a size limit: check ulimit -f and the limits of the "
			    "file system; or make a smaller capture (--range, --duration)");
	} else if (is_full(f, e)) {
		e->code = ERR_SYSTEM;
		buf_adds(&b, "the disk is full: make room (");
		add_prune(&b, o);
		buf_adds(&b, "), or use a folder on another disk with --runs DIR");
		add_rest(&b, f, report);
		err_hint(e, "%s", b.s);
	}
	buf_free(&b);
}
