/* What does lost time cost? */
#include "analysis/findings/explain.h"
#include "base/buf.h"
#include "base/mem.h"
#include "text/decimal.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

/* More than any GPU costs: who writes more means cents, or a month. */
static const double MOST_USD = 10000;

static int set_price(void *args, const char *name, const char *value, struct err *e)
{
	struct price_args *a = args;
	const double usd = strtod(value, NULL);

	if (!decimal_is_plain(value) || !(usd > 0 && usd <= MOST_USD))
		return option_bad_value(
			name, value, "US dollars per GPU hour, more than 0 and at most 10000", e);
	a->usd_per_gpu_hour = usd;
	return 0;
}

const struct option_group price_options = OPTIONS(
	struct price_args, {.type = OPTION_CUSTOM,
			    .name = "price",
			    .value = "USD_PER_GPU_HOUR",
			    OPT_MEMBER(struct price_args, usd_per_gpu_hour, double),
			    .set = set_price,
			    .help = "what a GPU hour costs: adds what the lost time costs"});

/* Three digits that say something: $1,234.50, $1.83, $0.0153, $0.00112. */
static void add_price(struct buf *b, double usd)
{
	int decimals = usd >= 1 || usd <= 0 ? 2 : 2 - (int)floor(log10(usd));

	buf_addc(b, '$');
	units_add_grouped(b, usd, decimals < 12 ? decimals : 12);
}

/* The same of what is lost, after what comes before it; nobody counts parts of a cent. */
static void add_usd(struct buf *b, const char *before, double usd)
{
	if (usd > 0 && usd < 0.01) {
		buf_adds(b, "under $0.01");
		return;
	}
	buf_adds(b, before);
	add_price(b, usd);
}

static void add_hourly(struct buf *b, const struct report_cost *c, const char *before,
		       double gpu_ns)
{
	const double share = gpu_ns / ((double)c->window_ns * (double)c->gpus);

	add_usd(b, before, cost_usd_per_hour(c, gpu_ns));
	buf_adds(b, " (");
	units_add_fixed(b, 100 * share, 1);
	buf_adds(b, " %)");
}

static const char *describe(const struct report_cost *c, bool whole_run, struct arena *arena)
{
	struct buf b = {0};
	const char *text;

	buf_adds(&b, "At ");
	add_price(&b, c->usd_per_gpu_hour);
	buf_addf(&b, " per GPU hour, each hour of such a run on %llu GPU%s costs ",
		 (unsigned long long)c->gpus, c->gpus == 1 ? "" : "s");
	add_price(&b, c->usd_per_gpu_hour * (double)c->gpus);
	buf_adds(&b, "; of that, ");
	add_hourly(&b, c, "up to ", c->recoverable_ns);
	buf_adds(&b, " is recoverable and ");
	add_hourly(&b, c, "", c->idle_ns);
	buf_addf(&b, " is idle GPU time. In the %s: ", whole_run ? "run" : "window");
	add_usd(&b, "up to ", cost_usd(c, c->recoverable_ns));
	buf_adds(&b, " recoverable, ");
	add_usd(&b, "", cost_usd(c, c->idle_ns));
	buf_adds(&b, " idle. The two overlap: do not add them.");
	text = arena_strdup(arena, b.s);
	buf_free(&b);
	return text;
}

/* By what the verdict is about: what comes after it is of another severity. */
static int64_t recoverable_ns(const struct explain *x)
{
	return x->found_count ? x->found[0].recoverable_ns : 0;
}

void explain_price(struct explain *x)
{
	const double usd = x->args->price.usd_per_gpu_hour;
	const size_t gpus = x->timeline.count;
	struct report_cost *c;

	if (!(usd > 0) || x->window_ns <= 0 || !gpus)
		return;
	c = arena_zalloc(&x->report->arena, 1, sizeof(*c));
	c->usd_per_gpu_hour = usd;
	c->gpus = gpus;
	c->window_ns = x->run_ns ? x->run_ns : x->window_ns;
	c->recoverable_ns = (double)recoverable_ns(x) * (double)gpus;
	for (size_t d = 0; d < gpus; d++)
		c->idle_ns += (double)(c->window_ns -
				       device_busy_ns(&x->timeline, &x->timeline.devices[d]));
	c->text = describe(c, x->run_ns != 0, &x->report->arena);
	x->report->cost = c;
}
