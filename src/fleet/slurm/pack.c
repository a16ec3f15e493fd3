/* Which parts of a group are whole, as one file? */
#include "fleet/slurm/pack.h"

#include "base/file.h"
#include "fleet/part_file.h"
#include "fleet/slurm/submit.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEY_CHARS = 16 };

static const char pack_magic[] = "gpuwhy pack\n";

#define PACK_BYTES_MAX ((size_t)PACK_PARTS * PART_LARGEST_BYTES)

static char *pack_name(size_t group)
{
	struct buf b = {0};

	buf_addf(&b, "parts/%zu.pack", group);
	return b.s;
}

/* One that is damaged is not put in. */
static void add_part(struct buf *b, const struct work *w, size_t item)
{
	SCOPED char *path = work_part_path(w, item);
	SCOPED_BUF bytes = {0};
	struct err ignored;
	struct part p;

	if (file_read(&bytes, path, PART_LARGEST_BYTES, &ignored) < 0)
		return;
	if (part_decode(&p, buf_str(&bytes), w->items[item].key, &ignored) == 0) {
		buf_addf(b, "%s %zu\n", w->items[item].key, bytes.len);
		buf_addstr(b, buf_str(&bytes));
	}
	part_free(&p);
}

int pack_write(const struct work *w, size_t group, struct err *e)
{
	const size_t first = group * PACK_PARTS, end = first + PACK_PARTS;
	SCOPED char *name = pack_name(group);
	SCOPED_BUF b = {0};

	if (first >= w->count)
		return err_set(e, ERR_USAGE, "the list in '%s' has no group %zu", w->folder, group);
	buf_adds(&b, pack_magic);
	for (size_t i = first; i < end && i < w->count; i++)
		add_part(&b, w, i);
	return work_write(w, name, buf_str(&b), e);
}

static void skip(struct str *s, size_t bytes)
{
	s->s += bytes;
	s->len -= bytes;
}

/* What is there ends in a zero: numbers at its end are read no further. */
static bool take_entry(struct str *rest, struct arena *a, struct pack_entry *ret)
{
	unsigned long long bytes;
	char *end;

	if (rest->len <= KEY_CHARS || rest->s[KEY_CHARS] != ' ')
		return false;
	ret->key = arena_str(a, (struct str){rest->s, KEY_CHARS}).s;
	skip(rest, KEY_CHARS + 1);
	bytes = strtoull(rest->s, &end, 10);
	if (*end != '\n')
		return false;
	skip(rest, (size_t)(end - rest->s) + 1);
	if (bytes > rest->len)
		return false;
	ret->part = (struct str){rest->s, (size_t)bytes};
	skip(rest, (size_t)bytes);
	return true;
}

void pack_read(const struct work *w, size_t group, struct arena *a, struct pack *ret)
{
	SCOPED char *name = pack_name(group), *path = file_in(w->folder, name);
	SCOPED_BUF b = {0};
	struct err ignored;
	struct str rest;

	*ret = (struct pack){0};
	if (file_read(&b, path, PACK_BYTES_MAX, &ignored) < 0 ||
	    !str_starts(buf_str(&b), pack_magic))
		return;
	rest = arena_str(a, buf_str(&b));
	rest.s += sizeof(pack_magic) - 1;
	rest.len -= sizeof(pack_magic) - 1;
	ret->all = arena_zalloc(a, PACK_PARTS, sizeof(*ret->all));
	while (ret->count < PACK_PARTS && take_entry(&rest, a, &ret->all[ret->count]))
		ret->count++;
}
