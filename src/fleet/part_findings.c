/* What costs time in a capture, as `findings` tells it? */
#include "fleet/part_making.h"

#include "analysis/gpu/gaps.h"
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

/* Whether a path inside the step ends in the range that has most of a finding; NULL: in any. */
static bool is_in(const struct part_member *m, const char *path, const char *range)
{
	const char *last = strrchr(path, '/');

	if (!range)
		return true;
	if (strcmp(range, m->steps_name) == 0)
		return !path[0];
	return strcmp(last && last > path && last[1] == ' ' ? last + 2 : path, range) == 0;
}

/* "load_batch train.py:31": no folders, which are a machine's. */
static const char *place_in_code(struct part_making *x, const struct finding_code *c)
{
	const char *slash = c->file.len ? memrchr(c->file.s, '/', c->file.len) : NULL;
	const struct str file =
		slash ? (struct str){slash + 1, (size_t)(c->file.s + c->file.len - slash - 1)}
		      : c->file;
	SCOPED_BUF b = {0};

	buf_addf(&b, "%.*s", STR_FMT(c->function));
	if (file.len)
		buf_addf(&b, "%s%.*s", b.len ? " " : "", STR_FMT(file));
	if (file.len && c->line)
		buf_addf(&b, ":%u", c->line);
	return part_text(&x->part->arena, buf_str(&b));
}

/* Where host code was while the GPU was idle: the largest place of a finding says it of its range.
 */
static void tell_code(struct part_making *x, const struct finding *f)
{
	const char *range = f->share_count ? f->shares[0].range : NULL;
	struct part_member *m = x->part->members;
	size_t place = 0;

	while (place < f->code_count && f->code[place].calls)
		place++;
	if (x->count != 1 || place == f->code_count)
		return;
	for (size_t i = 0; i < m->cause_count; i++) {
		struct part_cause *c = &m->causes[i];

		if (strcmp(c->activity, blame_keys[BLAME_HOST]) != 0 || !is_in(m, c->path, range))
			continue;
		if (!c->code[0])
			c->code = place_in_code(x, &f->code[place]);
		return;
	}
}

static void take(struct part_making *x, const struct report *r)
{
	struct part *p = x->part;

	p->findings = arena_alloc(&p->arena, PART_FINDINGS_MAX, sizeof(*p->findings));
	for (size_t i = 0; i < r->block_count && p->finding_count < PART_FINDINGS_MAX; i++) {
		if (r->blocks[i].kind != BLOCK_FINDING)
			continue;
		p->findings[p->finding_count++] = finding_of(x, r->blocks[i].finding);
		tell_code(x, r->blocks[i].finding);
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
