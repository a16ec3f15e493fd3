/* Which SQLite file stands for what the user named? */
#include "input/input.h"

#include "base/buf.h"
#include "base/mem.h"
#include "input/cache.h"
#include "input/program.h"
#include "input/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a trace may be called; the first that exists is suggested for a missing file. */
static const char *const extensions[] = {
	".sqlite",    ".nsys-rep",   ".qdrep",	     ".sqlite3", ".db",
	".sqlite.gz", ".sqlite.zst", ".sqlite.zstd", ".qdstrm",
};

static bool has_extension(const char *path, const char *extension)
{
	size_t len = strlen(path), n = strlen(extension);

	return len > n && strcasecmp(path + len - n, extension) == 0;
}

/* The length of the path without the extension, a known or any other. */
static size_t stem_length(const char *path)
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
	struct buf b = {0};
	bool found = false;

	for (size_t i = 0; !found && i < ARRAY_LEN(extensions); i++) {
		buf_clear(&b);
		buf_add(&b, path, stem);
		buf_adds(&b, extensions[i]);
		found = access(b.s, F_OK) == 0;
	}
	if (found)
		err_hint(e, "did you mean '%s'?", b.s);
	buf_free(&b);
	return found;
}

static int refuse_missing(const char *path, struct err *e)
{
	struct stat st;

	err_set(e, ERR_INPUT, "no such file: '%s'", path);
	if (lstat(path, &st) == 0)
		return err_hint(e, "it is a link to a missing file");
	if (!suggest(path, strlen(path), e) && !suggest(path, stem_length(path), e))
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
	if (S_ISDIR(st.st_mode)) {
		err_set(e, ERR_INPUT, "'%s' is a folder", path);
		return err_hint(e, "name a trace inside it");
	}
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
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : read(fd, head, MAGIC_BYTES);

	if (got < 0)
		err_set_errno(e, "cannot read '%s'", path);
	if (fd >= 0)
		close(fd);
	return got;
}

static int resolve_packed(const char *path, const struct unpack_format *format, char **ret,
			  struct err *e)
{
	if (cache_find(path, ret, e) < 0)
		return -1;
	return *ret ? 0 : cache_make(path, unpack_file, format, ret, e);
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
			(int)stem_length(name), name, name);
}

static int resolve_report(const char *path, const struct input_options *o, char **ret,
			  struct err *e)
{
	const char *nsys = o ? o->nsys : NULL;
	char *found = NULL;
	int rc;

	if (nsys && tool_check(&tool_nsys, nsys, o->nsys_option ? o->nsys_option : "nsys", e) < 0)
		return -1;
	if (cache_find(path, ret, e) < 0)
		return -1;
	if (*ret)
		return 0;
	if (!nsys)
		nsys = found = tool_find(&tool_nsys);
	rc = nsys ? cache_make(path, nsys_export, nsys, ret, e) : refuse_report(path, e);
	free(found);
	return rc;
}

static int refuse_stream(const char *path, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is a raw recording that was never imported", path);
	return err_hint(e,
			"open it in the Nsight Systems GUI or run its QdstrmImporter -i %s, then "
			"give gpuwhy the .nsys-rep",
			path);
}

int input_resolve(const char *path, const struct input_options *o, char **ret_sqlite_path,
		  struct err *e)
{
	const struct unpack_format *format;
	char head[MAGIC_BYTES];
	ssize_t len;

	if (check_file(path, e) < 0)
		return -1;
	len = read_head(path, head, e);
	if (len < 0)
		return -1;
	if (len < MAGIC_BYTES || memcmp(head, magic_sqlite, MAGIC_BYTES) != 0) {
		if (has_extension(path, ".nsys-rep") || has_extension(path, ".qdrep"))
			return resolve_report(path, o, ret_sqlite_path, e);
		if (has_extension(path, ".qdstrm"))
			return refuse_stream(path, e);
		format = unpack_recognise(head, (size_t)len);
		if (format)
			return resolve_packed(path, format, ret_sqlite_path, e);
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

	for (size_t i = 0; i < ARRAY_LEN(extensions); i++) {
		if (has_extension(path, extensions[i]))
			return true;
	}
	/* What is read from a pipe is gone. */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	len = read_head(path, head, &ignored);
	return len > 0 && ((len == MAGIC_BYTES && memcmp(head, magic_sqlite, MAGIC_BYTES) == 0) ||
			   unpack_recognise(head, (size_t)len));
}
