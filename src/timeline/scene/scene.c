/* What does a timeline show, and what is read first? */
#include "timeline/scene/scene.h"

#include "base/mem.h"
#include "report/finding.h"

#include <stdlib.h>

/* A trace without an answer has none. */
static int read_findings(const struct capture *of, struct track_part *part, struct answer *ret,
			 struct err *e)
{
	if (answer_make(ret, of, "findings", NULL, e) < 0)
		return err_forgive_absent(e);
	track_part_add_findings(part, &ret->report);
	return 0;
}

/* What findings are made of for a moment only is read while there are no calls beside it. */
static int prepare_findings(struct track_part *part, struct err *e)
{
	return analysis_find("findings", false)->prepare(part->trace, e) < 0 ? err_forgive_absent(e)
									     : 0;
}

/* What is read while the first picture is there already, in this order; NULL: the findings. */
static int (*const stages[])(struct track_part *part, struct err *e) = {
	prepare_findings,	  track_part_add_threads,
	track_part_add_steps,	  NULL,
	track_part_add_projected, track_part_add_collectives,
	track_part_add_memory,	  track_part_add_samples,
	track_part_add_counters,
};

int scene_open(struct scene *s, struct traces *t, const struct ncu_report *ncu, struct err *e)
{
	*s = (struct scene){.traces = t, .ncu = ncu, .set = track_set_new(t->count)};
	for (size_t i = 0; i < t->count; i++) {
		if (t->all[i].is_asked && track_set_add_capture(s->set, &t->all[i], i, e) < 0)
			return -1;
	}
	s->parts = mem_zalloc(s->set->part_count, sizeof(*s->parts));
	return 0;
}

void scene_close(struct scene *s)
{
	for (size_t i = 0; s->parts && i < s->set->part_count; i++) {
		facts_close(s->parts[i].facts);
		if (s->parts[i].findings.analysis)
			answer_free(&s->parts[i].findings);
	}
	if (s->set)
		track_set_free(s->set);
	free(s->parts);
	*s = (struct scene){0};
}

bool scene_has_more(const struct scene *s)
{
	return s->stage < ARRAY_LEN(stages) * s->set->part_count;
}

/* One capture after another, so that all have the same rows before any has more. */
int scene_read_more(struct scene *s, struct err *e)
{
	const size_t parts = s->set->part_count, stage = s->stage / parts;
	const size_t number = s->stage % parts;
	struct track_part *part = &s->set->parts[number];

	s->stage++;
	/* What is known of events rests on all tracks. */
	facts_close(s->parts[number].facts);
	s->parts[number].facts = NULL;
	if (stages[stage])
		return stages[stage](part, e);
	return read_findings(&s->traces->all[part->number], part, &s->parts[number].findings, e);
}

struct facts *scene_facts(struct scene *s, const struct track_part *part, struct err *e)
{
	const size_t number = (size_t)(part - s->set->parts);
	struct facts **f = &s->parts[number].facts;

	return *f || facts_open(f, &s->set->parts[number], s->ncu, e) == 0 ? *f : NULL;
}

const struct finding *scene_finding(const struct scene *s, const struct track_part *part,
				    uint32_t number)
{
	const struct report *r = &s->parts[part - s->set->parts].findings.report;

	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING && r->blocks[i].finding->place_count &&
		    !number--)
			return r->blocks[i].finding;
	}
	return NULL;
}

struct lane_event scene_event(const struct scene *s, const struct event_place *p)
{
	return lane_event(&s->set->all[p->track].lanes.all[p->lane], p->at);
}

struct event_place scene_find(const struct scene *s, size_t track, uint32_t id, int64_t start_ns)
{
	struct event_place p = {.track = track};

	p.any = track_set_find_event(s->set, track, id, start_ns, &p.lane, &p.at);
	return p;
}
