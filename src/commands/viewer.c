/* gpuwhy viewer: the timeline and its answers as one page that works offline. */
#include "base/mem.h"
#include "base/progress.h"
#include "cli/output.h"
#include "cli/say.h"
#include "commands/shown.h"
#include "text/units.h"
#include "web/offline_page.h"
#include "web/recording.h"

#include <unistd.h>

struct viewer_args {
	struct shown_args shown;
	const char *output;
	uint64_t most_mb;
};

static int write_file(const char *path, const struct recording *r, struct err *e)
{
	struct output out;
	int result;

	if (output_open(&out, path, e) < 0)
		return -1;
	result = offline_page_write(&out.sink, buf_str(&r->json));
	if (result < 0)
		err_set_errno(e, "writing '%s'", path);
	return output_close(&out, result == 0, e);
}

static void say_made(const char *path, const struct recording *r, const struct viewer_args *o)
{
	SCOPED_BUF what = {0};
	SCOPED_BUF warning = {0};

	units_add_bytes(&what, (double)(r->json.len + r->around));
	buf_adds(&what, ", ");
	units_add_count(&what, (int64_t)r->events);
	buf_adds(&what, " events; it opens in any browser, without a network");
	say_wrote(path, what.s);
	if (!r->left_out.len)
		return;
	buf_addf(&warning, "left out: %s; --trim a part of it, or --max-size more than %llu MB",
		 r->left_out.s, (unsigned long long)o->most_mb);
	say_warning(warning.s);
}

/* The GPU, process or rank that is asked for, at all times: the window is what is in detail. */
static int choose_part(struct site *site, struct shown *shown, const struct scope *asked,
		       struct err *e)
{
	struct scope whole = *asked;

	if (!scope_is_part(asked))
		return 0;
	site->asked = traces_span(&shown->traces);
	whole.has_trim = whole.has_iteration = false;
	whole.span = SPAN_DEFAULT;
	return traces_ask(&shown->traces, &whole, e);
}

/* A page of a trace that recorded nothing would be no answer. */
static int require_events(const struct site *site, const char *trace, struct err *e)
{
	if (site->scene.set->count)
		return 0;
	err_set(e, ERR_INPUT, "'%s' has nothing to show", trace);
	return err_hint(e, "gpuwhy doctor tells what was recorded, and how to capture again");
}

/* The window that is asked for is in detail; around it all else is seen from afar. */
static int record(struct invocation *inv, struct shown *shown, struct err *e)
{
	const struct viewer_args *o = inv->args;
	struct recording r = {.around = offline_page_size(), .most = (size_t)o->most_mb * 1000000};
	struct site site = {.ncu = shown->ncu,
			    .input = &inv->input,
			    .comm = o->shown.comm.comm,
			    .is_file = true};
	const char *const command[] = {"gpuwhy", "web", str_last_part(inv->words.all[0])};
	int result = 0;

	site.command = command;
	site.command_count = ARRAY_LEN(command);
	site_open(&site, &shown->traces);
	/* What is asked for is then on the clock that is shown. */
	if (shown->compares)
		result = traces_align_sides(&shown->traces, e) < 0
				 ? -1
				 : traces_ask(&shown->traces, &o->shown.scope, e);
	if (result == 0)
		result = choose_part(&site, shown, &o->shown.scope, e);
	if (result == 0) {
		recording_begin(&r, &site);
		result = site_read_all(&site, e);
	}
	if (result == 0)
		result = require_events(&site, inv->words.all[0], e);
	if (result == 0)
		result = recording_make(&r, &site, e);
	if (result == 0)
		result = write_file(o->output, &r, e);
	if (result == 0)
		say_made(o->output, &r, o);
	recording_free(&r);
	site_close(&site);
	return result;
}

/* What a page is written over is a page: a slip of the pen costs nobody a trace or their notes. */
static int check_output(const char *path, struct err *e)
{
	if (path && (str_ends(str_of(path), ".html") || str_ends(str_of(path), ".htm")))
		return 0;
	if (path)
		err_set(e, ERR_USAGE, "viewer writes a page: '%s' does not end in .html", path);
	else
		err_set(e, ERR_USAGE, "viewer needs -o FILE.html");
	return err_hint(e, "gpuwhy viewer -o trace.html trace.sqlite");
}

static int run(struct invocation *inv, struct err *e)
{
	const struct viewer_args *o = inv->args;
	struct shown shown;
	int result;

	if (!inv->words.count)
		return invocation_open_trace(inv, e);
	if (check_output(o->output, e) < 0 || invocation_settle_words(inv, 0, e) < 0)
		return -1;
	for (size_t i = 0; i < inv->words.count; i++) {
		if (output_spare_trace(o->output, inv->words.all[i], e) < 0)
			return -1;
	}
	result = shown_open(&shown, inv, &o->shown, e);
	if (result == 0)
		result = record(inv, &shown, e);
	shown_close(&shown);
	return result;
}

static const struct option_group viewer_options = {
	.options =
		(const struct option[]){
			{.type = OPTION_FILE,
			 .name = "output",
			 .letter = 'o',
			 .value = "FILE",
			 .wanted = "a file name",
			 .access = ACCESS_WRITES,
			 OPT_MEMBER(struct viewer_args, output, const char *),
			 .help = "the page to write"},
			OPT_INCLUDE(struct viewer_args, shown, struct shown_args, shown_options),
			{.type = OPTION_COUNT,
			 .name = "max-size",
			 .value = "MB",
			 .least = 1,
			 .most = 1000,
			 .wanted = "a whole number of megabytes from 1 to 1000",
			 OPT_MEMBER(struct viewer_args, most_mb, uint64_t),
			 .initial = "25",
			 .help = "at most so large; what is left out is told"},
			OPT_END(),
		},
	.size = sizeof(struct viewer_args),
};

const struct command command_viewer = {
	.name = "viewer",
	.operand = "TRACE…",
	.summary = "the timeline and its answers as one HTML file that works offline",
	.detail = "The window that --trim or --iteration chooses is there in full detail, the rest "
		  "of the capture as it is seen from afar. The file asks no server for anything; "
		  "what is in the trace, names and SQL tables included, is not all in it, and what "
		  "is left out is told.",
	.example = "gpuwhy viewer trace.sqlite -o trace.html --iteration 3",
	.options = &viewer_options,
	.common = COMMON_TRACE,
	.has_words = true,
	.has_sides = true,
	.own_format = true,
	.run = run,
};
