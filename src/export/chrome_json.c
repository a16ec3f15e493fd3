/* How is a timeline written as Chrome's trace events, in JSON? */
#include "base/mem.h"
#include "base/version.h"
#include "export/timeline.h"
#include "export/writer.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

/* More than an event takes beside its name and its args. */
enum { EVENT_MOST = 256 };

struct json {
	struct timeline_head head;
	struct out_bytes out;
	bool any; /* an event has been written */
	/* By number: texts in quotes, blocks of args, tracks as the beginning of their events. */
	struct ready texts, blocks, tracks, units;
	struct buf made, scratch;
	struct str keys[KEY_COUNT]; /* "\"grid\":" */
	struct arena arena;
};

static char *put(char *at, const void *bytes, size_t len)
{
	memcpy(at, bytes, len);
	return at + len;
}

#define PUT(at, literal) put(at, literal, sizeof(literal) - 1)

static void *json_open(const struct timeline_head *head, struct sink *out)
{
	struct json *j = mem_zalloc(1, sizeof(*j));

	j->head = *head;
	j->out.sink = out;
	buf_reserve(&j->out.bytes, OUT_PIECE + 64 * EVENT_MOST);
	for (int i = 0; i < KEY_COUNT; i++)
		j->keys[i] = str_of(arena_printf(&j->arena, "\"%s\":", timeline_key_names[i]));
	return j;
}

static int json_begin(void *w, struct err *e)
{
	struct json *j = w;
	struct buf *b = &j->out.bytes;

	buf_adds(b,
		 "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"gpuwhy " GPUWHY_VERSION
		 "\"");
	if (j->head.tool) {
		buf_adds(b, ",\"recorder\":");
		text_add_json(b, str_of(j->head.tool));
	}
	if (j->head.shift_ns)
		buf_addf(b, ",\"shift_ns\":%lld", (long long)j->head.shift_ns);
	buf_adds(b, "},\n\"traceEvents\":[\n");
	return out_bytes_poll(&j->out, e);
}

/* A comma and a new line before all events but the first. */
static void begin_event(struct json *j)
{
	if (j->any)
		buf_adds(&j->out.bytes, ",\n");
	j->any = true;
}

/* An "M" event: what something is called, or where it stands. */
static void add_metadata(struct json *j, const char *what, uint32_t pid, uint32_t tid,
			 const char *key, struct str text, int32_t number)
{
	struct buf *b = &j->out.bytes;

	begin_event(j);
	buf_addf(b, "{\"ph\":\"M\",\"pid\":%u", pid);
	if (tid)
		buf_addf(b, ",\"tid\":%u", tid);
	buf_addf(b, ",\"name\":\"%s\",\"args\":{\"%s\":", what, key);
	if (text.s)
		text_add_json(b, text);
	else
		buf_addf(b, "%d", number);
	buf_adds(b, "}}");
}

static int json_process(void *w, const struct timeline_process *p, struct err *e)
{
	struct json *j = w;

	add_metadata(j, "process_name", p->id, 0, "name", p->name, 0);
	add_metadata(j, "process_sort_index", p->id, 0, "sort_index", (struct str){NULL, 0},
		     p->rank);
	return out_bytes_poll(&j->out, e);
}

/* What the value of a counter is called. */
static const char *const unit_names[] = {
	[UNIT_OF_COUNT] = "launches", [UNIT_OF_BYTES] = "bytes", [UNIT_OF_BYTES_PER_S] = "bytes/s",
	[UNIT_OF_PERCENT] = "%",      [UNIT_OF_MHZ] = "MHz",	 [UNIT_OF_METRIC] = "value",
};

/* The beginning of a track's events is always the same. */
static int json_track(void *w, const struct timeline_track *t, struct err *e)
{
	struct json *j = w;

	buf_clear(&j->made);
	if (t->is_counter) {
		buf_addf(&j->made, "{\"ph\":\"C\",\"pid\":%u,\"name\":", t->process);
		text_add_json(&j->made, t->name);
		buf_adds(&j->made, ",\"ts\":");
		ready_keep_always(&j->units, t->id, str_of(unit_names[t->unit]));
	} else {
		add_metadata(j, "thread_name", t->process, t->id, "name", t->name, 0);
		add_metadata(j, "thread_sort_index", t->process, t->id, "sort_index",
			     (struct str){NULL, 0}, t->rank);
		buf_addf(&j->made, "\"pid\":%u,\"tid\":%u,\"ts\":", t->process, t->id);
	}
	ready_keep_always(&j->tracks, t->id, buf_str(&j->made));
	return out_bytes_poll(&j->out, e);
}

