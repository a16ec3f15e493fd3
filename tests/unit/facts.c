/*
 * What is known of events of a trace, as JSON: facts TRACE.sqlite COUNT. So many of each track,
 * chosen by lot.
 */
#include "timeline/facts/facts.h"
#include "base/mem.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 7;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 11) % below;
}

static void print_text(const char *key, struct str text)
{
	SCOPED_BUF b = {0};

	text_add_json(&b, text);
	printf(",\"%s\":%s", key, b.s);
}

static void print_number(const char *key, int64_t value)
{
	if (value != INT_NONE)
		printf(",\"%s\":%" PRId64, key, value);
}

static void print_alike(const struct event_facts *x)
{
	const struct durations *d = x->alike;

	if (!d || !d->count)
		return;
	printf(",\"alike\":{\"count\":%zu,\"longer\":%zu,\"min\":%" PRId64 ",\"max\":%" PRId64
	       ",\"median\":%.17g,\"bins\":[",
	       d->count, x->longer, d->min_ns, d->max_ns, d->median_ns);
	for (int i = 0; i < DURATION_BINS; i++)
		printf("%s[%" PRId64 ",%zu]", i ? "," : "", d->edge_ns[i], d->bins[i]);
	printf("]}");
}

static void print_launch(const struct event_facts *x)
{
	if (x->launch.is_known) {
		print_text("call", x->launch.call);
		print_text("launching_thread", str_of(x->launch.thread ? x->launch.thread : ""));
		print_number("call_start", x->launch.span.start_ns);
		print_number("queue", x->launch.queue_ns);
	}
	if (x->launched.count) {
		print_number("launched", (int64_t)x->launched.count);
		print_number("launched_ns", x->launched.gpu_ns);
		print_number("launched_queue", x->launched_queue_ns);
	}
	if (x->step.is_known)
		print_number("step", x->step.number);
	print_text("path", x->path);
	print_text("line", x->line);
}

static void print_op(const struct event_facts *x)
{
	const struct launch_shape *s = &x->shape;
	const int64_t shape[] = {s->grid[0],   s->grid[1],	     s->grid[2],
				 s->block[0],  s->block[1],	     s->block[2],
				 s->registers, s->static_smem_bytes, s->dynamic_smem_bytes};

	print_text("category", x->category);
	print_number("bytes", x->bytes);
	if (x->occupancy.is_known)
		printf(",\"occupancy\":%.17g", x->occupancy.pct);
	if (x->counters.own.samples >= METRIC_SAMPLES_MIN)
		printf(",\"sms_active\":%.9g", x->counters.own.value[METRIC_SMS_ACTIVE]);
	printf(",\"shape\":[");
	for (size_t i = 0; i < ARRAY_LEN(shape); i++)
		printf("%s%" PRId64, i ? "," : "", shape[i] == INT_NONE ? -1 : shape[i]);
	printf("]");
}

/* The row of the export that it is; -1: it was derived. */
static int64_t row_of(const struct track_part *r, const struct event_facts *x)
{
	const uint32_t id = x->event.id;

	if (x->track->kind == TRACK_STREAM)
		return op_id_row(id);
	if (x->track->kind == TRACK_RANGES)
		return r->ranges.forest.ranges[id].row;
	if (x->track->kind == TRACK_SPANS)
		return r->spans.forest.ranges[id].row;
	return x->track->kind == TRACK_CALLS ? (int64_t)id : -1;
}

static void print_event(const struct track_part *r, const struct event_facts *x)
{
	static bool is_later;
	const uint64_t *keys = r->trace->thread_keys.keys;

	printf("%s{\"kind\":%d,\"op\":%d,\"row\":%" PRId64 ",\"start\":%" PRId64 ",\"end\":%" PRId64
	       ",\"thread\":%" PRIu64,
	       is_later ? ",\n" : "", x->track->kind,
	       x->track->kind == TRACK_STREAM ? (int)op_id_kind(x->event.id) : -1, row_of(r, x),
	       x->event.start_ns, x->event.end_ns,
	       x->track->thread < r->trace->thread_keys.count ? keys[x->track->thread] : 0);
	is_later = true;
	print_text("name", x->name);
	print_alike(x);
	print_launch(x);
	print_op(x);
	if (x->work) {
		print_number("gpu_ns", x->work->gpu_ns);
		print_number("ops", x->work->ops);
		print_number("kernels", x->work->kernels);
	}
	printf("}");
}

/* Rows of sampled code are told in full. */
static void print_track(struct facts *f, size_t number, size_t count)
{
	const struct lanes *l = track_set_lanes(f->part->set, number);
	const struct track *t = &f->part->set->all[number];

	for (size_t i = 0; l->count && i < (t->kind == TRACK_SAMPLES ? l->all[0].count : count);
	     i++) {
		const struct lane *lane = &l->all[t->kind == TRACK_SAMPLES ? 0 : draw(l->count)];
		struct lane_event event;
		struct event_facts x;
		struct err e = {0};

		if (!lane->count)
			continue;
		event = lane_event(lane, t->kind == TRACK_SAMPLES ? i : draw(lane->count));
		if (facts_find(f, t, &event, &x, &e) < 0) {
			fprintf(stderr, "facts: %s\n", e.message);
			exit(1);
		}
		print_event(f->part, &x);
		event_facts_free(&x);
	}
}

static int add_all(struct track_set *set, struct traces *t, struct err *e)
{
	const struct scope all = {0};
	struct track_part *p = &set->parts[0];

	if (traces_ask(t, &all, e) < 0 || track_set_add_capture(set, &t->all[0], 0, e) < 0 ||
	    track_part_add_threads(p, e) < 0 || track_part_add_steps(p, e) < 0 ||
	    track_part_add_projected(p, e) < 0 || track_part_add_samples(p, e) < 0)
		return -1;
	return track_part_add_counters(p, e);
}

int main(int argc, char **argv)
{
	struct track_set *set = track_set_new(1);
	const struct input_args in = {0};
	struct traces t = {0};
	struct facts *facts;
	struct err e = {0};

	if (argc < 3 || traces_open(&t, (const char *const *)argv + 1, 1, &in, NULL, &e) < 0 ||
	    add_all(set, &t, &e) < 0 || facts_open(&facts, &set->parts[0], NULL, &e) < 0) {
		fprintf(stderr, "facts: %s\n", e.message);
		return 1;
	}
	printf("[");
	for (size_t i = 0; i < set->count; i++)
		print_track(facts, i, (size_t)atoi(argv[2]));
	printf("]\n");
	facts_close(facts);
	track_set_free(set);
	traces_close(&t);
	return 0;
}
