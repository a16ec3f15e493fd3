/* Do any parts whatever, joined to one job, make the answer about it crash, hang or fill memory? */
#include "everything.h"
#include "fleet/peers.h"
#include "fleet/scaling/scaling.h"

#include "base/sort.h"

/*
 * An input is parts one after another, as files. They are changed by field rather than by byte, and
 * put in order again: a part that is refused says nothing about what is done with one that is not.
 */
enum { PARTS = 6, CHANGES = 4, COPIES = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

struct parts {
	struct part all[PARTS];
	size_t count;
};

/* How long the body of a part is that begins here, at most; 0: none does. */
static size_t body_bytes(const uint8_t *data, size_t size)
{
	uint64_t bytes = 0;

	if (size < PART_HEAD_BYTES || memcmp(data, part_magic, PART_MAGIC_BYTES) != 0)
		return 0;
	for (int i = 0; i < 8; i++)
		bytes |= (uint64_t)data[PART_MAGIC_BYTES + 4 + i] << 8 * i;
	return bytes < size - PART_HEAD_BYTES ? bytes : size - PART_HEAD_BYTES;
}

/* The checksum would keep all changes out. */
static bool decode(struct part *p, const uint8_t *body, size_t bytes)
{
	struct buf sealed = {0};
	struct err e = {0};
	char *exact;
	bool good;

	part_seal(&sealed, (struct str){(const char *)body, bytes});
	exact = mem_copy(sealed.s, sealed.len, 1);
	good = part_decode(p, (struct str){exact, sealed.len}, "fuzz.part", &e) == 0;
	free(exact);
	buf_free(&sealed);
	if (!good) {
		part_free(p);
		if (!e.message[0] || e.code != ERR_INPUT)
			abort();
	}
	return good;
}

static void read_parts(struct parts *x, const uint8_t *data, size_t size)
{
	size_t at = 0, bytes;

	while (x->count < PARTS && (bytes = body_bytes(data + at, size - at))) {
		x->count += decode(&x->all[x->count], data + at + PART_HEAD_BYTES, bytes);
		at += PART_HEAD_BYTES + bytes;
	}
}

static void free_parts(struct parts *x)
{
	for (size_t i = 0; i < x->count; i++)
		part_free(&x->all[i]);
	x->count = 0;
}

/* 0: they do not fit. */
static size_t write_parts(const struct parts *x, uint8_t *data, size_t max_size)
{
	struct buf all = {0};
	size_t size;

	for (size_t i = 0; i < x->count; i++)
		part_encode(&all, &x->all[i]);
	size = all.len <= max_size ? all.len : 0;
	if (size)
		memcpy(data, all.s, size);
	buf_free(&all);
	return size;
}

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (state >> 11) % below : 0;
}

static int64_t clip(int64_t ns)
{
	return ns > PART_TIME_MAX ? PART_TIME_MAX : ns < -PART_TIME_MAX ? -PART_TIME_MAX : ns;
}

/* A time near another one, or anywhere. */
static int64_t draw_time(int64_t near_ns)
{
	static const int64_t far[] = {1,	1000,	    50000,	   1000000,
				      30000000, 1000000000, 3600000000000, PART_TIME_MAX};
	const int64_t sign = draw(2) ? 1 : -1;

	if (!draw(16))
		return draw(2) ? 0 : sign * PART_TIME_MAX;
	return clip(
		sat_add(near_ns, sign * (int64_t)draw((uint64_t)far[draw(ARRAY_LEN(far))] + 1)));
}

static uint32_t draw_number(uint32_t near)
{
	static const uint32_t some[] = {0, 1, 2, 3, 4, 7, 8, 1000, UINT32_MAX - 1};

	return draw(2) ? near + (uint32_t)draw(5) - 2 : some[draw(ARRAY_LEN(some))];
}

static struct part *draw_part(struct parts *x)
{
	return &x->all[draw(x->count)];
}

static struct part_member *draw_member(struct parts *x)
{
	struct part *p = draw_part(x);

	return p->member_count ? &p->members[draw(p->member_count)] : NULL;
}

static void shift_collectives(struct part_member *m)
{
	const size_t from = draw(m->collective_count + 1);
	const int64_t by = draw_time(0);

	for (size_t i = from; i < m->collective_count; i++) {
		m->collectives[i].start_ns = clip(sat_add(m->collectives[i].start_ns, by));
		m->collectives[i].end_ns = clip(sat_add(m->collectives[i].end_ns, by));
	}
}

