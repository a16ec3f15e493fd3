/* Which reports lie below the roots, and what do they say? */
#include "mcp/report_files.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_BYTES = 16 << 20 };

static const char prefix[] = "gpuwhy://report";

/* Documents for readers; what is beside them is for programs and browsers. */
static bool is_document(const char *name)
{
	return strcmp(name, "summary.md") == 0 || strcmp(name, "report.md") == 0;
}

/* Any project may have a report.md; ours has the same as JSON beside it. */
static bool is_ours(const char *path)
{
	SCOPED char *folder = mem_strdup(path);
	SCOPED char *beside = NULL;

	*strrchr(folder, '/') = '\0';
	beside = file_in(folder, "report.json");
	return is_document(str_last_part(path)) && access(beside, F_OK) == 0;
}

static void add_uri(struct buf *b, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-_.~/";

	buf_adds(b, prefix);
	for (; *path; path++) {
		if (strchr(plain, *path))
			buf_addc(b, *path);
		else
			buf_addf(b, "%%%02X", (unsigned char)*path);
	}
}

struct listing {
	void (*visit)(void *ctx, const char *uri, const struct root_file *f);
	void *ctx;
	size_t count;
};

static void visit_file(void *ctx, const struct root_file *f)
{
	struct listing *l = ctx;
	SCOPED_BUF uri = {0};

	if (l->count >= REPORT_FILES_MOST || !is_document(f->name) || !is_ours(f->path))
		return;
	l->count++;
	add_uri(&uri, f->path);
	l->visit(l->ctx, uri.s, f);
}

void report_files_list(const struct roots *r,
		       void (*visit)(void *ctx, const char *uri, const struct root_file *f),
		       void *ctx)
{
	struct listing l = {visit, ctx, 0};

	roots_walk(r, visit_file, &l);
}

bool report_files_is_uri(const char *uri)
{
	return strncmp(uri, prefix, strlen(prefix)) == 0 && uri[strlen(prefix)] == '/';
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

/* false: it names no file. */
static bool decode(struct buf *b, const char *s)
{
	for (; *s; s++) {
		const int high = *s == '%' ? hex_digit(s[1]) : -1;
		const int low = high >= 0 ? hex_digit(s[2]) : -1;

		if (*s != '%') {
			buf_addc(b, *s);
			continue;
		}
		if (low < 0 || !(high | low))
			return false;
		buf_addc(b, (char)(high << 4 | low));
		s += 2;
	}
	return b->len > 0;
}

/* Not within a character. */
static void cut(struct buf *b, size_t most)
{
	if (b->len <= most)
		return;
	while (most && ((unsigned char)b->s[most] & 0xc0) == 0x80)
		most--;
	b->s[b->len = most] = '\0';
	buf_adds(b, "\n\n(This is its beginning: the file has the rest.)\n");
}

int report_files_read(const struct roots *r, const char *uri, size_t most, struct buf *ret,
		      struct err *e)
{
	SCOPED_BUF name = {0};
	SCOPED char *real = NULL;

	if (!decode(&name, uri + strlen(prefix)))
		return err_set(e, ERR_INPUT, "the URI names no file");
	if (roots_find_file(r, name.s, &real, e) < 0)
		return -1;
	if (!is_ours(real))
		return err_set(e, ERR_INPUT, "there is no report of gpuwhy at this URI");
	if (file_read(ret, real, LARGEST_BYTES, e) < 0)
		return -1;
	cut(ret, most);
	return 0;
}
