/* What does a page say before and beside the answer itself? */
#include "report/html/html_page.h"

#include "base/version.h"
#include "report/chart.h"
#include "report/finding.h"
#include "report/html/html_assets.h"
#include "report/html/html_text.h"
#include "text/text.h"
#include "text/units.h"

#include <stdio.h>

enum { CONTENTS_WIDTH = 60 };

struct block_id html_block_id(size_t block)
{
	struct block_id id;

	snprintf(id.text, sizeof(id.text), "b%zu", block);
	return id;
}

struct str html_heading_title(const char *heading)
{
	const char *comma = strstr(heading, ", ");

	return comma ? (struct str){heading, (size_t)(comma - heading)} : str_of(heading);
}

const char *html_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void add_title(struct buf *b, const struct report *r)
{
	if (r->title) {
		html_add_text(b, str_of(r->title));
		return;
	}
	html_add_text(b, str_of(r->command ? r->command : "report"));
	if (r->has_trace && r->trace.path) {
		buf_adds(b, " · ");
		html_add_text(b, str_of(html_file_name(r->trace.path)));
	}
}

/*
 * The browser is told to load nothing from anywhere and to run this one script: a name out of a
 * trace that got past the escaping would still do nothing.
 */
void html_add_head(struct buf *b, struct str title, const struct html_assets *assets)
{
	buf_adds(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "base-uri 'none'; form-action 'none'; style-src 'sha256-");
	buf_adds(b, html_style_sha256);
	if (assets->style)
		buf_addf(b, "' 'sha256-%s", assets->style_sha256);
	buf_addf(b, "'; script-src 'sha256-%s", assets->script_sha256);
	buf_adds(b, "'\">\n<meta name=\"viewport\" content=\"width=device-width, "
		    "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
		    "<meta name=\"generator\" content=\"gpuwhy " GPUWHY_VERSION "\">\n<title>");
	buf_addstr(b, title);
	buf_adds(b, " · gpuwhy</title>\n<style>");
	buf_adds(b, html_style);
	if (assets->style) {
		buf_adds(b, "</style>\n<style>");
		buf_adds(b, assets->style);
	}
	buf_adds(b, "</style>\n</head>\n<body>\n");
}

void html_add_foot(struct buf *b, const struct html_assets *assets)
{
	buf_adds(b, "</main>\n<footer>gpuwhy " GPUWHY_VERSION "</footer>\n<script>");
	buf_adds(b, assets->script);
	buf_adds(b, "</script>\n</body>\n</html>\n");
}

static void add_item(struct buf *b, const char *what, double ns)
{
	buf_addf(b, "<li>%s <b>", what);
	units_add_ns(b, ns);
	buf_adds(b, "</b></li>");
}

/* How many findings of each severity, the worst first. */
static void add_finding_counts(struct buf *b, const struct report *r)
{
	for (int s = SEVERITY_HIGH; s >= SEVERITY_INFO; s--) {
		size_t count = 0;

		for (size_t i = 0; i < r->block_count; i++)
			count += r->blocks[i].kind == BLOCK_FINDING &&
				 (int)r->blocks[i].finding->severity == s;
		if (count)
			buf_addf(b, "<li><span class=\"badge %s\">%zu %s</span></li>",
				 severity_name(s), count, severity_name(s));
	}
}

/* Stays in sight: what one is looking at. */
static void add_summary(struct buf *b, const struct report *r)
{
	buf_adds(b, "<header>\n<h1>");
	add_title(b, r);
	buf_adds(b, "</h1>\n<ul>");
	if (r->has_window)
		add_item(b, "window", (double)r->window_end_ns - (double)r->window_start_ns);
	if (r->has_trace && r->trace.has_span)
		add_item(b, "capture", (double)r->trace.span_ns);
	if (r->has_coverage) {
		buf_adds(b, "<li>covers <b>");
		units_add_fixed(b, 100 * r->coverage, 1);
		buf_adds(b, "%</b> of the data</li>");
	}
	add_finding_counts(b, r);
	if (r->has_trace && r->trace.tool)
		html_add_between(b, "<li class=\"tool\">", r->trace.tool, "</li>");
	buf_adds(b, "</ul>\n</header>\n");
}

/* What the contents call a block; nothing: they leave it out. */
static struct str entry_of(const struct block *block)
{
	switch (block->kind) {
	case BLOCK_HEADING:
		return html_heading_title(block->text);
	case BLOCK_TABLE:
		return str_of(block->table->title);
	case BLOCK_CHART:
		return str_of(block->chart->title);
	case BLOCK_FINDING:
		return str_of(block->finding->title);
	default:
		return (struct str){"", 0};
	}
}

/* An entry is too short for code of its own. */
static void drop_code_marks(struct buf *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->len; i++) {
		if (b->s[i] != '`')
			b->s[kept++] = b->s[i];
	}
	b->len = kept;
	b->s[kept] = '\0';
}

static void add_entry(struct buf *b, const struct block *block, size_t i)
{
	struct str text = entry_of(block);
	struct buf safe = {0};

	if (!text.len)
		return;
	text_add_safe(&safe, text);
	drop_code_marks(&safe);
	buf_addf(b, "<li class=\"%s\"><a href=\"#%s\">",
		 block->kind == BLOCK_HEADING	? "top"
		 : block->kind == BLOCK_FINDING ? severity_name(block->finding->severity)
						: "sub",
		 html_block_id(i).text);
	html_add_brief(b, buf_str(&safe), CONTENTS_WIDTH);
	buf_adds(b, "</a></li>\n");
	buf_free(&safe);
}

/* Beside the answer they are in sight; where they would come before it, the script closes them. */
static void add_contents(struct buf *b, const struct report *r)
{
	buf_adds(b, "<nav aria-label=\"Contents\">\n<details open>\n<summary>Contents</summary>\n"
		    "<ol>\n");
	for (size_t i = 0; i < r->block_count; i++)
		add_entry(b, &r->blocks[i], i);
	buf_adds(b, "</ol>\n</details>\n</nav>\n");
}

static const struct html_assets report_assets = {
	.script = html_script,
	.script_sha256 = html_script_sha256,
};

void html_add_page_begin(struct buf *b, const struct report *r)
{
	struct buf title = {0};

	add_title(&title, r);
	html_add_head(b, buf_str(&title), &report_assets);
	buf_free(&title);
	add_summary(b, r);
	add_contents(b, r);
	buf_adds(b, "<main>\n");
}

void html_add_page_end(struct buf *b)
{
	html_add_foot(b, &report_assets);
}
