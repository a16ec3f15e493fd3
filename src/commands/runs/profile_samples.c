/* What is sampled beside the GPU's work, and what does that cost? */
#include "capture/python_program.h"
#include "commands/runs/profile.h"
#include "input/ask.h"

#include <inttypes.h>
#include <stdio.h>

enum { USUAL_PYTHON_HZ = 1000 };
/* Of a capture on one H200: what a second of samples at the usual rates adds to the export. */
#define PYTHON_COST  "0.3 MB a second at 1000 Hz, time within the noise of trials"
#define METRICS_COST "7 MB a second and GPU at 10000 Hz"

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
	buf_addf(said,
		 "Python samples at %" PRIu64 " Hz (" PYTHON_COST "; --no-samples turns them off)",
		 c->request.python_hz);
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
	buf_addf(said, "%sGPU metrics", said->len ? ", " : "");
	if (q->gpu_metrics_hz)
		buf_addf(said, " at %" PRIu64 " Hz", q->gpu_metrics_hz);
	buf_adds(said, " (" METRICS_COST ")");
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
	if (!python && !metrics)
		return 0;
	if (!elsewhere)
		ask_nsys_help(job->nsys, "profile", &n.help);
	if (python)
		result = choose_python(c, &n, &said, e);
	if (result == 0 && metrics)
		result = choose_metrics(c, &n, &said, e);
	/* --dry-run prints for a shell, on standard output alone. */
	if (result == 0 && said.len)
		fprintf(stderr, "gpuwhy: also recording %s\n", said.s);
	buf_free(&n.help);
	return result;
}
