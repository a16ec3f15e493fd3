/* Is this a SQLite database, how is it cut into pages, and can we read it ourselves? */
#include "sqlitefile/internal.h"

enum { HEADER_BYTES = 100, UTF8 = 1 };

static const char magic[16] = "SQLite format 3";

static int fail_magic(const struct sqlitefile *f, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is not a SQLite database", f->path);
	return err_hint(e, "convert a .nsys-rep with nsys export --type sqlite");
}

static int fail_truncated(const struct sqlitefile *f, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is truncated: it ends within its first page, at %llu bytes",
		f->path, (unsigned long long)f->size);
	return err_hint(e, "copy it again, or export again with nsys export --type sqlite");
}

static const char *why_declined(const struct sqlitefile *f)
{
	const uint8_t *h = f->map;
	uint32_t encoding = be32(h + 56);

	if (h[18] > 2 || h[19] > 2)
		return "it has an unknown format version";
	if (f->usable != f->page_size)
		return "its pages have reserved bytes";
	if (encoding > UTF8)
		return "its text is UTF-16";
	if (f->size / f->page_size > UINT32_MAX - 1)
		return "it has too many pages";
	return NULL;
}

int header_read(struct sqlitefile *f, struct err *e)
{
	const uint8_t *h = f->map;
	size_t known = f->size < sizeof(magic) ? (size_t)f->size : sizeof(magic);

	if (memcmp(h, magic, known) != 0)
		return fail_magic(f, e);
	if (f->size < HEADER_BYTES)
		return fail_truncated(f, e);
	f->page_size = be16(h + 16);
	if (f->page_size == 1)
		f->page_size = 65536;
	if (f->page_size < 512 || (f->page_size & (f->page_size - 1)) != 0)
		return fail_magic(f, e);
	f->usable = f->page_size - h[20];
	if (f->usable < 480)
		return fail_magic(f, e);
	if (f->size < f->page_size)
		return fail_truncated(f, e);
	f->page_count = (uint32_t)(f->size / f->page_size);
	f->header_pages = be32(h + 28);
	if (!f->declined)
		f->declined = why_declined(f);
	return 0;
}

int header_check_size(const struct sqlitefile *f, struct err *e)
{
	/* Old writers do not keep the size; then the two counters beside it disagree. */
	bool kept = be32(f->map + 24) == be32(f->map + 92);

	if (!kept || f->header_pages <= f->page_count)
		return 0;
	err_set(e, ERR_INPUT, "'%s' is truncated: its header says %u pages, the file has %u",
		f->path, f->header_pages, f->page_count);
	return err_hint(e, "copy it again, or export again: nsys export --type sqlite");
}
