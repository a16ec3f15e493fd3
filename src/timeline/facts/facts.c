/* What is known of an event of a timeline? */
#include "timeline/facts/facts.h"

#include "base/mem.h"

#include <stdlib.h>

static int join_launches(struct facts *f, struct err *e)
{
	struct trace *t = f->part->trace;
	const unsigned kinds = t->events[TRACE_API].table ? joinable_kinds(t) : 0;

	if (!kinds)
		return 0;
	if (attribution_make(t, kinds, &f->of, e) < 0)
		return err_forgive_absent(e);
	f->is_joined = true;
	innermost_make(&f->of.forest, t->thread_keys.count, &f->innermost);
	return 0;
}

static int read_steps(struct facts *f, struct err *e)
{
	if (iterations_read(f->part->trace, &f->part->scope, &f->steps, e) == 0)
		return 0;
	f->steps = (struct iterations){0};
	return err_forgive_absent(e);
}

/* Samples are looked at where the set has read them already. */
static int read_lines(struct facts *f, struct err *e)
{
	int (*const read)(struct call_lines * l, struct trace * t, struct err * e) =
		f->part->sampled ? call_lines_read_all : call_lines_read;

	if (read(&f->lines, f->part->trace, e) == 0)
		return 0;
	f->lines = (struct call_lines){0};
	return err_forgive_absent(e);
}

static int read_categories(struct facts *f, struct err *e)
{
	const struct str usual = STR_LIT("default");
	enum category_missing ignored;

	if (category_maps_read(&f->maps, NULL, 0, e) < 0)
		return -1;
	return categories_compile(&f->categories,
				  category_maps_find(&f->maps, usual, usual, &ignored), e);
}

static int join_ncu(struct facts *f, const struct ncu_report *ncu, struct err *e)
{
	if (!ncu || ncu_study_make(&f->ncu, ncu, f->part->trace, &f->part->scope, e) == 0)
		return 0;
	return err_forgive_absent(e);
}

int facts_open(struct facts **ret, struct track_part *part, const struct ncu_report *ncu,
	       struct err *e)
{
	struct facts *f = mem_zalloc(1, sizeof(*f));

	f->part = part;
	if (join_launches(f, e) < 0 || read_steps(f, e) < 0 || read_lines(f, e) < 0 ||
	    host_names_read(part->trace, &f->names, e) < 0 ||
	    machine_read(part->trace, &f->machine, e) < 0 || read_categories(f, e) < 0 ||
	    join_ncu(f, ncu, e) < 0) {
		facts_close(f);
		return -1;
	}
	f->thread_count = part->trace->thread_keys.count;
	f->thread_labels = mem_zalloc(f->thread_count, sizeof(*f->thread_labels));
	*ret = f;
	return 0;
}

void facts_close(struct facts *f)
{
	if (!f)
		return;
	if (f->is_joined) {
		innermost_free(&f->innermost);
		attribution_free(&f->of);
	}
	alike_free(&f->alike);
	free(f->sums);
	iterations_free(&f->steps);
	call_lines_free(&f->lines);
	host_names_free(&f->names);
	free(f->thread_labels);
	categories_free(&f->categories);
	category_maps_free(&f->maps);
	kernel_metrics_free(&f->metrics);
	ncu_study_free(&f->ncu);
	free(f);
}

const char *facts_thread(struct facts *f, uint32_t thread)
{
	if (thread >= f->thread_count)
		return NULL;
	if (!f->thread_labels[thread])
		f->thread_labels[thread] = track_part_thread_label(f->part, &f->names, thread);
	return f->thread_labels[thread];
}

static const struct launch_shape no_shape = {{INT_NONE, INT_NONE, INT_NONE},
					     {INT_NONE, INT_NONE, INT_NONE},
					     INT_NONE,
					     INT_NONE,
					     INT_NONE};

int facts_find(struct facts *f, const struct track *track, const struct lane_event *event,
	       struct event_facts *ret, struct err *e)
{
	const struct span own =
		span_shift((struct span){event->start_ns, event->end_ns}, -f->part->shift_ns);

	*ret = (struct event_facts){.track = track,
				    .event = {own.start_ns, own.end_ns, event->id, event->class},
				    .class = track_class_name(track, event->class),
				    .thread = facts_thread(f, track->thread),
				    .shape = no_shape,
				    .bytes = INT_NONE};
	if (track->values)
		return 0;
	ret->name = track_event_name(track, event);
	ret->alike = alike_find(&f->alike, f->part, track, event);
	ret->longer = durations_longer(ret->alike, sat_sub(event->end_ns, event->start_ns));
	switch (track->kind) {
	case TRACK_STREAM:
		facts_find_op_launch(f, ret);
		return facts_find_op(f, ret, e);
	case TRACK_CALLS:
		facts_find_call(f, ret);
		break;
	case TRACK_RANGES:
		facts_find_range(f, ret, event->id);
		break;
	case TRACK_PROJECTED:
		facts_find_range(f, ret, span_source_at(track->derived, event->id).of);
		break;
	case TRACK_SPANS:
	case TRACK_SAMPLES:
		facts_set_step(f, ret, track->thread, own.start_ns);
		break;
	default:
		break;
	}
	return 0;
}

void event_facts_free(struct event_facts *x)
{
	arena_free(&x->arena);
	*x = (struct event_facts){0};
}
