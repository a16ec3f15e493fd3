/* What do the parts of a report warn of, and which sections is it true of? */
#include "base/mem.h"
#include "commands/report/report_parts.h"

#include <stdlib.h>

/* What more sections than these say is true of the report. */
enum { SECTIONS_NAMED = 3 };

struct said {
	struct strtab texts;
	uint32_t *by; /* by text: a bit for each part */
	size_t cap;
};

static void collect(struct said *s, const struct parts *p)
{
	for (int i = 0; i < PARTS; i++) {
		const struct report *r = &p->all[i].report;

		for (size_t k = 0; k < r->block_count; k++) {
			size_t known = s->texts.count;
			uint32_t text;

			if (r->blocks[k].kind != BLOCK_WARNING)
				continue;
			text = strtab_add(&s->texts, str_of(r->blocks[k].text));
			MEM_GROW(s->by, s->cap, s->texts.count);
			if (s->texts.count > known)
				s->by[text] = 0;
			s->by[text] |= 1U << i;
		}
	}
}

static char *with_sections(struct arena *a, struct str text, uint32_t by)
{
	struct buf b = {0};
	char *whole;

	for (int i = 0; i < PARTS && __builtin_popcount(by) <= SECTIONS_NAMED; i++) {
		if (by & 1U << i)
			buf_addf(&b, "%s%s", b.len ? "; " : "", parts_section(i));
	}
	if (b.len)
		buf_adds(&b, ": ");
	buf_addstr(&b, text);
	whole = arena_strdup(a, b.s);
	buf_free(&b);
	return whole;
}

void parts_warnings(const struct parts *p, struct arena *a, struct strtab *ret)
{
	struct said s = {0};

	*ret = (struct strtab){0};
	collect(&s, p);
	for (size_t i = 0; i < s.texts.count; i++)
		strtab_add(ret, str_of(with_sections(a, s.texts.items[i], s.by[i])));
	strtab_free(&s.texts);
	free(s.by);
}