static struct str json_text(struct json *j, uint32_t number)
{
	if (ready_has(&j->texts, number))
		return j->texts.all[number];
	buf_clear(&j->made);
	text_add_json(&j->made, texts_get(j->head.texts, number, &j->scratch));
	return ready_keep(&j->texts, number, buf_str(&j->made));
}

static char *put_sides(char *at, const uint32_t sides[3])
{
	*at++ = '"';
	for (int i = 0; i < 3; i++) {
		at = digits_put(at, sides[i]);
		*at++ = i < 2 ? ',' : '"';
	}
	return at;
}

/* "key":value, with a comma after it. */
static char *put_arg(struct json *j, const struct timeline_arg *arg)
{
	struct str text =
		arg->type == ARG_TEXT ? json_text(j, (uint32_t)arg->value) : (struct str){NULL, 0};
	char *at = out_bytes_begin(&j->out, EVENT_MOST + text.len);

	at = put(at, j->keys[arg->key].s, j->keys[arg->key].len);
	if (arg->type == ARG_TEXT)
		at = put(at, text.s, text.len);
	else if (arg->type == ARG_SIDES)
		at = put_sides(at, arg->sides);
	else
		at = digits_put_signed(at, arg->value);
	*at++ = ',';
	out_bytes_end(&j->out, at);
	return at;
}

/* The args of a block are made where others go, and kept. */
static struct str make_block(struct json *j, uint32_t number)
{
	struct timeline_block block = j->head.block(j->head.block_ctx, number);
	size_t begin = j->out.bytes.len;
	struct str made;

	for (size_t i = 0; i < block.count; i++)
		put_arg(j, &block.args[i]);
	made = (struct str){j->out.bytes.s + begin, j->out.bytes.len - begin};
	j->out.bytes.len = begin;
	return ready_keep(&j->blocks, number, made);
}

static void add_block(struct json *j, uint32_t number)
{
	struct str made =
		ready_has(&j->blocks, number) ? j->blocks.all[number] : make_block(j, number);
	char *at;

	/* What is not kept already lies where it goes. */
	if (made.s == j->out.bytes.s + j->out.bytes.len) {
		j->out.bytes.len += made.len;
		return;
	}
	at = out_bytes_begin(&j->out, made.len);
	out_bytes_end(&j->out, put(at, made.s, made.len));
}

/* ,"args":{…}} with what both have; the last comma goes. */
static void add_args(struct json *j, const struct timeline_slice *s)
{
	char *at;

	if (s->block != BLOCK_NONE || s->arg_count) {
		at = out_bytes_begin(&j->out, EVENT_MOST);
		out_bytes_end(&j->out, PUT(at, ",\"args\":{"));
		if (s->block != BLOCK_NONE)
			add_block(j, s->block);
		for (size_t i = 0; i < s->arg_count; i++)
			put_arg(j, &s->args[i]);
		if (j->out.bytes.s[j->out.bytes.len - 1] == ',')
			j->out.bytes.len--;
		at = out_bytes_begin(&j->out, EVENT_MOST);
		*at++ = '}';
	} else {
		at = out_bytes_begin(&j->out, EVENT_MOST);
	}
	*at++ = '}';
	out_bytes_end(&j->out, at);
}

/* {"ph":"X","pid":1,"tid":2,"ts":3.000 */
static char *put_head(char *at, struct json *j, const char *head, size_t len, uint32_t track,
		      int64_t at_ns)
{
	if (j->any)
		at = PUT(at, ",\n");
	j->any = true;
	at = put(at, head, len);
	at = put(at, j->tracks.all[track].s, j->tracks.all[track].len);
	return digits_put_us(at, (uint64_t)at_ns);
}

#define PUT_HEAD(at, j, head, track, at_ns) put_head(at, j, head, sizeof(head) - 1, track, at_ns)

/* A name that is not kept must be used before the next is made. */
static void add_name(struct json *j, const char *key, size_t len, uint32_t text)
{
	struct str s = json_text(j, text);
	char *at = out_bytes_begin(&j->out, EVENT_MOST + s.len);

	at = put(at, key, len);
	out_bytes_end(&j->out, put(at, s.s, s.len));
}

