/* What are the NVTX ranges called, and what do they carry? */
#include "trace/ranges/ranges.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/str.h"
#include "trace/ranges/domains.h"
#include "trace/trace_cache.h"

#include <stdint.h>
#include <stdlib.h>

void ranges_close_open(struct trace *t)
{
	struct events *ev = &t->events[TRACE_NVTX];
	int64_t last = INT64_MIN;
	size_t count = 0, cap = 0;

	if (t->ranges_closed || !ev->start_ns || !ev->duration_ns || !ev->event_type)
		return;
	for (uint64_t i = 0; i < ev->count; i++) {
		const bool is_open = ev->duration_ns[i] == DURATION_NONE;
		int64_t end;

		if (!nvtx_is_range(ev->event_type[i]))
			continue;
		end = is_open ? ev->start_ns[i] : sat_add(ev->start_ns[i], ev->duration_ns[i]);
		last = end > last ? end : last;
		if (!is_open)
			continue;
		MEM_GROW(t->never_closed, cap, count + 1);
		t->never_closed[count++] = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++) {
		const uint32_t row = t->never_closed[i];

		ev->duration_ns[row] = sat_sub(last, ev->start_ns[row]);
	}
	t->never_closed_count = count;
	t->ranges_closed = true;
}

bool range_never_closed(const struct trace *t, uint32_t row)
{
	size_t place = BISECT(0, t->never_closed_count, at, t->never_closed[at] < row);

	return place < t->never_closed_count && t->never_closed[place] == row;
}

int ranges_load(struct trace *t, struct err *e)
{
	const uint32_t required = COLS_TIMES | COL_BIT(COL_EVENT_TYPE) | COL_BIT(COL_NAME);

	if (trace_load(t, TRACE_NVTX, COLS_RANGES, e) < 0 ||
	    trace_require_columns(t, TRACE_NVTX, required, e) < 0)
		return -1;
	ranges_close_open(t);
	return 0;
}

static uint32_t full_name(struct range_names *n, struct trace *t, uint32_t domain, uint32_t name)
{
	struct str d = domain == IDMAP_NONE ? STR_LIT("") : trace_name(t, domain);
	struct str s = name == NAME_NONE ? STR_LIT("") : trace_name(t, name);

	return strtab_add(&n->names, trace_join_names(t, &n->arena, d, ':', s));
}

static int make_names(struct trace *t, const void *ctx, void *made, struct err *e)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	struct range_names *ret = made;
	struct nvtx_domains d;
	struct idmap known = {0}; /* domain name << 32 | name → full name */
	TRACE_LOCK_SCOPE(t);

	(void)ctx;
	if (ranges_load(t, e) < 0)
		return -1;
	ret->of_row = arena_alloc(&ret->arena, ev->count, sizeof(*ret->of_row));
	nvtx_domains_find(&d, t);
	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t domain;
		uint64_t key;

		ret->of_row[i] = NAME_NONE;
		if (!nvtx_is_range(ev->event_type[i]))
			continue;
		domain = nvtx_domain_name(&d, i);
		key = (uint64_t)domain << 32 | ev->name[i];
		ret->of_row[i] = idmap_get(&known, key);
		if (ret->of_row[i] == IDMAP_NONE)
			ret->of_row[i] =
				idmap_add(&known, key, full_name(ret, t, domain, ev->name[i]));
	}
	idmap_free(&known);
	nvtx_domains_free(&d);
	return 0;
}

static void free_names(void *made)
{
	range_names_free(made);
}

int range_names_read(struct trace *t, struct range_names *ret, struct err *e)
{
	static const struct cached cached_names = {sizeof(*ret), make_names, free_names};

	return trace_cache_make(t, &cached_names, NULL, ret, &ret->shared, e);
}

void range_names_free(struct range_names *n)
{
	if (!n->shared) {
		strtab_free(&n->names);
		arena_free(&n->arena);
	}
	*n = (struct range_names){0};
}

static int make_folded(struct trace *t, const void *ctx, void *made, struct err *e)
{
	TRACE_LOCK_SCOPE(t); /* others may be adding names */

	(void)e;
	folded_names_make(ctx, made);
	return 0;
}

static void free_folded(void *made)
{
	folded_names_free(made);
}

void range_names_fold(struct trace *t, const struct range_names *n, struct folded_names *ret)
{
	static const struct cached cached_folded = {sizeof(*ret), make_folded, free_folded};
	struct err never;

	if (n->shared)
		trace_cache_make(t, &cached_folded, &n->names, ret, &ret->shared, &never);
	else
		folded_names_make(&n->names, ret);
}

/* Names that are met later are not among those that were folded. */
void trace_fold_names(struct trace *t, struct folded_names *ret)
{
	static const struct cached cached_folded = {sizeof(*ret), make_folded, free_folded};
	struct err never;

	trace_cache_make(t, &cached_folded, &t->names, ret, &ret->shared, &never);
	if (ret->count != t->names.count)
		folded_names_make(&t->names, ret);
}

static struct str after(struct str s, size_t n)
{
	return (struct str){s.s + n, s.len - n};
}

static struct str skip_spaces(struct str s)
{
	while (s.len && (*s.s == ' ' || *s.s == '\t' || *s.s == '\n'))
		s = after(s, 1);
	return s;
}

static bool read_digits(struct str s, uint64_t *ret)
{
	size_t i = 0;

	*ret = 0;
	for (; i < s.len && s.s[i] >= '0' && s.s[i] <= '9'; i++) {
		if (__builtin_mul_overflow(*ret, 10, ret) ||
		    __builtin_add_overflow(*ret, (uint64_t)(s.s[i] - '0'), ret))
			return false;
	}
	/* 1e9 and 1.5 are numbers, too, but none that is meant here. */
	return i > 0 && (i == s.len || !strchr(".eE", s.s[i]) || !s.s[i]);
}

/* "key" with a colon after it; a text that says the same has none. */
bool payload_number(struct str json, const char *key, uint64_t *ret)
{
	size_t len = strlen(key);

	while (json.len > len + 2) {
		const char *found = memmem(json.s + 1, json.len - 1, key, len);
		struct str rest;

		if (!found)
			return false;
		rest = after(json, (size_t)(found - json.s) + len);
		json = rest;
		if (found[-1] != '"' || !rest.len || *rest.s != '"')
			continue;
		rest = skip_spaces(after(rest, 1));
		if (rest.len && *rest.s == ':')
			return read_digits(skip_spaces(after(rest, 1)), ret);
	}
	return false;
}
