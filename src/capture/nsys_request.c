/* How is nsys told what to capture? */
#include "capture/nsys_request.h"

#include "base/mem.h"

#include <inttypes.h>

/*
 * For LLM work: no CPU sampling, which costs much and answers little here; graphs node by node; the
 * children of a program, which forks of Python are before they start another one.
 */
static const char *const usual[] = {
	"--cpuctxsw=none",	  "--cuda-graph-trace=node", "--trace-fork-before-exec=true",
	"--force-overwrite=true", "--stats=false",
};

/* -o x, -ox, --output x, --output=x */
static bool names_output(const char *word)
{
	return strncmp(word, "-o", 2) == 0 || strcmp(word, "--output") == 0 ||
	       strncmp(word, "--output=", 9) == 0;
}

static int refuse_output(const char *word, struct err *e)
{
	err_set(e, ERR_USAGE, "--nsys-arg %s: gpuwhy decides where the report goes", word);
	return err_hint(e, "use --runs DIR for the folder of runs, --name LABEL to name a run");
}

int nsys_request_check(const struct nsys_request *r, struct err *e)
{
	const char *times = !r->duration_s ? "--delay"
			    : !r->delay_s  ? "--duration"
					   : "--delay with --duration";

	for (size_t i = 0; i < r->extra_count; i++) {
		if (names_output(r->extra[i]))
			return refuse_output(r->extra[i], e);
	}
	if ((r->range != NULL) + r->profiler_api + (r->delay_s || r->duration_s) < 2)
		return 0;
	err_set(e, ERR_USAGE, "%s and %s both define when to capture: give one",
		r->range ? "--range" : "--profiler-api",
		r->range && r->profiler_api ? "--profiler-api" : times);
	return err_hint(e, "--steps A:B works with either: it selects the steps to analyse");
}

/* Whether an @ that is part of the name, \@, is there and none that a domain follows. */
static bool needs_domain(const char *range)
{
	bool escaped = false;

	for (const char *at = strchr(range, '@'); at; at = strchr(at + 1, '@')) {
		if (at == range || at[-1] != '\\')
			return false;
		escaped = true;
	}
	return escaped;
}

/*
 * A range that ends must not end the program, which nsys would do unless told otherwise. To nsys
 * 2025.3 a name with \@ is no range of the default domain: it has to be one of any domain.
 */
static void add_gate(const struct nsys_request *r, struct arena *a, struct string_list *w)
{
	if (r->range) {
		string_list_add(w, "--capture-range=nvtx");
		string_list_addf(w, a, "--nvtx-capture=%s%s", r->range,
				 needs_domain(r->range) ? "@*" : "");
		string_list_add(w, "--capture-range-end=stop");
	}
	if (r->profiler_api) {
		string_list_add(w, "--capture-range=cudaProfilerApi");
		string_list_add(w, "--capture-range-end=repeat");
	}
	if (r->delay_s)
		string_list_addf(w, a, "--delay=%s", r->delay_s);
	if (r->duration_s) {
		string_list_addf(w, a, "--duration=%s", r->duration_s);
		string_list_add(w, "--kill=none");
	}
}

/* Of the options that are given here those that nsys has letters for. */
static const struct {
	char letter;
	const char *name;
} letters[] = {
	{'c', "capture-range"}, {'d', "duration"}, {'f', "force-overwrite"}, {'p', "nvtx-capture"},
	{'s', "sample"},	{'t', "trace"},	   {'y', "delay"},
};

/* --NAME, --NAME=value, -n value or -nvalue */
static bool is_option(const char *word, const char *name, size_t len)
{
	if (word[0] != '-')
		return false;
	if (word[1] == '-')
		return strncmp(word + 2, name, len) == 0 &&
		       (word[2 + len] == '=' || !word[2 + len]);
	for (size_t i = 0; i < ARRAY_LEN(letters); i++) {
		if (word[1] == letters[i].letter && strncmp(letters[i].name, name, len) == 0 &&
		    !letters[i].name[len])
			return true;
	}
	return false;
}

static bool has_own(const struct nsys_request *r, const char *name, size_t len)
{
	for (size_t i = 0; i < r->extra_count; i++) {
		if (is_option(r->extra[i], name, len))
			return true;
	}
	return false;
}

