/* How is a timeline written as Perfetto's own trace, in Protocol Buffers? */
#include "base/mem.h"
#include "export/protobuf.h"
#include "export/timeline.h"
#include "export/writer.h"
#include "text/utf8.h"

/* Field numbers of protos/perfetto/trace, message by message. */
enum { TRACE_PACKET = 1 };

enum packet_field {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum { SEQ_INCREMENTAL_STATE_CLEARED = 1, SEQ_NEEDS_INCREMENTAL_STATE = 2 };

enum event_field {
	EVENT_CATEGORY_IIDS = 3,
	EVENT_DEBUG_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_COUNTER_VALUE = 30,
	EVENT_DOUBLE_COUNTER_VALUE = 44,
	EVENT_FLOW_IDS = 47,
	EVENT_TERMINATING_FLOW_IDS = 48,
};

enum event_type { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

enum annotation_field {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_INT_VALUE = 4,
	ANNOTATION_STRING_VALUE = 6,
	ANNOTATION_STRING_VALUE_IID = 17,
};

enum track_field {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT_UUID = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDERING = 11,
	TRACK_SIBLING_ORDER_RANK = 12,
	TRACK_PROCESS_ORDERING = 19,
};

enum { CHILD_ORDERING_EXPLICIT = 3, PROCESS_ORDERING_EXPLICIT = 1 };
enum { PROCESS_PID = 1, PROCESS_SORT_INDEX = 3, PROCESS_NAME = 6 };
enum { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum { COUNTER_UNIT_COUNT = 2, COUNTER_UNIT_SIZE_BYTES = 3 };
enum { INTERNED_IID = 1, INTERNED_TEXT = 2 };

/* Spaces of interned texts, and their fields of InternedData. */
enum space { SPACE_CATEGORIES, SPACE_NAMES, SPACE_KEYS, SPACE_VALUES, SPACES };

static const uint32_t space_fields[SPACES] = {
	[SPACE_CATEGORIES] = 1, [SPACE_NAMES] = 2, [SPACE_KEYS] = 3, [SPACE_VALUES] = 29};

/* All is one sequence of packets, written by one producer. */
enum { THE_SEQUENCE = 1 };

/* What is open on a track: when it ends, outermost first. */
struct open_slices {
	int64_t *ends_ns;
	size_t depth, cap;
};

/* Texts get their iids as they are met: their own numbers depend on how the trace was read. */
struct interned {
	uint64_t iid;	 /* 0: none yet */
	unsigned spaces; /* that know it: bits 1 << space */
};

struct pftrace {
	struct timeline_head head;
	struct out_bytes out;
	bool begun;		   /* the first packet has been written */
	struct interned *interned; /* by text */
	size_t interned_cap;
	uint64_t last_iid;
	bool key_interned[KEY_COUNT];
	struct ready blocks;
	struct open_slices *tracks; /* by id */
	size_t track_cap;
	struct buf event, packet, inner, fresh, scratch, text;
};

/* Makes room for number i; what is new is zero. */
#define GROW_ZEROED(array, cap, i)                                                      \
	do {                                                                            \
		size_t before = (cap);                                                  \
		if ((i) >= before) {                                                    \
			MEM_GROW(array, cap, (size_t)(i) + 1);                          \
			memset((array) + before, 0, ((cap)-before) * sizeof(*(array))); \
		}                                                                       \
	} while (0)

static void *pftrace_open(const struct timeline_head *head, struct sink *out)
{
	struct pftrace *p = mem_zalloc(1, sizeof(*p));

	p->head = *head;
	p->out.sink = out;
	return p;
}

/* Strings are UTF-8: what is not becomes U+FFFD, as in JSON. */
static struct str as_utf8(struct pftrace *p, struct str s)
{
	size_t at = 0, len;
	uint32_t c;

