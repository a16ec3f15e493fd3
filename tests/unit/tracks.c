/*
 * The tracks of a trace as JSON: tracks TRACE.sqlite [WINDOWS]. Of each its events and the time of
 * each class, in all and in some windows chosen by lot; that pixels sum up to them is checked here.
 */
#include "base/mem.h"
#include "sqlitefile/sqlitefile.h"
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

	printf("%s{\"label\":\"%s\",\"kind\":%d,\"device\":%d,\"stream\":%d,\"thread\":%" PRIu64
	       ",\"events\":%zu,\"spilt\":%zu,\"lanes\":%zu,\"windows\":[",
	       number ? ",\n" : "", x->values ? x->label : "", x->kind, (int)x->device,
	       (int)x->stream,
	       x->thread < t->trace->thread_keys.count ? t->trace->thread_keys.keys[x->thread] : 0,
	       l->events, l->spilt, l->count);
	print_times(x, t->limits);
	for (size_t i = 0; i < windows; i++) {
		const int64_t from = t->limits.start_ns + length / 1009 * (int64_t)draw(1009);
		const int64_t to = from + (t->limits.end_ns - from) / (1 + (int64_t)draw(5000));

		putchar(',');
		print_times(x, (struct span){from, to});
	}
	printf("]}");
}

int main(int argc, char **argv)
{
	struct sqlitefile *file;
	struct scope scope = {0};
	struct track_set *tracks;
	struct trace *trace;
	struct err e = {0};

	if (argc < 2 || sqlitefile_open(&file, argv[1], &e) < 0 ||
	    trace_open(&trace, argv[1], file, &e) < 0 ||
	    track_set_open(&tracks, trace, &scope, &e) < 0 ||
	    track_set_add_threads(tracks, &e) < 0 || track_set_add_steps(tracks, &e) < 0 ||
	    track_set_add_projected(tracks, &e) < 0 || track_set_add_samples(tracks, &e) < 0 ||
	    track_set_add_counters(tracks, &e) < 0 || track_set_add_collectives(tracks, &e) < 0 ||
	    track_set_add_memory(tracks, &e) < 0) {
		fprintf(stderr, "tracks: %s\n", e.message);
		return 1;
	}
	for (size_t i = 0; i < tracks->count; i++)
		track_set_lanes(tracks, i);
	printf("[");
	for (size_t i = 0; i < tracks->count; i++)
		print_track(tracks, i, argc > 2 ? (size_t)atoi(argv[2]) : 0);
	printf("]\n");
	track_set_close(tracks);
	trace_close(trace);
	return 0;
}
