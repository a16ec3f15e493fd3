/* Where is a finding? */
#include "base/buf.h"
#include "diff/run_facts.h"
#include "report/finding.h"
#include "text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Of what is in no range, in a program that has some. */
#define FINDING_OUTSIDE "outside any NVTX range"

size_t run_findings_most(const struct finding *f)
{
	return f->share_count ? f->share_count : 1;
}

static bool is_in_some(const struct finding *f)
{
	return strstr(f->title, " places, the largest") || strstr(f->title, ", mostly");
}

/* "`gemm`" of a title: names that it sets as code, "gemm, forward". */
static void add_names(struct buf *b, const char *title)
{
	const char *begin, *end;

	for (; (begin = strchr(title, '`')) && (end = strchr(begin + 1, '`')); title = end + 1) {
		buf_adds(b, b->len ? ", " : "");
		buf_add(b, begin + 1, (size_t)(end - begin - 1));
	}
}

/* "rank 3" or "device 1" of a title: in other words, too, at its beginning. */
static void add_number(struct buf *b, const char *title, const char *what)
{
	for (const char *at = title; (at = strcasestr(at, what)); at += strlen(what)) {
		const char *number = at + strlen(what);

		if (!isdigit((unsigned char)*number))
			continue;
		buf_addf(b, "%s%s%lu", b->len ? ", " : "", what, strtoul(number, NULL, 10));
	}
}

/* What no range tells: by the kernel, rank or device that the title names; "": by nothing. */
static const char *named_place(const struct finding *f, struct arena *arena)
{
	SCOPED_BUF b = {0};

	if (!is_in_some(f)) {
		add_names(&b, f->title);
		add_number(&b, f->title, "rank ");
		add_number(&b, f->title, "device ");
	}
	return b.len ? text_valid(arena, buf_str(&b)) : "";
}

/* The title without its places: to "… places, the largest in `x`" belongs " in 3" before it. */
static size_t plain_length(const char *title)
{
	const char *some = strstr(title, " places, the largest"),
		   *mostly = strstr(title, ", mostly");

	if (mostly)
		return (size_t)(mostly - title);
	if (!some)
		return strlen(title);
	while (some > title && strncmp(some, " in ", 4) != 0)
		some--;
	return (size_t)(some - title) - (some > title && some[-1] == ',');
}

static const char *title_in(const struct finding *f, const char *range, struct arena *arena)
{
	SCOPED_BUF b = {0};

	/* One that has lost its other shares has a title of several places, too. */
	if (f->share_count == 1 && !is_in_some(f))
		return text_valid(arena, str_of(f->title));
	buf_add(&b, f->title, plain_length(f->title));
	if (range[0])
		buf_addf(&b, " in `%s`", range);
	else
		buf_addf(&b, " %s", FINDING_OUTSIDE);
	return text_valid(arena, buf_str(&b));
}

/* Whether ranges tell where it is at all: a program without any is one place. */
static bool has_ranges(const struct finding *f)
{
	for (size_t i = 0; i < f->share_count; i++) {
		if (f->shares[i].range[0])
			return true;
	}
	return strstr(f->title, FINDING_OUTSIDE) != NULL;
}

void run_findings_add(struct run_facts *to, const struct finding *f, struct arena *arena)
{
	const char *id = arena_strdup(arena, f->id);

	if (!f->share_count || !has_ranges(f)) {
		to->findings[to->finding_count++] = (struct run_finding){
			id, named_place(f, arena), text_valid(arena, str_of(f->title)),
			f->recoverable_ns};
		return;
	}
	for (size_t i = 0; i < f->share_count; i++) {
		const char *range = f->shares[i].range;

		if (f->shares[i].ns > 0)
			to->findings[to->finding_count++] = (struct run_finding){
				id, range[0] ? text_valid(arena, str_of(range)) : FINDING_OUTSIDE,
				title_in(f, range, arena), f->shares[i].ns};
	}
}
