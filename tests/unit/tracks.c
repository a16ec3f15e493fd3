/*
 * The tracks of traces as JSON: tracks WINDOWS TRACE.sqlite…. Of each its events and the time of
 * each class, in all and in some windows chosen by lot; that pixels sum up to them is checked here.
 */
#include "base/mem.h"
#include "timeline/track_set.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 97 };

static uint64_t seed = 7;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 11) % below;
}

static void add_past(const struct lanes *l, int64_t at_ns, int sign, int64_t ns[LANE_CLASSES])
{
	for (size_t i = 0; i < l->count; i++) {
		struct lane_past past;

		lane_past(&l->all[i], at_ns, &past);
		for (int c = 0; c < LANE_CLASSES; c++)
			ns[c] += sign * past.ns[c];
	}
}

static void print_times(const struct track *t, struct span w)
{
	const struct lanes *l = &t->lanes;
	int64_t ns[LANE_CLASSES] = {0}, pixels[LANE_CLASSES] = {0};
	const int64_t length = w.end_ns - w.start_ns;

	add_past(l, w.end_ns, 1, ns);
	add_past(l, w.start_ns, -1, ns);
	for (int64_t i = 0; i < PIXELS; i++) {
		add_past(l, w.start_ns + length / PIXELS * i, -1, pixels);
		add_past(l, i + 1 < PIXELS ? w.start_ns + length / PIXELS * (i + 1) : w.end_ns, 1,
			 pixels);
	}
	if (memcmp(ns, pixels, sizeof(ns)) != 0) {
		fprintf(stderr, "tracks: pixels do not sum up to their window\n");
		exit(1);
	}
	printf("{\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"ns\":[", w.start_ns, w.end_ns);
	for (int c = 0; c < LANE_CLASSES; c++)
		printf("%s%" PRId64, c ? "," : "", ns[c]);
	printf("]");
	if (t->values) {
		const double mean = values_mean(t->values, &l->all[0], w);

		printf(",\"mean\":%.9g", isnan(mean) ? -1 : mean);
	}
	printf("}");
}

static void print_track(struct track_set *t, size_t number, size_t windows)
{
	const struct lanes *l = track_set_lanes(t, number);
	const struct track *x = &t->all[number];
	const int64_t length = t->limits.end_ns - t->limits.start_ns;

	printf("%s{\"part\":%zu,\"name\":\"%s\",\"label\":\"%s\",\"kind\":%d,\"device\":%d,"
	       "\"stream\":%d,\"thread\":%" PRIu64
	       ",\"events\":%zu,\"spilt\":%zu,\"lanes\":%zu,\"first\":%" PRId64 ",\"windows\":[",
	       number ? ",\n" : "", x->part->number, x->kind == TRACK_CAPTURE ? x->label : "",
	       x->values ? x->label : "", x->kind, (int)x->device, (int)x->stream,
	       x->thread < x->part->trace->thread_keys.count
		       ? x->part->trace->thread_keys.keys[x->thread]
		       : 0,
	       l->events, l->spilt, l->count, l->events ? lane_event(&l->all[0], 0).start_ns : 0);
	print_times(x, t->limits);
	for (size_t i = 0; i < windows; i++) {
		const int64_t from = t->limits.start_ns + length / 1009 * (int64_t)draw(1009);
		const int64_t to = from + (t->limits.end_ns - from) / (1 + (int64_t)draw(5000));

		putchar(',');
		print_times(x, (struct span){from, to});
	}
	printf("]}");
}

static int add_all(struct track_set *tracks, struct traces *t, struct err *e)
{
	const struct scope all = {0};

	if (traces_ask(t, &all, e) < 0)
		return -1;
	for (size_t i = 0; i < t->count; i++) {
		struct track_part *p;

		if (track_set_add_capture(tracks, &t->all[i], i, e) < 0)
			return -1;
		p = &tracks->parts[i];
		if (track_part_add_threads(p, e) < 0 || track_part_add_steps(p, e) < 0 ||
		    track_part_add_projected(p, e) < 0 || track_part_add_samples(p, e) < 0 ||
		    track_part_add_counters(p, e) < 0 || track_part_add_collectives(p, e) < 0 ||
		    track_part_add_memory(p, e) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct track_set *tracks = track_set_new((size_t)argc);
	const struct input_args in = {0};
	struct traces t = {0};
	struct err e = {0};

	if (argc < 3 ||
	    traces_open(&t, (const char *const *)argv + 2, (size_t)argc - 2, &in, NULL, &e) < 0 ||
	    add_all(tracks, &t, &e) < 0) {
		fprintf(stderr, "tracks: %s\n", e.message);
		return 1;
	}
	for (size_t i = 0; i < tracks->count; i++)
		track_set_lanes(tracks, i);
	printf("[");
	for (size_t i = 0; i < tracks->count; i++)
		print_track(tracks, i, (size_t)atoi(argv[1]));
	printf("]\n");
	track_set_free(tracks);
	traces_close(&t);
	return 0;
}
