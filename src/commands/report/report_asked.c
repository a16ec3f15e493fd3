/* What do a model's config and a profile of its kernels add to a report? */
#include "commands/report/report_parts.h"

#include "analysis/counters/roofline.h"
#include "analysis/mfu/mfu_rows.h"

/* What is measured by another tool is no analysis of the trace; it is described like one. */
static const struct analysis profiled = {
	.name = "ncu",
	.title = "What Nsight Compute measured",
	.detail = "Kernels are matched by name; docs/ncu.md defines bound, nearest ceiling and "
		  "headroom.",
	.options = &window_options,
};

static int check_model(const struct scope *p, const struct mfu_question *q, struct err *e)
{
	struct model ignored;

	if (!q->model && q->flops <= 0) {
		err_set(e, ERR_USAGE, "MFU needs the FLOPs: --model config.json, or --flops N");
		return err_hint(e, "gpuwhy report trace.sqlite --out report --model config.json "
				   "--batch 8 --seq 1024 --new-tokens 128");
	}
	if (mfu_question_check(q, p, e) < 0)
		return -1;
	return q->model ? model_read_file(&ignored, q->model, e) : 0;
}

int asked_read(struct parts *p, struct err *e)
{
	const struct report_args *a = p->asked;

	if (ncu_read_all(&p->ncu, a->ncu.all, a->ncu.count, e) < 0)
		return -1;
	return mfu_question_is_asked(&a->question) ? check_model(&a->scope, &a->question, e) : 0;
}

static int make_mfu(struct parts *p, struct err *e)
{
	struct part *part = &p->all[PART_MFU];
	const struct mfu_args asked = {.table = {.scope = p->asked->scope},
				       .question = p->asked->question};

	part->analysis = analysis_find("mfu", false);
	part->report.command = part->analysis->name;
	if (analysis_run(part->analysis, p->trace, &asked, &part->report, e) < 0)
		return -1;
	part->made = true;
	return 0;
}

/* Kernels can be measured without what a roofline needs. */
static int add_roofline(struct parts *p, struct report *r, struct err *e)
{
	if (roofline_add(&p->study, 0, r, e) == 0)
		return 0;
	if (!e->absent)
		return -1;
	report_note(r, "No roofline: %s.", e->message);
	return 0;
}

static int make_ncu(struct parts *p, struct err *e)
{
	const struct scope *asked = &p->asked->scope;
	struct part *part = &p->all[PART_NCU];

	part->analysis = &profiled;
	part->report.command = profiled.name;
	if (ncu_study_make(&p->study, &p->ncu, p->trace, asked, e) < 0 ||
	    ncu_study_head(&p->study, profiled.title, p->trace, asked, &part->report, e) < 0)
		return -1;
	ncu_kernels_add(&p->study, 0, false, &part->report);
	part->made = true;
	return add_roofline(p, &part->report, e);
}

int asked_make_first(struct parts *p, struct err *e)
{
	return mfu_question_is_asked(&p->asked->question) ? make_mfu(p, e) : 0;
}

int asked_make_last(struct parts *p, struct err *e)
{
	return p->ncu.count ? make_ncu(p, e) : 0;
}