	while (at < s.len && (len = utf8_decode((struct str){s.s + at, s.len - at}, &c)) > 0)
		at += len;
	if (at == s.len)
		return s;
	buf_clear(&p->text);
	for (at = 0; at < s.len; at += len ? len : 1) {
		len = utf8_decode((struct str){s.s + at, s.len - at}, &c);
		buf_add(&p->text, len ? s.s + at : "\xef\xbf\xbd", len ? len : 3);
	}
	return buf_str(&p->text);
}

/* New texts leave with the packet that first has need of them. */
static void add_interned(struct pftrace *p, enum space space, uint64_t iid, struct str text)
{
	p->inner.len = 0;
	pb_add_uint(&p->inner, INTERNED_IID, iid);
	pb_add_bytes(&p->inner, INTERNED_TEXT, as_utf8(p, text));
	pb_add_bytes(&p->fresh, space_fields[space], buf_str(&p->inner));
}

/* The iid of a text. */
static uint64_t intern(struct pftrace *p, enum space space, uint32_t text)
{
	struct interned *known;

	GROW_ZEROED(p->interned, p->interned_cap, text);
	known = &p->interned[text];
	if (!known->iid)
		known->iid = ++p->last_iid;
	if (!(known->spaces & 1u << space)) {
		known->spaces |= 1u << space;
		add_interned(p, space, known->iid, texts_get(p->head.texts, text, &p->scratch));
	}
	return known->iid;
}

static uint64_t intern_key(struct pftrace *p, enum timeline_key key)
{
	if (!p->key_interned[key]) {
		p->key_interned[key] = true;
		add_interned(p, SPACE_KEYS, (uint64_t)key + 1, str_of(timeline_key_names[key]));
	}
	return (uint64_t)key + 1;
}

/* Wraps `body` as a field of a packet, and the packet as one of the trace. */
static int add_packet(struct pftrace *p, const int64_t *at_ns, enum packet_field what,
		      const struct buf *body, struct err *e)
{
	p->packet.len = 0;
	if (at_ns)
		pb_add_uint(&p->packet, PACKET_TIMESTAMP, (uint64_t)*at_ns);
	pb_add_uint(&p->packet, PACKET_SEQUENCE_ID, THE_SEQUENCE);
	pb_add_uint(&p->packet, PACKET_SEQUENCE_FLAGS,
		    SEQ_NEEDS_INCREMENTAL_STATE | (p->begun ? 0 : SEQ_INCREMENTAL_STATE_CLEARED));
	p->begun = true;
	if (p->fresh.len) {
		pb_add_bytes(&p->packet, PACKET_INTERNED_DATA, buf_str(&p->fresh));
		p->fresh.len = 0;
	}
	pb_add_bytes(&p->packet, what, buf_str(body));
	pb_add_bytes(&p->out.bytes, TRACE_PACKET, buf_str(&p->packet));
	return out_bytes_poll(&p->out, e);
}

/* The root, on which nothing lies, says that processes stand where they say. */
static int pftrace_begin(void *w, struct err *e)
{
	struct pftrace *p = w;

	p->event.len = 0;
	pb_add_uint(&p->event, TRACK_UUID, 0);
	pb_add_uint(&p->event, TRACK_PROCESS_ORDERING, PROCESS_ORDERING_EXPLICIT);
	return add_packet(p, NULL, PACKET_TRACK_DESCRIPTOR, &p->event, e);
}

static int pftrace_process(void *w, const struct timeline_process *of, struct err *e)
{
	struct pftrace *p = w;

	p->inner.len = p->event.len = 0;
	pb_add_uint(&p->inner, PROCESS_PID, of->id);
	pb_add_int(&p->inner, PROCESS_SORT_INDEX, of->rank);
	pb_add_bytes(&p->inner, PROCESS_NAME, as_utf8(p, of->name));
	pb_add_uint(&p->event, TRACK_UUID, of->id);
	pb_add_bytes(&p->event, TRACK_PROCESS, buf_str(&p->inner));
	pb_add_uint(&p->event, TRACK_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
	pb_add_int(&p->event, TRACK_SIBLING_ORDER_RANK, of->rank);
	return add_packet(p, NULL, PACKET_TRACK_DESCRIPTOR, &p->event, e);
}

static void add_counter(struct pftrace *p, enum timeline_unit unit)
{
	p->inner.len = 0;
	if (unit == UNIT_OF_COUNT)
		pb_add_uint(&p->inner, COUNTER_UNIT, COUNTER_UNIT_COUNT);
	else if (unit == UNIT_OF_BYTES)
		pb_add_uint(&p->inner, COUNTER_UNIT, COUNTER_UNIT_SIZE_BYTES);
	else if (unit == UNIT_OF_BYTES_PER_S)
		pb_add_bytes(&p->inner, COUNTER_UNIT_NAME, STR_LIT("bytes/s"));
	else if (unit == UNIT_OF_PERCENT)
		pb_add_bytes(&p->inner, COUNTER_UNIT_NAME, STR_LIT("%"));
	else if (unit == UNIT_OF_MHZ)
		pb_add_bytes(&p->inner, COUNTER_UNIT_NAME, STR_LIT("MHz"));
	pb_add_bytes(&p->event, TRACK_COUNTER, buf_str(&p->inner));
}

static int pftrace_track(void *w, const struct timeline_track *t, struct err *e)
{
	struct pftrace *p = w;

	GROW_ZEROED(p->tracks, p->track_cap, t->id);
	p->event.len = 0;
	pb_add_uint(&p->event, TRACK_UUID, t->id);
	pb_add_uint(&p->event, TRACK_PARENT_UUID, t->process);
	pb_add_bytes(&p->event, TRACK_NAME, as_utf8(p, t->name));
	if (t->is_counter)
		add_counter(p, t->unit);
	pb_add_int(&p->event, TRACK_SIBLING_ORDER_RANK, t->rank);
	return add_packet(p, NULL, PACKET_TRACK_DESCRIPTOR, &p->event, e);
}

static void begin_event(struct pftrace *p, enum event_type type, uint32_t track)
{
	p->event.len = 0;
	pb_add_uint(&p->event, EVENT_TYPE, type);
	pb_add_uint(&p->event, EVENT_TRACK_UUID, track);
}

static struct str sides_text(const uint32_t sides[3], char *text)
{
	char *at = text;

	for (int i = 0; i < 3; i++) {
		at = digits_put(at, sides[i]);
		*at++ = ',';
	}
	return (struct str){text, (size_t)(at - text) - 1};
}

static void add_arg(struct pftrace *p, struct buf *to, const struct timeline_arg *arg)
{
	uint64_t key = intern_key(p, arg->key);
	uint64_t value = arg->type == ARG_TEXT ? intern(p, SPACE_VALUES, (uint32_t)arg->value) : 0;
	char text[3 * DIGITS_MOST];

	p->inner.len = 0;
	pb_add_uint(&p->inner, ANNOTATION_NAME_IID, key);
	if (arg->type == ARG_TEXT)
		pb_add_uint(&p->inner, ANNOTATION_STRING_VALUE_IID, value);
	else if (arg->type == ARG_SIDES)
		pb_add_bytes(&p->inner, ANNOTATION_STRING_VALUE, sides_text(arg->sides, text));
	else
		pb_add_int(&p->inner, ANNOTATION_INT_VALUE, arg->value);
	pb_add_bytes(to, EVENT_DEBUG_ANNOTATIONS, buf_str(&p->inner));
}

static void add_block(struct pftrace *p, uint32_t number)
{
	size_t begin = p->event.len;
	struct timeline_block block;

	if (ready_has(&p->blocks, number)) {
		struct str made = p->blocks.all[number];
		char *at = pb_begin(&p->event, made.len);

		memcpy(at, made.s, made.len);
		pb_end(&p->event, at + made.len);
		return;
	}
	block = p->head.block(p->head.block_ctx, number);
	for (size_t i = 0; i < block.count; i++)
		add_arg(p, &p->event, &block.args[i]);
	ready_keep(&p->blocks, number, (struct str){p->event.s + begin, p->event.len - begin});
}

/* Name, category and args of what begins or happens. */
static void describe(struct pftrace *p, const struct timeline_slice *s)
{
	pb_add_uint(&p->event, EVENT_NAME_IID, intern(p, SPACE_NAMES, s->name));
	pb_add_uint(&p->event, EVENT_CATEGORY_IIDS, intern(p, SPACE_CATEGORIES, s->category));
	if (s->block != BLOCK_NONE)
		add_block(p, s->block);
	for (size_t i = 0; i < s->arg_count; i++)
		add_arg(p, &p->event, &s->args[i]);
}

/* What has ended by then ends before anything else happens on the track. */
static int end_until(struct pftrace *p, uint32_t track, int64_t at_ns, struct err *e)
{
	struct open_slices *o = &p->tracks[track];

	while (o->depth && o->ends_ns[o->depth - 1] <= at_ns) {
		begin_event(p, TYPE_SLICE_END, track);
		if (add_packet(p, &o->ends_ns[--o->depth], PACKET_TRACK_EVENT, &p->event, e) < 0)
			return -1;
	}
	return 0;
}

static int pftrace_slice(void *w, const struct timeline_slice *s, struct err *e)
{
	struct pftrace *p = w;
	struct open_slices *o = &p->tracks[s->track];

	if (end_until(p, s->track, s->start_ns, e) < 0)
		return -1;
	begin_event(p, TYPE_SLICE_BEGIN, s->track);
	describe(p, s);
	for (uint64_t i = 0; i < s->arrows_out; i++)
		pb_add_fixed64(&p->event, EVENT_FLOW_IDS, s->arrow_out + i);
	if (s->arrow_in)
		pb_add_fixed64(&p->event, EVENT_TERMINATING_FLOW_IDS, s->arrow_in);
	MEM_GROW(o->ends_ns, o->cap, o->depth + 1);
	o->ends_ns[o->depth++] = s->end_ns;
	return add_packet(p, &s->start_ns, PACKET_TRACK_EVENT, &p->event, e);
}

static int pftrace_instant(void *w, const struct timeline_slice *s, struct err *e)
{
	struct pftrace *p = w;

	if (end_until(p, s->track, s->start_ns, e) < 0)
		return -1;
	begin_event(p, TYPE_INSTANT, s->track);
	describe(p, s);
	return add_packet(p, &s->start_ns, PACKET_TRACK_EVENT, &p->event, e);
}

static int pftrace_counter(void *w, const struct timeline_value *v, struct err *e)
{
	struct pftrace *p = w;
	uint64_t bits;

	begin_event(p, TYPE_COUNTER, v->track);
	memcpy(&bits, &v->real, sizeof(bits));
	if (v->is_real)
		pb_add_fixed64(&p->event, EVENT_DOUBLE_COUNTER_VALUE, bits);
	else
		pb_add_int(&p->event, EVENT_COUNTER_VALUE, v->value);
	return add_packet(p, &v->at_ns, PACKET_TRACK_EVENT, &p->event, e);
}

static int pftrace_end(void *w, struct err *e)
{
	struct pftrace *p = w;

	for (size_t i = 0; i < p->track_cap; i++) {
		if (end_until(p, (uint32_t)i, INT64_MAX, e) < 0)
			return -1;
	}
	return out_bytes_flush(&p->out, e);
}

static void pftrace_close(void *w)
{
	struct pftrace *p = w;

	for (size_t i = 0; i < p->track_cap; i++)
		free(p->tracks[i].ends_ns);
	free(p->tracks);
	free(p->interned);
	ready_free(&p->blocks);
	buf_free(&p->event);
	buf_free(&p->packet);
	buf_free(&p->inner);
	buf_free(&p->fresh);
	buf_free(&p->scratch);
	buf_free(&p->text);
	buf_free(&p->out.bytes);
	free(p);
}

const struct timeline_writer timeline_pftrace = {
	.open = pftrace_open,
	.begin = pftrace_begin,
	.process = pftrace_process,
	.track = pftrace_track,
	.slice = pftrace_slice,
	.instant = pftrace_instant,
	.counter = pftrace_counter,
	.end = pftrace_end,
	.close = pftrace_close,
};
