/* What did nsys make, and if nothing, why? */
#include "capture/nsys_output.h"

#include "base/file.h"
#include "base/mem.h"
#include "capture/nsys_log.h"
#include "text/shell_words.h"
#include "text/text.h"

#include <signal.h>
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

	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		SCOPED_BUF path = {0};
		struct stat st;

		buf_addf(&path, "%s/%.*s%s", folder, (int)stem, stream, endings[i]);
		if (lstat(path.s, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
			return true;
	}
	return false;
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
	SCOPED_DIR *dir = opendir(folder);
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

enum { QUOTED_BYTES = 300 };

/* nsys and its importer need what a small system does not have. */
#define LIBRARIES                                                          \
	"install missing libraries: libdw.so.1 is in the package libdw1, " \
	"libelf.so.1 in libelf1"

/* Where it is that nsys keeps what it records. */
#define ELSEWHERE                                                      \
	"free space in TMPDIR (default /tmp), or use another folder: " \
	"TMPDIR=DIR gpuwhy profile …"

/* A recording that was never made into a report: the line that does it. */
static int explain_stream(const struct nsys_fate *f, struct err *e)
{
	SCOPED_BUF line = {0}, path = {0};

	err_set(e, ERR_SYSTEM,
		"nsys recorded the run, but its importer produced no report: '%s/%s'", f->folder,
		f->output->streams[0]);
	buf_addf(&path, "%s/%s", f->folder, f->output->streams[0]);
	word_add_quoted(&line, path.s);
	return err_hint(
		e,
		"the importer is QdstrmImporter in the host folder of the same Nsight Systems: run "
		"QdstrmImporter -i %s, then gpuwhy on the .nsys-rep; " LIBRARIES
		", or copy the file to a machine with a complete Nsight Systems",
		line.s);
}

/* Texts of nsys, and what they mean; the first that is in the log counts. */
static const struct {
	const char *said;
	enum err_code code;
	const char *means, *hint;
} known[] = {
	{"No space left on device", ERR_SYSTEM, "the disk is full",
	 "free space, or use a folder on another disk with --runs DIR; nsys writes to TMPDIR "
	 "first"},
	{NSYS_LACKS_ROOM, ERR_SYSTEM, "the disk is full", ELSEWHERE},
	{"File too large", ERR_SYSTEM, "File too large", "check ulimit -f"},
	{"Unable to configure the collection of GPU metrics", ERR_SYSTEM,
	 "GPU metrics cannot be collected",
	 "they need permission: see NVIDIA's ERR_NVGPUCTRPERM page; without --gpu-metrics "
	 "everything else is captured"},
	{"ERR_NVGPUCTRPERM", ERR_SYSTEM, "GPU metrics need permission",
	 "see NVIDIA's ERR_NVGPUCTRPERM page; without --gpu-metrics everything else is captured"},
	{"no CUDA-capable device", ERR_SYSTEM, "CUDA finds no usable GPU",
	 "check nvidia-smi and CUDA_VISIBLE_DEVICES; in a container, pass the GPUs through (docker "
	 "run --gpus all)"},
	{"Found no NVIDIA driver", ERR_SYSTEM, "there is no NVIDIA driver here",
	 "run this where nvidia-smi works; in a container, pass the GPUs through (docker run "
	 "--gpus all)"},
	{"No CUDA GPUs are available", ERR_SYSTEM, "CUDA finds no usable GPU",
	 "check nvidia-smi and CUDA_VISIBLE_DEVICES; in a container, pass the GPUs through (docker "
	 "run --gpus all)"},
	{"is not recognized", ERR_USAGE, "this nsys does not know one of the options",
	 "it may be too old: use a newer one with --nsys PATH, or leave the option out"},
};

static int explain_gate(const struct nsys_fate *f, struct err *e)
{
	if (f->range) {
		err_set(e, ERR_INPUT, "the range '%s' was never opened: nsys captured nothing",
			f->range);
		return err_hint(e, "give the full name of an NVTX push/pop range: NAME for the "
				   "default domain, NAME@DOMAIN for another, NAME@* for any, \\@ "
				   "for an @ in the name; without --range everything is captured, "
				   "and gpuwhy ranges lists the names");
	}
	err_set(e, ERR_INPUT, "the program never called cudaProfilerStart: nsys captured nothing");
	return err_hint(e, "call torch.cuda.profiler.start() and stop() around the part to "
			   "capture, or leave --profiler-api out");
}

static int explain_delay(const struct nsys_fate *f, struct err *e)
{
	err_set(e, ERR_INPUT,
		"nsys captured nothing: the program ended before --delay %s had passed",
		f->delay_s);
	return err_hint(e,
			"the whole run took %.3g s: use a shorter --delay, let the program run "
			"longer, or capture a range with --range NAME",
			f->elapsed_s);
}

/* The last line that was said, for whoever knows it. */
static void add_last_line(struct buf *b, const struct buf *log)
{
	struct str rest = buf_str(log);
	const char *at;

	while (rest.len && strchr("\r\n\t ", rest.s[rest.len - 1]))
		rest.len--;
	at = rest.len ? memrchr(rest.s, '\n', rest.len) : NULL;
	if (at)
		rest = (struct str){at + 1, rest.len - (size_t)(at + 1 - rest.s)};
	if (rest.len > QUOTED_BYTES)
		rest.len = QUOTED_BYTES;
	text_add_safe(b, rest);
	if (!rest.len)
		buf_adds(b, "nothing");
}

static int explain_by_log(const struct nsys_fate *f, const struct buf *log, struct err *e)
{
	SCOPED_BUF line = {0};

	add_last_line(&line, log);
	err_set(e, ERR_SYSTEM, "nsys produced no report; its last output: %s", line.s);
	return err_hint(e, "its output is in '%.600s'", f->log);
}

/* It could not start itself. */
static int explain_unstarted(const struct nsys_fate *f, const struct buf *log, struct err *e)
{
	SCOPED_BUF line = {0};

	add_last_line(&line, log);
	err_set(e, ERR_SYSTEM, "nsys did not start the program: %s", line.s);
	return err_hint(e, LIBRARIES "; its output is in '%.500s'", f->log);
}

/* nsys could no more write than it could read what it asked of itself. */
static int explain_starved(struct err *e)
{
	err_set(e, ERR_SYSTEM,
		"nsys produced no report and did not exit: the disk of '%s', where it stores its "
		"data, is full",
		nsys_scratch());
	return err_hint(e, ELSEWHERE);
}

static int explain_refusal(const struct nsys_fate *f, struct str log, struct str line,
			   struct err *e)
{
	const bool lost = str_starts(line, NSYS_LOST_PROGRAM);
	SCOPED_BUF said = {0};

	text_add_safe(&said, line);
	err_set(e, lost ? ERR_SYSTEM : ERR_USAGE, "nsys did not start the program: %.600s",
		said.len ? said.s : "it printed its usage");
	if (lost && str_holds(log, NSYS_HAS_LITTLE_ROOM))
		return err_hint(e, ELSEWHERE);
	if (lost)
		return err_hint(e, "try again; its output is in '%.600s'", f->log);
	return err_hint(
		e,
		"if nsys rejects an option, it may be too old: use a newer one with --nsys PATH, "
		"or leave the option out (--nsys-arg, --gpu-metrics, …); its output is in '%.500s'",
		f->log);
}

static int explain_killed(const struct nsys_fate *f, struct err *e)
{
	const char *name = sigabbrev_np(f->signal);

	if (f->given_up) {
		err_set(e, ERR_SYSTEM,
			"nsys produced no report: it took longer than 30 times --grace and was "
			"killed");
		return err_hint(e, "give it more time with --grace S, or let it record less: "
				   "--duration, --range");
	}
	err_set(e, ERR_SYSTEM, "nsys produced no report: it was killed by SIG%s",
		name ? name : "?");
	return err_hint(e, "%sits output is in '%.600s'",
			f->signal == SIGKILL ? "the machine may have been out of memory (dmesg); "
					     : "",
			f->log);
}

/* Where it waits for nothing but a time, that is why it has made none. */
static bool ended_early(const struct nsys_fate *f, struct str log)
{
	return f->delay_s && (f->elapsed_s < strtod(f->delay_s, NULL) ||
			      str_holds(log, "No reports were generated"));
}

int nsys_explain_missing(const struct nsys_fate *f, struct err *e)
{
	SCOPED_BUF log = {0};
	struct str line;

	nsys_log_read(&log, f->log);
	if (f->starved)
		return explain_starved(e);
	if (nsys_said_refusal(buf_str(&log), &line))
		return explain_refusal(f, buf_str(&log), line, e);
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (!str_holds(buf_str(&log), known[i].said))
			continue;
		err_set(e, known[i].code, "nsys produced no report: %s", known[i].means);
		return err_hint(e, "%s", known[i].hint);
	}
	if (f->unstarted)
		return explain_unstarted(f, &log, e);
	if (f->output->stream_count)
		return explain_stream(f, e);
	if (f->signal)
		return explain_killed(f, e);
	if (f->range || f->profiler_api)
		return explain_gate(f, e);
	if (ended_early(f, buf_str(&log)))
		return explain_delay(f, e);
	return explain_by_log(f, &log, e);
}
