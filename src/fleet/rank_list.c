/* Which rank does the user say each capture is of? */
#include "fleet/rank_list.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 16 << 20, REST_NAMED = 4 };

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

/* A rank, a file, whose name may have spaces in it, and perhaps the number of a process. */
static bool parse_line(struct str line, struct given_rank *ret)
{
	size_t rank = 0, last;
	struct str file;

	while (rank < line.len && !str_is_space(line.s[rank]))
		rank++;
	file = str_trimmed((struct str){line.s + rank, line.len - rank});
	for (last = file.len; last && !str_is_space(file.s[last - 1]);)
		last--;
	ret->has_pid =
		last && parse_number((struct str){file.s + last, file.len - last}, &ret->pid);
	ret->file = ret->has_pid ? str_trimmed((struct str){file.s, last}) : file;
	return ret->file.len && parse_number((struct str){line.s, rank}, &ret->rank);
}

/* A name may have a # in it. */
static struct str without_comment(struct str line)
{
	size_t len = 0;

	while (len < line.len && (line.s[len] != '#' || (len && !str_is_space(line.s[len - 1]))))
		len++;
	return (struct str){line.s, len};
}

static int take_line(struct rank_list *l, size_t *cap, struct str line, size_t number,
		     struct err *e)
{
	struct given_rank g = {0};

	line = str_trimmed(without_comment(line));
	if (!line.len)
		return 0;
	if (!parse_line(line, &g)) {
		err_set(e, ERR_INPUT, "'%s', line %zu, is no rank and file", l->path, number);
		return err_hint(e, "such as '3 node1_gpu0.sqlite', or with a process '3 "
				   "node1.sqlite 4711'");
	}
	g.file = arena_str(&l->arena, g.file);
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
	if (!ret->count) {
		err_set(e, ERR_INPUT, "'%s' names no rank", path);
		return err_hint(e, "each line of it is a rank and a file: '3 node1_gpu0.sqlite'");
	}
	return refuse_twice(ret, e);
}

void rank_list_free(struct rank_list *l)
{
	free(l->all);
	arena_free(&l->arena);
	*l = (struct rank_list){0};
}

/* What follows the last slash, which is cut off with it. */
static struct str take_last(struct str *path)
{
	const char *slash = path->len ? memrchr(path->s, '/', path->len) : NULL;
	const size_t begin = slash ? (size_t)(slash - path->s) + 1 : 0;
	const struct str last = {path->s + begin, path->len - begin};

	path->len = slash ? begin - 1 : 0;
	return last;
}

/* A file's ending may be missing. */
static bool is_called(struct str given, struct str file)
{
	return given.len <= file.len && memcmp(file.s, given.s, given.len) == 0 &&
	       (given.len == file.len || file.s[given.len] == '.');
}

/*
 * How many of the last names of both are the same; 0: it is another file. "a/job_3.sqlite" in a
 * list is the file, wherever it lies, unless another line fits it better.
 */
static size_t likeness(struct str given, const char *path)
{
	struct str file = str_of(path);
	size_t count = 1;

	if (!is_called(take_last(&given), take_last(&file)))
		return 0;
	while (given.len && file.len && str_eq(take_last(&given), take_last(&file)))
		count++;
	return count;
}

static size_t best_likeness(const struct rank_list *l, const char *path)
{
	size_t best = 0;

	for (size_t i = 0; i < l->count; i++) {
		const size_t n = likeness(l->all[i].file, path);

		best = n > best ? n : best;
	}
	return best;
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

	if (!g->has_pid && p->member_count > 1 && !part_is_one_process(p)) {
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

int rank_list_apply(struct rank_list *l, struct part *p, const char *path, struct err *e)
{
	size_t best;

	/* A part lies elsewhere than what it was made of. */
	if (!path || strcmp(str_last_part(path), p->file) != 0)
		path = p->file;
	best = best_likeness(l, path);
	for (size_t i = 0; best && i < l->count; i++) {
		if (likeness(l->all[i].file, path) == best && apply_one(&l->all[i], p, e) < 0)
			return -1;
	}
	sort_stable(p->members, p->member_count, sizeof(*p->members), by_rank, NULL);
	return 0;
}

static bool has_rank(const struct part *p)
{
	for (size_t i = 0; i < p->member_count; i++) {
		if (p->members[i].rank_source != PART_RANK_ASSUMED)
			return true;
	}
	return false;
}

/* A list of some would leave the others out, as if they were no ranks. */
static int refuse_rest(const struct rank_list *l, const struct part *parts, size_t count,
		       struct err *e)
{
	SCOPED_BUF names = {0};
	size_t rest = 0;

	for (size_t i = 0; i < count; i++) {
		if (!parts[i].member_count || has_rank(&parts[i]))
			continue;
		if (rest++ < REST_NAMED)
			buf_addf(&names, "%s'%s'", rest > 1 ? ", " : "", parts[i].file);
	}
	if (!rest)
		return 0;
	err_set(e, ERR_INPUT, "'%s' does not say which rank is in %s%s", l->path, names.s,
		rest > REST_NAMED ? ", …" : "");
	return err_hint(e, "give each capture a line there, or leave it out of the command");
}

int rank_list_check(const struct rank_list *l, const struct part *parts, size_t count,
		    struct err *e)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!l->all[i].used)
			return err_set(e, ERR_INPUT,
				       "'%s' names '%.*s', which is no capture of these", l->path,
				       STR_FMT(l->all[i].file));
	}
	return refuse_rest(l, parts, count, e);
}
