/* What does a file of Nsight Compute's say about kernels? */
#include "base/file.h"
#include "ncu/number.h"
#include "ncu/outcome.h"
#include "ncu/profiled.h"

#include <stdlib.h>

/* How a report begins: NVIDIA documents it. */
static const char report_magic[] = {'N', 'V', 'R', '\0'};

/* All numbers of the file say how it writes them. */
static void look_at_numbers(struct page *p, struct number_evidence *seen, struct arena *a)
{
	while (csv_next(&p->csv)) {
		if (page_is_header(&p->csv))
			page_take_header(p);
		for (size_t i = 0; i < p->csv.count; i++) {
			bool value = p->details ? i == p->at[COL_VALUE] || i == p->at[COL_SPEEDUP]
						: !page_is_identity(p, i);

			if (value)
				number_look(seen, p->csv.fields[i], a);
		}
		if (seen->point.s && seen->comma.s)
			return;
	}
}

static int choose_mark(struct str text, const char *path, char *ret, struct err *e)
{
	struct number_evidence seen = {0};
	struct arena a = {0};
	struct page p;
	int result = 0;

	page_open(&p, text);
	look_at_numbers(&p, &seen, &a);
	*ret = seen.comma.s || (!seen.point.s && p.csv.delimiter == ';') ? ',' : '.';
	if (seen.comma.s && seen.point.s) {
		result = err_set(e, ERR_INPUT, "'%s' uses two number formats: '%.*s' and '%.*s'",
				 path, STR_FMT(seen.point), STR_FMT(seen.comma));
		err_hint(e, "write the whole file with one program and one locale");
	}
	page_free(&p);
	arena_free(&a);
	return result;
}

/* "report.ncu-rep" becomes "report": what a file made from it is called by. */
static int stem_length(const char *path)
{
	const char *name = str_last_part(path), *dot = strrchr(path, '.');

	return (int)(dot && dot > name ? (size_t)(dot - path) : strlen(path));
}

static int refuse_binary(const char *path, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is an Nsight Compute report, which only ncu can open", path);
	return err_hint(e, "ncu --import %s --page raw --csv > %.*s.csv", path, stem_length(path),
			path);
}

static int refuse_empty(struct str text, const char *path, struct err *e)
{
	const struct ncu_refusal *refusal = ncu_refusal_of(text);

	if (refusal) {
		err_set(e, ERR_INPUT, "'%s' has no kernel: %s", path, refusal->means);
		return err_hint(e, "%s", refusal->hint);
	}
	err_set(e, ERR_INPUT, "'%s': ncu profiled no kernel", path);
	return err_hint(e,
			"either a filter excluded all of them (--kernel-name, --nvtx-include, "
			"--launch-skip), or child processes launch them: --target-processes all");
}

/* By its mark, or by a heading whose letters are two bytes each, whichever comes first. */
static bool is_utf16(struct str text)
{
	static const char wide[] = {'K', 0, 'e', 0, 'r', 0, 'n', 0, 'e', 0, 'l'};

	return str_starts(text, "\xff\xfe") || str_starts(text, "\xfe\xff") ||
	       (text.len && memmem(text.s, text.len, wide, sizeof(wide)));
}

static int refuse_utf16(const char *path, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is in UTF-16, which is not supported", path);
	return err_hint(
		e,
		"PowerShell's > writes UTF-16: let ncu write the file with --csv --log-file "
		"FILE.csv, or convert it: iconv -f UTF-16 -t UTF-8 %s > FILE.csv",
		path);
}

static int refuse_other(struct str text, const char *path, struct err *e)
{
	if (!text.len)
		return err_set(e, ERR_INPUT, "'%s' is empty", path);
	if (is_utf16(text))
		return refuse_utf16(path, e);
	if (ncu_outcome_of(text) != NCU_PROFILED)
		return refuse_empty(text, path, e);
	err_set(e, ERR_INPUT, "'%s' is not an Nsight Compute CSV: it has no column 'Kernel Name'",
		path);
	return err_hint(e,
			"create one with: ncu --import REPORT.ncu-rep --page raw --csv > FILE.csv");
}

enum ncu_kind ncu_kind_of(struct str text)
{
	struct page p;
	bool found;

	if (text.len >= sizeof(report_magic) &&
	    memcmp(text.s, report_magic, sizeof(report_magic)) == 0)
		return NCU_BINARY;
	found = page_open(&p, text);
	page_free(&p);
	return found ? NCU_CSV : NCU_NEITHER;
}

static int read_page(struct ncu_report *r, struct page *p, struct str text, const char *path,
		     struct err *e)
{
	struct profiled l = {.report = r};
	int result = profiled_read(&l, p, path, e);

	if (result == 0 && !l.count)
		result = refuse_empty(text, path, e);
	if (result == 0)
		result = profiled_join(&l, path, e);
	profiled_free(&l);
	return result;
}

int ncu_read_text(struct ncu_report *r, struct str text, const char *path, struct err *e)
{
	enum ncu_kind kind = ncu_kind_of(text);
	struct page p;
	char mark;
	int result;

	if (kind == NCU_BINARY)
		return refuse_binary(path, e);
	if (kind == NCU_NEITHER)
		return refuse_other(text, path, e);
	if (choose_mark(text, path, &mark, e) < 0)
		return -1;
	page_open(&p, text);
	p.mark = mark;
	result = read_page(r, &p, text, path, e);
	page_free(&p);
	return result;
}

/* Some spreadsheets end lines with a carriage return alone: then there is no other end. */
static void end_lines(struct buf *text)
{
	if (!text->len || memchr(text->s, '\n', text->len))
		return;
	for (char *at = text->s; (at = memchr(at, '\r', text->len - (size_t)(at - text->s)));)
		*at++ = '\n';
}

int ncu_read(struct ncu_report *r, const char *path, struct err *e)
{
	SCOPED_BUF text = {0};

	if (file_read(&text, path, NCU_LARGEST_BYTES, e) < 0)
		return -1;
	end_lines(&text);
	return ncu_read_text(r, buf_str(&text), path, e);
}

int ncu_read_all(struct ncu_report *r, const char *const *paths, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (ncu_read(r, paths[i], e) < 0)
			return -1;
	}
	return 0;
}

void ncu_free(struct ncu_report *r)
{
	free(r->kernels);
	launch_keys_free(&r->keys);
	strtab_free(&r->texts);
	arena_free(&r->arena);
}
