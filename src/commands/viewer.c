/* gpuwhy viewer: the timeline and its answers as one page that works offline. */
#include "base/mem.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/say.h"
#include "ncu/ncu.h"
#include "text/units.h"
#include "web/offline_page.h"
#include "web/recording.h"

#include <unistd.h>

struct viewer_args {
	struct scope scope;
	struct comm_args comm;
	struct string_list ncu;
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

	units_add_bytes(&what, (double)(r->json.len + offline_page_size()));
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

/* The window that is asked for is in detail; around it all else is seen from afar. */
static int record(struct invocation *inv, struct traces *t, const struct ncu_report *ncu,
		  struct err *e)
{
	const struct viewer_args *o = inv->args;
	const size_t most = (size_t)o->most_mb * 1000000, page = offline_page_size();
	struct recording r = {.most = most > page ? most - page : 0};
	struct site site = {
		.ncu = ncu, .input = &inv->input, .comm = o->comm.comm, .is_file = true};
	const char *const command[] = {"gpuwhy", "web", inv->words.all[0]};
	int result;

	site.command = command;
	site.command_count = ARRAY_LEN(command);
	result = site_open(&site, t, e);
	if (result == 0) {
		if (scope_is_part(&o->scope))
			site.asked = traces_span(t);
		traces_ask(t, &(const struct scope){0}, e);
		result = site_read_all(&site, e);
	}
	if (result == 0)
		result = recording_make(&r, &site, e);
	if (result == 0)
		result = write_file(o->output, &r, e);
	if (result == 0)
		say_made(o->output, &r, o);
	recording_free(&r);
	site_end(&site);
	site_close(&site);
	return result;
}

static int run(struct invocation *inv, struct err *e)
{
	const struct viewer_args *o = inv->args;
	struct ncu_report ncu = {0};
	struct traces t = {0};
	int result;

	if (!inv->words.count)
		return invocation_open_trace(inv, e);
	if (!o->output) {
		err_set(e, ERR_USAGE, "viewer needs -o FILE.html");
		return err_hint(e, "gpuwhy viewer trace.sqlite -o trace.html");
	}
	for (size_t i = 0; i < inv->words.count; i++) {
		if (output_spare_trace(o->output, inv->words.all[i], e) < 0)
			return -1;
	}
	result = traces_open(&t, inv->words.all, inv->words.count, &inv->input, o->comm.comm, e);
	if (result == 0)
		result = traces_ask(&t, &o->scope, e);
	if (result == 0 && o->ncu.count)
		result = ncu_read_all(&ncu, o->ncu.all, o->ncu.count, e);
	if (result == 0)
		result = record(inv, &t, o->ncu.count ? &ncu : NULL, e);
	ncu_free(&ncu);
	traces_close(&t);
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
			OPT_INCLUDE(struct viewer_args, scope, struct scope, step_scope_options),
			OPT_INCLUDE(struct viewer_args, scope, struct scope, rank_options),
			OPT_INCLUDE(struct viewer_args, comm, struct comm_args, comm_options),
			OPT_LIST("ncu", struct viewer_args, ncu, "FILE", "a CSV of Nsight Compute",
				 ACCESS_READS,
				 "Nsight Compute CSV, for the details of kernels; repeatable"),
			{.type = OPTION_COUNT,
			 .name = "max-size",
			 .value = "MB",
			 .least = 1,
			 .most = 1000,
			 .wanted = "a number of megabytes",
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
	.own_format = true,
	.run = run,
};
