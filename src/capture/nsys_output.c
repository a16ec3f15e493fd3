/* What did nsys make, and if nothing, why? */
#include "capture/nsys_output.h"

#include "base/mem.h"
#include "base/text.h"
#include "capture/nsys_log.h"
#include "capture/words.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_FILES = 4096, QUOTED_BYTES = 300 };

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
		return err_set_errno(e, "cannot look into '%s'", folder);
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

/* A recording that was never made into a report: the line that does it. */
static int explain_stream(const struct nsys_fate *f, struct err *e)
{
	struct buf line = {0}, path = {0};

	err_set(e, ERR_SYSTEM,
		"nsys recorded the run, but its importer made no report of it: '%s/%s'", f->folder,
		f->output->streams[0]);
	buf_addf(&path, "%s/%s", f->folder, f->output->streams[0]);
	word_add_quoted(&line, path.s);
	err_hint(
		e,
		"the importer is QdstrmImporter in the host folder of the same Nsight Systems: run "
		"QdstrmImporter -i %s, then gpuwhy on the .nsys-rep; where it lacks libraries, "
		"install libdw1 and libelf1, or copy the file to a machine with a whole Nsight "
		"Systems",
		line.s);
	buf_free(&line);
	buf_free(&path);
	return -1;
}

/* Texts of nsys, and what they mean; the first that is in the log counts. */
static const struct {
	const char *said;
	enum err_code code;
	const char *means, *hint;
} known[] = {
	{"No space left on device", ERR_SYSTEM, "the disk is full",
	 "make room, or name a folder on another disk with --runs DIR"},
	{"File too large", ERR_SYSTEM, "File too large", "look at ulimit -f"},
	{"Unable to configure the collection of GPU metrics", ERR_SYSTEM,
	 "GPU metrics cannot be collected",
	 "they need permission: see NVIDIA's ERR_NVGPUCTRPERM page; without --gpu-metrics all "
	 "else is captured"},
	{"ERR_NVGPUCTRPERM", ERR_SYSTEM, "GPU metrics need permission",
	 "see NVIDIA's ERR_NVGPUCTRPERM page; without --gpu-metrics all else is captured"},
	{"no CUDA-capable device", ERR_SYSTEM, "there is no GPU that CUDA can use",
	 "look at nvidia-smi and CUDA_VISIBLE_DEVICES; in a container pass the GPUs on (docker run "
	 "--gpus all)"},
	{"Found no NVIDIA driver", ERR_SYSTEM, "there is no NVIDIA driver here",
	 "run this where nvidia-smi works; in a container pass the GPUs on (docker run --gpus "
	 "all)"},
	{"No CUDA GPUs are available", ERR_SYSTEM, "there is no GPU that CUDA can use",
	 "look at nvidia-smi and CUDA_VISIBLE_DEVICES; in a container pass the GPUs on (docker run "
	 "--gpus all)"},
	{"is not recognized", ERR_USAGE, "this nsys does not know one of the options",
	 "it may be old: name a newer one with --nsys PATH, or leave the option out"},
};

static int explain_gate(const struct nsys_fate *f, struct err *e)
{
	if (f->range) {
		err_set(e, ERR_INPUT, "the range '%s' never opened: nsys captured nothing",
			f->range);
		return err_hint(e,
				"its name must be the whole text of an NVTX push/pop range: NAME "
				"for the default domain, NAME@DOMAIN for another, NAME@* for any, "
				"\\@ where the name has an @; "
				"without --range all is captured, and gpuwhy ranges lists them");
	}
	err_set(e, ERR_INPUT, "the program never called cudaProfilerStart: nsys captured nothing");
	return err_hint(e,
			"call torch.cuda.profiler.start() and stop() around what matters, or leave "
			"--profiler-api out");
}

/* Where nothing is known: the last line that nsys said, for whoever knows it. */
static int explain_by_log(const struct nsys_fate *f, const struct buf *log, struct err *e)
{
	struct str rest = buf_str(log);
	struct buf line = {0};
	const char *at;

	while (rest.len && strchr("\r\n\t ", rest.s[rest.len - 1]))
		rest.len--;
	at = rest.len ? memrchr(rest.s, '\n', rest.len) : NULL;
	if (at)
		rest = (struct str){at + 1, rest.len - (size_t)(at + 1 - rest.s)};
	if (rest.len > QUOTED_BYTES)
		rest.len = QUOTED_BYTES;
	text_add_safe(&line, rest);
	err_set(e, ERR_SYSTEM, "nsys made no report; the last it said: %s",
		line.len ? line.s : "nothing");
	buf_free(&line);
	return err_hint(e, "all it said is in '%.600s'", f->log);
}

static int explain_refusal(const struct nsys_fate *f, struct str line, struct err *e)
{
	struct buf said = {0};

	text_add_safe(&said, line);
	err_set(e, ERR_USAGE, "nsys did not start the program: %.600s", said.s ? said.s : "");
	buf_free(&said);
	return err_hint(e,
			"where it does not know an option it may be too old: name a newer one with "
			"--nsys PATH, or leave out what asks for it (--nsys-arg, --gpu-metrics, "
			"…); all it said is in '%.500s'",
			f->log);
}

static int explain_killed(const struct nsys_fate *f, struct err *e)
{
	const char *name = sigabbrev_np(f->signal);

	err_set(e, ERR_SYSTEM, "nsys made no report: it was killed by SIG%s", name ? name : "?");
	return err_hint(e, "%sall it said is in '%.600s'",
			f->signal == SIGKILL ? "the machine may have been out of memory (dmesg); "
					     : "",
			f->log);
}

int nsys_explain_missing(const struct nsys_fate *f, struct err *e)
{
	struct buf log = {0};
	struct str line;
	int result = 0;

	nsys_log_read(&log, f->log);
	if (nsys_said_refusal(buf_str(&log), &line))
		result = explain_refusal(f, line, e);
	for (size_t i = 0; i < ARRAY_LEN(known) && result == 0; i++) {
		if (!str_holds(buf_str(&log), known[i].said))
			continue;
		err_set(e, known[i].code, "nsys made no report: %s", known[i].means);
		result = err_hint(e, "%s", known[i].hint);
	}
	if (result == 0 && f->output->stream_count)
		result = explain_stream(f, e);
	if (result == 0 && f->signal)
		result = explain_killed(f, e);
	if (result == 0 && (f->range || f->profiler_api))
		result = explain_gate(f, e);
	if (result == 0)
		result = explain_by_log(f, &log, e);
	buf_free(&log);
	return result;
}
