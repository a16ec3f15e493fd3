/* GET /tracks: which rows are there? */
#include "base/mem.h"
#include "text/json_write.h"
#include "web/routes.h"

static const char *const kind_names[TRACK_KINDS] = {
	[TRACK_CAPTURE] = "capture",	 [TRACK_STEPS] = "steps",
	[TRACK_FINDINGS] = "findings",	 [TRACK_GPU] = "gpu",
	[TRACK_STREAM] = "stream",	 [TRACK_RANGES] = "ranges",
	[TRACK_SPANS] = "spans",	 [TRACK_CALLS] = "calls",
	[TRACK_PROJECTED] = "projected", [TRACK_SAMPLES] = "samples",
	[TRACK_COUNTER] = "counter",	 [TRACK_COLLECTIVES] = "collectives",
	[TRACK_MEMORY] = "memory",	 [TRACK_OS] = "os",
};

static void add_id(struct json_writer *w, const char *key, uint32_t id)
{
	if (id == ID_NONE)
		json_write_null(w, key);
	else
		json_write_int(w, key, id);
}

static void add_classes(struct json_writer *w, const struct track *t)
{
	json_write_open(w, "classes", '[');
	for (int c = 0; c < LANE_CLASSES; c++)
		json_write_text(w, NULL, track_class_name(t, (uint8_t)c));
	json_write_close(w, ']');
}

static void add_values(struct json_writer *w, const struct track *t)
{
	static const char *const units[] = {
		[VALUE_PERCENT] = "percent", [VALUE_MHZ] = "mhz", [VALUE_BYTES] = "bytes"};

	if (!t->values) {
		json_write_null(w, "values");
		return;
	}
	json_write_open(w, "values", '{');
	json_write_text(w, "unit", units[t->values->unit]);
	json_write_real(w, "full", t->values->full);
	json_write_close(w, '}');
}

static uint32_t pid_of(const struct track *t)
{
	const struct intern *processes = &t->part->trace->process_keys;

	return t->process < processes->count ? process_pid(processes->keys[t->process]) : ID_NONE;
}

static void add_track(struct json_writer *w, struct track_set *set, size_t track)
{
	const struct track *t = &set->all[track];
	SCOPED_BUF name = {0};
	TRACE_LOCK_SCOPE(t->part->trace); /* an analysis may meet processes, and number them */

	track_set_add_name(&name, set, track);
	json_write_open(w, NULL, '{');
	json_write_int(w, "number", (int64_t)t->number);
	json_write_text(w, "kind", kind_names[t->kind]);
	json_write_text(w, "label", t->label);
	json_write_str(w, "name", buf_str(&name));
	json_write_int(w, "depth", (int64_t)t->depth);
	json_write_int(w, "capture", (int64_t)t->part->number);
	add_id(w, "device", t->device);
	add_id(w, "pid", pid_of(t));
	add_id(w, "stream", t->kind == TRACK_STREAM ? t->stream : ID_NONE);
	json_write_bool(w, "nested", track_is_nested(t));
	json_write_bool(w, "folded", track_set_begins_folded(set, track));
	add_classes(w, t);
	/* To make the lanes of all tracks takes a while: a tile tells how many there are. */
	if (t->is_made)
		json_write_int(w, "lanes", (int64_t)t->lanes.count);
	else
		json_write_null(w, "lanes");
	add_values(w, t);
	json_write_close(w, '}');
}

int route_tracks(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};

	(void)r;
	(void)e;
	json_write_open(&w, NULL, '{');
	json_write_int(&w, "tracks_version", (int64_t)s->status.tracks_version);
	json_write_open(&w, "tracks", '[');
	for (size_t i = 0; i < s->scene.set->count; i++)
		add_track(&w, s->scene.set, i);
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	return 0;
}
