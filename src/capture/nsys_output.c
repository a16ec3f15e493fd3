/* What did nsys make? */
#include "capture/nsys_output.h"

#include "base/mem.h"
#include "capture/nsys_log.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_FILES = 4096 };

static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

bool nsys_has_report(const char *folder, const char *stream)
{
	static const char *const endings[] = {".nsys-rep", ".qdrep"};
	size_t stem = strlen(stream) - strlen(".qdstrm");
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(endings) && !found; i++) {
		struct buf path = {0};
		struct stat st;

		buf_addf(&path, "%s/%.*s%s", folder, (int)stem, stream, endings[i]);
		found = lstat(path.s, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
		buf_free(&path);
	}
	return found;
}

static void drop_imported(struct nsys_output *o, const char *folder)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->stream_count; i++) {
		if (nsys_has_report(folder, o->streams[i]))
			free(o->streams[i]);
		else
			o->streams[kept++] = o->streams[i];
	}
	o->stream_count = kept;
}

int nsys_output_read(struct nsys_output *o, const char *folder, struct err *e)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	*o = (struct nsys_output){0};
	if (!dir)
		return err_set_errno(e, "cannot read the folder '%s'", folder);
	while ((entry = readdir(dir)) && o->report_count + o->stream_count < MOST_FILES) {
		const char *name = entry->d_name;

		if (str_ends(str_of(name), ".nsys-rep") || str_ends(str_of(name), ".qdrep")) {
			MEM_GROW(o->reports, o->report_cap, o->report_count + 1);
			o->reports[o->report_count++] = mem_strdup(name);
		} else if (str_ends(str_of(name), ".qdstrm")) {
			MEM_GROW(o->streams, o->stream_cap, o->stream_count + 1);
			o->streams[o->stream_count++] = mem_strdup(name);
		}
	}
	closedir(dir);
	if (o->report_count)
		qsort(o->reports, o->report_count, sizeof(*o->reports), by_number);
	if (o->stream_count)
		qsort(o->streams, o->stream_count, sizeof(*o->streams), by_number);
	drop_imported(o, folder);
	return 0;
}

void nsys_output_free(struct nsys_output *o)
{
	for (size_t i = 0; i < o->report_count; i++)
		free(o->reports[i]);
	for (size_t i = 0; i < o->stream_count; i++)
		free(o->streams[i]);
	free(o->reports);
	free(o->streams);
	*o = (struct nsys_output){0};
}

bool nsys_left_anything(const char *folder)
{
	struct nsys_output o;
	struct err ignored;
	bool found = nsys_output_read(&o, folder, &ignored) == 0 && o.report_count + o.stream_count;

	nsys_output_free(&o);
	return found;
}

const char *nsys_scratch(void)
{
	const char *named = getenv("TMPDIR");

	return named && *named ? named : "/tmp";
}

bool nsys_has_failed(const char *folder, const char *log)
{
	struct nsys_output o;
	struct err ignored;
	bool failed =
		nsys_output_read(&o, folder, &ignored) == 0 && (o.stream_count || !o.report_count);

	nsys_output_free(&o);
	return failed || nsys_log_tells_failure(log);
}
