/* What costs time in a capture, as `findings` tells it? */
#include "fleet/part_making.h"

#include "traces/answer.h"

#include <math.h>
#include <string.h>

/* "`gemm`" of a title, or the range that has most of it. */
static struct str place_of(const struct finding *f)
{
	const char *begin = strchr(f->title, '`'), *end = begin ? strchr(begin + 1, '`') : NULL;

	if (f->share_count)
		return str_of(f->shares[0].range);
	return end ? (struct str){begin + 1, (size_t)(end - begin - 1)} : STR_LIT("");
}

static struct part_finding finding_of(struct part_making *x, const struct finding *f)
{
	struct arena *arena = &x->part->arena;

	return (struct part_finding){
		.member = x->count == 1 ? 0 : PART_NO_NUMBER,
		.id = part_text(arena, str_of(f->id)),
		.title = part_text(arena, str_of(f->title)),
		.place = part_text(arena, place_of(f)),
		.advice = f->advice_count ? part_text(arena, str_of(f->advice[0])) : "",
		.severity = f->severity,
		.confidence = f->confidence,
		.owner = f->owner,
		.recoverable_ns = f->recoverable_ns < 0 ? 0 : part_time(f->recoverable_ns),
		.recoverable_pct = isfinite(f->recoverable_pct) ? f->recoverable_pct : 0,
	};
}

static void take(struct part_making *x, const struct report *r)
{
	struct part *p = x->part;

	p->findings = arena_alloc(&p->arena, PART_FINDINGS_MAX, sizeof(*p->findings));
	for (size_t i = 0; i < r->block_count && p->finding_count < PART_FINDINGS_MAX; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING)
			p->findings[p->finding_count++] = finding_of(x, r->blocks[i].finding);
	}
}

int part_take_findings(struct part_making *x, struct err *e)
{
	const struct capture all = {
		.trace = x->trace,
		.scope = {.marker = x->q->scope.marker, .span = x->q->scope.span},
		.is_asked = true};
	struct answer answer;
	int result = answer_make(&answer, &all, "findings", NULL, e);

	if (result == 0)
		take(x, &answer.report);
	answer_free(&answer);
	return result == 0 ? 0 : err_forgive_absent(e);
}
