/* Which part of the trace goes to another viewer? */
#include "tui/export_part.h"

#include "cli/output.h"
#include "export/export_file.h"
#include "text/units.h"
#include "tui/loading.h"

struct exporting {
	const char *path;
	const struct export_format *format;
	struct scope scope;
	struct export_counts counts;
};

static int write_part(struct app *a, void *ctx, struct err *e)
{
	const struct export_options all = {0};
	struct exporting *x = ctx;
	struct output out;
	int result;

	if (output_open(&out, x->path, e) < 0)
		return -1;
	result = export_write(a->trace, &x->scope, &all, x->format, &out.sink, &x->counts, e);
	return output_close(&out, result == 0, e);
}

int export_part(struct app *a, const char *path, struct err *e)
{
	const struct capture *of = app_capture(a);
	const bool selected = a->selection.kind != SELECTED_NONE &&
			      a->selection.span.end_ns > a->selection.span.start_ns;
	const struct span span =
		span_shift(selected ? a->selection.span : a->window, -of->shift_ns);
	struct exporting x = {.path = path, .format = export_format_of(path), .scope = of->scope};
	SCOPED_BUF length = {0};
	SCOPED_BUF counts = {0};

	if (!x.format)
		return err_set(e, ERR_USAGE,
			       "name a file that ends in .json, .json.gz or .pftrace");
	x.scope.has_trim = true;
	x.scope.from_ns = span.start_ns;
	x.scope.to_ns = span.end_ns;
	x.scope.in_iteration = x.scope.has_iteration = false;
	x.scope.chosen = SPAN_DEFAULT;
	if (output_spare_trace(path, of->trace->path, e) < 0 ||
	    loading_run(a, "writing", write_part, &x, e) < 0)
		return -1;
	units_add_ns(&length, (double)sat_sub(span.end_ns, span.start_ns));
	export_add_counts(&counts, &x.counts);
	app_say(a, "wrote %s, %s %s: %s", path, selected ? "the selected" : "all that is shown,",
		length.s, counts.s);
	return 0;
}
