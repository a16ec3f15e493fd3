/* Where are findings seen on a timeline? */
#include "base/mem.h"
#include "report/finding.h"
#include "report/report.h"
#include "timeline/track_set.h"

static const uint8_t looks[] = {[SEVERITY_INFO] = FINDING_INFO,
				[SEVERITY_LOW] = FINDING_LOW,
				[SEVERITY_MEDIUM] = FINDING_MEDIUM,
				[SEVERITY_HIGH] = FINDING_HIGH};

static bool overlaps(struct derived_span d, struct span place)
{
	return d.start_ns < place.end_ns && place.start_ns < d.end_ns;
}

static bool has_room(const struct span_source *s, uint32_t lane, const struct finding *f)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct derived_span d = span_source_at(s, i);

		for (size_t k = 0; s->lane_of[d.of] == lane && k < f->place_count; k++) {
			if (overlaps(d, f->places[k]))
				return false;
		}
	}
	return true;
}

/*
 * All places of a finding lie in one lane. They come by rank: those that matter most have the upper
 * lanes, and others where these leave room.
 */
static void add_finding(struct track_part *r, const struct finding *f)
{
	struct named_spans *n = &r->findings;
	const uint32_t number = (uint32_t)n->name_count;
	uint32_t lane = 0;

	while (lane < n->spans.lanes && !has_room(&n->spans, lane, f))
		lane++;
	n->spans.lanes += lane == n->spans.lanes;
	MEM_GROW(n->spans.lane_of, n->spans.lane_cap, number + 1);
	n->spans.lane_of[number] = lane;
	for (size_t i = 0; i < f->place_count; i++)
		span_source_add(&n->spans,
				(struct derived_span){f->places[i].start_ns, f->places[i].end_ns,
						      number, looks[f->severity]});
	MEM_GROW(n->names, n->name_cap, n->name_count + 1);
	n->names[n->name_count++] = arena_printf(&r->arena, "%s", f->title);
}

void track_part_add_findings(struct track_part *r, const struct report *answer)
{
	span_source_begin(&r->findings.spans);
	for (size_t i = 0; i < answer->block_count; i++) {
		if (answer->blocks[i].kind == BLOCK_FINDING &&
		    answer->blocks[i].finding->place_count)
			add_finding(r, answer->blocks[i].finding);
	}
	if (r->findings.spans.count)
		track_part_insert(r, track_part_begin(r) + r->depth,
				  (struct track){.kind = TRACK_FINDINGS,
						 .label = "findings",
						 .process = ID_NONE,
						 .device = ID_NONE,
						 .thread = ID_NONE,
						 .derived = &r->findings.spans,
						 .names = r->findings.names});
}