static void change_collective(struct part_member *m)
{
	struct part_collective *k;

	if (!m->collective_count)
		return;
	k = &m->collectives[draw(m->collective_count)];
	switch (draw(9)) {
	case 0:
		k->start_ns = draw_time(k->start_ns);
		break;
	case 1:
		k->end_ns = draw_time(k->end_ns);
		break;
	case 2:
		k->exposed_ns = draw_time(k->exposed_ns);
		break;
	case 3:
		k->idle_ns = draw_time(k->idle_ns);
		break;
	case 4:
		k->launched_ns = draw(4) ? draw_time(k->start_ns) : PART_UNKNOWN;
		break;
	case 5:
		k->bytes = draw(4) ? draw_time(k->bytes) : PART_UNKNOWN;
		break;
	case 6:
		k->stall_ns = draw_time(k->stall_ns);
		break;
	case 7:
		k->blocked_ns = draw_time(k->blocked_ns);
		break;
	default:
		k->class = (uint32_t)draw(m->class_count);
		break;
	}
}

static void drop_collectives(struct part_member *m)
{
	const size_t first = draw(m->collective_count), left = m->collective_count - first;
	const size_t count = m->collective_count ? 1 + draw(draw(4) ? 3 : left) : 0;
	const size_t dropped = count < left ? count : left;

	if (dropped)
		memmove(&m->collectives[first], &m->collectives[first + dropped],
			(left - dropped) * sizeof(*m->collectives));
	m->collective_count -= dropped;
}

/* Some again, a little later: both then have kernels that the other lacks. */
static void repeat_collectives(struct part *p, struct part_member *m)
{
	const size_t n = m->collective_count, more = n ? 1 + draw(n < COPIES ? n : COPIES) : 0;
	struct part_collective *all = arena_alloc(&p->arena, n + more, sizeof(*all));
	const size_t first = draw(n - more + 1);
	const int64_t by = draw_time(0);

	if (!more)
		return;
	memcpy(all, m->collectives, n * sizeof(*all));
	memcpy(&all[n], &m->collectives[first], more * sizeof(*all));
	for (size_t i = n; i < n + more; i++) {
		all[i].start_ns = clip(sat_add(all[i].start_ns, by));
		all[i].end_ns = clip(sat_add(all[i].end_ns, by));
	}
	m->collectives = all;
	m->collective_count = n + more;
}

static void change_class(struct parts *x, struct part *p, struct part_member *m)
{
	const struct part_member *other = draw_member(x);
	struct part_collective_class *c;

	if (!m->class_count || !other || !other->class_count)
		return;
	c = &m->classes[draw(m->class_count)];
	switch (draw(8)) {
	case 0:
		*c = other->classes[draw(other->class_count)];
		c->kernel = arena_strdup(&p->arena, c->kernel); /* the other part may go */
		break;
	case 1:
		c->type = (enum collective_type)draw(COLL_TYPES);
		break;
	case 2:
		c->has_communicator = !c->has_communicator;
		c->communicator = c->has_communicator ? draw(3) : 0;
		break;
	case 3:
		c->ranks = draw_number(c->ranks);
		break;
	case 4:
		c->stream = draw_number(c->stream);
		break;
	case 5:
		c->peer = draw(4);
		break;
	case 6:
		c->own = draw(4);
		break;
	default:
		c->left_out = draw_number((uint32_t)c->left_out);
		break;
	}
}

static void change_who(struct part *p, struct part_member *m)
{
	static const char *const labels[] = {"", "rank=1; dp=1/2", "rank=0; dp=0/2 tp=1/2 pp=0/2",
					     "rank=3; dp=9999999/9999999 ep=7/8"};

	switch (draw(9)) {
	case 0:
		m->rank = draw_number(m->rank);
		break;
	case 1:
		m->rank_source = (enum part_rank_source)draw(PART_RANK_SOURCES);
		break;
	case 2:
		m->world = draw_number(m->world);
		break;
	case 3:
		m->local_rank = draw(3) ? draw_number(m->local_rank) : PART_NO_NUMBER;
		break;
	case 4:
		m->label = labels[draw(ARRAY_LEN(labels))];
		break;
	case 5:
		m->gpu_id = draw(3);
		break;
	case 6:
		p->node = draw(3);
		break;
	case 7:
		p->utc_ns = draw(4) ? draw_time(p->utc_ns) : PART_UNKNOWN;
		break;
	default:
		p->captured = (struct span){draw_time(p->captured.start_ns),
					    draw_time(p->captured.end_ns)};
		break;
	}
}

