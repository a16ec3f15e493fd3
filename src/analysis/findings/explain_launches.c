/* The rule about launch storms: so many launches of so little work that nothing else matters. */
#include "analysis/findings/explain.h"
#include "analysis/host/launch_rates.h"

#include <stdlib.h>

enum { MANY = 1000 };

/* Where launches hold the GPU up there is a finding that says where: this one would repeat it. */
static bool is_launch_bound(const struct explain *x)
{
	for (size_t i = 0; i < x->found_count; i++) {
		if (strcmp(x->found[i].id, "launch_bound") == 0 ||
		    strcmp(x->found[i].id, "tiny_kernels") == 0)
			return true;
	}
	return false;
}

static void find_storm(struct explain *x, const struct launch_rate *rate)
{
	/* A GPU that does other things than compute is not kept up by them. */
	bool keeps_up = !is_share(x->slack_ns, x->window_ns, 0.25);
	struct finding *f =
		find_fact(x, "launch_storm", SEVERITY_LOW, "Launch storm of tiny kernels%s",
			  keeps_up ? ": the GPU only just keeps up" : "");

	find_evidence(f, "launches", UNIT_COUNT, cell_int((int64_t)rate->all.launches));
	find_evidence(f, "launches per second", UNIT_COUNT,
		      cell_int((int64_t)launch_rate_per_s(rate)));
	find_evidence(f, "median kernel", UNIT_NS, cell_real(rate->kernel_p50_ns));
	find_advice(f, "capture the step as a CUDA graph and replay it");
	find_advice(f,
		    "fuse: torch.compile, fused optimizers, one batched kernel over all tensors");
	f->unless = "the kernels are meant to run in parallel on several streams";
}

int explain_launches(struct explain *x, struct err *e)
{
	struct launch_rates rates;

	if (is_launch_bound(x) || !x->judge.joined ||
	    !(x->judge.attribution.launches.kinds & 1u << TRACE_KERNELS))
		return 0;
	if (launch_rates_read(x->trace, &x->judge.attribution.launches, &x->scope, &rates, e) < 0)
		return e->absent ? 0 : -1;
	for (size_t i = 0; i < rates.count; i++) {
		const struct launch_rate *rate = &rates.all[i].rate;

		if (rate->all.launches >= MANY && launch_rate_is_storm(rate)) {
			find_storm(x, rate);
			break;
		}
	}
	launch_rates_free(&rates);
	return 0;
}
