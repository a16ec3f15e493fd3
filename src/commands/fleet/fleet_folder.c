/* Which files does `fleet --out DIR` leave? */
#include "commands/fleet/fleet.h"

#include "base/mem.h"
#include "cli/out_dir.h"
#include "cli/output.h"
#include "commands/report/report_page.h"
#include "fleet/fleet_tables.h"
#include "input/interrupt.h"

#include <string.h>
#include <sys/stat.h>

enum { DOCUMENTS = 3, TABLES_MAX = 32 };

static const struct document {
	const char *name, *format;
} documents[DOCUMENTS] = {
	{"report.html", "html"}, {"report.md", "markdown"}, {"report.json", "json"}};

/* What an earlier answer may have left, too. */
static const char *const usual[] = {"report.html",	     "report.md",
				    "report.json",	     "tables/ranks.csv",
				    "tables/stragglers.csv", "tables/collectives.csv",
				    "tables/clocks.csv",     "tables/kernels.csv",
				    "tables/scaling.csv",    "tables/loss.csv",
				    "tables/next.csv"};
enum { NAMES_MAX = ARRAY_LEN(usual) + TABLES_MAX };

/* Every file of the folder: the usual ones, and the tables of the report. */
static struct out_dir folder_of(const struct invocation *inv, const char *names[NAMES_MAX + 1],
				struct arena *arena)
{
	const struct fleet_options *o = inv->args;
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		names[count++] = usual[i];
	for (size_t i = 0; i < inv->report.block_count && count < NAMES_MAX; i++) {
		if (inv->report.blocks[i].kind == BLOCK_TABLE)
			names[count++] = arena_printf(arena, "tables/%s.csv",
						      inv->report.blocks[i].table->name);
	}
	names[count] = NULL;
	return (struct out_dir){.path = o->out_dir,
				.force = o->force,
				.names = names,
				.folder = "tables",
				.pages = FLEET_PAGES,
				.page = FLEET_PAGE};
}

int fleet_folder_check(const struct invocation *inv, struct err *e)
{
	const struct fleet_options *o = inv->args;
	const char *names[NAMES_MAX + 1];
	struct arena arena = {0};
	const struct out_dir d = folder_of(inv, names, &arena);

	/* No table is there yet. */
	const int result = o->out_dir ? out_dir_check(&d, NULL, e) : 0;

	arena_free(&arena);
	return result;
}

static int write_document(const struct out_dir *d, const struct report *r, const char *name,
			  const char *format, struct err *e)
{
	SCOPED char *path = out_dir_file(d, name);

	return output_report(r, presenter_find(format), path, COLOUR_NEVER, e);
}

static int write_table(const struct out_dir *d, const struct table *t, struct err *e)
{
	struct report one = {.command = "fleet"};
	SCOPED_BUF name = {0};
	int result;

	buf_addf(&name, "tables/%s.csv", t->name);
	report_table(&one, t);
	result = write_document(d, &one, name.s, "csv", e);
	report_free(&one);
	return result;
}

/* Captures are read once more: what fleet keeps of them is too little for a page. */
static int write_pages(const struct out_dir *d, const struct invocation *inv,
		       const struct fleet_parts *p, struct err *e)
{
	const struct fleet_options *o = inv->args;
	struct arena arena = {0};
	int result = out_dir_make_pages(d, e);

	for (size_t i = 0; i < p->count && result == 0 && !interrupt_pending(); i++) {
		const struct report_page page = {.trace = p->paths[i],
						 .input = inv->input,
						 .scope = o->scope,
						 .comm = o->comm};

		if (p->all[i].member_count) {
			SCOPED char *to = out_dir_file(d, fleet_page_of(&arena, &p->all[i]));

			result = report_page_write(&page, to, e);
		}
	}
	arena_free(&arena);
	return interrupt_pending() ? err_set(e, ERR_SYSTEM, "interrupted") : result;
}

static int write_all(const struct out_dir *d, const struct report *r, struct err *e)
{
	size_t tables = 0;

	for (size_t i = 0; i < DOCUMENTS; i++) {
		if (write_document(d, r, documents[i].name, documents[i].format, e) < 0)
			return -1;
	}
	if (out_dir_make(d, e) < 0)
		return -1;
	for (size_t i = 0; i < r->block_count && tables < TABLES_MAX; i++) {
		if (r->blocks[i].kind != BLOCK_TABLE)
			continue;
		if (write_table(d, r->blocks[i].table, e) < 0)
			return -1;
		tables++;
	}
	return 0;
}

int fleet_folder_write(const struct invocation *inv, const struct fleet_parts *p, struct err *e)
{
	const struct fleet_options *o = inv->args;
	const char *names[NAMES_MAX + 1];
	struct arena arena = {0};
	struct out_dir d = folder_of(inv, names, &arena);
	int result;

	interrupt_hold();
	result = out_dir_open(&d, NULL, e);
	if (result == 0) {
		const bool ok = write_all(&d, &inv->report, e) == 0 &&
				(!o->rank_reports || write_pages(&d, inv, p, e) == 0);

		result = out_dir_close(&d, ok, e);
	}
	interrupt_release();
	arena_free(&arena);
	return result;
}

void fleet_cut_tables(struct report *r, uint64_t most, bool written)
{
	for (size_t i = 0; i < r->block_count; i++) {
		const struct table *whole = r->blocks[i].table;
		struct table *cut;

		if (r->blocks[i].kind != BLOCK_TABLE || whole->rows <= most)
			continue;
		cut = arena_alloc(&r->arena, 1, sizeof(*cut));
		*cut = *whole;
		cut->rows = most;
		cut->rest = written ? "in the folder" : whole->rest;
		r->blocks[i].table = cut;
	}
}