static void change_steps(struct part_member *m)
{
	struct part_step *s;

	if (!m->step_count || !draw(6)) {
		m->window =
			(struct span){draw_time(m->window.start_ns), draw_time(m->window.end_ns)};
		return;
	}
	s = &m->steps[draw(m->step_count)];
	switch (draw(6)) {
	case 0:
		s->number = draw_number(s->number);
		break;
	case 1:
		s->from_ns = draw_time(s->from_ns);
		break;
	case 2:
		s->to_ns = draw_time(s->to_ns);
		break;
	case 3:
		s->ns[draw(MEMBER_IDLE)] = draw_time(s->to_ns - s->from_ns);
		break;
	case 4:
		m->step_count = draw(m->step_count + 1);
		break;
	default:
		m->first_warm = draw(m->step_count + 1);
		m->warm_count = draw(m->step_count + 1);
		break;
	}
}

static void change_end(struct part_member *m)
{
	struct part_end *x = &m->end;

	switch (draw(7)) {
	case 5:
		x->by_launches = draw(2);
		x->lacks_kernels = !draw(4);
		x->last_call = draw(2) ? "cudaEventQuery" : "";
		x->last_call_ns = draw(2) ? draw_time(x->seen_ns) : PART_UNKNOWN;
		break;
	case 0:
		x->seen_ns = draw(4) ? draw_time(x->seen_ns) : PART_UNKNOWN;
		break;
	case 1:
		x->gpu_ns = draw(4) ? draw_time(x->seen_ns) : PART_UNKNOWN;
		break;
	case 2:
		x->calls = draw_number((uint32_t)x->calls);
		break;
	case 3:
		x->is_pending = !x->is_pending;
		x->called_ns = x->is_pending ? draw_time(x->seen_ns) : PART_UNKNOWN;
		break;
	case 4:
		x->type = (enum collective_type)draw(COLL_TYPES);
		x->bytes = draw(2) ? draw_number(0) : PART_UNKNOWN;
		break;
	default:
		x->path = draw(2) ? "step 12 / load" : "";
		x->path_ns = draw(2) ? draw_time(x->seen_ns) : PART_UNKNOWN;
		break;
	}
}

/* A part goes, or comes again as another rank. */
static void change_parts(struct parts *x)
{
	const size_t at = draw(x->count);
	struct buf bytes = {0};

	if (x->count > 1 && (x->count == PARTS || draw(2))) {
		part_free(&x->all[at]);
		x->all[at] = x->all[--x->count];
		return;
	}
	if (!part_encode(&bytes, &x->all[at]) &&
	    decode(&x->all[x->count], (const uint8_t *)bytes.s + PART_HEAD_BYTES,
		   bytes.len - PART_HEAD_BYTES)) {
		struct part *p = &x->all[x->count++];

		for (size_t i = 0; i < p->member_count; i++)
			p->members[i].rank += (uint32_t)x->count;
	}
	buf_free(&bytes);
}