bool nsys_request_has_own(const struct nsys_request *r, const char *name)
{
	return has_own(r, name, strlen(name));
}

/* The user's own option wins, and nsys is not told twice. Letters, -o, stand for nothing here. */
static void drop_own(const struct nsys_request *r, struct string_list *w, size_t from)
{
	size_t kept = from;

	for (size_t i = from; i < w->count; i++) {
		const char *word = w->all[i];

		if (strncmp(word, "--", 2) != 0 || !has_own(r, word + 2, strcspn(word + 2, "=")))
			w->all[kept++] = word;
	}
	w->count = kept;
	w->all[kept] = NULL;
}

static void add_samples(const struct nsys_request *r, struct arena *a, struct string_list *w)
{
	if (r->python_hz) {
		string_list_add(w, "--python-sampling=true");
		string_list_addf(w, a, "--python-sampling-frequency=%" PRIu64, r->python_hz);
	}
	if (!r->gpu_metrics)
		return;
	string_list_addf(w, a, "--%s=%s",
			 r->gpu_metrics_option ? r->gpu_metrics_option : "gpu-metrics-devices",
			 r->gpu_metrics);
	if (r->gpu_metrics_hz)
		string_list_addf(w, a, "--gpu-metrics-frequency=%" PRIu64, r->gpu_metrics_hz);
}

static void add_profiler(const struct nsys_request *r, const char *nsys, const char *output,
			 struct arena *a, struct string_list *w)
{
	size_t from;

	string_list_add(w, nsys);
	string_list_add(w, "profile");
	from = w->count;
	string_list_addf(w, a, "--trace=cuda,nvtx%s", r->osrt ? ",osrt" : "");
	/* Backtraces of CUDA calls come with CPU sampling alone. */
	string_list_addf(w, a, "--sample=%s", r->python_backtrace ? "process-tree" : "none");
	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		string_list_add(w, usual[i]);
	string_list_add(w, "-o");
	string_list_addf(w, a, "%s%s", words_literal_path(a, output),
			 r->launcher && r->launcher->output ? r->launcher->output : "");
	add_gate(r, a, w);
	if (r->memory)
		string_list_add(w, "--cuda-memory-usage=true");
	/* Without a threshold of its own nsys leaves out calls that are short, and launches are. */
	if (r->python_backtrace) {
		string_list_add(w, "--cudabacktrace=all:0");
		string_list_add(w, "--python-backtrace=cuda");
	}
	add_samples(r, a, w);
	for (size_t i = 0; r->launcher && r->launcher->flags[i]; i++)
		string_list_add(w, r->launcher->flags[i]);
	drop_own(r, w, from);
	for (size_t i = 0; i < r->extra_count; i++)
		string_list_add(w, r->extra[i]);
}

int nsys_request_argv(const struct nsys_request *r, const char *nsys, const char *output,
		      const char *const *command, size_t count, struct arena *a,
		      struct string_list *ret, struct err *e)
{
	size_t program;

	if (launcher_program_at(r->launcher, command, count, &program, e) < 0)
		return -1;
	for (size_t i = 0; i < program; i++)
		string_list_add(ret, command[i]);
	add_profiler(r, nsys, output, a, ret);
	for (size_t i = program; i < count; i++)
		string_list_add(ret, command[i]);
	return 0;
}

void nsys_request_env(const struct nsys_request *r, const char *run, struct arena *a,
		      struct string_list *ret)
{
	string_list_addf(ret, a, "GPUWHY_RUN_DIR=%s", run);
	/* Texts that were not registered as NVTX strings would never open the range. */
	if (r->range)
		string_list_add(ret, "NSYS_NVTX_PROFILER_REGISTER_ONLY=0");
	if (r->steps)
		string_list_addf(ret, a, "GPUWHY_STEPS=%s", r->steps);
	if (r->seed)
		string_list_addf(ret, a, "PYTHONHASHSEED=%s", r->seed);
	for (size_t i = 0; r->launcher && r->launcher->variables[i]; i++)
		string_list_add(ret, r->launcher->variables[i]);
}
