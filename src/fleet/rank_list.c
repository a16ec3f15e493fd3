/* Which rank does the user say each capture is of? */
#include "fleet/rank_list.h"

#include "base/file.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 16 << 20, WORDS = 3 };

/* Splits at spaces; names with spaces are in no list. Returns how many words there are. */
static size_t split(struct str line, struct str words[WORDS])
{
	size_t count = 0;

	for (size_t i = 0; i < line.len; i++) {
		const size_t begin = i;

		while (i < line.len && !isspace((unsigned char)line.s[i]))
			i++;
		if (i == begin)
			continue;
		if (count < WORDS)
			words[count] = (struct str){line.s + begin, i - begin};
		count++;
	}
	return count;
}

static bool parse_number(struct str s, uint32_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s.len && n <= UINT32_MAX; i++) {
		if (!isdigit((unsigned char)s.s[i]))
			return false;
		n = n * 10 + (uint64_t)(s.s[i] - '0');
	}
	*ret = (uint32_t)n;
	return s.len && n < UINT32_MAX;
}

static int take_line(struct rank_list *l, size_t *cap, struct str line, size_t number,
		     struct err *e)
{
	struct given_rank g = {0};
	struct str words[WORDS];
	size_t count;

	if (memchr(line.s, '#', line.len))
		line.len = (size_t)((const char *)memchr(line.s, '#', line.len) - line.s);
	count = split(line, words);
	if (!count)
		return 0;
	if (count < 2 || count > WORDS || !parse_number(words[0], &g.rank) ||
	    (count == WORDS && !parse_number(words[2], &g.pid))) {
		err_set(e, ERR_INPUT, "'%s', line %zu, is no rank and file", l->path, number);
		return err_hint(e, "such as '3 node1_gpu0.sqlite', or with a process '3 "
				   "node1.sqlite 4711'");
	}
	g.file = arena_str(&l->arena, words[1]);
	g.has_pid = count == WORDS;
	MEM_GROW(l->all, *cap, l->count + 1);
	l->all[l->count++] = g;
	return 0;
}

static int refuse_twice(const struct rank_list *l, struct err *e)
{
	struct idmap seen = {0};
	int result = 0;

	for (size_t i = 0; i < l->count && result == 0; i++) {
		if (idmap_add(&seen, l->all[i].rank, (uint32_t)i) != i)
			result = err_set(e, ERR_INPUT, "'%s' has rank %u twice", l->path,
					 l->all[i].rank);
	}
	idmap_free(&seen);
	return result;
}

int rank_list_read(struct rank_list *ret, const char *path, struct err *e)
{
	SCOPED_BUF text = {0};
	struct str rest;
	size_t cap = 0, number = 0;

	*ret = (struct rank_list){.path = path};
	if (file_read_stream(&text, path, LIST_BYTES, e) < 0)
		return -1;
	for (rest = buf_str(&text); rest.len; number++) {
		const char *end = memchr(rest.s, '\n', rest.len);
		const size_t len = end ? (size_t)(end - rest.s) : rest.len;

		if (take_line(ret, &cap, (struct str){rest.s, len}, number + 1, e) < 0)
			return -1;
		rest.s += len + (end != NULL);
		rest.len -= len + (end != NULL);
	}
	return refuse_twice(ret, e);
}

void rank_list_free(struct rank_list *l)
{
	free(l->all);
	arena_free(&l->arena);
	*l = (struct rank_list){0};
}

/* "a/job_3.sqlite" in a list is the file, wherever it lies; its ending may be missing. */
static bool is_of(const struct given_rank *g, const char *file)
{
	const char *slash = memrchr(g->file.s, '/', g->file.len);
	const struct str name =
		slash ? (struct str){slash + 1, (size_t)(g->file.s + g->file.len - slash - 1)}
		      : g->file;
	const size_t len = strlen(file);

	return name.len <= len && memcmp(file, name.s, name.len) == 0 &&
	       (name.len == len || file[name.len] == '.');
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct part_member *x = a, *y = b;

	(void)ctx;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int apply_one(struct given_rank *g, struct part *p, struct err *e)
{
	bool found = false;

	if (!g->has_pid && p->member_count > 1) {
		err_set(e, ERR_INPUT,
			"'%s' has %zu processes with GPU work, of which one is rank %u", p->file,
			p->member_count, g->rank);
		return err_hint(e,
				"--ranks: 'RANK FILE PROCESS' says which; gpuwhy processes lists "
				"them");
	}
	for (size_t i = 0; i < p->member_count; i++) {
		if (g->has_pid && p->members[i].pid != g->pid)
			continue;
		p->members[i].rank = g->rank;
		p->members[i].rank_source = PART_RANK_GIVEN;
		found = true;
	}
	if (!found)
		return err_set(e, ERR_INPUT, "'%s' has no process %u with GPU work, for rank %u",
			       p->file, g->pid, g->rank);
	g->used = true;
	return 0;
}

int rank_list_apply(struct rank_list *l, struct part *p, struct err *e)
{
	for (size_t i = 0; i < l->count; i++) {
		if (is_of(&l->all[i], p->file) && apply_one(&l->all[i], p, e) < 0)
			return -1;
	}
	sort_stable(p->members, p->member_count, sizeof(*p->members), by_rank, NULL);
	return 0;
}

int rank_list_check(const struct rank_list *l, struct err *e)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!l->all[i].used)
			return err_set(e, ERR_INPUT,
				       "'%s' names '%.*s', which is no capture of these", l->path,
				       STR_FMT(l->all[i].file));
	}
	return 0;
}
