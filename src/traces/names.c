/* What tells one of several captures from the others? */
#include "traces/traces.h"

#include "analysis/processes/rank_map.h"
#include "input/run_traces.h"

#include <string.h>

/* What captures may be called: by their files, or with the run that each was recorded in. */
struct callings {
	const struct traces *traces;
	const char **runs; /* of each, where it is in the folder of a run */
};

/* "runs/a/job_rank3", with as many folders as it takes; the first of a run's is the run. */
static struct str stem(const struct callings *by, size_t i, unsigned folders)
{
	const char *path = by->traces->all[i].trace->path, *from = path + strlen(path);
	const size_t length = input_stem_length(path);

	if (folders == 1 && run_traces_folder(path).len)
		return str_of(by->runs[i]);
	while (from > path && (from[-1] != '/' || folders--))
		from--;
	return (struct str){from,
			    length > (size_t)(from - path) ? length - (size_t)(from - path) : 0};
}

static bool all_differ(const struct callings *by, unsigned folders)
{
	for (size_t i = 0; i < by->traces->count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (str_eq(stem(by, i, folders), stem(by, k, folders)))
				return false;
		}
	}
	return true;
}

/* How many bytes all begin with, up to a mark that ends a word. */
static size_t common_words(const struct callings *by, unsigned folders)
{
	const struct str first = stem(by, 0, folders);
	size_t same = first.len, words = 0;

	for (size_t i = 1; i < by->traces->count; i++) {
		const struct str other = stem(by, i, folders);
		size_t k = 0;

		while (k < same && k < other.len && other.s[k] == first.s[k])
			k++;
		same = k;
	}
	for (size_t k = 0; k < same; k++) {
		if (strchr("/_-. ", first.s[k]))
			words = k + 1;
	}
	return words;
}

/* What the capture itself says; a guess is none. */
static int read_rank(struct capture *c, struct err *e)
{
	const struct scope all = {0};
	struct rank_map map;

	if (rank_map_read(c->trace, &all, &map, e) < 0)
		return err_forgive_absent(e);
	if (map.count == 1 && map.source != RANKS_ASSUMED) {
		c->has_rank = true;
		c->rank = map.all[0].number;
	}
	rank_map_free(&map);
	return 0;
}

/* Each has a rank, and none has another's. */
static bool ranks_tell(const struct traces *t)
{
	for (size_t i = 0; i < t->count; i++) {
		if (!t->all[i].has_rank)
			return false;
		for (size_t k = 0; k < i; k++) {
			if (t->all[k].rank == t->all[i].rank)
				return false;
		}
	}
	return true;
}

static int rank_by_name(struct capture *c, struct err *e)
{
	const int found = rank_of_name(str_of(str_last_part(c->trace->path)), &c->rank, e);

	c->has_rank = found > 0;
	return found < 0 ? -1 : 0;
}

static int read_ranks(struct traces *t, struct err *e)
{
	bool differ;

	for (size_t i = 0; i < t->count; i++) {
		struct capture *c = &t->all[i];

		if (read_rank(c, e) < 0 || (!c->has_rank && rank_by_name(c, e) < 0))
			return -1;
	}
	/* Ranks of smaller communicators, which several have: names of files may know better. */
	differ = ranks_tell(t);
	for (size_t i = 0; !differ && i < t->count; i++) {
		if (rank_by_name(&t->all[i], e) < 0)
			return -1;
	}
	return 0;
}

void traces_call(struct traces *t)
{
	const struct callings by = {t, arena_alloc(&t->arena, t->count, sizeof(*by.runs))};
	unsigned folders = 0;
	size_t common;
	bool by_rank;

	for (size_t i = 0; i < t->count; i++)
		by.runs[i] = run_traces_name(t->all[i].trace->path, &t->arena);
	while (folders < 8 && !all_differ(&by, folders))
		folders++;
	common = common_words(&by, folders);
	by_rank = ranks_tell(t);
	for (size_t i = 0; i < t->count; i++) {
		struct capture *c = &t->all[i];
		const struct str name = stem(&by, i, folders);

		if (by_rank)
			c->name = arena_printf(&t->arena, "rank %u", c->rank);
		else if (name.len > common)
			c->name = arena_printf(&t->arena, "%.*s", (int)(name.len - common),
					       name.s + common);
		else
			c->name = arena_printf(&t->arena, "%.*s", STR_FMT(name));
	}
}

int traces_name(struct traces *t, struct err *e)
{
	if (read_ranks(t, e) < 0)
		return -1;
	traces_call(t);
	return 0;
}
