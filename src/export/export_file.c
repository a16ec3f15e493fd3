/* As which files can a timeline be written? */
#include "export/export_file.h"

#include "base/mem.h"
#include "input/pack.h"
#include "text/units.h"

#include <string.h>

static const struct export_format formats[] = {
	{"json", ".json", &timeline_chrome_json, false},
	{"json.gz", ".json.gz", &timeline_chrome_json, true},
	{"pftrace", ".pftrace", &timeline_pftrace, false},
	{"pftrace.gz", ".pftrace.gz", &timeline_pftrace, true},
	{"pftrace", ".perfetto-trace", &timeline_pftrace, false},
};

const struct export_format *export_format_at(size_t i)
{
	return i < ARRAY_LEN(formats) ? &formats[i] : NULL;
}

static bool ends_in(const char *path, const char *ending)
{
	size_t len = strlen(path), n = strlen(ending);

	return len > n && strcmp(path + len - n, ending) == 0;
}

const struct export_format *export_format_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (ends_in(path, formats[i].ending))
			return &formats[i];
	}
	return NULL;
}

int export_write(struct trace *t, const struct scope *p, const struct export_options *o,
		 const struct export_format *f, struct sink *out, struct export_counts *ret,
		 struct err *e)
{
	struct sink sink;
	struct packer *packer = f->packed ? gzip_pack_open(out, &sink) : NULL;
	int result;

	if (f->packed && !packer)
		return err_set(e, ERR_SYSTEM, "there is not enough memory to compress");
	result = export_timeline(t, p, o, f->writer, packer ? &sink : out, ret, e);
	if (packer && result == 0 && gzip_pack_finish(packer) < 0)
		result = err_set_errno(e, "cannot write the timeline");
	if (packer)
		gzip_pack_close(packer);
	return result;
}

static void add_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
	if (!n)
		return;
	buf_adds(b, b->len ? ", " : "");
	units_add_count(b, (int64_t)n);
	buf_addf(b, " %s", n == 1 ? one : many);
}

void export_add_counts(struct buf *b, const struct export_counts *c)
{
	add_count(b, c->slices, "slice", "slices");
	add_count(b, c->instants, "mark", "marks");
	add_count(b, c->arrows, "arrow", "arrows");
	add_count(b, c->values, "counter value", "counter values");
	buf_addf(b, "%son ", b->len ? " " : "nothing ");
	units_add_count(b, (int64_t)c->tracks);
	buf_adds(b, c->tracks == 1 ? " track" : " tracks");
}
