/* What is sampled beside the GPU's work, and what does that cost? */
#include "capture/python_program.h"
#include "commands/runs/profile.h"
#include "input/ask.h"

#include <inttypes.h>
#include <stdio.h>

enum { USUAL_PYTHON_HZ = 1000, USUAL_METRICS_HZ = 10000 };
/* Of a capture on one H200: what a second of samples at the usual rates adds to the export. */
static const double python_mb = 0.3, metrics_mb = 7;
#define BACKTRACES "the Python stack of each CUDA call (which can double the time of a step)"

/* What of the nsys is known. */
struct abilities {
	struct buf help; /* of nsys profile; empty: it said nothing */
	bool elsewhere;
};

static bool can(const struct abilities *n, const char *option)
{
	return n->elsewhere || help_names_option(buf_str(&n->help), option);
}

static int refuse(const char *what, const char *option, struct err *e)
{
	err_set(e, ERR_USAGE, "this nsys does not record %s: its help has no --%s", what, option);
	return err_hint(e, "use a newer one with --nsys PATH, or leave the option out");
}

/* Those who name an nsys option themselves know what they want of it. */
static bool wants_python(const struct profile_args *c, const struct profile_job *job)
{
	return !c->no_samples && !nsys_request_has_own(&c->request, "python-sampling") &&
	       (c->sample_rate || command_is_python(job->argv, job->argc));
}

static bool wants_metrics(const struct profile_args *c)
{
	const struct nsys_request *q = &c->request;

	return (c->visible_metrics || q->gpu_metrics || q->gpu_metrics_hz) &&
	       !nsys_request_has_own(q, "gpu-metrics-devices") &&
	       !nsys_request_has_own(q, "gpu-metrics-device");
}

/* A rate is said once: by the option, or to nsys itself. */
static int refuse_both(const struct nsys_request *q, const char *ours, const char *nsys_option,
		       struct err *e)
{
	if (!nsys_request_has_own(q, nsys_option))
		return 0;
	return err_set(e, ERR_USAGE, "--%s and --nsys-arg --%s exclude each other", ours,
		       nsys_option);
}

/* "all", "cuda-visible", "0", "0,1": nsys itself would say so only after the program has run. */
static bool names_devices(const char *list)
{
	const size_t digits = strspn(list, "0123456789");

	if (strcmp(list, "all") == 0 || strcmp(list, "cuda-visible") == 0)
		return true;
	return digits &&
	       (!list[digits] || (list[digits] == ',' && names_devices(list + digits + 1)));
}

static int check_options(const struct profile_args *c, struct err *e)
{
	const struct nsys_request *q = &c->request;

	if (q->gpu_metrics && !names_devices(q->gpu_metrics))
		return err_set(e, ERR_USAGE,
			       "--gpu-metrics-devices takes all, cuda-visible or numbers of "
			       "devices (0,1), not '%s'",
			       q->gpu_metrics);
	if (c->sample_rate && (refuse_both(q, "sample-rate", "python-sampling", e) < 0 ||
			       refuse_both(q, "sample-rate", "python-sampling-frequency", e) < 0))
		return -1;
	return q->gpu_metrics_hz ? refuse_both(q, "gpu-metrics-rate", "gpu-metrics-frequency", e)
				 : 0;
}

/* "Python samples at 1000 Hz (0.3 MB a second"; a rate that nsys was given is the user's to know.
 */
static void say_rate(struct buf *said, const char *what, bool own, uint64_t hz, double mb)
{
	buf_addf(said, "%s%s at ", said->len ? ", " : "", what);
	if (own)
		buf_adds(said, "the rate that nsys is given (");
	else
		buf_addf(said, "%" PRIu64 " Hz (%.2g MB a second", hz, mb);
}

static void say_python(const struct nsys_request *q, struct buf *said)
{
	const bool own = nsys_request_has_own(q, "python-sampling-frequency");

	say_rate(said, "Python samples", own, q->python_hz,
		 python_mb * (double)q->python_hz / USUAL_PYTHON_HZ);
	/* Nobody has measured more. */
	if (!own && q->python_hz <= USUAL_PYTHON_HZ)
		buf_adds(said, ", time within the noise of trials");
	buf_addf(said, "%s--no-samples turns them off)", own ? "" : "; ");
}

static void say_metrics(const struct nsys_request *q, struct buf *said)
{
	const uint64_t hz = q->gpu_metrics_hz ? q->gpu_metrics_hz : USUAL_METRICS_HZ;
	const bool own = nsys_request_has_own(q, "gpu-metrics-frequency");

	say_rate(said, "GPU metrics", own, hz, metrics_mb * (double)hz / USUAL_METRICS_HZ);
	buf_addf(said, "%s GPU)", own ? "of each" : " and");
}

static int choose_python(struct profile_args *c, const struct abilities *n, struct buf *said,
			 struct err *e)
{
	if (!can(n, "python-sampling")) {
		if (c->sample_rate)
			return refuse("Python samples", "python-sampling", e);
		fputs("gpuwhy: this nsys records no Python samples, which name the line that "
		      "keeps a GPU waiting: a newer one does (--nsys PATH)\n",
		      stderr);
		return 0;
	}
	c->request.python_hz = c->sample_rate ? c->sample_rate : USUAL_PYTHON_HZ;
	say_python(&c->request, said);
	return 0;
}

/* Until 2024 the option named one device, and of old it did not know cuda-visible. */
static int choose_metrics(struct profile_args *c, const struct abilities *n, struct buf *said,
			  struct err *e)
{
	struct nsys_request *q = &c->request;
	const bool older = !can(n, "gpu-metrics-devices") && n->help.len;

	if (older && !can(n, "gpu-metrics-device"))
		return refuse("GPU metrics", "gpu-metrics-devices", e);
	q->gpu_metrics_option = older ? "gpu-metrics-device" : NULL;
	if (!q->gpu_metrics)
		q->gpu_metrics = older && !str_holds(buf_str(&n->help), "cuda-visible")
					 ? "all"
					 : "cuda-visible";
	say_metrics(q, said);
	return 0;
}

int profile_choose_samples(struct profile_args *c, const struct profile_job *job, bool elsewhere,
			   struct err *e)
{
	const bool python = wants_python(c, job), metrics = wants_metrics(c);
	struct abilities n = {.elsewhere = elsewhere};
	SCOPED_BUF said = {0};
	int result = 0;

	c->request.gpu_metrics = metrics ? c->request.gpu_metrics : NULL;
	if (check_options(c, e) < 0)
		return -1;
	if ((python || metrics) && !elsewhere)
		ask_nsys_help(job->nsys, "profile", &n.help);
	if (python)
		result = choose_python(c, &n, &said, e);
	if (result == 0 && metrics)
		result = choose_metrics(c, &n, &said, e);
	if (c->request.python_backtrace)
		buf_addf(&said, "%s" BACKTRACES, said.len ? ", " : "");
	/* --dry-run prints for a shell, on standard output alone. */
	if (result == 0 && said.len)
		fprintf(stderr, "gpuwhy: also recording %s\n", said.s);
	buf_free(&n.help);
	return result;
}