static int by_start(const void *a, const void *b, void *ctx)
{
	const struct part_collective *x = a, *y = b;

	(void)ctx;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int64_t between(int64_t x, int64_t least, int64_t most)
{
	return x < least ? least : x > most ? most : x;
}

static void mend_account(int64_t ns[MEMBER_TIMES], int64_t rest_ns)
{
	for (int i = 0; i < MEMBER_IDLE; i++) {
		ns[i] = between(ns[i], 0, rest_ns);
		rest_ns -= ns[i];
	}
	ns[MEMBER_IDLE] = rest_ns;
}

static void mend_collectives(struct part_member *m)
{
	m->collective_count = m->class_count ? m->collective_count : 0;
	for (size_t i = 0; i < m->collective_count; i++) {
		struct part_collective *k = &m->collectives[i];

		k->end_ns = k->end_ns < k->start_ns ? k->start_ns : k->end_ns;
		k->exposed_ns = between(k->exposed_ns, 0, k->end_ns - k->start_ns);
		k->idle_ns = between(k->idle_ns, 0, PART_TIME_MAX);
		k->stall_ns = between(k->stall_ns, 0, PART_TIME_MAX);
		k->blocked_ns = between(k->blocked_ns, 0, PART_TIME_MAX);
		k->bytes = k->bytes < 0 ? PART_UNKNOWN : k->bytes;
	}
	sort_stable(m->collectives, m->collective_count, sizeof(*m->collectives), by_start, NULL);
}

/* What nobody would read otherwise. */
static void mend(struct part_member *m)
{
	int64_t before_ns = -PART_TIME_MAX;

	mend_collectives(m);
	for (size_t i = 0; i < m->step_count; i++) {
		struct part_step *s = &m->steps[i];

		s->from_ns = between(s->from_ns, before_ns, PART_TIME_MAX);
		s->to_ns = between(s->to_ns, s->from_ns, PART_TIME_MAX);
		mend_account(s->ns, s->to_ns - s->from_ns);
		before_ns = s->to_ns;
	}
	m->first_warm = m->first_warm < m->step_count ? m->first_warm : m->step_count;
	if (m->warm_count > m->step_count - m->first_warm)
		m->warm_count = m->step_count - m->first_warm;
	if (m->window.end_ns < m->window.start_ns)
		m->window.end_ns = m->window.start_ns;
	mend_account(m->window_ns, m->window.end_ns - m->window.start_ns);
}

static void change(struct parts *x)
{
	struct part *p = draw_part(x);
	struct part_member *m = p->member_count ? &p->members[draw(p->member_count)] : NULL;
	const uint64_t what = draw(16);

	if (!m || what == 0) {
		change_parts(x);
		return;
	}
	if (what <= 3)
		change_collective(m);
	else if (what <= 5)
		drop_collectives(m);
	else if (what <= 7)
		repeat_collectives(p, m);
	else if (what <= 8)
		shift_collectives(m);
	else if (what <= 10)
		change_class(x, p, m);
	else if (what <= 12)
		change_who(p, m);
	else if (what <= 14)
		change_steps(m);
	else
		change_end(m);
	mend(m);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct parts x = {.count = 0};
	size_t written = 0;

	state = 0x9e3779b97f4a7c15u ^ seed;
	read_parts(&x, data, size);
	for (uint64_t n = 1 + draw(CHANGES); n-- > 0 && x.count;)
		change(&x);
	if (x.count && draw(32))
		written = write_parts(&x, data, max_size);
	free_parts(&x);
	return written ? written : LLVMFuzzerMutate(data, size, max_size);
}

/* Parts of both. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t max_size, unsigned int seed)
{
	struct parts x = {.count = 0};
	size_t written;

	state = 0x9e3779b97f4a7c15u ^ seed;
	read_parts(&x, a, a_size);
	if (x.count > 1)
		part_free(&x.all[--x.count]);
	read_parts(&x, b, b_size);
	written = write_parts(&x, out, max_size);
	free_parts(&x);
	return written;
}

static void reduce(const struct part *const *parts, size_t count, size_t which)
{
	struct report r = {.command = "fleet"};
	struct err e = {0};

	if (fleet_reduce(parts, count, &(struct fleet_args){0}, &r, &e) == 0)
		present(&r, which);
	else if (!e.message[0])
		abort();
	report_free(&r);
}

/* The first rank against all. */
static void scale(const struct part *const *parts, size_t count)
{
	const struct scaling_args args = {.anyway = true};
	const struct scaling_names names = {"many", {"one.sqlite", NULL}};
	struct report one = {.command = "fleet"}, many = {.command = "fleet"};
	struct fleet_answer *a, *b;
	struct err e = {0};

	if (fleet_answer_make(parts, 1, &(struct fleet_args){0}, &one, &a, &e) == 0 &&
	    fleet_answer_make(parts, count, &(struct fleet_args){0}, &many, &b, &e) == 0) {
		struct scaling s;

		if (scaling_make(&s, a, b, &args, &e) == 0)
			scaling_report(&many, b, &s, &args, &names);
		scaling_free(&s);
	}
	if (e.code != ERR_NONE && !e.message[0])
		abort();
	report_free(&one);
	report_free(&many);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct part *refs[PARTS];
	struct parts x = {.count = 0};

	read_parts(&x, data, size);
	for (size_t i = 0; i < x.count; i++)
		refs[i] = &x.all[i];
	peers_apply(x.all, x.count);
	if (x.count) {
		reduce(refs, x.count, size);
		scale(refs, x.count);
	}
	free_parts(&x);
	return 0;
}
