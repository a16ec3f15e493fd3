/* How does a job that came to a halt become a finding, and the verdict? */
#include "fleet/answer/hang_telling.h"

#include "analysis/findings/explain.h"
#include "base/mem.h"
#include "fleet/answer/rank_words.h"

#include <inttypes.h>
#include <stdlib.h>

void hang_telling_begin(struct hang_telling *t, struct fleet_answer *a)
{
	*t = (struct hang_telling){.a = a,
				   .chosen = mem_zalloc(a->job.member_count, sizeof(*t->chosen)),
				   .f = arena_zalloc(&a->report->arena, 1, sizeof(*t->f))};
	t->f->id = "hang";
	t->f->owner = finding_kind(t->f->id)->owner;
	t->f->severity = SEVERITY_HIGH;
	t->f->leads = true;
}

void hang_telling_free(struct hang_telling *t)
{
	free(t->chosen);
}

void hang_telling_blame(struct hang_telling *t)
{
	const struct job *j = &t->a->job;
	uint32_t *ranks = arena_alloc(&t->a->report->arena, j->member_count, sizeof(*ranks));

	t->f->ranks = ranks;
	for (size_t i = 0; i < j->member_count; i++) {
		if (t->chosen[i])
			ranks[t->f->rank_count++] = j->members[i].is->rank;
	}
}

size_t hang_add_ranks(struct buf *b, struct hang_telling *t)
{
	return ranks_add(b, &t->a->job, t->chosen);
}

void hang_add_communicator(struct buf *b, bool known, uint64_t communicator)
{
	if (known)
		buf_addf(b, " of communicator 0x%" PRIx64, communicator);
}

void hang_telling_finish(struct hang_telling *t, struct buf *title)
{
	struct report *r = t->a->report;

	t->f->title = report_take_text(r, title);
	report_finding(r, t->f);
	r->verdict = verdict_word(t->f->id);
	r->verdict_text = t->f->title;
}
