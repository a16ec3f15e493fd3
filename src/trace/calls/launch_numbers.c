/* Which small number stands for this process's correlation id? */
#include "trace/calls/launch_numbers.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void pair_list_turn(struct pair_list *l, uint64_t key)
{
	uint32_t *recent = &l->recent[(key ^ key >> 24) % RECENT_PAGES];

	if (*recent < l->count && l->pages[*recent].key == key) {
		l->at = *recent;
		return;
	}
	MEM_GROW(l->pages, l->cap, l->count + 1);
	l->pages[l->count] = (struct pair_page){.key = key};
	l->at = l->count++;
	*recent = (uint32_t)l->at;
}

static int compare_pages(const void *a, const void *b)
{
	uint64_t x = ((const struct pair_page *)a)->key, y = ((const struct pair_page *)b)->key;

	return (x > y) - (x < y);
}

/* How many pages from here on are in order, each once. */
static size_t run_length(const struct pair_page *pages, size_t count)
{
	size_t n = count ? 1 : 0;

	while (n < count && pages[n - 1].key < pages[n].key)
		n++;
	return n;
}

static void unite(struct pair_page *to, const struct pair_page *from)
{
	for (int w = 0; w < 4; w++)
		to->bits[w] |= from->bits[w];
}

void pair_list_settle(struct pair_list *l)
{
	size_t kept = 0;

	if (run_length(l->pages, l->count) == l->count)
		return;
	qsort(l->pages, l->count, sizeof(*l->pages), compare_pages);
	for (size_t i = 1; i < l->count; i++) {
		if (l->pages[i].key == l->pages[kept].key)
			unite(&l->pages[kept], &l->pages[i]);
		else
			l->pages[++kept] = l->pages[i];
	}
	l->count = kept + 1;
}

/* Two runs into one; returns how many pages it has. */
static size_t merge_runs(struct pair_page *out, const struct pair_page *a, size_t na,
			 const struct pair_page *b, size_t nb)
{
	const struct pair_page *a_end = a + na, *b_end = b + nb;
	struct pair_page *to = out;

	while (a < a_end && b < b_end) {
		if (a->key == b->key) {
			*to = *a++;
			unite(to++, b++);
		} else {
			*to++ = a->key < b->key ? *a++ : *b++;
		}
	}
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*a));
	to += a_end - a;
	memcpy(to, b, (size_t)(b_end - b) * sizeof(*b));
	return (size_t)(to + (b_end - b) - out);
}

/* Ops are mostly in the order of their launches: there are few runs, whatever their length. */
static void merge_all(struct launch_numbers *s)
{
	struct pair_page *scratch = NULL;

	while (run_length(s->pages, s->page_count) < s->page_count) {
		struct pair_page *swap = s->pages;
		size_t merged = 0;

		if (!scratch)
			scratch = mem_alloc(s->page_count, sizeof(*scratch));
		for (size_t i = 0; i < s->page_count;) {
			const struct pair_page *a = s->pages + i;
			size_t na = run_length(a, s->page_count - i);
			size_t nb = run_length(a + na, s->page_count - i - na);

			merged += merge_runs(scratch + merged, a, na, a + na, nb);
			i += na + nb;
		}
		s->pages = scratch;
		s->page_count = merged;
		scratch = swap;
	}
	free(scratch);
}

static void take_pages(struct launch_numbers *s, struct pair_list *lists, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += lists[i].count;
	s->pages = mem_alloc(total, sizeof(*s->pages));
	for (size_t i = 0; i < count; i++) {
		if (lists[i].count)
			memcpy(s->pages + s->page_count, lists[i].pages,
			       lists[i].count * sizeof(*s->pages));
		s->page_count += lists[i].count;
		free(lists[i].pages);
		lists[i] = (struct pair_list){0};
	}
}

/* In the order of keys: calls that follow one another have launches that do, too. */
void launch_numbers_make(struct launch_numbers *s, struct pair_list *lists, size_t count)
{
	take_pages(s, lists, count);
	merge_all(s);
	for (size_t i = 0; i < s->page_count; i++) {
		struct pair_page *p = &s->pages[i];

		p->first = (uint32_t)s->count;
		for (int w = 0; w < 4; w++) {
			p->before[w] = (uint8_t)(s->count - p->first);
			s->count += (size_t)__builtin_popcountll(p->bits[w]);
		}
	}
}

/* The first page whose key is no less; it is seldom far from `near`. */
static size_t find_page(const struct launch_numbers *s, size_t near, uint64_t key)
{
	size_t high = s->page_count;

	if (near < high) {
		if (s->pages[near].key < key)
			return GALLOP(near + 1, high, at, s->pages[at].key < key);
		high = near;
	}
	return BISECT(0, high, at, s->pages[at].key < key);
}

void launch_numbers_seek(const struct launch_numbers *s, struct launch_cursor_page *c, uint64_t key)
{
	size_t page = find_page(s, c->page, key);

	*c = (struct launch_cursor_page){key, (uint32_t)page, true,
					 page < s->page_count && s->pages[page].key == key};
}

void launch_numbers_free(struct launch_numbers *s)
{
	free(s->pages);
	*s = (struct launch_numbers){0};
}
