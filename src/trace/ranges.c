/* What are the NVTX ranges called, and which lies in which? */
#include "trace/ranges.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* Domains are numbered per process. */
struct domains {
	struct idmap by_process_key;
	struct idmap name; /* process number << 32 | domain → name */
};

static uint32_t domain_process(struct domains *d, const struct trace *t, uint32_t thread)
{
	uint64_t key = thread == ID_NONE ? UINT64_MAX : t->thread_keys.keys[thread] >> 24;

	return idmap_add(&d->by_process_key, key, (uint32_t)d->by_process_key.count);
}

static uint64_t domain_key(struct domains *d, const struct trace *t, const struct events *ev,
			   uint64_t row)
{
	uint32_t process = domain_process(d, t, ev->thread ? ev->thread[row] : ID_NONE);

	return (uint64_t)process << 32 | (ev->domain ? ev->domain[row] : 0);
}

static void collect_domains(struct domains *d, const struct trace *t, const struct events *ev)
{
	for (uint64_t i = 0; i < ev->count; i++) {
		if (ev->event_type[i] == NVTX_DOMAIN && ev->name[i] != NAME_NONE)
			idmap_add(&d->name, domain_key(d, t, ev, i), ev->name[i]);
	}
}

static bool is_closed_range(const struct events *ev, uint64_t row)
{
	return ev->duration_ns[row] != DURATION_NONE &&
	       (nvtx_is_push_pop(ev->event_type[row]) || nvtx_is_start_end(ev->event_type[row]));
}

static int load_ranges(struct trace *t, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_THREAD) |
				 COL_BIT(COL_EVENT_TYPE) | COL_BIT(COL_DOMAIN) | COL_BIT(COL_NAME);
	static const enum trace_column required[] = {COL_START, COL_DURATION, COL_EVENT_TYPE,
						     COL_NAME};

	if (trace_load(t, TRACE_NVTX, columns, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(required); i++) {
		if (trace_require_column(t, TRACE_NVTX, required[i], e) < 0)
			return -1;
	}
	return 0;
}

static uint32_t full_name(struct range_names *n, const struct trace *t, uint32_t domain,
			  uint32_t name)
{
	struct str d = domain == IDMAP_NONE ? STR_LIT("") : trace_name(t, domain);
	struct str s = name == NAME_NONE ? STR_LIT("") : trace_name(t, name);
	char *joined = arena_alloc(&n->arena, d.len + s.len + 1, 1);

	if (d.len)
		memcpy(joined, d.s, d.len);
	joined[d.len] = ':';
	if (s.len)
		memcpy(joined + d.len + 1, s.s, s.len);
	return strtab_add(&n->names, (struct str){joined, d.len + s.len + 1});
}

int range_names_read(struct trace *t, struct range_names *ret, struct err *e)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	struct domains d = {0};
	struct idmap known = {0}; /* domain name << 32 | name → full name */

	*ret = (struct range_names){0};
	if (load_ranges(t, e) < 0)
		return -1;
	ret->of_row = arena_alloc(&ret->arena, ev->count, sizeof(*ret->of_row));
	collect_domains(&d, t, ev);
	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t domain;
		uint64_t key;

		ret->of_row[i] = NAME_NONE;
		if (!is_closed_range(ev, i))
			continue;
		domain = d.name.count ? idmap_get(&d.name, domain_key(&d, t, ev, i)) : IDMAP_NONE;
		key = (uint64_t)domain << 32 | ev->name[i];
		ret->of_row[i] = idmap_get(&known, key);
		if (ret->of_row[i] == IDMAP_NONE)
			ret->of_row[i] =
				idmap_add(&known, key, full_name(ret, t, domain, ev->name[i]));
	}
	idmap_free(&known);
	idmap_free(&d.by_process_key);
	idmap_free(&d.name);
	return 0;
}

void range_names_free(struct range_names *n)
{
	strtab_free(&n->names);
	arena_free(&n->arena);
}

static int compare_ranges(const void *a, const void *b, void *ctx)
{
	const struct range *x = a, *y = b;

	(void)ctx;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int64_t end_of(int64_t start, int64_t duration)
{
	int64_t end;

	return __builtin_add_overflow(start, duration, &end) ? INT64_MAX : end;
}

static void collect_ranges(struct range_forest *f, const struct events *ev)
{
	f->ranges = mem_alloc(ev->count, sizeof(*f->ranges));
	for (uint64_t i = 0; i < ev->count; i++) {
		if (!is_closed_range(ev, i) || !nvtx_is_push_pop(ev->event_type[i]))
			continue;
		f->ranges[f->count++] = (struct range){
			.start_ns = ev->start_ns[i],
			.end_ns = end_of(ev->start_ns[i], ev->duration_ns[i]),
			.row = (uint32_t)i,
			.thread = ev->thread ? ev->thread[i] : ID_NONE,
			.parent = RANGE_NONE,
		};
	}
}

/* The parent is the nearest earlier range of the thread that has not ended before this one does. */
static void link_range(struct range_forest *f, size_t i)
{
	struct range *r = &f->ranges[i];
	uint32_t above = i && f->ranges[i - 1].thread == r->thread ? (uint32_t)(i - 1) : RANGE_NONE;

	while (above != RANGE_NONE && f->ranges[above].end_ns < r->end_ns)
		above = f->ranges[above].parent;
	r->parent = above;
	if (above != RANGE_NONE) {
		struct range *p = &f->ranges[above];

		r->level = p->level + 1;
		p->children++;
		p->children_ns = end_of(p->children_ns, r->end_ns - r->start_ns);
	}
}

int range_forest_build(struct trace *t, struct range_forest *ret, struct err *e)
{
	*ret = (struct range_forest){0};
	if (load_ranges(t, e) < 0)
		return -1;
	if (t->events[TRACE_NVTX].count == 0)
		return 0;
	collect_ranges(ret, &t->events[TRACE_NVTX]);
	sort_stable(ret->ranges, ret->count, sizeof(*ret->ranges), compare_ranges, NULL);
	for (size_t i = 0; i < ret->count; i++) {
		link_range(ret, i);
		idmap_add(&ret->thread_first, ret->ranges[i].thread, (uint32_t)i);
	}
	return 0;
}

void range_forest_free(struct range_forest *f)
{
	free(f->ranges);
	idmap_free(&f->thread_first);
}

uint32_t range_forest_find(const struct range_forest *f, uint32_t thread, int64_t start_ns,
			   int64_t end_ns)
{
	uint32_t first = idmap_get(&f->thread_first, thread), at;
	size_t low = first, high = f->count;

	if (first == IDMAP_NONE)
		return RANGE_NONE;
	/* The last range of the thread that begins no later than the call; then outwards. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct range *r = &f->ranges[mid];

		if (r->thread == thread && r->start_ns <= start_ns)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == first)
		return RANGE_NONE;
	for (at = (uint32_t)(low - 1); at != RANGE_NONE; at = f->ranges[at].parent) {
		if (f->ranges[at].end_ns >= end_ns)
			return at;
	}
	return RANGE_NONE;
}