#define ADD_NAME(j, key, text) add_name(j, key, sizeof(key) - 1, text)

static int add_arrow(struct json *j, const char *head, size_t len, uint32_t track, int64_t at_ns,
		     uint64_t id, struct err *e)
{
	char *at = out_bytes_begin(&j->out, EVENT_MOST);

	at = put_head(at, j, head, len, track, at_ns);
	at = PUT(at, ",\"id\":");
	at = digits_put(at, id);
	at = PUT(at, ",\"name\":\"launch\",\"cat\":\"launch\"}");
	out_bytes_end(&j->out, at);
	return out_bytes_poll(&j->out, e);
}

#define ADD_ARROW(j, head, s, id, e) \
	add_arrow(j, head, sizeof(head) - 1, (s)->track, (s)->start_ns, id, e)

static int json_slice(void *w, const struct timeline_slice *s, struct err *e)
{
	struct json *j = w;
	char *at = out_bytes_begin(&j->out, EVENT_MOST);

	at = PUT_HEAD(at, j, "{\"ph\":\"X\",", s->track, s->start_ns);
	at = PUT(at, ",\"dur\":");
	out_bytes_end(&j->out, digits_put_us(at, (uint64_t)(s->end_ns - s->start_ns)));
	ADD_NAME(j, ",\"name\":", s->name);
	ADD_NAME(j, ",\"cat\":", s->category);
	add_args(j, s);
	for (uint64_t i = 0; i < s->arrows_out; i++) {
		if (ADD_ARROW(j, "{\"ph\":\"s\",", s, s->arrow_out + i, e) < 0)
			return -1;
	}
	if (s->arrow_in && ADD_ARROW(j, "{\"ph\":\"f\",\"bp\":\"e\",", s, s->arrow_in, e) < 0)
		return -1;
	return out_bytes_poll(&j->out, e);
}

static int json_instant(void *w, const struct timeline_slice *s, struct err *e)
{
	struct json *j = w;
	char *at = out_bytes_begin(&j->out, EVENT_MOST);

	at = PUT_HEAD(at, j, "{\"ph\":\"i\",\"s\":\"t\",", s->track, s->start_ns);
	out_bytes_end(&j->out, at);
	ADD_NAME(j, ",\"name\":", s->name);
	ADD_NAME(j, ",\"cat\":", s->category);
	add_args(j, s);
	return out_bytes_poll(&j->out, e);
}

/* JSON knows no infinity, and no number that is none. */
static void add_real(struct json *j, double x)
{
	if (isfinite(x))
		units_add_real(&j->out.bytes, x);
	else
		buf_adds(&j->out.bytes, "null");
}

static int json_counter(void *w, const struct timeline_value *v, struct err *e)
{
	struct json *j = w;
	const struct str *track = &j->tracks.all[v->track], *unit = &j->units.all[v->track];
	char *at = out_bytes_begin(&j->out, EVENT_MOST + track->len);

	at = put_head(at, j, "", 0, v->track, v->at_ns);
	at = PUT(at, ",\"args\":{\"");
	at = put(at, unit->s, unit->len);
	at = PUT(at, "\":");
	if (!v->is_real)
		at = digits_put_signed(at, v->value);
	out_bytes_end(&j->out, at);
	if (v->is_real)
		add_real(j, v->real);
	at = out_bytes_begin(&j->out, EVENT_MOST);
	out_bytes_end(&j->out, PUT(at, "}}"));
	return out_bytes_poll(&j->out, e);
}

static int json_end(void *w, struct err *e)
{
	struct json *j = w;

	buf_adds(&j->out.bytes, "\n]}\n");
	return out_bytes_flush(&j->out, e);
}

static void json_close(void *w)
{
	struct json *j = w;

	ready_free(&j->texts);
	ready_free(&j->blocks);
	ready_free(&j->tracks);
	ready_free(&j->units);
	buf_free(&j->made);
	buf_free(&j->scratch);
	buf_free(&j->out.bytes);
	arena_free(&j->arena);
	free(j);
}

const struct timeline_writer timeline_chrome_json = {
	.is_text = true,
	.open = json_open,
	.begin = json_begin,
	.process = json_process,
	.track = json_track,
	.slice = json_slice,
	.instant = json_instant,
	.counter = json_counter,
	.end = json_end,
	.close = json_close,
};
