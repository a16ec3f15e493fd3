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

int scene_open(struct scene *m, struct traces *t, const struct ncu_report *ncu, struct err *e)
{
	*m = (struct scene){.traces = t, .ncu = ncu, .set = track_set_new(t->count)};
	for (size_t i = 0; i < t->count; i++) {
		if (t->all[i].is_asked && track_set_add_capture(m->set, &t->all[i], i, e) < 0)
			return -1;
	}
	m->parts = mem_zalloc(m->set->part_count, sizeof(*m->parts));
	return 0;
}

void scene_close(struct scene *m)
{
	for (size_t i = 0; m->parts && i < m->set->part_count; i++) {
		facts_close(m->parts[i].facts);
		if (m->parts[i].findings.analysis)
			answer_free(&m->parts[i].findings);
	}
	if (m->set)
		track_set_free(m->set);
	free(m->parts);
	*m = (struct scene){0};
}

bool scene_has_more(const struct scene *m)
{
	return m->stage < ARRAY_LEN(stages) * m->set->part_count;
}

/* One capture after another, so that all have the same rows before any has more. */
int scene_read_more(struct scene *m, struct err *e)
{
	const size_t parts = m->set->part_count, stage = m->stage / parts;
	const size_t number = m->stage % parts;
	struct track_part *part = &m->set->parts[number];

	m->stage++;
	/* What is known of events rests on all tracks. */
	facts_close(m->parts[number].facts);
	m->parts[number].facts = NULL;
	if (stages[stage])
		return stages[stage](part, e);
	return read_findings(&m->traces->all[part->number], part, &m->parts[number].findings, e);
}

struct facts *scene_facts(struct scene *m, const struct track_part *part, struct err *e)
{
	const size_t number = (size_t)(part - m->set->parts);
	struct facts **f = &m->parts[number].facts;

	return *f || facts_open(f, &m->set->parts[number], m->ncu, e) == 0 ? *f : NULL;
}

const struct finding *scene_finding(const struct scene *m, const struct track_part *part,
				    uint32_t number)
{
	const struct report *r = &m->parts[part - m->set->parts].findings.report;

	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING && r->blocks[i].finding->place_count &&
		    !number--)
			return r->blocks[i].finding;
	}
	return NULL;
}

struct lane_event scene_event(const struct scene *m, const struct event_place *p)
{
	return lane_event(&m->set->all[p->track].lanes.all[p->lane], p->at);
}

struct event_place scene_find(const struct scene *m, size_t track, uint32_t id, int64_t start_ns)
{
	struct event_place p = {.track = track};

	p.any = track_set_find_event(m->set, track, id, start_ns, &p.lane, &p.at);
	return p;
}
